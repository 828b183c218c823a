// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths put together from cells and calls
 *
 * A kernel sees its own host only, and the store has no paths at all. So the way of requests is put together: calls of
 * a class went to the class of the same name of the tier that they called, and if that has none, alike to those of its
 * classes that are called by no such name. Of these requests that part is below a caller that its calls are of all that
 * came, and they are taken to cost the same, whoever called: that is what is not known and has to be assumed, and it is
 * said. What no call explains came in through the front door. Sums stay those of the cells: each cell's requests and
 * times are divided among its nodes, and what is left over is with the paths that found no place.
 */
#include "fleet/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX 16
#define NODES_MOST 20000
#define PART_MIN 1e-3 /* less of a tier's requests goes to the node of paths that found no place */
#define MORE_ID 1

/* Calls of a cell to a tier. Cells are numbered through all tiers. */
struct call {
	size_t from, to;
	double n;
};

/**
 * struct node - A part of a tier's requests below the same callers
 * @up: place of the node above plus 1; 0 for none
 */
struct node {
	size_t tier, cell, up, depth;
	double part;
};

/**
 * struct maker - What paths are made of
 * @direct: [tiers] whether requests come to it that are nobody's calls
 * @first: [tiers] number of each tier's first cell
 * @left: [cells] what no node has yet, of 1
 * @called: [cells] calls, also those that others of its tier may have got
 * @came: [cells] requests or calls, whichever is more; of the same
 * @named: [cells] it is called by its name
 * @call: [@n_calls] by @from
 */
struct maker {
	struct tl_interval *interval;
	const bool *direct;
	size_t *first;
	double *left, *called, *came;
	bool *named;
	struct call *call;
	struct node *node;
	size_t n_calls, n;
};

static size_t tier_find(const struct tl_interval *interval, const char *name)
{
	size_t i;

	for (i = 0; i < interval->n_tiers && strcmp(interval->tiers[i].name, name);)
		i++;
	return i;
}

static size_t cell_find(const struct tl_tier *tier, const char *class)
{
	size_t i;

	for (i = 0; i < tier->n_cells && strcmp(tier->cells[i].class, class);)
		i++;
	return i;
}

/* Requests of no rule are called the same everywhere, and are not the same. */
static size_t named_find(const struct tl_tier *tier, const char *class)
{
	return strcmp(class, "other") ? cell_find(tier, class) : tier->n_cells;
}

static int call_add(struct maker *m, const struct tl_edge *edge)
{
	size_t to = tier_find(m->interval, edge->peer_tier), from = tier_find(m->interval, edge->tier), cell;
	struct call *call;

	if (to == m->interval->n_tiers || from == m->interval->n_tiers)
		return 0;
	cell = cell_find(&m->interval->tiers[from], edge->class);
	if (cell == m->interval->tiers[from].n_cells)
		return 0;
	call = tl_array_append((void **)&m->call, &m->n_calls, sizeof(*call));
	if (!call)
		return -ENOMEM;
	*call = (struct call){ m->first[from] + cell, to, (double)edge->calls };
	cell = named_find(&m->interval->tiers[to], edge->class);
	if (cell < m->interval->tiers[to].n_cells)
		m->named[m->first[to] + cell] = true;
	return 0;
}

static int by_from(const void *a, const void *b)
{
	const struct call *one = a, *two = b;

	if (one->from != two->from)
		return one->from < two->from ? -1 : 1;
	return one->to < two->to ? -1 : one->to > two->to;
}

static int calls_add(struct maker *m)
{
	size_t i;

	for (i = 0; i < m->interval->n_edges; i++) {
		const struct tl_edge *e = &m->interval->edges[i];

		if (e->calls && e->tier && e->peer_tier && call_add(m, e))
			return -ENOMEM;
	}
	if (m->n_calls)
		qsort(m->call, m->n_calls, sizeof(*m->call), by_from);
	return 0;
}

