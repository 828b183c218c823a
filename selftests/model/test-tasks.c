// SPDX-License-Identifier: GPL-2.0-or-later
/* Connected pieces of random graphs: as many as there are, each once, with one pattern for
 * each kind; links of both directions and of both kinds. */
#include "tap.h"

#include "sim.h"

#include "model/tasks-pieces.h"

#include <stdlib.h>
#include <string.h>

#define NODES 10
#define SIZE 4

struct graph {
	struct tl_task_shape shape;
	uint32_t label[NODES], kinds[NODES][NODES];
	struct tl_task_link link[NODES * NODES];
};

static void random_graph(struct sim *rng, struct graph *g, size_t n, double part)
{
	size_t i, k;

	memset(g, 0, sizeof(*g));
	g->shape = (struct tl_task_shape){ .jobs = 1, .n = n, .label = g->label, .link = g->link };
	for (i = 0; i < n; i++) {
		g->label[i] = (uint32_t)(2 * sim_uniform(rng));
		for (k = 0; k < n; k++) {
			if (i == k || sim_uniform(rng) > part)
				continue;
			g->kinds[i][k] = 1 + (uint32_t)(3 * sim_uniform(rng));
			g->link[g->shape.links++] =
				(struct tl_task_link){ (uint32_t)i, (uint32_t)k, g->kinds[i][k] };
		}
	}
}

static bool beside(const struct graph *g, size_t a, size_t b)
{
	return g->kinds[a][b] || g->kinds[b][a];
}

/* By spreading from the lowest node of the set. */
static bool connected(const struct graph *g, unsigned int set)
{
	unsigned int reached = set & -set, before = 0;
	size_t i, k;

	while (reached != before) {
		before = reached;
		for (i = 0; i < g->shape.n; i++)
			for (k = 0; k < g->shape.n; k++)
				if (reached >> i & 1 && set >> k & 1 && beside(g, i, k))
					reached |= 1U << k;
	}
	return reached == set;
}

static unsigned int set_of(const struct tl_task_piece *piece)
{
	unsigned int set = 0;
	uint32_t i;

	for (i = 0; i < piece->n; i++)
		set |= 1U << piece->node[i];
	return set;
}

/* Whether one piece is another with its nodes in some order. */
static bool alike(const struct graph *g, const struct tl_task_piece *a, uint32_t *node, size_t at)
{
	size_t i, k;
	bool same;

	if (at == a->n) {
		for (i = 0, same = true; i < a->n; i++)
			for (k = 0; k < a->n; k++)
				same &= g->label[a->node[i]] == g->label[node[i]] &&
					g->kinds[a->node[i]][a->node[k]] == g->kinds[node[i]][node[k]];
		return same;
	}
	for (i = at, same = false; i < a->n && !same; i++) {
		uint32_t keep = node[at];

		node[at] = node[i];
		node[i] = keep;
		same = alike(g, a, node, at + 1);
		node[i] = node[at];
		node[at] = keep;
	}
	return same;
}

struct counts {
	size_t pieces, wrong_sets, pairs, wrong_pairs;
};

static void check(const struct graph *g, struct counts *counts)
{
	struct tl_task_pieces pieces = { .size = SIZE, .most = 1000000, .effort = 1000000000 };
	bool *seen = calloc(1U << NODES, sizeof(*seen));
	unsigned int set;
	size_t i, k;

	tl_task_pieces_find(&pieces, &g->shape, 0);
	for (i = 0; i < pieces.n; i++) {
		set = set_of(&pieces.piece[i]);
		counts->wrong_sets += seen[set] || !connected(g, set);
		seen[set] = true;
		for (k = 0; k < i && k < 40; k++) {
			uint32_t node[TL_TASK_SIZE_MAX];

			memcpy(node, pieces.piece[k].node, sizeof(node));
			counts->pairs++;
			counts->wrong_pairs += (pieces.piece[i].pattern == pieces.piece[k].pattern) !=
					       (pieces.piece[i].n == pieces.piece[k].n &&
						alike(g, &pieces.piece[i], node, 0));
		}
	}
	counts->pieces += pieces.n;
	for (set = 1; set < 1U << g->shape.n; set++)
		if (__builtin_popcount(set) > 1 && __builtin_popcount(set) <= SIZE && connected(g, set))
			counts->wrong_sets += !seen[set];
	free(seen);
	tl_task_pieces_free(&pieces);
}

int main(void)
{
	struct counts counts = { 0 };
	struct graph g;
	struct sim rng;
	size_t i;

	sim_seed(&rng, 3);
	for (i = 0; i < 60; i++) {
		random_graph(&rng, &g, 2 + i % (NODES - 1), i % 2 ? 0.1 : 0.3);
		check(&g, &counts);
	}
	ok(counts.pieces > 1000 && !counts.wrong_sets, "%zu pieces: each connected one, once; %zu wrong", counts.pieces,
	   counts.wrong_sets);
	ok(counts.pairs > 10000 && !counts.wrong_pairs, "%zu pairs: the same pattern if alike; %zu wrong", counts.pairs,
	   counts.wrong_pairs);
	return done();
}
