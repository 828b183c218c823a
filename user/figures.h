/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FIGURES_H
#define TL_FIGURES_H

#include "table.h"

#include <jansson.h>
#include <stdbool.h>

/**
 * struct tl_figure - What people want to know about a class at a tier
 * @tier: name, the interval's
 * @class: name, the interval's
 * @depth: tiers between the front door and this one
 * @rate: requests per second
 * @response_s: mean response time; @own_s: mean own time
 * @own_share: part of the own time of all tiers, 0 … 1
 * @calls: calls to other tiers per request
 * @queue_s: mean wait before the response time begins, of those requests of which it
 *           is known
 * @call_s: mean time in which the tier waited for its calls
 * @run_wait_s: mean wait for a processor
 * @cpu_s: mean time on a processor
 * @rest_s: what is left of the own time: disks, locks, sleep
 * @storage_bytes: mean bytes read from and written to storage
 *
 * @level: of the tier
 *
 * @own_s, @own_share, @calls, and from @queue_s on: negative is unknown.
 */
struct tl_figure {
	const char *tier, *class;
	enum tl_at level;
	unsigned int depth;
	double rate, response_s, own_s, p50_s, p95_s, p99_s, own_share, calls;
	double queue_s, call_s, run_wait_s, cpu_s, rest_s, storage_bytes;
};

/**
 * struct tl_figures - The figures of an interval, from the front tier down
 * @events_rate: events per second
 * @attributed: part of the events attributed to a request, of those that belong to
 *              one, 0 … 1; negative if there were none
 * @classes: is there any class but "other"?
 * @cpu: is the time on a processor known of any row?
 * @levels: is any tier at another level than server?
 */
struct tl_figures {
	struct tl_figure *row;
	size_t n;
	double events_rate, attributed;
	bool classes, cpu, levels;
};

int tl_figures_make(struct tl_figures *figures, const struct tl_interval *interval);
void tl_figures_free(struct tl_figures *figures);
json_t *tl_figures_json(const struct tl_figures *figures);
json_t *tl_known_json(double value);
double tl_attributed(const struct tl_interval *interval);
void tl_tier_sum(const struct tl_tier *tier, struct tl_cell *sum);
int tl_tier_index(const struct tl_interval *interval, const char *name);
void tl_tier_depths(const struct tl_interval *interval, unsigned int *depth);

#endif
