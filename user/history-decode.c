// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes of the history as an interval
 *
 * Whatever the bytes are, nothing is read or written beyond its place: a file may be damaged, or made
 * by somebody else. What is read past the end is 0, and found out once, when all is done.
 */
#include "history-code.h"

#include "table.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

#define DEPTH_MAX 1000 /* as for paths from anywhere: nobody shall make us recurse */
#define KINDS_MAX 64
/* What each has at least: all numbers 0, and none of the sums of which there may be more or fewer. */
#define CELL_BYTES 18
#define TIER_BYTES 7
#define ROW_BYTES 3

enum kind { BUCKETS, CELL_SUMS, USAGE_SUMS, EDGE_SUMS, BY, PATH_SUMS, COST_SUMS, EVENTS, LOSSES, KINDS };

struct decoder {
	struct tl_code_from sums, hists;
	struct tl_interval *interval;
	const char **text;
	size_t texts;
	const char *tier;
	u64 kinds[KINDS];
	tl_history_cell_fn *each; /* told of cells instead of keeping them; NULL to keep all */
	void *arg;
	bool no_memory;
};

/**
 * tl_code_get() - Read a whole number
 * @from: where
 *
 * Return: the number; 0 if there is none, with @from->bad set.
 */
u64 tl_code_get(struct tl_code_from *from)
{
	u64 value = 0;
	int shift;

	for (shift = 0; shift < 64 && from->at < from->n; shift += 7) {
		u8 byte = from->byte[from->at++];

		value |= (u64)(byte & 127) << shift;
		if (!(byte & 128))
			return value;
	}
	from->bad = true;
	return 0;
}

/**
 * tl_code_get_n() - Read how many of something follow
 * @from: where
 * @least: bytes that each has at least, so that nobody makes us find room for more than there are
 *
 * Return: the number; 0 if there cannot be so many, with @from->bad set.
 */
size_t tl_code_get_n(struct tl_code_from *from, size_t least)
{
	u64 n = tl_code_get(from);

	if (n <= (from->n - from->at) / least)
		return (size_t)n;
	from->bad = true;
	return 0;
}

/**
 * tl_code_get_bytes() - Read bytes as they are
 * @from: where
 * @n: how many
 *
 * Return: they; NULL if there are fewer, with @from->bad set.
 */
const u8 *tl_code_get_bytes(struct tl_code_from *from, size_t n)
{
	if (n > from->n - from->at) {
		from->bad = true;
		return NULL;
	}
	from->at += n;
	return from->byte + from->at - n;
}

/**
 * tl_code_get_real() - Read a number of eight bytes
 * @from: where
 *
 * Return: the number; 0 if there is none or it is not finite, with @from->bad set.
 */
double tl_code_get_real(struct tl_code_from *from)
{
	const u8 *bytes = tl_code_get_bytes(from, 8);
	double value;
	u64 bits = 0;
	int i;

	for (i = 7; bytes && i >= 0; i--)
		bits = bits << 8 | bytes[i];
	memcpy(&value, &bits, sizeof(value));
	if (__builtin_isfinite(value))
		return value;
	from->bad = true;
	return 0;
}

/* Room as tl_array_append() would have made it. */
static void *array_of(struct decoder *d, size_t n, size_t size)
{
	size_t room = 1;
	void *array;

	while (room < n)
		room *= 2;
	array = n ? calloc(room, size) : NULL;
	d->no_memory |= n && !array;
	return array;
}

static char *copy(struct decoder *d, const char *text)
{
	char *copied = text ? strdup(text) : NULL;

	d->no_memory |= text && !copied;
	return copied;
}

static const char *get_text(struct decoder *d)
{
	u64 place = tl_code_get(&d->sums);

	if (place < d->texts)
		return d->text[place];
	d->sums.bad = true;
	return "";
}

static const char *get_text_or_none(struct decoder *d)
{
	u64 place = tl_code_get(&d->sums);

	if (place && place <= d->texts)
		return d->text[place - 1];
	d->sums.bad |= place != 0;
	return NULL;
}