/* The class with which a cell's tier made a call. */
static const char *class_of(const struct maker *m, size_t cell)
{
	size_t i = 0;

	while (i + 1 < m->interval->n_tiers && m->first[i + 1] <= cell)
		i++;
	return m->interval->tiers[i].cells[cell - m->first[i]].class;
}

static void called_add(struct maker *m, const struct call *call)
{
	const struct tl_tier *tier = &m->interval->tiers[call->to];
	size_t cell = named_find(tier, class_of(m, call->from)), i;

	for (i = 0; i < tier->n_cells; i++)
		if (cell < tier->n_cells ? i == cell : !m->named[m->first[call->to] + i])
			m->called[m->first[call->to] + i] += call->n;
}

/* Of a tier: those of its cells that are not called by name share what came. */
static void came_set(struct maker *m, size_t at)
{
	const struct tl_tier *tier = &m->interval->tiers[at];
	double rest = 0, all;
	size_t i;

	for (i = 0; i < tier->n_cells; i++)
		rest += m->named[m->first[at] + i] ? 0 : (double)tier->cells[i].count;
	for (i = 0; i < tier->n_cells; i++) {
		size_t cell = m->first[at] + i;

		all = m->named[cell] ? (double)tier->cells[i].count : rest;
		m->left[cell] = 1;
		m->came[cell] = m->direct[at] ? max(m->called[cell], all) : m->called[cell];
	}
}

