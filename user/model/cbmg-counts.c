// SPDX-License-Identifier: GPL-2.0-or-later
/* What sessions did, counted by groups; room for more states comes as they appear. */
#include "cbmg-fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copy @blocks of [rows][n] things into ones of [rows'][room], zeros elsewhere. */
static void *spread_out(const void *from, size_t blocks, size_t n, size_t rows_had, size_t had,
			size_t rows, size_t room, size_t size)
{
	char *to = calloc(blocks * rows * room, size);
	size_t b, i;

	for (b = 0; to && from && b < blocks; b++)
		for (i = 0; i < (rows_had > 1 ? n : 1); i++)
			memcpy(to + (b * rows + i) * room * size,
			       (const char *)from + (b * rows_had + i) * had * size, n * size);
	return to;
}

static int room_make(struct tl_cbmg_counts *c, size_t n)
{
	size_t room = c->room ? c->room : 16;
	struct tl_cbmg_counts grown = *c;

	while (room < n)
		room *= 2;
	grown.room = room;
	grown.count = spread_out(c->count, TL_CBMG_GROUPS, c->n, c->room, c->room, room, room,
				 sizeof(*c->count));
	grown.pair = spread_out(c->pair, 1, c->n, c->room, c->room, room, room, sizeof(*c->pair));
	grown.think_s = spread_out(c->think_s, TL_CBMG_GROUPS, c->n, 1, c->room, 1, room,
				   sizeof(*c->think_s));
	grown.timed = spread_out(c->timed, TL_CBMG_GROUPS, c->n, 1, c->room, 1, room,
				 sizeof(*c->timed));
	if (!grown.count || !grown.pair || !grown.think_s || !grown.timed) {
		tl_cbmg_counts_free(&grown);
		return -ENOMEM;
	}
	tl_cbmg_counts_free(c);
	*c = grown;
	return 0;
}

static int state_make(struct tl_cbmg_counts *c, size_t state)
{
	size_t n = state + 1 > TL_CBMG_FIRST ? state + 1 : TL_CBMG_FIRST;
	int code = n > c->room ? room_make(c, n) : 0;

	if (!code && n > c->n)
		c->n = n;
	return code;
}

/**
 * tl_cbmg_counts_add() - Count that one state was asked for after another
 * @counts: all zero at first
 * @group: of the session, below TL_CBMG_GROUPS
 * @from: state before, or TL_CBMG_START
 * @to: state, or TL_CBMG_EXIT
 * @think_s: between the answer of the one and the request for the other; NAN if unknown
 *
 * Return: 0 or -ENOMEM.
 */
int tl_cbmg_counts_add(struct tl_cbmg_counts *counts, size_t group, size_t from, size_t to,
		       double think_s)
{
	struct tl_cbmg_counts *c = counts;
	int code = state_make(c, from > to ? from : to);
	struct tl_cbmg_pair *pair;

	if (code)
		return code;
	c->count[(group * c->room + from) * c->room + to]++;
	if (isnan(think_s))
		return 0;
	pair = &c->pair[from * c->room + to];
	pair->think_s += think_s;
	pair->think_sq_s2 += think_s * think_s;
	pair->timed++;
	c->think_s[group * c->room + from] += think_s;
	c->timed[group * c->room + from]++;
	return 0;
}

static void row_sum(struct tl_cbmg_counts *to, const struct tl_cbmg_counts *from, size_t i)
{
	size_t g, k;

	for (g = 0; g < TL_CBMG_GROUPS; g++) {
		to->think_s[g * to->room + i] += from->think_s[g * from->room + i];
		to->timed[g * to->room + i] += from->timed[g * from->room + i];
		for (k = 0; k < from->n; k++)
			to->count[(g * to->room + i) * to->room + k] +=
				from->count[(g * from->room + i) * from->room + k];
	}
	for (k = 0; k < from->n; k++) {
		const struct tl_cbmg_pair *pair = &from->pair[i * from->room + k];

		to->pair[i * to->room + k].think_s += pair->think_s;
		to->pair[i * to->room + k].think_sq_s2 += pair->think_sq_s2;
		to->pair[i * to->room + k].timed += pair->timed;
	}
}

/**
 * tl_cbmg_counts_sum() - Add what other sessions did
 * @to: counts
 * @from: those of others, of the same states
 *
 * Return: 0 or -ENOMEM.
 */
int tl_cbmg_counts_sum(struct tl_cbmg_counts *to, const struct tl_cbmg_counts *from)
{
	int code = from->n ? state_make(to, from->n - 1) : 0;
	size_t i;

	for (i = 0; !code && i < from->n; i++)
		row_sum(to, from, i);
	return code;
}

/**
 * tl_cbmg_counts_free() - Free what the counts hold
 * @counts: counts
 */
void tl_cbmg_counts_free(struct tl_cbmg_counts *counts)
{
	free(counts->count);
	free(counts->pair);
	free(counts->think_s);
	free(counts->timed);
}