/* What a later tierlens has more of is passed over. */
static void get_all(struct decoder *d, u64 *values, u64 there, u64 wanted)
{
	u64 i, value;

	for (i = 0; i < there; i++) {
		value = tl_code_get(&d->sums);
		if (i < wanted)
			values[i] = value;
	}
}

/* Those that were not known when it was written are unknown. */
static void get_sums(struct decoder *d, struct tl_sum *sums, u64 there, u64 wanted)
{
	u64 states = tl_code_get(&d->sums), values[KINDS_MAX] = { 0 }, i;

	get_all(d, values, there, KINDS_MAX);
	for (i = 0; i < wanted; i++) {
		u64 state = i < there ? states >> (2 * i) & 3 : TL_SUM_UNKNOWN;

		d->sums.bad |= state > TL_SUM_UNKNOWN;
		sums[i] = (struct tl_sum){ values[i], (enum tl_sum_state)min(state, (u64)TL_SUM_UNKNOWN) };
	}
}

static void get_hist(struct decoder *d, u64 *hist)
{
	u64 n, at = 0;

	while ((n = tl_code_get(&d->hists))) {
		at += tl_code_get(&d->hists);
		if (at > TL_HIST_BUCKETS || n > TL_HIST_BUCKETS - at) {
			d->hists.bad = true;
			return;
		}
		for (; n; n--, at++)
			hist[at] = tl_code_get(&d->hists);
	}
}

static bool wanted(const struct decoder *d, const char *tier)
{
	return !d->tier || tl_text_equal(d->tier, tier);
}

/* All but its class and its histograms. */
static void get_cell_sums(struct decoder *d, struct tl_cell *cell)
{
	u64 values[7] = { 0 }, level = tl_code_get(&d->sums);

	get_all(d, values, ARRAY_SIZE(values), ARRAY_SIZE(values));
	cell->level = level < TL_ATS ? (enum tl_at)level : TL_AT_UNKNOWN;
	cell->count = values[0];
	cell->carried = values[1];
	cell->traced = values[2];
	cell->response_ns = values[3];
	cell->own_ns = values[4];
	cell->bytes_in = values[5];
	cell->bytes_out = values[6];
	cell->own_sq_s2 = tl_code_get_real(&d->sums);
	d->sums.bad |= cell->traced > cell->count || cell->own_sq_s2 < 0;
	get_sums(d, cell->sum, d->kinds[CELL_SUMS], TL_CELL_SUMS);
}

static void get_cell(struct decoder *d, struct tl_cell *cell)
{
	cell->class = copy(d, get_text(d));
	get_cell_sums(d, cell);
	if (!d->hists.byte)
		return;
	get_hist(d, cell->response_hist);
	get_hist(d, cell->own_hist);
}

/* Four bytes. Return: where what is so long ends; @from->bad if it is longer than there is. */
static size_t get_end(struct tl_code_from *from)
{
	const u8 *bytes = tl_code_get_bytes(from, 4);
	size_t length = 0;
	int i;

	for (i = 3; bytes && i >= 0; i--)
		length = length << 8 | bytes[i];
	if (length <= from->n - from->at)
		return from->at + length;
	from->bad = true;
	return from->at;
}

static void get_cells(struct decoder *d, struct tl_tier *tier)
{
	size_t i, n;

	get_sums(d, tier->usage, d->kinds[USAGE_SUMS], TL_USAGE_SUMS);
	n = tl_code_get_n(&d->sums, CELL_BYTES);
	tier->cells = array_of(d, n, sizeof(*tier->cells));
	for (i = 0; i < n && !d->no_memory && !d->sums.bad && !d->hists.bad; i++) {
		tier->n_cells++;
		get_cell(d, &tier->cells[i]);
	}
}

