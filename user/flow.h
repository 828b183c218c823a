/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FLOW_H
#define TL_FLOW_H

#include <stddef.h>

struct tl_interval;

/**
 * struct tl_flow - How the front tier's response time is made up
 * @total: what it was computed from; not owned
 * @front: index of the front tier in @total, -1 if there is none
 * @part: of each tier's requests, the part that the front tier caused, 0 … 1
 * @n: number of tiers
 */
struct tl_flow {
	const struct tl_interval *total;
	int front;
	double *part;
	size_t n;
};

/* Behind the tiers' own times, two more layers. */
enum tl_layer { TL_LAYER_BETWEEN, TL_LAYER_OUTSIDE, TL_LAYERS };

int tl_flow_make(struct tl_flow *flow, const struct tl_interval *total);
void tl_flow_free(struct tl_flow *flow);
double tl_flow_layers(const struct tl_flow *flow, const struct tl_interval *interval,
		      double *layer);

#endif
