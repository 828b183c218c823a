// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Weighted execution graphs from traces
 *
 * Executions of services in traces are equivalent if they are of the same service and
 *	- are called in the same way from equivalent ones, or
 *	- are called from none.
 * Equivalent ones become one node, their calls add up. So a node is a way that some trace
 * went from its root: merging by services alone would make ways of which each step was
 * taken, but all of them never. A call's weight is its count by that of the caller.
 * Source: paper 001, 2.2, figures 3 and 4.
 *
 * Loops: a service that is called below itself again and again makes such a tree as deep as
 * the traces are, while a layered queueing network has no circles. If a service would stand
 * more than θ times in a way, what lies between its last two executions there becomes one
 * node, which keeps how often each of its services was executed. Children that are
 * equivalent then become one. θ = 1 lets no service call itself.
 *
 * Folding goes down from the roots, children by rank, and begins again where it has changed
 * something: the result does not depend on the order of the traces. Each fold makes nodes
 * less, so it ends. Conserved: the executions of each service.
 */
#include "execgraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fold {
	struct tl_exec_graph *graph;
	const size_t *rank;
	unsigned int theta, *times; /* [services] in the way that is looked at */
	bool *wanted; /* [services] of the child that is folded, not yet met above it */
};

static int visit_add(struct tl_exec_node *node, size_t service, uint64_t count)
{
	struct tl_exec_visit *grown;
	size_t i;

	for (i = 0; i < node->visits; i++)
		if (node->visit[i].service == service) {
			node->visit[i].count += count;
			return 0;
		}
	grown = reallocarray(node->visit, node->visits + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	node->visit = grown;
	grown[node->visits++] = (struct tl_exec_visit){ service, count };
	return 0;
}

static size_t *list_of(struct tl_exec_graph *graph, size_t parent)
{
	return parent == TL_EXEC_NONE ? &graph->root : &graph->node[parent].child;
}

static size_t child_find(struct tl_exec_graph *graph, size_t parent, size_t service,
			 enum tl_exec_kind kind)
{
	size_t at = *list_of(graph, parent);

	while (at != TL_EXEC_NONE &&
	       (graph->node[at].service != service || graph->node[at].kind != kind))
		at = graph->node[at].next;
	return at;
}

static int node_new(struct tl_exec_graph *graph, size_t parent, size_t service,
		    enum tl_exec_kind kind)
{
	size_t room = graph->room ? 2 * graph->room : 64, *list;
	struct tl_exec_node *grown;

	if (graph->n == graph->room) {
		grown = reallocarray(graph->node, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		graph->node = grown;
		graph->room = room;
	}
	list = list_of(graph, parent);
	graph->node[graph->n] = (struct tl_exec_node){ .service = service, .kind = kind,
						       .parent = parent, .child = TL_EXEC_NONE,
						       .next = *list };
	*list = graph->n++;
	return 0;
}

/**
 * tl_exec_add() - Count executions of a service
 * @graph: graph
 * @parent: node that calls it, TL_EXEC_NONE for a root
 * @service: index of the service
 * @kind: how it is called; of a root it does not count
 * @count: how often
 * @node: set to its node
 *
 * Return: 0 or -ENOMEM.
 */
int tl_exec_add(struct tl_exec_graph *graph, size_t parent, size_t service,
		enum tl_exec_kind kind, uint64_t count, size_t *node)
{
	enum tl_exec_kind how = parent == TL_EXEC_NONE ? TL_EXEC_SYNC : kind;
	size_t at;

	if (!graph->n)
		graph->root = TL_EXEC_NONE;
	at = child_find(graph, parent, service, how);
	if (at == TL_EXEC_NONE) {
		at = graph->n;
		if (node_new(graph, parent, service, how))
			return -ENOMEM;
	}
	*node = at;
	graph->node[at].count += count;
	return visit_add(&graph->node[at], service, count);
}

/* ---- order ------------------------------------------------------------------------- */

static bool before(const struct fold *f, size_t a, size_t b)
{
	const struct tl_exec_node *x = &f->graph->node[a], *y = &f->graph->node[b];

	if (x->service != y->service)
		return f->rank[x->service] < f->rank[y->service];
	return x->kind < y->kind;
}

static size_t lists_merge(const struct fold *f, size_t a, size_t b)
{
	struct tl_exec_node *node = f->graph->node;
	size_t first = TL_EXEC_NONE, *to = &first;

	while (a != TL_EXEC_NONE && b != TL_EXEC_NONE) {
		size_t *from = before(f, b, a) ? &b : &a;

		*to = *from;
		to = &node[*from].next;
		*from = *to;
	}
	*to = a == TL_EXEC_NONE ? b : a;
	return first;
}

static size_t list_sort(const struct fold *f, size_t list)
{
	struct tl_exec_node *node = f->graph->node;
	size_t slow = list, fast, half;

	if (list == TL_EXEC_NONE || node[list].next == TL_EXEC_NONE)
		return list;
	for (fast = node[list].next; fast != TL_EXEC_NONE; fast = node[fast].next) {
		fast = node[fast].next;
		if (fast == TL_EXEC_NONE)
			break;
		slow = node[slow].next;
	}
	half = node[slow].next;
	node[slow].next = TL_EXEC_NONE;
	return lists_merge(f, list_sort(f, list), list_sort(f, half));
}

/* ---- folding ----------------------------------------------------------------------- */

static void list_take(struct tl_exec_graph *graph, size_t at)
{
	size_t *link = list_of(graph, graph->node[at].parent);

	while (*link != at)
		link = &graph->node[*link].next;
	*link = graph->node[at].next;
}

/* What was executed in one node was so in the other. */
static int visits_move(struct tl_exec_node *to, struct tl_exec_node *from)
{
	int code = 0;
	size_t i;

	for (i = 0; i < from->visits && !code; i++)
		code = visit_add(to, from->visit[i].service, from->visit[i].count);
	from->folded = true;
	return code;
}

static int children_move(struct fold *f, size_t to, size_t from);

/* A child comes to a node, which may have an equivalent one. */
static int child_move(struct fold *f, size_t to, size_t child)
{
	struct tl_exec_node *node = f->graph->node;
	size_t twin = child_find(f->graph, to, node[child].service, node[child].kind);
	int code;

	if (twin == TL_EXEC_NONE) {
		node[child].parent = to;
		node[child].next = node[to].child;
		node[to].child = child;
		return 0;
	}
	node[twin].count += node[child].count;
	node[twin].inner += node[child].inner;
	code = visits_move(&node[twin], &node[child]);
	return code ? code : children_move(f, twin, child);
}

static int children_move(struct fold *f, size_t to, size_t from)
{
	struct tl_exec_node *node = f->graph->node;
	size_t at, next;
	int code = 0;

	for (at = node[from].child; at != TL_EXEC_NONE && !code; at = next) {
		next = node[at].next;
		code = child_move(f, to, at);
	}
	node[from].child = TL_EXEC_NONE;
	node[to].child = list_sort(f, node[to].child);
	return code;
}

/* A node becomes a part of one above it, which called it: that call is one within it. */
static int absorb(struct fold *f, size_t to, size_t from)
{
	struct tl_exec_node *node = f->graph->node;
	int code;

	list_take(f->graph, from);
	node[to].inner += node[from].count + node[from].inner;
	code = visits_move(&node[to], &node[from]);
	return code ? code : children_move(f, to, from);
}

static void times_add(struct fold *f, size_t at, int n)
{
	const struct tl_exec_node *node = &f->graph->node[at];
	size_t i;

	for (i = 0; i < node->visits; i++)
		f->times[node->visit[i].service] += (unsigned int)n;
}

/* The child that makes services stand too often in the way down to @at, which are wanted. */
static size_t loop_find(struct fold *f, size_t at)
{
	const struct tl_exec_node *node = f->graph->node;
	size_t child, service, i;
	bool any = false;

	for (child = node[at].child; child != TL_EXEC_NONE; child = node[child].next) {
		for (i = 0; i < node[child].visits; i++) {
			service = node[child].visit[i].service;
			f->wanted[service] = f->times[service] >= f->theta;
			any = any || f->wanted[service];
		}
		if (any)
			return child;
	}
	return TL_EXEC_NONE;
}

/* Return: whether all are met that the child has too often. */
static bool all_met(struct fold *f, size_t child, size_t at)
{
	const struct tl_exec_node *node = f->graph->node;
	bool all = true;
	size_t i;

	for (i = 0; i < node[at].visits; i++)
		f->wanted[node[at].visit[i].service] = false;
	for (i = 0; i < node[child].visits; i++)
		all = all && !f->wanted[node[child].visit[i].service];
	return all;
}

/*
 * All from @child up to the last nodes of the services that it has too often become one
 * node, from the lowest on, so that none of them is taken for a child's equivalent. Sets
 * @at to it, to go on from.
 */
static int loop_fold(struct fold *f, size_t child, size_t *at)
{
	struct tl_exec_node *node = f->graph->node;
	size_t from = child;
	bool last;
	int code;

	do {
		times_add(f, *at, -1);
		last = all_met(f, child, *at);
		code = absorb(f, *at, from);
		from = *at;
		*at = last ? *at : node[*at].parent;
	} while (!last && !code);
	times_add(f, *at, 1);
	return code;
}

/* Down and along: the next node in the order of the roots, or TL_EXEC_NONE. */
static size_t step(struct fold *f, size_t at)
{
	const struct tl_exec_node *node = f->graph->node;
	size_t next = node[at].child;

	while (next == TL_EXEC_NONE && at != TL_EXEC_NONE) {
		times_add(f, at, -1);
		next = node[at].next;
		at = node[at].parent;
	}
	if (next != TL_EXEC_NONE)
		times_add(f, next, 1);
	return next;
}

static int fold_all(struct fold *f)
{
	size_t at = f->graph->root, loop;
	int code = 0;

	times_add(f, at, 1);
	while (at != TL_EXEC_NONE && !code) {
		loop = loop_find(f, at);
		if (loop != TL_EXEC_NONE)
			code = loop_fold(f, loop, &at);
		else
			at = step(f, at);
	}
	return code;
}

/**
 * tl_exec_fold() - Put nodes in order, and let no way have a service more than θ times
 * @graph: graph, no deeper than TL_EXEC_DEPTH_MAX; nodes of loops are set @folded
 * @services: how many there are
 * @rank: [services] their order
 * @theta: θ, 1 or more
 *
 * Return: 0, -EINVAL for a θ of 0, or -ENOMEM.
 */
int tl_exec_fold(struct tl_exec_graph *graph, size_t services, const size_t *rank,
		 unsigned int theta)
{
	struct fold f = { .graph = graph, .rank = rank, .theta = theta };
	size_t i;
	int code;

	if (!theta)
		return -EINVAL;
	if (!graph->n)
		return 0;
	graph->root = list_sort(&f, graph->root);
	for (i = 0; i < graph->n; i++)
		graph->node[i].child = list_sort(&f, graph->node[i].child);
	f.times = calloc(services, sizeof(*f.times));
	f.wanted = calloc(services, sizeof(*f.wanted));
	code = f.times && f.wanted ? fold_all(&f) : -ENOMEM;
	free(f.wanted);
	free(f.times);
	return code;
}

/**
 * tl_exec_free() - Free a graph's nodes
 * @graph: graph
 */
void tl_exec_free(struct tl_exec_graph *graph)
{
	size_t i;

	for (i = 0; i < graph->n; i++)
		free(graph->node[i].visit);
	free(graph->node);
}
