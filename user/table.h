/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TABLE_H
#define TL_TABLE_H

#include "hist.h"
#include "kinds.h"

enum tl_event {
	TL_EVENT_SEEN,
	TL_EVENT_ATTRIBUTED,
	TL_EVENT_UNATTRIBUTED,
	TL_EVENT_IGNORED,
	TL_EVENTS
};

/* The core's, and one that only the kernel's probes can have. */
enum { TL_LOSS_PROBES_MISSED = TL_LOSS_KINDS, TL_LOSSES };

extern const char *const tl_event_names[TL_EVENTS];
extern const char *const tl_loss_names[TL_LOSSES];
bool tl_loss_is_note(int loss);
void tl_losses_text(char *text, size_t size, const uint64_t *losses);
extern const char *const tl_by_names[TL_BY_KINDS];

/**
 * struct tl_cell - Sums of one class at one tier
 * @class: name, "other" for requests that no rule matched; owned
 * @own_sq_s2: sum of squared own times, s²
 * @carried: of @count, those that began before the interval
 * @response_hist: requests by response time, bounds by tl_hist_low_ns()
 * @own_hist: requests by own time
 */
struct tl_cell {
	char *class;
	u64 count, response_ns, own_ns, carried, bytes_in, bytes_out;
	double own_sq_s2;
	u64 response_hist[TL_HIST_BUCKETS];
	u64 own_hist[TL_HIST_BUCKETS];
};

struct tl_tier {
	char *name;
	struct tl_cell *cells;
	size_t n_cells;
};

/**
 * struct tl_edge - Calls of one tier and class to one endpoint
 * @tier: the caller; NULL if no request was found that made the calls
 * @peer: "127.0.0.1:9000", "[::1]:80" or "more"
 * @peer_tier: the tier at @peer if it is on this host, else NULL
 */
struct tl_edge {
	char *tier, *class, *peer, *peer_tier;
	u64 calls, time_ns, by[TL_BY_KINDS];
};

/**
 * struct tl_interval - Everything that was summed over one interval, or several
 * @start_ns: beginning since the epoch
 * @length_ns: length; of merged intervals, the sum of their lengths
 */
struct tl_interval {
	u64 generation, start_ns, length_ns;
	struct tl_tier *tiers;
	struct tl_edge *edges;
	size_t n_tiers, n_edges, edge_hint;
	u64 events[TL_EVENTS], losses[TL_LOSSES];
};

struct tl_interval *tl_interval_new(void);
void tl_interval_free(struct tl_interval *interval);
struct tl_tier *tl_interval_tier(struct tl_interval *interval, const char *name);
struct tl_cell *tl_interval_cell(struct tl_interval *interval, const char *tier,
				 const char *class);
struct tl_edge *tl_interval_edge(struct tl_interval *interval, const struct tl_edge *key);
int tl_interval_add(struct tl_interval *to, const struct tl_interval *from);
void tl_cell_add(struct tl_cell *to, const struct tl_cell *from);
double tl_hist_quantile_s(const u64 *hist, double q);

static inline double tl_ns_to_s(u64 ns)
{
	return (double)ns / 1e9;
}

#endif
