/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_EXECGRAPH_H
#define TL_MODEL_EXECGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_EXEC_NONE ((size_t)-1)
#define TL_EXEC_DEPTH_MAX 4000 /* calls below each other */

enum tl_exec_kind { TL_EXEC_SYNC, TL_EXEC_ASYNC };

/* How often one of the services of a node was executed. */
struct tl_exec_visit {
	size_t service;
	uint64_t count;
};

/**
 * struct tl_exec_node - Equivalent executions: same service, called in the same way from
 *                       equivalent ones
 * @service: index of the service that is called from outside
 * @kind: of that call; TL_EXEC_SYNC for a root
 * @parent: index of the node that calls it, TL_EXEC_NONE for a root
 * @child: index of its first child, by service and kind
 * @next: index of the next child of its parent, or root
 * @count: calls from outside
 * @inner: calls within it, of a loop that was folded into one node
 * @visit: [visits] by service, what @count and @inner are of
 * @folded: whether it was one of several nodes of a loop; then it has become part of
 *          another and counts for nothing
 */
struct tl_exec_node {
	size_t service;
	enum tl_exec_kind kind;
	size_t parent, child, next;
	uint64_t count, inner;
	struct tl_exec_visit *visit;
	size_t visits;
	bool folded;
};

/**
 * struct tl_exec_graph - A weighted execution graph; all zero at first
 * @node: [n]
 * @root: index of the first root, TL_EXEC_NONE if @n is 0
 */
struct tl_exec_graph {
	struct tl_exec_node *node;
	size_t n, room, root;
};

int tl_exec_add(struct tl_exec_graph *graph, size_t parent, size_t service,
		enum tl_exec_kind kind, uint64_t count, size_t *node);
int tl_exec_fold(struct tl_exec_graph *graph, size_t services, const size_t *rank,
		 unsigned int theta);
void tl_exec_free(struct tl_exec_graph *graph);

#endif
