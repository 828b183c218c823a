// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Customer behaviour model graphs from matrices in JSON
 *
 * An object has "states" (or "names") and "P", and may have "think_s", "think_between_s" (or
 * "D") and "share"; or it has such objects by names, which are types of users, by themselves
 * or under "types". So what tierlens cbmg --json prints can be read again.
 */
#include "cbmg-graph.h"

#include "error.h"
#include "hist.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_BYTES_MAX (64 << 20)
#define TIME_S_MAX 1e9

struct matrices {
	struct tl_cbmg_draft *draft;
	size_t n;
};

static json_t *either(const json_t *object, const char *one, const char *other)
{
	json_t *found = json_object_get(object, one);

	return found ? found : json_object_get(object, other);
}

static bool has_matrix(const json_t *object)
{
	return json_is_array(json_object_get(object, "P"));
}

/* ---- one matrix ------------------------------------------------------------------------ */

static int names_read(struct tl_cbmg_draft *d, const json_t *object, const char *place,
		      struct tl_error *err)
{
	const json_t *names = either(object, "states", "names"), *name;
	size_t i;
	int code;

	if (!json_is_array(names))
		return tl_error_set(err, -EINVAL, "%s: no list \"states\": give the names of the rows",
				    place);
	code = tl_cbmg_draft_new(d, place, json_array_size(names), err);
	json_array_foreach(names, i, name) {
		if (code)
			return code;
		if (!json_is_string(name))
			return tl_error_set(err, -EINVAL, "%s: state %zu is no text: give its name",
					    place, i + 1);
		code = tl_cbmg_draft_name(d, place, i, json_string_value(name), err);
	}
	return code;
}

/* [n][n] numbers; null stays what it was if it may be unknown. */
static int square_read(const struct tl_cbmg_draft *d, const json_t *rows, const char *what,
		       const char *place, bool unknown, double *to, struct tl_error *err)
{
	const json_t *row, *value;
	size_t i, k;

	if (!json_is_array(rows) || json_array_size(rows) != d->n)
		return tl_error_set(err, -EINVAL, "%s: %s must be a list of %zu rows, one a state",
				    place, what, d->n);
	json_array_foreach(rows, i, row) {
		if (!json_is_array(row) || json_array_size(row) != d->n)
			return tl_error_set(err, -EINVAL, "%s: %s: row \"%s\" must be a list of %zu "
					    "numbers, not of %zu", place, what, d->name[i], d->n,
					    json_array_size(row));
		json_array_foreach(row, k, value) {
			if (json_is_null(value) && unknown)
				continue;
			if (!json_is_number(value))
				return tl_error_set(err, -EINVAL, "%s: %s: row \"%s\", column \"%s\" is "
						    "no number", place, what, d->name[i],
						    d->name[k]);
			to[i * d->n + k] = json_number_value(value);
		}
	}
	return 0;
}

static int think_set(struct tl_cbmg_draft *d, size_t i, const json_t *value, const char *place,
		     struct tl_error *err)
{
	size_t k;

	if (json_is_null(value))
		return 0;
	if (!json_is_number(value) || json_number_value(value) < 0 ||
	    json_number_value(value) > TIME_S_MAX)
		return tl_error_set(err, -EINVAL, "%s: the think time of \"%s\" is no number of seconds "
				    "from 0: mend it", place, d->name[i]);
	for (k = 0; k < d->n; k++)
		d->think_s[i * d->n + k] = json_number_value(value);
	return 0;
}

/* One for all, a list, or by name. */
static int think_read(struct tl_cbmg_draft *d, json_t *think, const char *place,
		      struct tl_error *err)
{
	const char *name;
	json_t *value;
	size_t i;
	int code = 0;

