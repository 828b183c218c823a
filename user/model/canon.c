// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The canonical order of a small directed graph with labels on nodes and edges
 *
 * Individualisation and refinement. A partition of the nodes into ordered cells is refined
 * until all nodes of a cell have equally many edges, by label and direction, to each cell.
 * Where cells of several nodes remain, each node of the first of the smallest of them is
 * in turn put ahead of the others, and the partition refined again: a tree, whose leaves are
 * orders of the nodes. Of the leaves the canonical one has the smallest (trace, labels):
 * the trace is a hash of what each refinement on the way saw, the labels are all of the
 * graph's, read in the leaf's order.
 *
 * Refinement compares sums of hashes. That two different neighbourhoods have the same sum
 * leaves a cell whole that could be split, which takes more steps but changes no
 * answer: all that is compared is the same for isomorphic graphs whatever the order their
 * nodes were given in, and leaves are held against each other label by label.
 *
 * Two leaves with the same labels are an automorphism. It shows that the branches in which
 * the two lie, from where their ways part, have the same leaves, so the later one is
 * left; and of nodes that automorphisms which keep the way to a partition take to each other,
 * one is tried.
 *
 * The cost is small unless the graph is made to be hard: a graph of 5 nodes takes
 * microseconds. @effort bounds it; beyond it there is no answer rather than a wrong one.
 */
#include "canon.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define GENERATORS 64

/* The node at each place, and of each node the first place of its cell. */
struct partition {
	uint8_t node[TL_CANON_MAX], cell[TL_CANON_MAX];
};

struct search {
	const struct tl_canon_in *in;
	size_t n;
	uint64_t steps, effort;
	/* By depth: partitions, nodes put first, hashes. */
	struct partition part[TL_CANON_MAX + 1];
	uint8_t way[TL_CANON_MAX + 1];
	uint64_t trace[TL_CANON_MAX + 1];
	/* The best leaf so far. */
	bool found;
	size_t best_depth;
	uint8_t best[TL_CANON_MAX], best_way[TL_CANON_MAX + 1];
	uint64_t best_trace[TL_CANON_MAX + 1];
	size_t generators;
	uint8_t generator[GENERATORS][TL_CANON_MAX];
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
	return x ^ (x >> 32);
}

static uint32_t edge(const struct search *s, size_t from, size_t to)
{
	return s->in->edge[from * s->n + to];
}

/* ---- refinement ---------------------------------------------------------------------- */

static uint64_t neighbours(const struct search *s, const struct partition *p, size_t node)
{
	uint64_t sum = 0;
	size_t other;

	for (other = 0; other < s->n; other++) {
		uint64_t out = edge(s, node, other), in = edge(s, other, node);

		if ((out || in) && other != node)
			sum += mix(mix(out << 32 | in) + p->cell[other]);
	}
	return sum;
}

/* Order a cell by the keys of its nodes; the end of the cell. */
static size_t cell_sort(struct partition *p, size_t n, size_t start, const uint64_t *key)
{
	size_t i, at;

	for (i = start + 1; i < n && p->cell[p->node[i]] == start; i++) {
		uint8_t node = p->node[i];

		for (at = i; at > start && key[p->node[at - 1]] > key[node]; at--)
			p->node[at] = p->node[at - 1];
		p->node[at] = node;
	}
	return i;
}

/* Split a sorted cell where keys differ; whether it did. */
static bool cell_split(struct partition *p, size_t start, size_t end, const uint64_t *key)
{
	bool split = false;
	size_t i, first = start;

	for (i = start + 1; i < end; i++) {
		if (key[p->node[i]] != key[p->node[i - 1]]) {
			first = i;
			split = true;
		}
		p->cell[p->node[i]] = (uint8_t)first;
	}
	return split;
}

static bool split(struct partition *p, size_t n, const uint64_t *key)
{
	size_t start, end;
	bool any = false;

	for (start = 0; start < n; start = end) {
		end = cell_sort(p, n, start, key);
		any |= cell_split(p, start, end, key);
	}
	return any;
}

