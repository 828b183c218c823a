// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All connected pieces of a graph, up to a size, each once
 *
 * A piece grows from its lowest node by nodes that are higher and were not beside it before
 * the last one was added (Wernicke's way to enumerate subgraphs). Its number is that of its
 * canonical code; pieces that look the same in the order in which they grew have the same, so
 * the code is made once for each such look.
 *
 * A node that has very many neighbours makes each piece that has it dear: what bounds the time
 * is therefore not the number of pieces but the work.
 */
#include "tasks-pieces.h"

#include "canon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NEIGHBOURS 32 /* that are as much work as a piece */

struct grower {
	struct tl_task_pieces *pieces;
	const struct tl_task_shape *shape;
	uint32_t shape_index, root;
	uint32_t *begin, *beside; /* [n + 1], [2 links]: neighbours */
	uint32_t *out; /* [n + 1]: where a node's links begin */
	bool *seen; /* [n] part of the piece, or beside it */
	uint8_t *place; /* [n] in the piece, from 1 */
	uint32_t *next; /* nodes that the piece may grow by, for each size */
	uint32_t node[TL_TASK_SIZE_MAX];
	size_t n;
};

/* ---- neighbours ---------------------------------------------------------------------- */

static void neighbours(struct grower *g)
{
	const struct tl_task_shape *shape = g->shape;
	size_t i;

	for (i = 0; i < shape->links; i++) {
		g->begin[shape->link[i].from + 1]++;
		g->begin[shape->link[i].to + 1]++;
		g->out[shape->link[i].from + 1]++;
	}
	for (i = 0; i < shape->n; i++) {
		g->begin[i + 1] += g->begin[i];
		g->out[i + 1] += g->out[i];
	}
	for (i = 0; i < shape->links; i++) {
		g->beside[g->begin[shape->link[i].from]++] = shape->link[i].to;
		g->beside[g->begin[shape->link[i].to]++] = shape->link[i].from;
	}
	for (i = shape->n; i > 0; i--)
		g->begin[i] = g->begin[i - 1];
	g->begin[0] = 0;
}

/* ---- codes --------------------------------------------------------------------------- */

/* Nodes and links as they are in the piece; the number of words. */
static size_t look(const struct grower *g, uint32_t *node, uint32_t *edge)
{
	size_t i, k;

	for (i = 0; i < g->n; i++)
		node[i] = g->shape->label[g->node[i]];
	memset(edge, 0, g->n * g->n * sizeof(*edge));
	for (i = 0; i < g->n; i++)
		for (k = g->out[g->node[i]]; k < g->out[g->node[i] + 1]; k++) {
			uint8_t to = g->place[g->shape->link[k].to];

			if (to)
				edge[i * g->n + to - 1] = g->shape->link[k].kinds;
		}
	return g->n * (g->n + 1);
}

/* Return: the number of a look's code, which it is added with if it is new. */
static int code_of(struct tl_task_pieces *p, size_t n, const uint32_t *node, const uint32_t *edge,
		   uint32_t *pattern)
{
	const struct tl_canon_in in = { .n = n, .node = node, .edge = edge };
	uint32_t code[1 + TL_TASK_SIZE_MAX + 2 * TL_TASK_SIZE_MAX * TL_TASK_SIZE_MAX];
	struct tl_canon_out out;
	size_t len;

	if (tl_canon(&in, &out))
		return -ENOMEM; /* not for so few nodes */
	len = tl_canon_code(&in, &out, code, sizeof(code) / sizeof(*code));
	return tl_ids_of(&p->codes, code, len * sizeof(*code), pattern);
}

static int pattern_of(struct grower *g, uint32_t *pattern)
{
	uint32_t words[TL_TASK_SIZE_MAX * (TL_TASK_SIZE_MAX + 1)], id;
	struct tl_task_pieces *p = g->pieces;
	size_t n = look(g, words, words + g->n), room = p->looks_room ? 2 * p->looks_room : 256;
	uint32_t *grown;

	if (tl_ids_of(&p->looks, words, n * sizeof(*words), &id))
		return -ENOMEM;
	if (p->looks.n > p->looks_known) {
		if (p->looks.n > p->looks_room) {
			grown = reallocarray(p->pattern, room, sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			p->pattern = grown;
			p->looks_room = room;
		}
		if (code_of(p, g->n, words, words + g->n, &p->pattern[id]))
			return -ENOMEM;
		p->looks_known = p->looks.n;
	}
	*pattern = p->pattern[id];
	return 0;
}

static int piece_add(struct grower *g)
{
	struct tl_task_pieces *p = g->pieces;
	size_t room = p->room ? 2 * p->room : 1024;
	struct tl_task_piece *grown;

	if (p->n == p->room) {
		grown = reallocarray(p->piece, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		p->piece = grown;
		p->room = room;
	}
	p->piece[p->n].shape = g->shape_index;
	p->piece[p->n].n = (uint32_t)g->n;
	memcpy(p->piece[p->n].node, g->node, sizeof(g->node));
	return pattern_of(g, &p->piece[p->n++].pattern);
}

/* ---- growth -------------------------------------------------------------------------- */

static bool enough(struct tl_task_pieces *p)
{
	p->cut |= p->n >= p->most || p->work >= p->effort || p->codes.bytes > TL_TASK_CODE_BYTES ||
		  p->looks.bytes > TL_TASK_CODE_BYTES;
	return p->cut;
}

static uint64_t work_of(const struct grower *g, uint32_t node, size_t n)
{
	return 1 + (g->begin[node + 1] - g->begin[node] + n) / NEIGHBOURS;
}

/* Neighbours of a node that are new become nodes to grow by; how many they are now. */
static size_t widen(struct grower *g, uint32_t node, uint32_t *next, size_t n)
{
	size_t i;

	for (i = g->begin[node]; i < g->begin[node + 1]; i++) {
		uint32_t other = g->beside[i];

		if (g->seen[other] || other <= g->root)
			continue;
		g->seen[other] = true;
		next[n++] = other;
	}
	return n;
}

static int grow(struct grower *g, const uint32_t *next, size_t n)
{
	uint32_t *more = g->next + g->n * (g->shape->n + 1);
	size_t i, k, all;
	int code = 0;

	for (i = 0; i < n && !code; i++) {
		if (enough(g->pieces))
			return 0;
		for (k = 0; k < g->n; k++)
			g->pieces->work += work_of(g, g->node[k], 0) - 1;
		g->pieces->work += work_of(g, next[i], n);
		g->place[next[i]] = (uint8_t)(g->n + 1);
		g->node[g->n++] = next[i];
		code = piece_add(g);
		if (!code && g->n < g->pieces->size) {
			memcpy(more, next + i + 1, (n - i - 1) * sizeof(*more));
			all = widen(g, next[i], more, n - i - 1);
			code = grow(g, more, all);
			for (k = n - i - 1; k < all; k++)
				g->seen[more[k]] = false;
		}
		g->place[next[i]] = 0;
		g->n--;
	}
	return code;
}

static int roots(struct grower *g)
{
	int code = 0;
	size_t n, i;

	neighbours(g);
	for (g->root = 0; g->root < g->shape->n && !code && !enough(g->pieces); g->root++) {
		g->n = 1;
		g->node[0] = g->root;
		g->seen[g->root] = true;
		g->place[g->root] = 1;
		n = widen(g, g->root, g->next, 0);
		code = grow(g, g->next, n);
		for (i = 0; i < n; i++)
			g->seen[g->next[i]] = false;
		g->seen[g->root] = false;
		g->place[g->root] = 0;
	}
	return code;
}

/**
 * tl_task_pieces_find() - Find all connected pieces of a graph
 * @pieces: gets them
 * @shape: the graph, its links by where they come from
 * @index: its number
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_pieces_find(struct tl_task_pieces *pieces, const struct tl_task_shape *shape,
			uint32_t index)
{
	struct grower g = { .pieces = pieces, .shape = shape, .shape_index = index };
	int code = -ENOMEM;

	g.begin = calloc(shape->n + 2, sizeof(*g.begin));
	g.out = calloc(shape->n + 2, sizeof(*g.out));
	g.beside = calloc(2 * shape->links + 1, sizeof(*g.beside));
	g.seen = calloc(shape->n + 1, sizeof(*g.seen));
	g.place = calloc(shape->n + 1, sizeof(*g.place));
	g.next = calloc((TL_TASK_SIZE_MAX + 1) * (shape->n + 1), sizeof(*g.next));
	if (g.begin && g.out && g.beside && g.seen && g.place && g.next)
		code = roots(&g);
	free(g.begin);
	free(g.out);
	free(g.beside);
	free(g.seen);
	free(g.place);
	free(g.next);
	return code;
}

/**
 * tl_task_pieces_free() - Free pieces and their codes
 * @pieces: pieces
 */
void tl_task_pieces_free(struct tl_task_pieces *pieces)
{
	free(pieces->piece);
	free(pieces->pattern);
	tl_ids_free(&pieces->codes);
	tl_ids_free(&pieces->looks);
}