	if (json_is_array(think) && json_array_size(think) != d->n)
		return tl_error_set(err, -EINVAL, "%s: think_s must be a number, an object, or a list of "
				    "%zu numbers", place, d->n);
	for (i = 0; i < d->n && !code && think && !json_is_object(think); i++)
		code = think_set(d, i, json_is_array(think) ? json_array_get(think, i) : think, place,
				 err);
	json_object_foreach(think, name, value) {
		if (code)
			return code;
		i = tl_cbmg_draft_find(d, name);
		if (i == TL_CBMG_NONE)
			return tl_error_set(err, -ENOENT, "%s: think_s: there is no state \"%s\": mend "
					    "the name", place, name);
		code = think_set(d, i, value, place, err);
	}
	return code;
}

static int between_read(struct tl_cbmg_draft *d, const json_t *between, const char *place,
			struct tl_error *err)
{
	size_t i, n = d->n;
	int code = square_read(d, between, "think_between_s", place, true, d->think_s, err);

	for (i = 0; i < n * n && !code; i++)
		if (d->think_s[i] != -1 && !(d->think_s[i] >= 0 && d->think_s[i] <= TIME_S_MAX))
			code = tl_error_set(err, -EINVAL, "%s: think_between_s: row \"%s\", column "
					    "\"%s\": %g is no time from 0", place, d->name[i / n],
					    d->name[i % n], d->think_s[i]);
	return code;
}

static int share_read(struct tl_cbmg_draft *d, const json_t *share, const char *place,
		      struct tl_error *err)
{
	d->share = -1;
	if (!share || json_is_null(share))
		return 0;
	if (!json_is_number(share) || json_number_value(share) < 0 || json_number_value(share) > 1e12)
		return tl_error_set(err, -EINVAL, "%s: share is no number from 0: mend it", place);
	d->share = json_number_value(share);
	return 0;
}

static int matrix_read(struct matrices *m, const json_t *object, const char *type,
		       const struct tl_cbmg_matrix_in *in, struct tl_error *err)
{
	struct tl_cbmg_draft *grown = reallocarray(m->draft, m->n + 1, sizeof(*grown)), *d;
	char place[300];
	json_t *value;
	int code;

	if (!grown)
		return tl_error_no_memory(err);
	m->draft = grown;
	d = &grown[m->n++];
	*d = (struct tl_cbmg_draft){ .type = type ? strdup(type) : NULL };
	snprintf(place, sizeof(place), type ? "%s: type \"%s\"" : "%s", in->file, type);
	code = names_read(d, object, place, err);
	code = code ? code : square_read(d, json_object_get(object, "P"), "P", place, false, d->p,
					 err);
	code = code ? code : share_read(d, json_object_get(object, "share"), place, err);
	code = code ? code : think_read(d, json_object_get(object, "think_s"), place, err);
	value = either(object, "think_between_s", "D");
	if (!code && value && !json_is_null(value))
		code = between_read(d, value, place, err);
	return code ? code : tl_cbmg_draft_check(d, in, err);
}

static int types_read(struct matrices *m, json_t *object, const struct tl_cbmg_matrix_in *in,
		      struct tl_error *err)
{
	const char *name;
	json_t *value;
	int code = 0;

	json_object_foreach(object, name, value)
		if (!code && has_matrix(value) && (!in->only || !strcmp(name, in->only)))
			code = matrix_read(m, value, name, in, err);
	if (!code && !m->n && in->only)
		code = tl_error_set(err, -ENOENT, "%s: there is no type \"%s\" of users: name one that "
				    "has a matrix", in->file, in->only);
	else if (!code && !m->n)
		code = tl_error_set(err, -ENODATA, "%s: no matrix: give an object with \"states\" and "
				    "\"P\", or such objects by types of users", in->file);
	return code;
}

static int json_read(struct matrices *m, const struct tl_cbmg_matrix_in *in,
		     struct tl_error *err)
{
	json_error_t where;
	json_t *object = json_load_file(in->file, JSON_REJECT_DUPLICATES, &where), *types;
	int code;

