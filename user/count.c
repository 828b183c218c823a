// SPDX-License-Identifier: GPL-2.0-or-later
/* What counters counted, in memory. */
#include "table.h"

#include <errno.h>
#include <stdlib.h>

/**
 * tl_interval_count() - Add what a counter counted
 * @interval: where
 * @count: its event, valid UTF-8, is copied
 *
 * Return: 0 or -ENOMEM.
 */
int tl_interval_count(struct tl_interval *interval, const struct tl_count *count)
{
	struct tl_count *into;
	size_t i;

	for (i = 0; i < interval->n_counts; i++) {
		into = &interval->counts[i];
		if (into->cpu != count->cpu || strcmp(into->event, count->event))
			continue;
		into->value += count->value;
		into->enabled_ns += count->enabled_ns;
		into->running_ns += count->running_ns;
		return 0;
	}
	into = tl_array_append((void **)&interval->counts, &interval->n_counts, sizeof(*into));
	if (!into)
		return -ENOMEM;
	*into = *count;
	into->event = strdup(count->event);
	if (into->event)
		return 0;
	interval->n_counts--;
	return -ENOMEM;
}

/**
 * tl_counts_add() - Add the counts of one interval to those of another
 * @to: interval that grows
 * @from: interval that is added
 *
 * Return: 0 or -ENOMEM.
 */
int tl_counts_add(struct tl_interval *to, const struct tl_interval *from)
{
	size_t i;

	for (i = 0; i < from->n_counts; i++)
		if (tl_interval_count(to, &from->counts[i]))
			return -ENOMEM;
	return 0;
}

/* Of an interval that is freed. */
void tl_counts_free(struct tl_interval *interval)
{
	size_t i;

	for (i = 0; i < interval->n_counts; i++)
		free(interval->counts[i].event);
	free(interval->counts);
}
