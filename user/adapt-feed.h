/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ADAPT_FEED_H
#define TL_ADAPT_FEED_H

#include "model/adapt.h"

struct tl_interval;
struct tl_sum;

/**
 * struct tl_adapt_name - A tier, a tier and class, a path, or a function, by its id
 * @text: of a class without its tier, of a path from its front; owned
 * @of: id of its tier, of a path that of its tier and class
 */
struct tl_adapt_name {
	char *text;
	size_t of;
};

/* @hint: where the search begins: intervals list them in much the same order. */
struct tl_adapt_names {
	struct tl_adapt_name *name;
	size_t n, hint;
};

/**
 * struct tl_adapt_feed - Intervals as the adaptor takes them; all zero at first
 * @processors: of the host
 * @function_trap_s: what a processor takes to come to a function's probe and back
 * @pinned: [@tiers.n] levels that somebody has set; set by who knows
 */
struct tl_adapt_feed {
	struct tl_adapt_names tiers, cells, paths, functions;
	double processors, function_trap_s;
	enum tl_at *pinned;
	size_t pinned_n;
	struct tl_adapt_node *node;
	struct tl_adapt_cell *cell;
	struct tl_adapt_call *call;
	size_t nodes, cells_n, calls;
	struct tl_adapt_in in;
};

int tl_adapt_feed(struct tl_adapt_feed *feed, const struct tl_interval *interval);
struct tl_adapt_cost tl_adapt_cost(const struct tl_adapt_feed *feed, const struct tl_sum *cost);
void tl_adapt_feed_free(struct tl_adapt_feed *feed);
size_t tl_adapt_tier(struct tl_adapt_feed *feed, const char *name);

#endif