	if (!object)
		return tl_error_set(err, -EBADMSG, "%s:%d: column %d: no JSON (%s): mend it", in->file,
				    where.line, where.column, where.text);
	types = json_object_get(object, "types");
	if (json_is_object(types) && json_object_size(types))
		code = types_read(m, types, in, err);
	else if (has_matrix(object) && !in->only)
		code = matrix_read(m, object, NULL, in, err);
	else
		code = types_read(m, object, in, err);
	json_decref(object);
	return code;
}

/* ---- all of them as one graph ----------------------------------------------------------- */

/* Where a state of a draft is in the graph: the same name is the same state. */
static size_t state_of(const struct tl_cbmg_graph *g, const struct tl_cbmg_draft *d, size_t i)
{
	size_t at;

	if (i == d->start)
		return TL_CBMG_START;
	if (i == d->exit)
		return TL_CBMG_EXIT;
	for (at = TL_CBMG_FIRST; at < g->n; at++)
		if (!strcmp(g->name[at], d->name[i]))
			return at;
	return TL_CBMG_NONE;
}

static int names_join(struct tl_cbmg_graph *g, const struct matrices *m)
{
	size_t room = TL_CBMG_FIRST, t, i, at;

	for (t = 0; t < m->n; t++)
		room += m->draft[t].n;
	g->name = calloc(room, sizeof(*g->name));
	if (!g->name)
		return -ENOMEM;
	g->n = TL_CBMG_FIRST;
	for (t = 0; t < m->n; t++)
		for (i = 0; i < m->draft[t].n; i++) {
			at = state_of(g, &m->draft[t], i);
			at = at == TL_CBMG_NONE ? g->n++ : at;
			if (!g->name[at] && !(g->name[at] = strdup(m->draft[t].name[i])))
				return -ENOMEM;
		}
	return 0;
}

static int fit_make(struct tl_cbmg_graph *g, const struct tl_cbmg_draft *d,
		    struct tl_cbmg_fit *fit)
{
	size_t n = g->n, i, k, at;
	int code = tl_cbmg_fit_new(fit, n);

	for (i = 0; i < n * n && !code; i++)
		fit->p[i].known = TL_CBMG_VALUE;
	for (i = 0; i < d->n && !code; i++) {
		fit->asked[state_of(g, d, i)] = 1;
		for (k = 0; k < d->n; k++) {
			at = state_of(g, d, i) * n + state_of(g, d, k);
			fit->p[at].value = d->p[i * d->n + k];
			if (d->p[i * d->n + k] > 0 && d->think_s[i * d->n + k] >= 0 &&
			    k != d->exit && i != d->start)
				fit->between[at] = (struct tl_cbmg_figure){
					TL_CBMG_VALUE, d->think_s[i * d->n + k], 0, 0 };
		}
	}
	return code ? code : tl_cbmg_given(fit);
}

/* A matrix of which nothing comes is a fault of the file. */
static int fit_judge(const struct tl_cbmg_graph *g, const struct tl_cbmg_type *type,
		     const char *file, struct tl_error *err)
{
	const struct tl_cbmg_fit *fit = &type->fit;
	char place[300];

	snprintf(place, sizeof(place), type->name ? "%s: type \"%s\"" : "%s", file, type->name);
	if (fit->verdict == TL_CBMG_TRAP)
		return tl_error_set(err, -EINVAL, "%s: no exit from state \"%s\": sessions that come "
				    "there never get to \"%s\", give them a way", place,
				    g->name[fit->culprit], g->name[TL_CBMG_EXIT]);
	if (fit->verdict == TL_CBMG_SPLIT)
		return tl_error_set(err, -EINVAL, "%s: sessions never end, and there is no one mix: from "
				    "\"%s\" there is no way to \"%s\" and the states behind it: give one, "
				    "or an exit", place, g->name[fit->other], g->name[fit->culprit]);
	if (fit->verdict == TL_CBMG_TINY)
		return tl_error_set(err, -ERANGE, "%s: sessions end so rarely that their length is "
				    "beyond numbers: mend the ways to \"%s\"", place,
				    g->name[TL_CBMG_EXIT]);
	return 0;
}

