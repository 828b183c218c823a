/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_CANON_H
#define TL_MODEL_CANON_H

#include <stddef.h>
#include <stdint.h>

#define TL_CANON_MAX 64 /* nodes */
#define TL_CANON_EFFORT 100000 /* steps of the search that are enough for what is no puzzle */

/**
 * struct tl_canon_in - A small directed graph with labels
 * @n: nodes, 1 to TL_CANON_MAX
 * @node: [@n] labels of the nodes; NULL: all the same
 * @edge: [@n][@n] labels of the edges from row to column, 0 for none; loops may have one
 * @effort: steps that the search may take, 0 for TL_CANON_EFFORT
 */
struct tl_canon_in {
	size_t n;
	const uint32_t *node, *edge;
	uint64_t effort;
};

/**
 * struct tl_canon_out - Its nodes in canonical order
 * @order: [n] which node comes first, second, …: two graphs have the same labels read in
 *         this order if and only if they are isomorphic
 * @steps: of the search
 */
struct tl_canon_out {
	uint8_t order[TL_CANON_MAX];
	uint64_t steps;
};

int tl_canon(const struct tl_canon_in *in, struct tl_canon_out *out);
size_t tl_canon_code(const struct tl_canon_in *in, const struct tl_canon_out *out,
		     uint32_t *code, size_t room);

#endif
