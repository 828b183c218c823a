// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much is seen of a tier, and what that means for its figures
 *
 * Of requests of a tier at the level trace it is known that they were there and how long they took,
 * nothing else. They are in no other sum, so that a mean of anything else is one of the others.
 */
#include "table.h"

#include <stdlib.h>

static const char *const names[TL_ATS] = {
	[TL_AT_UNKNOWN] = "unknown",
	[TL_AT_OFF] = "off",
	[TL_AT_TRACE] = "trace",
	[TL_AT_SERVER] = "server",
	[TL_AT_METHOD] = "method",
};

/**
 * tl_at_name() - What a level is called
 * @level: it
 *
 * Return: a word.
 */
const char *tl_at_name(enum tl_at level)
{
	return level < TL_ATS ? names[level] : names[TL_AT_UNKNOWN];
}

/**
 * tl_at_read() - The level that is called so
 * @name: a word
 *
 * Return: it; TL_AT_UNKNOWN for any other word.
 */
enum tl_at tl_at_read(const char *name)
{
	int level;

	for (level = TL_AT_OFF; level < TL_ATS; level++)
		if (!strcmp(name, names[level]))
			return level;
	return TL_AT_UNKNOWN;
}

/**
 * tl_cell_known() - Of how many requests more is known than that they were there
 * @cell: sums
 *
 * Return: what own times, processor times and calls are the sums of.
 */
double tl_cell_known(const struct tl_cell *cell)
{
	return (double)(cell->count - min(cell->count, cell->traced));
}

/**
 * tl_cell_own_s() - Mean own time
 * @cell: sums
 *
 * Return: seconds; negative if it is known of no request.
 */
double tl_cell_own_s(const struct tl_cell *cell)
{
	double known = tl_cell_known(cell);

	return known > 0 ? tl_ns_to_s(cell->own_ns) / known : -1;
}

/**
 * tl_path_known() - Of how many requests of a path more is known than that they were there
 * @path: node
 *
 * Return: what own times and processor times are the sums of.
 */
double tl_path_known(const struct tl_path *path)
{
	return (double)(path->count - min(path->count, path->traced));
}

/**
 * tl_interval_traced() - Are there requests that were seen from end to end only?
 * @interval: where
 *
 * Return: whether there are.
 */
bool tl_interval_traced(const struct tl_interval *interval)
{
	size_t i, k;

	for (i = 0; i < interval->n_tiers; i++)
		for (k = 0; k < interval->tiers[i].n_cells; k++)
			if (interval->tiers[i].cells[k].traced)
				return true;
	return false;
}