static int types_make(struct tl_cbmg_graph *g, struct matrices *m, const char *file,
		      struct tl_error *err)
{
	struct tl_cbmg_type *type;
	size_t t;

	g->type = calloc(m->n, sizeof(*g->type));
	if (!g->type || names_join(g, m))
		return tl_error_no_memory(err);
	for (t = 0; t < m->n; t++) {
		type = &g->type[g->types++];
		type->share = m->draft[t].share;
		type->name = m->draft[t].type;
		m->draft[t].type = NULL;
		if (fit_make(g, &m->draft[t], &type->fit))
			return tl_error_no_memory(err);
		if (fit_judge(g, type, file, err))
			return -EINVAL;
	}
	return 0;
}

/* "TYPE=PART" */
static int share_set(struct tl_cbmg_graph *g, const char *text, struct tl_error *err)
{
	const char *equals = strrchr(text, '=');
	char *end = NULL;
	size_t t;
	double part;

	for (t = 0; equals && t < g->types; t++)
		if (g->type[t].name && strlen(g->type[t].name) == (size_t)(equals - text) &&
		    !memcmp(g->type[t].name, text, (size_t)(equals - text)))
			break;
	if (!equals || t == g->types)
		return tl_error_set(err, -ENOENT, "--share %s: there is no such type of users: give "
				    "TYPE=PART", text);
	part = strtod(equals + 1, &end);
	if (end == equals + 1 || *end || !(part >= 0 && part <= 1e12))
		return tl_error_set(err, -EINVAL, "--share %s: \"%s\" is no part: give a number from 0",
				    text, equals + 1);
	g->type[t].share = part;
	return 0;
}

static int shares_settle(struct tl_cbmg_graph *g, const struct tl_cbmg_matrix_in *in,
			 struct tl_error *err)
{
	double sum = 0;
	size_t i;
	int code = 0;

	for (i = 0; i < in->shares && !code; i++)
		code = share_set(g, in->share[i], err);
	for (i = 0, g->pooled = true; i < g->types; i++) {
		g->pooled = g->pooled && g->type[i].share >= 0;
		sum += g->type[i].share;
	}
	if (code || !g->pooled)
		return code;
	if (!(sum > 0))
		return tl_error_set(err, -EINVAL, "%s: all shares are 0: give one that is not", in->file);
	for (i = 0; i < g->types; i++)
		g->type[i].share /= sum;
	return 0;
}

static int types_pool(struct tl_cbmg_graph *g, struct tl_error *err)
{
	struct tl_cbmg_fit *fits = calloc(g->types, sizeof(*fits));
	double *share = calloc(g->types, sizeof(*share));
	int code = fits && share ? tl_cbmg_fit_new(&g->all.fit, g->n) : -ENOMEM;
	size_t i;

	for (i = 0; i < g->types && !code; i++) {
		fits[i] = g->type[i].fit;
		share[i] = g->type[i].share;
	}
	code = code ? code : tl_cbmg_pool(fits, g->types, share, &g->all.fit);
	free(share);
	free(fits);
	if (code == -EINVAL) {
		tl_faults_note(&g->notes, 0, "of some types of users sessions end, of others not: there is "
			       "no graph of all: give all of them an exit, or none");
		g->pooled = false;
		return 0;
	}
	return code ? tl_error_no_memory(err) : 0;
}