/* Return: a hash of all that was seen on the way. */
static uint64_t refine(const struct search *s, struct partition *p)
{
	uint64_t key[TL_CANON_MAX], seen = 0;
	size_t i;
	bool any;

	do {
		for (i = 0; i < s->n; i++)
			key[i] = neighbours(s, p, i);
		any = split(p, s->n, key);
		for (i = 0; i < s->n; i++)
			seen = mix(seen + key[p->node[i]]) + p->cell[p->node[i]];
	} while (any);
	return seen;
}

/* By labels alone: those of the nodes, then those of their loops. */
static void partition_begin(const struct search *s, struct partition *p)
{
	uint64_t key[TL_CANON_MAX];
	size_t i;

	for (i = 0; i < s->n; i++) {
		p->node[i] = (uint8_t)i;
		p->cell[i] = 0;
		key[i] = (uint64_t)(s->in->node ? s->in->node[i] : 0) << 32 | edge(s, i, i);
	}
	split(p, s->n, key);
}

/* The first of the smallest cells of several nodes, and where it ends; n if none is. */
static size_t cell_choose(const struct partition *p, size_t n, size_t *end)
{
	size_t start, next, best = n;

	for (start = 0; start < n; start = next) {
		for (next = start + 1; next < n && p->cell[p->node[next]] == start; next++)
			;
		if (next - start > 1 && (best == n || next - start < *end - best)) {
			best = start;
			*end = next;
		}
	}
	return best;
}

/* Put a node ahead of the others of its cell. */
static void individualise(const struct partition *from, size_t start, size_t end, size_t at,
			  struct partition *to)
{
	size_t i;

	*to = *from;
	to->node[at] = from->node[start];
	to->node[start] = from->node[at];
	for (i = start + 1; i < end; i++)
		to->cell[to->node[i]] = (uint8_t)(start + 1);
}

/* ---- automorphisms ------------------------------------------------------------------- */

static uint8_t root_of(uint8_t *up, uint8_t node)
{
	while (up[node] != node) {
		up[node] = up[up[node]];
		node = up[node];
	}
	return node;
}

static bool fixes(const struct search *s, const uint8_t *map, size_t depth)
{
	size_t i;

	for (i = 0; i < depth; i++)
		if (map[s->way[i]] != s->way[i])
			return false;
	return true;
}

/* Whether a node is taken to one that was tried, by automorphisms that keep the way. */
static bool tried_alike(const struct search *s, size_t depth, const uint8_t *tried, size_t n,
			uint8_t node)
{
	uint8_t up[TL_CANON_MAX], a, b;
	size_t i, k;

	if (!n || !s->generators)
		return false;
	for (i = 0; i < s->n; i++)
		up[i] = (uint8_t)i;
	for (k = 0; k < s->generators; k++) {
		if (!fixes(s, s->generator[k], depth))
			continue;
		for (i = 0; i < s->n; i++) {
			a = root_of(up, (uint8_t)i);
			b = root_of(up, s->generator[k][i]);
			up[a] = b;
		}
	}
	for (i = 0; i < n; i++)
		if (root_of(up, tried[i]) == root_of(up, node))
			return true;
	return false;
}

/* Return: the depth at which the way to the best leaf and this one part. */
static int automorphism(struct search *s, const uint8_t *order)
{
	size_t i, depth = 0;

	if (s->generators < GENERATORS) {
		for (i = 0; i < s->n; i++)
			s->generator[s->generators][s->best[i]] = order[i];
		s->generators++;
	}
	while (s->way[depth] == s->best_way[depth])
		depth++;
	return (int)depth;
}

/* ---- the search ---------------------------------------------------------------------- */

static void best_set(struct search *s, size_t depth)
{
	s->found = true;
	s->best_depth = depth;
	memcpy(s->best, s->part[depth].node, sizeof(s->best));
	memcpy(s->best_way, s->way, sizeof(s->best_way));
	memcpy(s->best_trace, s->trace, sizeof(s->best_trace));
}

/* The labels of the edges in an order against those of the best one. */
static int compare(const struct search *s, const uint8_t *order)
{
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->n; k++) {
			uint32_t a = edge(s, order[i], order[k]);
			uint32_t b = edge(s, s->best[i], s->best[k]);

			if (a != b)
				return a < b ? -1 : 1;
		}
	return 0;
}

