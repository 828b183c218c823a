// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Weighted targets. A line is "WEIGHT NAME TEXT…"; in the text {A-B} stands for a random
 * whole number from A to B. Empty lines and lines that start with '#' are left out.
 */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64: small, seedable, the same everywhere. */
uint64_t load_random(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Return: from 0 up to but not 1. */
double load_uniform(uint64_t *seed)
{
	return (load_random(seed) >> 11) * 0x1p-53;
}

/* Return: 0, -EINVAL for a bad line, -E2BIG. */
int load_mix_add(struct load_mix *m, const char *line)
{
	struct load_target *t = &m->target[m->n];
	int at = 0;

	line += strspn(line, " \t");
	if (!line[strcspn(line, "\r\n")] && !*line)
		return 0;
	if (*line == '#' || *line == '\n')
		return 0;
	if (m->n == LOAD_TARGETS)
		return -E2BIG;
	if (sscanf(line, "%lf %31s %n", &t->weight, t->name, &at) != 2 || !at ||
	    t->weight < 0 || strlen(line + at) >= LOAD_TEXT || strpbrk(t->name, "\"\\"))
		return -EINVAL;
	strcpy(t->text, line + at);
	t->text[strcspn(t->text, "\r\n")] = '\0';
	if (!t->text[0])
		return -EINVAL;
	m->weights += t->weight;
	m->n++;
	return 0;
}

int load_mix_read(struct load_mix *m, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[1024];
	int ret = 0;

	if (!f)
		return -errno;
	for (int nr = 1; !ret && fgets(line, sizeof(line), f); nr++) {
		ret = load_mix_add(m, line);
		if (ret)
			fprintf(stderr, "load: %s:%d: not 'WEIGHT NAME TEXT': %s", path,
				nr, line);
	}
	fclose(f);
	return ret;
}

unsigned int load_mix_pick(const struct load_mix *m, uint64_t *seed)
{
	double x = load_uniform(seed) * m->weights;

	for (unsigned int i = 0; i + 1 < m->n; i++) {
		x -= m->target[i].weight;
		if (x < 0)
			return i;
	}
	return m->n - 1;
}

/* Return: 0 or -E2BIG. */
int load_mix_expand(const struct load_target *t, uint64_t *seed, char *out,
		    unsigned int size)
{
	unsigned long long a, b;
	unsigned int n = 0;
	int skip;

	for (const char *p = t->text; *p; p++) {
		skip = 0;
		if (n + 24 > size)
			return -E2BIG;
		if (*p == '{' && sscanf(p, "{%llu-%llu}%n", &a, &b, &skip) == 2 && skip &&
		    b >= a) {
			n += sprintf(out + n, "%llu",
				     a + load_random(seed) % (b - a + 1));
			p += skip - 1;
		} else {
			out[n++] = *p;
		}
	}
	out[n] = '\0';
	return 0;
}
