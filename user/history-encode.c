// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interval as bytes, for the history: numbers of variable length, each text once
 *
 * Nothing is rounded: what is read back is what was written, to the bit. Documentation/formats.md
 * has the layout. How many there are of each kind of sum stands in front of them, so that a later
 * tierlens, which may have more kinds, reads what this one has written.
 */
#include "history-code.h"

#include "table.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

#define TEXTS_SLOTS 512

/* Texts by a hash; @slot: place + 1. Full tables are searched no more: a text may stand there twice. */
struct texts {
	const char **text;
	size_t n;
	u32 slot[TEXTS_SLOTS];
};

struct encoder {
	struct texts texts;
	struct tl_code_to *sums, *hists;
};

static bool room_for(struct tl_code_to *to, size_t n)
{
	size_t room = to->room ? to->room : 4096;
	u8 *grown;

	while (room - to->n < n)
		room *= 2;
	if (room == to->room)
		return true;
	grown = to->failed ? NULL : realloc(to->byte, room);
	if (!grown) {
		to->failed = true;
		return false;
	}
	to->byte = grown;
	to->room = room;
	return true;
}

/**
 * tl_code_put_room() - Make room for bytes that the caller writes
 * @to: where
 * @n: how many
 *
 * Return: the place, until more is written; NULL without memory.
 */
u8 *tl_code_put_room(struct tl_code_to *to, size_t n)
{
	if (!room_for(to, n))
		return NULL;
	to->n += n;
	return to->byte + to->n - n;
}

/**
 * tl_code_put_bytes() - Write bytes as they are
 * @to: where
 * @bytes: they
 * @n: how many
 */
void tl_code_put_bytes(struct tl_code_to *to, const void *bytes, size_t n)
{
	u8 *room = n ? tl_code_put_room(to, n) : NULL;

	if (room)
		memcpy(room, bytes, n);
}

/**
 * tl_code_put() - Write a whole number, seven bits a byte, the lowest first
 * @to: where
 * @value: number
 */
void tl_code_put(struct tl_code_to *to, u64 value)
{
	if (!room_for(to, 10))
		return;
	for (; value > 127; value >>= 7)
		to->byte[to->n++] = (u8)(value | 128);
	to->byte[to->n++] = (u8)value;
}

/**
 * tl_code_put_real() - Write a number, all of its bits
 * @to: where
 * @value: number
 */
void tl_code_put_real(struct tl_code_to *to, double value)
{
	u8 bytes[8];
	u64 bits;
	int i;

	memcpy(&bits, &value, sizeof(bits));
	for (i = 0; i < 8; i++, bits >>= 8)
		bytes[i] = (u8)bits;
	tl_code_put_bytes(to, bytes, sizeof(bytes));
}

static u64 text_place(struct encoder *e, const char *text)
{
	struct texts *texts = &e->texts;
	u32 at = tl_text_hash(TL_TEXT_HASH, text) % TEXTS_SLOTS;
	const char **to;
	size_t i;

	for (i = 0; i < TEXTS_SLOTS && texts->slot[at]; i++, at = (at + 1) % TEXTS_SLOTS)
		if (!strcmp(texts->text[texts->slot[at] - 1], text))
			return texts->slot[at] - 1;
	to = tl_array_append((void **)&texts->text, &texts->n, sizeof(*to));
	if (!to) {
		e->sums->failed = true;
		return 0;
	}
	*to = text;
	if (!texts->slot[at])
		texts->slot[at] = (u32)texts->n;
	return texts->n - 1;
}

static void put_text(struct encoder *e, const char *text)
{
	tl_code_put(e->sums, text_place(e, text));
}

static void put_text_or_none(struct encoder *e, const char *text)
{
	tl_code_put(e->sums, text ? text_place(e, text) + 1 : 0);
}

/* States of all, two bits each, then the values. */
static void put_sums(struct encoder *e, const struct tl_sum *sums, int n)
{
	u64 states = 0;
	int i;

	for (i = 0; i < n; i++)
		states |= (u64)sums[i].state << (2 * i);
	tl_code_put(e->sums, states);
	for (i = 0; i < n; i++)
		tl_code_put(e->sums, sums[i].value);
}

