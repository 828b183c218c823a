// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of functions that are probed, in memory. */
#include "table.h"

#include "text.h"

#include <errno.h>
#include <stdlib.h>

static bool same(const struct tl_called *a, const struct tl_called *b)
{
	return a->id == b->id && !strcmp(a->name, b->name) && !strcmp(a->tier, b->tier) &&
	       tl_text_equal(a->class, b->class);
}

/**
 * tl_interval_called() - Add calls of a function
 * @interval: where
 * @called: its texts, valid UTF-8, are copied
 *
 * Return: 0 or -ENOMEM.
 */
int tl_interval_called(struct tl_interval *interval, const struct tl_called *called)
{
	struct tl_called *into = NULL;
	size_t i;

	for (i = 0; i < interval->n_called && !into; i++)
		if (same(&interval->called[i], called))
			into = &interval->called[i];
	if (!into) {
		into = tl_array_append((void **)&interval->called, &interval->n_called, sizeof(*into));
		if (!into)
			return -ENOMEM;
		/* A half-copied one is taken back: its texts are compared by others. */
		into->id = called->id;
		into->tier = strdup(called->tier);
		into->name = strdup(called->name);
		into->class = called->class ? strdup(called->class) : NULL;
		if (!into->tier || !into->name || (called->class && !into->class)) {
			free(into->tier);
			free(into->name);
			free(into->class);
			interval->n_called--;
			return -ENOMEM;
		}
	}
	into->count += called->count;
	into->total_ns += called->total_ns;
	into->own_ns += called->own_ns;
	into->cpu_ns += called->cpu_ns;
	return 0;
}

/**
 * tl_called_add() - Add the calls of one interval to those of another
 * @to: interval that grows
 * @from: interval that is added
 *
 * Return: 0 or -ENOMEM.
 */
int tl_called_add(struct tl_interval *to, const struct tl_interval *from)
{
	size_t i;

	for (i = 0; i < from->n_called; i++)
		if (tl_interval_called(to, &from->called[i]))
			return -ENOMEM;
	return 0;
}

/* Of an interval that is freed. */
void tl_called_free(struct tl_interval *interval)
{
	size_t i;

	for (i = 0; i < interval->n_called; i++) {
		free(interval->called[i].tier);
		free(interval->called[i].class);
		free(interval->called[i].name);
	}
	free(interval->called);
}