/* No room is made for any: it would be four KiB for each. */
static void tell_cells(struct decoder *d, const char *tier, struct tl_cell *cell)
{
	struct tl_sum usage[TL_USAGE_SUMS];
	size_t i, n;

	get_sums(d, usage, d->kinds[USAGE_SUMS], TL_USAGE_SUMS);
	n = tl_code_get_n(&d->sums, CELL_BYTES);
	for (i = 0; i < n && !d->sums.bad && !d->no_memory; i++) {
		cell->class = (char *)get_text(d);
		get_cell_sums(d, cell);
		d->no_memory = !d->sums.bad && d->each(tier, cell, d->arg);
	}
}

static void tell_tiers(struct decoder *d)
{
	size_t n = tl_code_get_n(&d->sums, TIER_BYTES), i, end;
	struct tl_cell cell = { 0 };

	for (i = 0; i < n && !d->no_memory && !d->sums.bad; i++) {
		const char *name = get_text(d);

		end = get_end(&d->sums);
		if (d->sums.bad)
			return;
		if (wanted(d, name))
			tell_cells(d, name, &cell);
		d->sums.at = end;
	}
}

/* @tier: NULL to pass over it. */
static void get_tier(struct decoder *d, struct tl_tier *tier)
{
	const char *name = get_text(d);
	size_t sums_end = get_end(&d->sums), hists_end = d->hists.byte ? get_end(&d->hists) : 0;

	if (d->sums.bad || d->hists.bad)
		return;
	if (tier && wanted(d, name)) {
		tier->name = copy(d, name);
		d->interval->n_tiers++;
		get_cells(d, tier);
		d->sums.bad |= d->sums.at != sums_end;
		d->hists.bad |= d->hists.at != hists_end;
	}
	d->sums.at = sums_end;
	d->hists.at = hists_end;
}

static void get_tiers(struct decoder *d)
{
	size_t n = tl_code_get_n(&d->sums, TIER_BYTES), most = d->tier ? min(n, (size_t)1) : n, i;
	struct tl_interval *interval = d->interval;

	interval->tiers = array_of(d, most, sizeof(*interval->tiers));
	for (i = 0; i < n && !d->no_memory && !d->sums.bad && !d->hists.bad; i++)
		get_tier(d, interval->n_tiers < most ? &interval->tiers[interval->n_tiers] : NULL);
}

static void get_edges(struct decoder *d)
{
	size_t n = tl_code_get_n(&d->sums, ROW_BYTES), i;

	d->interval->edges = array_of(d, n, sizeof(*d->interval->edges));
	for (i = 0; i < n && !d->no_memory && !d->sums.bad; i++) {
		struct tl_edge *edge = &d->interval->edges[d->interval->n_edges];
		const char *tier = get_text_or_none(d), *class = get_text(d), *peer = get_text(d);
		const char *peer_tier = get_text_or_none(d);

		edge->calls = tl_code_get(&d->sums);
		edge->time_ns = tl_code_get(&d->sums);
		get_all(d, edge->by, d->kinds[BY], TL_BY_KINDS);
		get_sums(d, edge->sum, d->kinds[EDGE_SUMS], TL_EDGE_SUMS);
		if (!wanted(d, tier) && !wanted(d, peer_tier)) {
			memset(edge, 0, sizeof(*edge));
			continue;
		}
		edge->tier = copy(d, tier);
		edge->class = copy(d, class);
		edge->peer = copy(d, peer);
		edge->peer_tier = copy(d, peer_tier);
		d->interval->n_edges++;
	}
}

static void path_place(struct decoder *d, struct tl_path *path, u64 id, u64 up)
{
	const struct tl_path *above;

	path->id = (u32)id;
	if (id > UINT32_MAX || up > (u64)(path - d->interval->paths)) {
		d->sums.bad = true;
	} else if (up) {
		above = &d->interval->paths[up - 1];
		path->up = (size_t)up;
		path->parent = above->id;
		path->depth = above->depth + 1;
		d->sums.bad |= path->depth > DEPTH_MAX;
	}
}

