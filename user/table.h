/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TABLE_H
#define TL_TABLE_H

#include "hist.h"
#include "kinds.h"
#include "level.h"

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

enum tl_sum_state { TL_SUM_NONE, TL_SUM_KNOWN, TL_SUM_UNKNOWN };

/**
 * struct tl_sum - A sum that may be unknown, which is not zero
 * @state: none while nothing was added; a part that is unknown makes the whole unknown
 */
struct tl_sum {
	u64 value;
	enum tl_sum_state state;
};

/* What a recording calls a sum; @s_key is there for times, in seconds. */
struct tl_sum_key {
	const char *key, *s_key;
};

enum tl_cell_sum {
	TL_CELL_CPU, /* ns, as the other times */
	TL_CELL_RUN_WAIT,
	TL_CELL_QUEUE, /* of TL_CELL_QUEUE_COUNT requests */
	TL_CELL_QUEUE_COUNT,
	TL_CELL_STORAGE_READ, /* bytes */
	TL_CELL_STORAGE_WRITE,
	TL_CELL_SUMS
};

enum tl_edge_sum {
	TL_EDGE_JOINED, /* calls whose other end was seen too */
	TL_EDGE_TRANSIT, /* ns between the two ends, of the joined calls */
	TL_EDGE_BYTES_OUT,
	TL_EDGE_BYTES_IN,
	TL_EDGE_SUMS
};

enum tl_usage_sum {
	TL_USAGE_PROCESSES, /* of several intervals the most */
	TL_USAGE_CPU,
	TL_USAGE_REQUEST_CPU,
	TL_USAGE_ELAPSED, /* in which that was used */
	TL_USAGE_SUMS
};

enum tl_path_sum { TL_PATH_CPU, TL_PATH_SUMS };

/* What probes cost: of hooks of the kernel, and of functions of programs. */
enum tl_cost_sum {
	TL_COST_HOOK_HITS,
	TL_COST_HOOK,
	TL_COST_FUNCTION_HITS,
	TL_COST_FUNCTION,
	TL_COST_HOOK_WAY,
	TL_COST_SUMS
};

extern const struct tl_sum_key tl_cell_keys[TL_CELL_SUMS], tl_edge_keys[TL_EDGE_SUMS];
extern const struct tl_sum_key tl_usage_keys[TL_USAGE_SUMS], tl_path_keys[TL_PATH_SUMS];
extern const struct tl_sum_key tl_cost_keys[TL_COST_SUMS];


/**
 * struct tl_cell - Sums of one class at one tier
 * @class: name, "other" for requests that no rule matched; owned
 * @own_sq_s2: sum of squared own times, s²
 * @carried: of @count, those that began before the interval
 * @traced: of @count, those that were seen from end to end only: what they waited for and used is
 *          in no sum
 * @level: at the end of the interval
 * @response_hist: requests by response time, bounds by tl_hist_low_ns()
 * @own_hist: requests by own time
 * @sum: by enum tl_cell_sum
 */
struct tl_cell {
	char *class;
	u64 count, response_ns, own_ns, carried, traced, bytes_in, bytes_out;
	enum tl_at level;
	double own_sq_s2;
	u64 response_hist[TL_HIST_BUCKETS];
	u64 own_hist[TL_HIST_BUCKETS];
	struct tl_sum sum[TL_CELL_SUMS];
};

/**
 * struct tl_tier - A tier's cells, and what its processes used
 * @usage: by enum tl_usage_sum, in requests and outside of any
 */
struct tl_tier {
	char *name;
	struct tl_cell *cells;
	size_t n_cells;
	struct tl_sum usage[TL_USAGE_SUMS];
};

/**
 * struct tl_edge - Calls of one tier and class to one endpoint
 * @tier: the caller; NULL if no request was found that made the calls
 * @peer: "127.0.0.1:9000", "[::1]:80" or "more"
 * @peer_tier: the tier at @peer if it is on this host, else NULL
 * @sum: by enum tl_edge_sum
 */
struct tl_edge {
	char *tier, *class, *peer, *peer_tier;
	u64 calls, time_ns, by[TL_BY_KINDS];
	struct tl_sum sum[TL_EDGE_SUMS];
};

/**
 * struct tl_path - Sums of one chain of (tier, class) from the front tier down
 * @tier: NULL for the node of all paths that found no place
 * @id: names it among the nodes of its interval
 * @parent: id of the node above, 0 for a front tier
 * @up: index of the node above plus 1, 0 for a front tier; always smaller than its own
 * @depth: nodes above
 * @traced: of @count, as in a cell
 * @sum: by enum tl_path_sum
 */
struct tl_path {
	char *tier, *class;
	u32 id, parent;
	size_t up, depth;
	u64 count, traced, response_ns, own_ns;
	struct tl_sum sum[TL_PATH_SUMS];
};

/**
 * struct tl_host - How busy a resource of the host was
 * @name: "cpu", "disk.vda", "net.eth0.in_bytes_s", "<tier>.cpu"; owned
 * @value: mean over @length_ns; of most resources 0 … 1
 * @length_ns: time for which it is known
 */
struct tl_host {
	char *name;
	double value;
	u64 length_ns;
};

