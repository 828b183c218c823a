/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_GRAPH_H
#define TL_GRAPH_H

#include "table.h"

#include <jansson.h>

/* The clients that nobody here measures; a tier; an endpoint outside the host;
 * calls for which no request was found; a path, which is a tier and class below others. */
enum tl_node_kind {
	TL_NODE_CLIENTS,
	TL_NODE_TIER,
	TL_NODE_OUTSIDE,
	TL_NODE_UNATTRIBUTED,
	TL_NODE_PATH
};

/**
 * struct tl_node - A node of the graph
 * @name: tier, endpoint, or a path's id; owned
 * @label: of a path, tier and class; else NULL; owned
 * @json: of a path, for programs; owned
 * @host: of a tier, if there are several; owned
 * @rate: of a tier or path, requests per second; the figures below are only theirs too
 * @own_s: negative if it is not known
 */
struct tl_node {
	enum tl_node_kind kind;
	char *name, *label, *host;
	json_t *json;
	double rate, response_s, own_s, own_share;
};

/**
 * struct tl_link - Calls from one node to another
 * @time_ns: sum over the calls as their maker saw it; 0 for the clients', unseen, and
 *           for paths
 * @sum: by enum tl_edge_sum
 */
struct tl_link {
	size_t from, to;
	u64 calls, time_ns;
	struct tl_sum sum[TL_EDGE_SUMS];
};

struct tl_graph {
	double seconds;
	struct tl_node *node;
	struct tl_link *link;
	size_t n_nodes, n_links;
};

int tl_graph_make(struct tl_graph *graph, const struct tl_interval *interval);
int tl_graph_paths(struct tl_graph *graph, const struct tl_interval *interval);
void tl_graph_free(struct tl_graph *graph);
json_t *tl_graph_json(const struct tl_graph *graph);

#endif