static void get_paths(struct decoder *d)
{
	size_t n = tl_code_get_n(&d->sums, ROW_BYTES), i;

	d->interval->paths = array_of(d, n, sizeof(*d->interval->paths));
	for (i = 0; i < n && !d->no_memory && !d->sums.bad; i++) {
		struct tl_path *path = &d->interval->paths[i];
		const char *tier = get_text_or_none(d), *class = get_text(d);
		u64 values[6] = { 0 };

		get_all(d, values, ARRAY_SIZE(values), ARRAY_SIZE(values));
		path_place(d, path, values[0], values[1]);
		path->count = values[2];
		path->traced = values[3];
		path->response_ns = values[4];
		path->own_ns = values[5];
		d->sums.bad |= path->traced > path->count;
		get_sums(d, path->sum, d->kinds[PATH_SUMS], TL_PATH_SUMS);
		path->tier = copy(d, tier);
		path->class = copy(d, class);
		d->interval->n_paths++;
	}
}

static void get_hosts(struct decoder *d)
{
	size_t n = tl_code_get_n(&d->sums, ROW_BYTES), i;

	d->interval->hosts = array_of(d, n, sizeof(*d->interval->hosts));
	for (i = 0; i < n && !d->no_memory && !d->sums.bad; i++) {
		struct tl_host *host = &d->interval->hosts[i];

		host->name = copy(d, get_text(d));
		host->value = tl_code_get_real(&d->sums);
		host->length_ns = tl_code_get(&d->sums);
		d->sums.bad |= host->value < 0;
		d->interval->n_hosts++;
	}
}

static void get_counts(struct decoder *d)
{
	struct tl_interval *interval = d->interval;
	size_t n = tl_code_get_n(&d->sums, ROW_BYTES), i;

	interval->counts = array_of(d, n, sizeof(*interval->counts));
	for (i = 0; i < n && !d->no_memory && !d->sums.bad; i++) {
		struct tl_count *count = &interval->counts[i];
		const char *event = get_text(d);
		u64 values[4] = { 0 };

		get_all(d, values, ARRAY_SIZE(values), ARRAY_SIZE(values));
		*count = (struct tl_count){ "", (u32)values[0], values[1], values[2], values[3] };
		d->sums.bad |= snprintf(count->event, sizeof(count->event), "%s", event) >= TL_EVENT_BYTES;
		interval->n_counts++;
	}
	n = tl_code_get_n(&d->sums, ROW_BYTES);
	interval->charged = array_of(d, n, sizeof(*interval->charged));
	for (i = 0; i < n && !d->no_memory && !d->sums.bad; i++) {
		struct tl_charge *charge = &interval->charged[i];

		charge->tier = copy(d, get_text(d));
		charge->class = copy(d, get_text(d));
		charge->event = copy(d, get_text(d));
		charge->value = tl_code_get(&d->sums);
		interval->n_charged++;
	}
}

static void get_called(struct decoder *d)
{
	struct tl_interval *interval = d->interval;
	size_t n = tl_code_get_n(&d->sums, ROW_BYTES), i;

	interval->called = array_of(d, n, sizeof(*interval->called));
	for (i = 0; i < n && !d->no_memory && !d->sums.bad; i++) {
		struct tl_called *called = &interval->called[i];
		u64 values[5] = { 0 };

		called->tier = copy(d, get_text(d));
		called->name = copy(d, get_text(d));
		called->class = copy(d, get_text_or_none(d));
		get_all(d, values, ARRAY_SIZE(values), ARRAY_SIZE(values));
		called->id = (u32)values[0];
		called->count = values[1];
		called->total_ns = values[2];
		called->own_ns = values[3];
		called->cpu_ns = values[4];
		interval->n_called++;
	}
}

/* They stand behind all else, each ended by a zero. */
static void get_texts(struct decoder *d)
{
	struct tl_code_from from = d->sums;
	const char *end;
	size_t n, i;

	from.at = get_end(&d->sums);
	d->sums.n = from.at;
	n = tl_code_get_n(&from, 1);
	d->text = array_of(d, n, sizeof(*d->text));
	for (i = 0; i < n && !d->no_memory; i++) {
		d->text[i] = (const char *)from.byte + from.at;
		end = memchr(d->text[i], 0, from.n - from.at);
		if (!end)
			break;
		from.at = (size_t)(end - (const char *)from.byte) + 1;
		d->texts++;
	}
	d->sums.bad |= from.bad || from.at != from.n;
}

