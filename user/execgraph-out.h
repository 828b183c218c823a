/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EXECGRAPH_OUT_H
#define TL_EXECGRAPH_OUT_H

#include "lqn-faults.h"

#include <jansson.h>
#include <stdio.h>

struct tl_traces;

/**
 * struct tl_execgraph - An execution graph to be shown
 * @traces: merged
 * @theta: how often a service may stand in a way
 * @verdict: "ok", or why there is no graph
 * @figures: there is one
 * @notes: what should be known of it
 */
struct tl_execgraph {
	const struct tl_traces *traces;
	unsigned int theta;
	char *verdict;
	bool figures;
	struct tl_faults notes;
};

json_t *tl_execgraph_json(const struct tl_execgraph *graph);
void tl_execgraph_print(const struct tl_execgraph *graph, FILE *to);
void tl_execgraph_dot(const struct tl_execgraph *graph, double least, FILE *to);

#endif
