// SPDX-License-Identifier: GPL-2.0-or-later
/* What counters counted, and what of it is charged to requests, in memory. */
#include "table.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

#define FEW 128 /* places at first; a power of two, as all their numbers are */

/*
 * There may be dozens of events on each of a hundred processors, so counts have a table of where
 * they are: places by a hash, each with the number of a count from 1 on, or 0.
 *
 * Return: the place of that event and processor, which is free if there is no such count.
 */
static u32 *place_of(const struct tl_interval *interval, u32 cpu, const char *event)
{
	size_t i = tl_text_hash(TL_TEXT_HASH ^ cpu, event);
	const struct tl_count *count;
	u32 *at;

	for (;; i++) {
		at = &interval->count_at[i & (interval->count_room - 1)];
		if (!*at)
			return at;
		count = &interval->counts[*at - 1];
		if (count->cpu == cpu && !strcmp(count->event, event))
			return at;
	}
}

/* All are in the table, and one more would leave half of it free. */
static int places_find(struct tl_interval *interval)
{
	size_t room = interval->count_room ? interval->count_room : FEW, n = interval->n_counts, i;
	u32 *at;

	if (interval->counts_found == n && interval->count_room >= 2 * (n + 1))
		return 0;
	while (room < 2 * (n + 1))
		room *= 2;
	at = calloc(room, sizeof(*at));
	if (!at)
		return -ENOMEM;
	free(interval->count_at);
	interval->count_at = at;
	interval->count_room = room;
	for (i = 0; i < n; i++)
		*place_of(interval, interval->counts[i].cpu, interval->counts[i].event) = (u32)(i + 1);
	interval->counts_found = n;
	return 0;
}

/**
 * tl_interval_count_new() - What a counter counted that is not there yet
 * @interval: where
 *
 * Nobody looks whether it is: that takes as long as the rest of reading it.
 *
 * Return: zeroed, to be filled in, valid until the next one is added; NULL without memory.
 */
struct tl_count *tl_interval_count_new(struct tl_interval *interval)
{
	return tl_array_append((void **)&interval->counts, &interval->n_counts, sizeof(struct tl_count));
}

/**
 * tl_interval_count() - Add what a counter counted
 * @interval: where
 * @count: its event valid UTF-8
 *
 * Return: 0 or -ENOMEM.
 */
int tl_interval_count(struct tl_interval *interval, const struct tl_count *count)
{
	struct tl_count *into;
	u32 *at;

	if (places_find(interval))
		return -ENOMEM;
	at = place_of(interval, count->cpu, count->event);
	if (!*at) {
		into = tl_interval_count_new(interval);
		if (!into)
			return -ENOMEM;
		*into = *count;
		*at = (u32)interval->n_counts;
		interval->counts_found = interval->n_counts;
		return 0;
	}
	into = &interval->counts[*at - 1];
	into->value += count->value;
	into->enabled_ns += count->enabled_ns;
	into->running_ns += count->running_ns;
	return 0;
}

static bool is_of(const struct tl_charge *charge, const char *tier, const char *class,
		  const char *event)
{
	return !strcmp(charge->event, event) && !strcmp(charge->class, class) &&
	       !strcmp(charge->tier, tier);
}

/**
 * tl_charge_find() - What an event counted for requests
 * @interval: where
 * @tier: name of their tier
 * @class: name of their class
 * @event: its name
 *
 * Return: the charge; NULL if that was not counted.
 */
const struct tl_charge *tl_charge_find(const struct tl_interval *interval, const char *tier,
				       const char *class, const char *event)
{
	size_t i;

	for (i = 0; i < interval->n_charged; i++)
		if (is_of(&interval->charged[i], tier, class, event))
			return &interval->charged[i];
	return NULL;
}

/**
 * tl_interval_charge() - Add what an event counted for requests
 * @interval: where
 * @charge: its texts, valid UTF-8, are copied
 *
 * Looks behind the last hit first, as for edges.
 *
 * Return: 0 or -ENOMEM.
 */
int tl_interval_charge(struct tl_interval *interval, const struct tl_charge *charge)
{
	struct tl_charge *into;
	size_t i, at;

	for (i = 0; i < interval->n_charged; i++) {
		at = (interval->charge_hint + i) % interval->n_charged;
		into = &interval->charged[at];
		if (!is_of(into, charge->tier, charge->class, charge->event))
			continue;
		into->value += charge->value;
		interval->charge_hint = at + 1;
		return 0;
	}
	into = tl_array_append((void **)&interval->charged, &interval->n_charged, sizeof(*into));
	if (!into)
		return -ENOMEM;
	*into = (struct tl_charge){ strdup(charge->tier), strdup(charge->class),
				    strdup(charge->event), charge->value };
	interval->charge_hint = interval->n_charged;
	/* A half-copied charge stays in the array and is freed with the interval. */
	return into->tier && into->class && into->event ? 0 : -ENOMEM;
}

/**
 * tl_counts_add() - Add the counts and charges of one interval to those of another
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
	for (i = 0; i < from->n_charged; i++)
		if (tl_interval_charge(to, &from->charged[i]))
			return -ENOMEM;
	return 0;
}

/* Of an interval that is freed. */
void tl_counts_free(struct tl_interval *interval)
{
	size_t i;

	free(interval->counts);
	free(interval->count_at);
	for (i = 0; i < interval->n_charged; i++) {
		free(interval->charged[i].tier);
		free(interval->charged[i].class);
		free(interval->charged[i].event);
	}
	free(interval->charged);
}