static void get_head(struct decoder *d)
{
	struct tl_interval *interval = d->interval;
	size_t i;

	get_all(d, d->kinds, KINDS, KINDS);
	for (i = CELL_SUMS; i < KINDS; i++)
		d->sums.bad |= d->kinds[i] > (i == EVENTS || i == LOSSES || i == BY ? KINDS_MAX : KINDS_MAX / 2);
	/* Others would mean other times. */
	d->sums.bad |= d->kinds[BUCKETS] != TL_HIST_BUCKETS;
	if (d->sums.bad)
		return;
	interval->generation = tl_code_get(&d->sums);
	interval->start_ns = tl_code_get(&d->sums);
	interval->length_ns = tl_code_get(&d->sums);
	d->sums.bad |= !interval->length_ns;
	get_sums(d, interval->cost, d->kinds[COST_SUMS], TL_COST_SUMS);
	get_all(d, interval->events, d->kinds[EVENTS], TL_EVENTS);
	get_all(d, interval->losses, d->kinds[LOSSES], TL_LOSSES);
}

static void get_rest(struct decoder *d)
{
	get_head(d);
	if (!d->sums.bad)
		get_tiers(d);
	if (!d->sums.bad && !d->hists.bad && !d->no_memory)
		get_edges(d);
	/* A tier's paths alone would lead nowhere, and all else is for those who want all. */
	if (d->tier || d->sums.bad || d->no_memory)
		return;
	get_paths(d);
	get_hosts(d);
	get_counts(d);
	get_called(d);
	d->sums.bad |= d->sums.at != d->sums.n;
}

/**
 * tl_history_decode() - Read an interval from bytes
 * @sums: what tl_history_encode() wrote, @sums_n bytes
 * @hists: the histograms, @hists_n bytes; NULL to leave them empty
 * @tier: of this tier only its cells, and the edges from and to it; NULL for everything
 * @interval: set to the interval, to be given to tl_interval_free()
 *
 * Return: 0; -EBADMSG if it is none; -ENOMEM.
 */
int tl_history_decode(const void *sums, size_t sums_n, const void *hists, size_t hists_n, const char *tier,
		      struct tl_interval **interval)
{
	struct decoder d = { .sums = { .byte = sums, .n = sums_n }, .hists = { .byte = hists, .n = hists_n },
			     .interval = tl_interval_new(), .tier = tier };

	*interval = NULL;
	if (!d.interval)
		return -ENOMEM;
	get_texts(&d);
	if (!d.sums.bad && !d.no_memory)
		get_rest(&d);
	free(d.text);
	if (!d.sums.bad && !d.hists.bad && !d.no_memory && (!hists || d.hists.at == d.hists.n)) {
		*interval = d.interval;
		return 0;
	}
	tl_interval_free(d.interval);
	return d.no_memory ? -ENOMEM : -EBADMSG;
}

/**
 * tl_history_cells() - Look at the cells of an interval, and nothing else
 * @sums: what tl_history_encode() wrote, @n bytes
 * @tier: of this tier only; NULL for all
 * @each: told of each cell, without histograms; what it is given is there until it returns
 * @arg: for @each
 *
 * It takes a tenth of the time of tl_history_decode().
 *
 * Return: 0; -EBADMSG if it is none, perhaps after some cells; -ENOMEM, also if @each says so.
 */
int tl_history_cells(const void *sums, size_t n, const char *tier, tl_history_cell_fn *each, void *arg)
{
	struct tl_interval head = { 0 };
	struct decoder d = { .sums = { .byte = sums, .n = n }, .interval = &head, .tier = tier, .each = each, .arg = arg };

	get_texts(&d);
	if (!d.sums.bad && !d.no_memory)
		get_head(&d);
	if (!d.sums.bad && !d.no_memory)
		tell_tiers(&d);
	free(d.text);
	return d.no_memory ? -ENOMEM : d.sums.bad ? -EBADMSG : 0;
}
