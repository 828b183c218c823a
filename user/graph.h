/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_GRAPH_H
#define TL_GRAPH_H

#include "hist.h"

#include <jansson.h>

struct tl_interval;

/* The clients that nobody here measures; a tier; an endpoint outside the host;
 * calls for which no request was found. */
enum tl_node_kind {
	TL_NODE_CLIENTS,
	TL_NODE_TIER,
	TL_NODE_OUTSIDE,
	TL_NODE_UNATTRIBUTED
};

/**
 * struct tl_node - A node of the graph
 * @name: tier or endpoint; owned
 * @rate: of a tier, requests per second; the figures below are only a tier's too
 */
struct tl_node {
	enum tl_node_kind kind;
	char *name;
	double rate, response_s, own_s, own_share;
};

/**
 * struct tl_link - Calls from one node to another
 * @time_ns: sum over the calls as their maker saw it; 0 for the clients', unseen
 */
struct tl_link {
	size_t from, to;
	u64 calls, time_ns;
};

struct tl_graph {
	double seconds;
	struct tl_node *node;
	struct tl_link *link;
	size_t n_nodes, n_links;
};

int tl_graph_make(struct tl_graph *graph, const struct tl_interval *interval);
void tl_graph_free(struct tl_graph *graph);
json_t *tl_graph_json(const struct tl_graph *graph);

#endif