/* Return: the depth to go on at. */
static int leaf(struct search *s, size_t depth)
{
	int differ = !s->found || depth < s->best_depth ? -1 :
		     compare(s, s->part[depth].node);

	if (!differ)
		return automorphism(s, s->part[depth].node);
	if (differ < 0)
		best_set(s, depth);
	return (int)depth - 1;
}

/* Whether what begins with this trace may be better than the best, or as good. */
static bool worth(struct search *s, size_t depth)
{
	if (!s->found)
		return true;
	if (depth > s->best_depth || s->trace[depth] > s->best_trace[depth])
		return false;
	if (s->trace[depth] < s->best_trace[depth])
		s->found = false;
	return true;
}

/* Return: the depth to go on at, or below 0 at the end. */
static int visit(struct search *s, size_t depth)
{
	const struct partition *p = &s->part[depth];
	uint8_t tried[TL_CANON_MAX];
	size_t n = 0, at, end = 0, start = cell_choose(p, s->n, &end);
	int on;

	if (start == s->n)
		return leaf(s, depth);
	for (at = start; at < end; at++) {
		if (tried_alike(s, depth, tried, n, p->node[at]))
			continue;
		if (s->steps++ >= s->effort)
			return -1;
		tried[n++] = p->node[at];
		s->way[depth] = p->node[at];
		individualise(p, start, end, at, &s->part[depth + 1]);
		s->trace[depth + 1] = refine(s, &s->part[depth + 1]);
		if (!worth(s, depth + 1))
			continue;
		on = visit(s, depth + 1);
		if (on < (int)depth)
			return on;
	}
	return (int)depth - 1;
}

/**
 * tl_canon() - Put the nodes of a graph in canonical order
 * @in: the graph
 * @out: the order
 *
 * Return: 0; -EINVAL for no graph or one of too many nodes; -E2BIG if the search takes more
 * steps than it may.
 */
int tl_canon(const struct tl_canon_in *in, struct tl_canon_out *out)
{
	struct search s;

	if (!in->n || in->n > TL_CANON_MAX)
		return -EINVAL;
	s.in = in;
	s.n = in->n;
	s.steps = 0;
	s.effort = in->effort ? in->effort : TL_CANON_EFFORT;
	s.found = false;
	s.generators = 0;
	memset(s.way, 0, sizeof(s.way));
	partition_begin(&s, &s.part[0]);
	s.trace[0] = refine(&s, &s.part[0]);
	visit(&s, 0);
	out->steps = s.steps;
	if (s.steps > s.effort || !s.found)
		return -E2BIG;
	memcpy(out->order, s.best, in->n);
	return 0;
}

/* How many words there are, of which those that have room are written. */
struct words {
	uint32_t *word;
	size_t n, room;
};

static void put(struct words *words, uint32_t word)
{
	if (words->n < words->room)
		words->word[words->n] = word;
	words->n++;
}

/**
 * tl_canon_code() - The canonical code of a graph
 * @in: the graph
 * @out: its order
 * @code: written: nodes, their labels, and of each edge its places and its label
 * @room: words that @code has room for
 *
 * Two graphs have the same code if and only if they are isomorphic.
 *
 * Return: the length of the code in words, at most 1 + n + 2 n²; more than @room if it is
 * cut.
 */
size_t tl_canon_code(const struct tl_canon_in *in, const struct tl_canon_out *out,
		     uint32_t *code, size_t room)
{
	struct words words = { code, 0, room };
	size_t i, k;

	put(&words, (uint32_t)in->n);
	for (i = 0; i < in->n; i++)
		put(&words, in->node ? in->node[out->order[i]] : 0);
	for (i = 0; i < in->n; i++)
		for (k = 0; k < in->n; k++) {
			uint32_t label = in->edge[out->order[i] * in->n + out->order[k]];

			if (!label)
				continue;
			put(&words, (uint32_t)(i * TL_CANON_MAX + k));
			put(&words, label);
		}
	return words.n;
}