static void put_all(struct encoder *e, const u64 *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		tl_code_put(e->sums, values[i]);
}

static u32 run_end(const u64 *hist, u32 i)
{
	while (i < TL_HIST_BUCKETS && hist[i])
		i++;
	return i;
}

static u32 run_begin(const u64 *hist, u32 i)
{
	while (i < TL_HIST_BUCKETS && !hist[i])
		i++;
	return i;
}

/* Runs of buckets that are not empty: length, empty ones before it, counts; ended by a length of 0. */
static void put_hist(struct encoder *e, const u64 *hist)
{
	u32 begin, end = 0, before = 0;

	while ((begin = run_begin(hist, before)) < TL_HIST_BUCKETS) {
		end = run_end(hist, begin);
		tl_code_put(e->hists, end - begin);
		tl_code_put(e->hists, begin - before);
		for (; begin < end; begin++)
			tl_code_put(e->hists, hist[begin]);
		before = end;
	}
	tl_code_put(e->hists, 0);
}

static void put_cell(struct encoder *e, const struct tl_cell *cell)
{
	const u64 values[] = { cell->count, cell->carried, cell->traced, cell->response_ns, cell->own_ns,
			       cell->bytes_in, cell->bytes_out };

	put_text(e, cell->class);
	tl_code_put(e->sums, cell->level);
	put_all(e, values, ARRAY_SIZE(values));
	tl_code_put_real(e->sums, cell->own_sq_s2);
	put_sums(e, cell->sum, TL_CELL_SUMS);
	put_hist(e, cell->response_hist);
	put_hist(e, cell->own_hist);
}

/* Place for four bytes that length_set() fills in: who wants one tier passes over the others. */
static size_t length_place(struct tl_code_to *to)
{
	tl_code_put_bytes(to, "\0\0\0\0", 4);
	return to->n;
}

static void length_set(struct tl_code_to *to, size_t begin)
{
	size_t length = to->n - begin;
	int i;

	for (i = 0; i < 4 && !to->failed; i++, length >>= 8)
		to->byte[begin - 4 + i] = (u8)length;
	to->failed |= length != 0;
}

static void put_tiers(struct encoder *e, const struct tl_interval *interval)
{
	size_t i, k, sums, hists;

	tl_code_put(e->sums, interval->n_tiers);
	for (i = 0; i < interval->n_tiers; i++) {
		const struct tl_tier *tier = &interval->tiers[i];

		put_text(e, tier->name);
		sums = length_place(e->sums);
		hists = length_place(e->hists);
		put_sums(e, tier->usage, TL_USAGE_SUMS);
		tl_code_put(e->sums, tier->n_cells);
		for (k = 0; k < tier->n_cells; k++)
			put_cell(e, &tier->cells[k]);
		length_set(e->sums, sums);
		length_set(e->hists, hists);
	}
}

static void put_edges(struct encoder *e, const struct tl_interval *interval)
{
	size_t i;

	tl_code_put(e->sums, interval->n_edges);
	for (i = 0; i < interval->n_edges; i++) {
		const struct tl_edge *edge = &interval->edges[i];

		put_text_or_none(e, edge->tier);
		put_text(e, edge->class);
		put_text(e, edge->peer);
		put_text_or_none(e, edge->peer_tier);
		tl_code_put(e->sums, edge->calls);
		tl_code_put(e->sums, edge->time_ns);
		put_all(e, edge->by, TL_BY_KINDS);
		put_sums(e, edge->sum, TL_EDGE_SUMS);
	}
}

/* Linked: parents first. What stands above a node tells its parent and depth. */
static void put_paths(struct encoder *e, const struct tl_interval *interval)
{
	size_t i;

	tl_code_put(e->sums, interval->n_paths);
	for (i = 0; i < interval->n_paths; i++) {
		const struct tl_path *path = &interval->paths[i];
		const u64 values[] = { path->id, path->up, path->count, path->traced, path->response_ns, path->own_ns };

		put_text_or_none(e, path->tier);
		put_text(e, path->class);
		put_all(e, values, ARRAY_SIZE(values));
		put_sums(e, path->sum, TL_PATH_SUMS);
	}
}