/* The first call of a cell. */
static size_t calls_of(const struct maker *m, size_t from)
{
	size_t low = 0, high = m->n_calls, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (m->call[middle].from < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int node_add(struct maker *m, size_t tier, size_t cell, double part, size_t up, size_t depth)
{
	struct node *node;

	part = min(part, m->left[m->first[tier] + cell]);
	if (part < PART_MIN || m->n == NODES_MOST)
		return 0;
	node = tl_array_append((void **)&m->node, &m->n, sizeof(*node));
	if (!node)
		return -ENOMEM;
	*node = (struct node){ tier, cell, up, depth, part };
	m->left[m->first[tier] + cell] -= part;
	return 0;
}

static bool is_above(const struct maker *m, size_t at, size_t tier)
{
	for (; at; at = m->node[at - 1].up)
		if (m->node[at - 1].tier == tier)
			return true;
	return false;
}

/* Of the tier that was called each class in the part that these calls are of all that came to it. */
static int below_tier(struct maker *m, size_t at, size_t to, double calls)
{
	const struct tl_tier *tier = &m->interval->tiers[to];
	const struct node node = m->node[at];
	size_t named = named_find(tier, m->interval->tiers[node.tier].cells[node.cell].class), i, cell;
	int code = 0;

	for (i = 0; i < tier->n_cells && !code; i++) {
		cell = m->first[to] + i;
		if (m->came[cell] > 0 && (named < tier->n_cells ? i == named : !m->named[cell]))
			code = node_add(m, to, i, node.part * calls / m->came[cell], at + 1, node.depth + 1);
	}
	return code;
}

static int below(struct maker *m, size_t at)
{
	const struct node node = m->node[at];
	size_t from = m->first[node.tier] + node.cell, i = calls_of(m, from), to;
	double n;

	while (i < m->n_calls && m->call[i].from == from && node.depth < DEPTH_MAX) {
		to = m->call[i].to;
		for (n = 0; i < m->n_calls && m->call[i].from == from && m->call[i].to == to; i++)
			n += m->call[i].n;
		if (!is_above(m, at + 1, to) && below_tier(m, at, to, n))
			return -ENOMEM;
	}
	return 0;
}

static int walk(struct maker *m)
{
	size_t at, i, k, cell;

	for (i = 0; i < m->n_calls; i++)
		called_add(m, &m->call[i]);
	for (i = 0; i < m->interval->n_tiers; i++)
		came_set(m, i);
	for (i = 0; i < m->interval->n_tiers; i++)
		for (k = 0; m->direct[i] && k < m->interval->tiers[i].n_cells; k++) {
			cell = m->first[i] + k;
			if (m->came[cell] > 0 && node_add(m, i, k, 1 - m->called[cell] / m->came[cell], 0, 0))
				return -ENOMEM;
		}
	for (at = 0; at < m->n; at++)
		if (below(m, at))
			return -ENOMEM;
	return 0;
}

/* What stands up to a part of a whole, less what stands up to the one before. */
static u64 between(u64 all, double from, double to)
{
	return (u64)llround((double)all * to) - (u64)llround((double)all * from);
}

static void path_fill(struct tl_path *path, const struct tl_cell *cell, double from, double to)
{
	const struct tl_sum *cpu = &cell->sum[TL_CELL_CPU];
	const struct tl_sum more = { between(cpu->value, from, to), cpu->state };

	path->count += between(cell->count, from, to);
	path->traced += between(cell->traced, from, to);
	path->response_ns += between(cell->response_ns, from, to);
	path->own_ns += between(cell->own_ns, from, to);
	tl_sums_add(&path->sum[TL_PATH_CPU], &more, 1);
}

static int path_add(struct maker *m, size_t at, double *done)
{
	const struct node *node = &m->node[at];
	const struct tl_tier *tier = &m->interval->tiers[node->tier];
	const struct tl_cell *cell = &tier->cells[node->cell];
	struct tl_path *path = tl_interval_path(m->interval, tier->name, cell->class);

	if (!path)
		return -ENOMEM;
	path->id = (u32)at + MORE_ID + 1;
	path->parent = node->up ? (u32)node->up + MORE_ID : 0;
	path_fill(path, cell, *done, *done + node->part);
	*done += node->part;
	return 0;
}

/* What no node has. */
static int more_add(struct maker *m, const double *done)
{
	struct tl_path *path = NULL;
	size_t i, k;

	for (i = 0; i < m->interval->n_tiers; i++) {
		const struct tl_tier *tier = &m->interval->tiers[i];

		for (k = 0; k < tier->n_cells; k++) {
			double from = done[m->first[i] + k];

			if (between(tier->cells[k].own_ns, from, 1) + between(tier->cells[k].count, from, 1) == 0)
				continue;
			path = path ? path : tl_interval_path(m->interval, NULL, "other");
			if (!path)
				return -ENOMEM;
			path->id = MORE_ID;
			path_fill(path, &tier->cells[k], from, 1);
		}
	}
	return 0;
}

static int paths_add(struct maker *m, size_t cells)
{
	double *done = calloc(cells + 1, sizeof(*done));
	int code = 0;
	size_t k;

	for (k = 0; done && k < m->n && !code; k++)
		code = path_add(m, k, &done[m->first[m->node[k].tier] + m->node[k].cell]);
	code = done && !code ? more_add(m, done) : code;
	free(done);
	return done ? code : -ENOMEM;
}

/**
 * tl_fleet_paths() - Put together the paths of an interval that has none
 * @interval: with cells and calls
 * @direct: [its tiers] whether requests come to a tier that are nobody's calls
 *
 * Return: 0 or -ENOMEM.
 */
int tl_fleet_paths(struct tl_interval *interval, const bool *direct)
{
	struct maker m = { .interval = interval, .direct = direct };
	size_t cells = 0, i;
	int code = -ENOMEM;

	m.first = calloc(interval->n_tiers + 1, sizeof(*m.first));
	for (i = 0; m.first && i < interval->n_tiers; i++) {
		m.first[i] = cells;
		cells += interval->tiers[i].n_cells;
	}
	m.left = calloc(3 * (cells + 1), sizeof(*m.left));
	m.named = calloc(cells + 1, sizeof(*m.named));
	if (m.first && m.left && m.named) {
		m.called = m.left + cells + 1;
		m.came = m.called + cells + 1;
		code = calls_add(&m);
	}
	code = code ? code : walk(&m);
	code = code ? code : paths_add(&m, cells);
	code = code ? code : tl_paths_link(interval);
	free(m.node);
	free(m.call);
	free(m.named);
	free(m.left);
	free(m.first);
	return code;
}