static void notes_make(struct tl_cbmg_graph *g)
{
	const struct tl_cbmg_fit *fit = g->types ? &g->type[0].fit : &g->all.fit;

	if (fit->verdict == TL_CBMG_ENDLESS)
		tl_faults_note(&g->notes, 0, "no state is an exit, so sessions never end and have no "
			       "visits: the mix is that of the long run (an exit is called \"(exit)\", or "
			       "named by --exit)");
	if (!g->pooled && g->types > 1)
		tl_faults_note(&g->notes, 0, "which part of the users is of which type is not known: no "
			       "graph of all (--share TYPE=PART tells)");
}

static int graph_make(struct tl_cbmg_graph *g, struct matrices *m,
		      const struct tl_cbmg_matrix_in *in, struct tl_error *err)
{
	int code = types_make(g, m, in->file, err);

	if (code)
		return code;
	/* One matrix, named or not, is that of all. */
	if (g->types == 1) {
		g->all = g->type[0];
		g->all.share = 1;
		g->types = 0;
		g->pooled = true;
		if (in->shares)
			return tl_error_set(err, -EINVAL, "%s has one matrix: --share is for several "
					    "types of users", in->file);
	} else {
		code = shares_settle(g, in, err);
		if (!code && g->pooled)
			code = types_pool(g, err);
	}
	if (code)
		return code;
	notes_make(g);
	g->figures = true;
	g->verdict = strdup("ok");
	return !g->verdict || tl_cbmg_order(g) ? tl_error_no_memory(err) : 0;
}

/**
 * tl_cbmg_from_matrix() - Graphs from a file with matrices
 * @graph: empty; filled in
 * @in: the file, and what is wanted of it
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_cbmg_from_matrix(struct tl_cbmg_graph *graph, const struct tl_cbmg_matrix_in *in,
			struct tl_error *err)
{
	size_t len = strlen(in->file), i;
	struct matrices m = { 0 };
	int code;

	graph->notes.file = in->file;
	if (len > 4 && !strcmp(in->file + len - 4, ".csv")) {
		m.draft = calloc(1, sizeof(*m.draft));
		m.n = 1;
		code = m.draft ? tl_cbmg_csv(m.draft, in, err) : tl_error_no_memory(err);
	} else {
		code = json_read(&m, in, err);
	}
	code = code ? code : graph_make(graph, &m, in, err);
	for (i = 0; m.draft && i < m.n; i++)
		tl_cbmg_draft_free(&m.draft[i]);
	free(m.draft);
	return code;
}

/* ---- matrix or log --------------------------------------------------------------------- */

static bool any_matrix(const json_t *object)
{
	const char *name;
	json_t *value;

	if (has_matrix(object))
		return true;
	json_object_foreach((json_t *)object, name, value)
		if (has_matrix(value))
			return true;
	value = json_object_get(object, "types");
	return value && json_is_object(value) && any_matrix(value);
}

/* A log's lines are objects, too, but have no matrix. What is no JSON goes by its name. */
static bool json_is_matrix(const char *file, bool by_name)
{
	json_t *object = json_load_file(file, JSON_DISABLE_EOF_CHECK, NULL);
	bool matrix = object ? any_matrix(object) : by_name;

	json_decref(object);
	return matrix;
}

/**
 * tl_cbmg_is_matrix() - Whether a file has matrices
 * @file: its name
 *
 * Return: true for CSV, and for JSON that has one; else it should be a log.
 */
bool tl_cbmg_is_matrix(const char *file)
{
	size_t len = strlen(file), n;
	struct stat stat_of;
	char head[64] = "";
	FILE *from;

	if (len > 4 && !strcmp(file + len - 4, ".csv"))
		return true;
	if (stat(file, &stat_of) || !S_ISREG(stat_of.st_mode))
		return false;
	from = fopen(file, "re");
	if (!from)
		return false;
	n = fread(head, 1, sizeof(head) - 1, from);
	fclose(from);
	head[n] = '\0';
	return head[strspn(head, " \t\r\n")] == '{' && stat_of.st_size <= FILE_BYTES_MAX ?
	       json_is_matrix(file, len > 5 && !strcmp(file + len - 5, ".json")) : false;
}
