// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings of any length in bounded memory
 *
 * When all slots are used, neighbours are summed in pairs and each slot takes
 * twice as many intervals from then on.
 */
#include "series.h"

#include "table.h"

#include <errno.h>

static int halve(struct tl_series *series)
{
	size_t i;

	for (i = 0; i < TL_SLOTS / 2; i++) {
		if (tl_interval_add(series->slot[2 * i], series->slot[2 * i + 1]))
			return -ENOMEM;
		tl_interval_free(series->slot[2 * i + 1]);
		series->slot[2 * i + 1] = NULL;
		series->slot[i] = series->slot[2 * i];
		series->end_ns[i] = series->end_ns[2 * i + 1];
		if (i)
			series->slot[2 * i] = NULL;
	}
	series->n = TL_SLOTS / 2;
	series->per_slot *= 2;
	series->filled = series->per_slot;
	return 0;
}

static int slot_begin(struct tl_series *series)
{
	if (series->n == TL_SLOTS && halve(series))
		return -ENOMEM;
	series->slot[series->n] = tl_interval_new();
	if (!series->slot[series->n])
		return -ENOMEM;
	series->n++;
	series->filled = 0;
	return 0;
}

/**
 * tl_series_add() - Add the next interval
 * @series: series, zeroed before the first
 * @interval: the interval
 *
 * Return: 0 or -ENOMEM.
 */
int tl_series_add(struct tl_series *series, const struct tl_interval *interval)
{
	if (!series->per_slot)
		series->per_slot = 1;
	if (!series->total)
		series->total = tl_interval_new();
	if (!series->total || tl_interval_add(series->total, interval))
		return -ENOMEM;
	if ((!series->n || series->filled == series->per_slot) && slot_begin(series))
		return -ENOMEM;
	if (tl_interval_add(series->slot[series->n - 1], interval))
		return -ENOMEM;
	series->end_ns[series->n - 1] = interval->start_ns + interval->length_ns;
	series->filled++;
	series->intervals++;
	tl_gap_look(&series->gap, interval);
	series->missed += series->gap.missed;
	return 0;
}

/**
 * tl_series_free() - Free what a series holds
 * @series: series
 */
void tl_series_free(struct tl_series *series)
{
	size_t i;

	for (i = 0; i < TL_SLOTS; i++)
		tl_interval_free(series->slot[i]);
	tl_interval_free(series->total);
	memset(series, 0, sizeof(*series));
}
