// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions that go from target to target at random, each choice depending on the last
 * one: a Markov chain. A file has a row a line, "FROM TO P TO P …": after FROM the
 * session asks for TO with the probability P. The names are those of the mix. The row
 * INIT says what a session begins with, and the row "*" serves all that have none of
 * their own. The probabilities of a row add up to 1. Empty lines and lines that start
 * with '#' are left out.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

enum { ROW_ANY = LOAD_TARGETS, ROW_INIT, ROWS };

/* What a session has asked for after so many steps has forgotten where it began. */
#define STEPS_BEFORE 100

struct load_walk {
	double p[ROWS][LOAD_TARGETS];
	bool given[ROWS];
};

/* Return: the target's number, ROW_ANY, ROW_INIT or -1. */
static int find(const struct load_mix *m, const char *name)
{
	for (unsigned int i = 0; i < m->n; i++)
		if (!strcmp(m->target[i].name, name))
			return i;
	if (!strcmp(name, "*"))
		return ROW_ANY;
	return strcmp(name, "INIT") ? -1 : ROW_INIT;
}

/* @line: is taken apart. Return: NULL, or what is wrong with it. */
static const char *add_row(struct load_walk *w, const struct load_mix *m, char *line)
{
	char *rest = line, *from = strtok_r(line, " \t\r\n", &rest), *name, *value, *end;
	double sum = 0, p;
	int row, to;

	if (!from || *from == '#')
		return NULL;
	row = find(m, from);
	if (row < 0)
		return "the row's name is not in the mix";
	if (w->given[row])
		return "there was such a row before";
	while ((name = strtok_r(NULL, " \t\r\n", &rest))) {
		value = strtok_r(NULL, " \t\r\n", &rest);
		to = find(m, name);
		if (to < 0 || to >= ROW_ANY)
			return "a target's name is not in the mix";
		p = value ? strtod(value, &end) : -1;
		if (!value || end == value || *end || !(p >= 0 && p <= 1))
			return "not a probability";
		w->p[row][to] += p;
		sum += p;
	}
	w->given[row] = true;
	return fabs(sum - 1) > 1e-6 ? "its probabilities do not add up to 1" : NULL;
}

/* Rows that are not given are that of "*". Return: NULL, or what is missing. */
static const char *complete(struct load_walk *w, const struct load_mix *m)
{
	for (unsigned int i = 0; i < m->n; i++) {
		if (w->given[i])
			continue;
		if (!w->given[ROW_ANY])
			return "a target has no row, and there is no row '*'";
		memcpy(w->p[i], w->p[ROW_ANY], sizeof(w->p[i]));
	}
	return w->given[ROW_INIT] ? NULL : "there is no row INIT";
}

static const char *read_rows(struct load_walk *w, const struct load_mix *m, FILE *f,
			     int *nr)
{
	char line[8192];
	const char *wrong = NULL;

	for (*nr = 1; !wrong && fgets(line, sizeof(line), f); *nr += !wrong)
		wrong = add_row(w, m, line);
	return wrong ? wrong : complete(w, m);
}

/* @m: must stay as it is. Return: the walk, or NULL after saying why. */
struct load_walk *load_walk_read(const struct load_mix *m, const char *path)
{
	struct load_walk *w = calloc(1, sizeof(*w));
	FILE *f = fopen(path, "r");
	const char *wrong;
	int nr = 0;

	if (!w || !f)
		wrong = strerror(errno);
	else
		wrong = read_rows(w, m, f, &nr);
	if (f)
		fclose(f);
	if (!wrong)
		return w;
	fprintf(stderr, "load: %s:%d: %s\n", path, nr, wrong);
	free(w);
	return NULL;
}

static unsigned int pick(const double *p, unsigned int n, uint64_t *seed)
{
	double x = load_uniform(seed);
	unsigned int last = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (p[i] <= 0)
			continue;
		last = i;
		x -= p[i];
		if (x < 0)
			break;
	}
	return last;
}

/* Return: where a session is that has been under way for long. */
unsigned int load_walk_begin(const struct load_walk *w, const struct load_mix *m,
			     uint64_t *seed)
{
	unsigned int at = pick(w->p[ROW_INIT], m->n, seed);

	for (int i = 0; i < STEPS_BEFORE; i++)
		at = pick(w->p[at], m->n, seed);
	return at;
}

unsigned int load_walk_next(const struct load_walk *w, const struct load_mix *m,
			    unsigned int at, uint64_t *seed)
{
	return pick(w->p[at], m->n, seed);
}
