// SPDX-License-Identifier: GPL-2.0-or-later
/* What a cell, an edge and a path sum up. */
#include "cell.h"

static void add_square(struct tl_cell_sums *cell, u64 hi, u64 lo)
{
	cell->own_sq_lo += lo;
	cell->own_sq_hi += hi + (cell->own_sq_lo < lo);
}

/* Apart: for 128 bits a compiler aligns the stack of whoever has them in line. */
static tl_noinline void add_long_square(struct tl_cell_sums *cell, u64 own_ns)
{
	unsigned __int128 square = (unsigned __int128)own_ns * own_ns;

	add_square(cell, square >> 64, square);
}

static void add_own(struct tl_cell_sums *cell, u64 own_ns)
{
	cell->own_ns += own_ns;
	if (likely(!(own_ns >> 32)))
		add_square(cell, 0, own_ns * own_ns);
	else
		add_long_square(cell, own_ns);
}

/**
 * tl_cell_add() - Count a request that ended
 * @cell: its cell
 * @ended: the request
 * @start_ns: beginning of the cell's interval
 *
 * Context: the caller serialises.
 */
tl_inline void
tl_cell_add(struct tl_cell_sums *cell, const struct tl_request *ended, u64 start_ns)
{
	u64 response_ns = ended->last_send_ns - ended->open_ns;
	u32 bucket = tl_hist_bucket(response_ns);

	cell->count++;
	cell->response_ns += response_ns;
	cell->hist_response[bucket]++;
	if (ended->coarse) {
		cell->traced++;
	} else {
		add_own(cell, ended->own_at_send_ns);
		/* Who has called nobody needs no second look-up. */
		if (ended->own_at_send_ns != response_ns)
			bucket = tl_hist_bucket(ended->own_at_send_ns);
		cell->hist_own[bucket]++;
	}
	cell->carried += ended->open_ns < start_ns;
	cell->bytes_in += ended->bytes_in;
	cell->bytes_out += ended->bytes_out;
	cell->queue_ns += ended->queued ? ended->queue_ns : 0;
	cell->queue_count += ended->queued;
	tl_used_add(&cell->used, &ended->used);
}

/**
 * tl_cell_merge() - Add another CPU's, or another interval's, part
 * @into: the sum
 * @from: the part
 *
 * Context: the caller serialises.
 */
void tl_cell_merge(struct tl_cell_sums *into, const struct tl_cell_sums *from)
{
	unsigned int i;

	into->count += from->count;
	into->response_ns += from->response_ns;
	into->own_ns += from->own_ns;
	into->traced += from->traced;
	add_square(into, from->own_sq_hi, from->own_sq_lo);
	into->carried += from->carried;
	into->bytes_in += from->bytes_in;
	into->bytes_out += from->bytes_out;
	into->queue_ns += from->queue_ns;
	into->queue_count += from->queue_count;
	tl_used_add(&into->used, &from->used);
	for (i = 0; i < TL_HIST_BUCKETS; i++) {
		into->hist_response[i] += from->hist_response[i];
		into->hist_own[i] += from->hist_own[i];
	}
}

void tl_edge_add(struct tl_edge_sums *edge, const struct tl_call_sum *sum)
{
	unsigned int i;

	for (i = 0; i < TL_BY_KINDS; i++)
		edge->by[i] += sum->by[i];
	edge->joined += sum->joined;
	edge->time_ns += sum->time_ns;
	edge->transit_ns += sum->transit_ns;
	edge->bytes_out += sum->bytes_out;
	edge->bytes_in += sum->bytes_in;
}

void tl_edge_merge(struct tl_edge_sums *into, const struct tl_edge_sums *from)
{
	unsigned int i;

	for (i = 0; i < TL_BY_KINDS; i++)
		into->by[i] += from->by[i];
	into->joined += from->joined;
	into->time_ns += from->time_ns;
	into->transit_ns += from->transit_ns;
	into->bytes_out += from->bytes_out;
	into->bytes_in += from->bytes_in;
}

void tl_path_add(struct tl_path_sums *path, const struct tl_request *ended)
{
	path->count++;
	path->response_ns += ended->last_send_ns - ended->open_ns;
	if (ended->coarse)
		path->traced++;
	else
		path->own_ns += ended->own_at_send_ns;
	path->cpu_ns += ended->used.cpu_ns;
}

void tl_path_merge(struct tl_path_sums *into, const struct tl_path_sums *from)
{
	into->count += from->count;
	into->traced += from->traced;
	into->response_ns += from->response_ns;
	into->own_ns += from->own_ns;
	into->cpu_ns += from->cpu_ns;
}