#define TL_EVENT_BYTES 64 /* of its name, with the zero; the kernel's are shorter, and no count has a longer one */

/**
 * struct tl_count - What a counter of one processor counted
 * @event: name of the event; here, because there are dozens on each of many processors
 * @value: counted while it was running
 * @enabled_ns: time in which it was to be counted
 * @running_ns: time in which it was; less if there are more events than counters
 */
struct tl_count {
	char event[TL_EVENT_BYTES];
	u32 cpu;
	u64 value, enabled_ns, running_ns;
};

/**
 * struct tl_charge - What an event counted while threads worked on requests
 * @tier: where; owned, as are the others
 * @class: of the requests
 * @event: its name
 */
struct tl_charge {
	char *tier, *class, *event;
	u64 value;
};

/**
 * struct tl_called - Calls of a function that is probed
 * @id: of the function; it means nothing beyond the time in which it is probed
 * @tier: whose processes called it; owned, as are the others
 * @class: of the requests that they worked on; NULL for none
 * @name: of the function
 * @total_ns: from entry to return, @own_ns: less what other probed functions took in it
 * @cpu_ns: of @total_ns, on a processor
 */
struct tl_called {
	u32 id;
	char *tier, *class, *name;
	u64 count, total_ns, own_ns, cpu_ns;
};

/**
 * struct tl_interval - Everything that was summed over one interval, or several
 * @start_ns: beginning since the epoch
 * @length_ns: length; of merged intervals, the sum of their lengths
 * @cost: by enum tl_cost_sum
 */
struct tl_interval {
	u64 generation, start_ns, length_ns;
	struct tl_tier *tiers;
	struct tl_edge *edges;
	struct tl_path *paths;
	struct tl_host *hosts;
	struct tl_count *counts;
	u32 *count_at; /* see count.c */
	struct tl_charge *charged;
	struct tl_called *called;
	size_t n_tiers, n_edges, n_paths, n_hosts, n_counts, n_charged, n_called;
	size_t count_room, counts_found, edge_hint, path_hint, charge_hint;
	u64 events[TL_EVENTS], losses[TL_LOSSES];
	struct tl_sum cost[TL_COST_SUMS];
};

struct tl_interval *tl_interval_new(void);
void tl_interval_free(struct tl_interval *interval);
struct tl_tier *tl_interval_tier(struct tl_interval *interval, const char *name);
struct tl_cell *tl_interval_cell(struct tl_interval *interval, const char *tier,
				 const char *class);
struct tl_edge *tl_interval_edge(struct tl_interval *interval, const struct tl_edge *key);
int tl_interval_host(struct tl_interval *interval, const char *name, double value,
		     u64 length_ns);
int tl_interval_add(struct tl_interval *to, const struct tl_interval *from);
void tl_cell_add(struct tl_cell *to, const struct tl_cell *from);
void *tl_array_append(void **array, size_t *n, size_t size);
bool tl_host_is_rate(const char *name);
bool tl_host_is_cpu_of(const char *name, const char *tier);
u64 tl_usage_elapsed_ns(const struct tl_sum *usage, u64 length_ns);
bool tl_usage_outside(const struct tl_sum *usage, u64 *ns);
double tl_transit_s(const struct tl_sum *edge);
void tl_sum_set(struct tl_sum *sum, u64 value);
void tl_sums_add(struct tl_sum *to, const struct tl_sum *from, int n);
void tl_usage_add(struct tl_sum *to, const struct tl_sum *from);
void tl_usage_settle(struct tl_interval *interval);
double tl_hist_quantile_s(const u64 *hist, double q);

/* count.c */
struct tl_count *tl_interval_count_new(struct tl_interval *interval);
int tl_interval_count(struct tl_interval *interval, const struct tl_count *count);
int tl_interval_charge(struct tl_interval *interval, const struct tl_charge *charge);
const struct tl_charge *tl_charge_find(const struct tl_interval *interval, const char *tier,
				       const char *class, const char *event);
int tl_counts_add(struct tl_interval *to, const struct tl_interval *from);
void tl_counts_free(struct tl_interval *interval);

/* function.c */
int tl_interval_called(struct tl_interval *interval, const struct tl_called *called);
int tl_called_add(struct tl_interval *to, const struct tl_interval *from);
void tl_called_free(struct tl_interval *interval);

/* level.c */
double tl_cell_known(const struct tl_cell *cell);
double tl_cell_own_s(const struct tl_cell *cell);
double tl_path_known(const struct tl_path *path);
bool tl_interval_traced(const struct tl_interval *interval);

/* path.c */
struct tl_path *tl_interval_path(struct tl_interval *interval, const char *tier,
				 const char *class);
int tl_paths_link(struct tl_interval *interval);
int tl_paths_add(struct tl_interval *to, const struct tl_interval *from);
char *tl_path_text(const struct tl_interval *interval, const struct tl_path *path);

static inline bool tl_sum_known(const struct tl_sum *sum)
{
	return sum->state == TL_SUM_KNOWN;
}

static inline double tl_ns_to_s(u64 ns)
{
	return (double)ns / 1e9;
}

#endif