static void put_hosts(struct encoder *e, const struct tl_interval *interval)
{
	size_t i;

	tl_code_put(e->sums, interval->n_hosts);
	for (i = 0; i < interval->n_hosts; i++) {
		put_text(e, interval->hosts[i].name);
		tl_code_put_real(e->sums, interval->hosts[i].value);
		tl_code_put(e->sums, interval->hosts[i].length_ns);
	}
}

static void put_counts(struct encoder *e, const struct tl_interval *interval)
{
	size_t i;

	tl_code_put(e->sums, interval->n_counts);
	for (i = 0; i < interval->n_counts; i++) {
		const struct tl_count *count = &interval->counts[i];
		const u64 values[] = { count->cpu, count->value, count->enabled_ns, count->running_ns };

		put_text(e, count->event);
		put_all(e, values, ARRAY_SIZE(values));
	}
	tl_code_put(e->sums, interval->n_charged);
	for (i = 0; i < interval->n_charged; i++) {
		put_text(e, interval->charged[i].tier);
		put_text(e, interval->charged[i].class);
		put_text(e, interval->charged[i].event);
		tl_code_put(e->sums, interval->charged[i].value);
	}
}

static void put_called(struct encoder *e, const struct tl_interval *interval)
{
	size_t i;

	tl_code_put(e->sums, interval->n_called);
	for (i = 0; i < interval->n_called; i++) {
		const struct tl_called *called = &interval->called[i];
		const u64 values[] = { called->id, called->count, called->total_ns, called->own_ns, called->cpu_ns };

		put_text(e, called->tier);
		put_text(e, called->name);
		put_text_or_none(e, called->class);
		put_all(e, values, ARRAY_SIZE(values));
	}
}

/* Behind all that names them: only now it is known which there are. */
static void put_texts(struct encoder *e)
{
	size_t i;

	tl_code_put(e->sums, e->texts.n);
	for (i = 0; i < e->texts.n; i++)
		tl_code_put_bytes(e->sums, e->texts.text[i], strlen(e->texts.text[i]) + 1);
}

static void put_head(struct encoder *e, const struct tl_interval *interval)
{
	static const u64 kinds[] = { TL_HIST_BUCKETS, TL_CELL_SUMS, TL_USAGE_SUMS, TL_EDGE_SUMS, TL_BY_KINDS, TL_PATH_SUMS,
				     TL_COST_SUMS, TL_EVENTS, TL_LOSSES };

	put_all(e, kinds, ARRAY_SIZE(kinds));
	tl_code_put(e->sums, interval->generation);
	tl_code_put(e->sums, interval->start_ns);
	tl_code_put(e->sums, interval->length_ns);
	put_sums(e, interval->cost, TL_COST_SUMS);
	put_all(e, interval->events, TL_EVENTS);
	put_all(e, interval->losses, TL_LOSSES);
}

/**
 * tl_history_encode() - Write an interval as bytes
 * @interval: the interval, its paths linked
 * @sums: appended to: all but the histograms
 * @hists: appended to: the histograms of its cells, in the same order
 *
 * Return: 0 or -ENOMEM.
 */
int tl_history_encode(const struct tl_interval *interval, struct tl_code_to *sums, struct tl_code_to *hists)
{
	struct encoder e = { .sums = sums, .hists = hists };
	size_t texts;

	texts = length_place(sums);
	put_head(&e, interval);
	put_tiers(&e, interval);
	put_edges(&e, interval);
	put_paths(&e, interval);
	put_hosts(&e, interval);
	put_counts(&e, interval);
	put_called(&e, interval);
	length_set(sums, texts);
	put_texts(&e);
	free(e.texts.text);
	return sums->failed || hists->failed ? -ENOMEM : 0;
}
