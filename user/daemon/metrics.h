/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_METRICS_H
#define TL_DAEMON_METRICS_H

#include "daemon/push-figures.h"
#include "table.h"

#define TL_METRIC_LABELS 5 /* of a sample, at most */
#define TL_METRIC_FIRST_EXP 15 /* first bound of histograms: 2^15 ns, 32.8 us */
#define TL_METRIC_LAST_EXP 35 /* last one: 34.4 s; each is twice the one before */
#define TL_METRIC_BOUNDS (TL_METRIC_LAST_EXP - TL_METRIC_FIRST_EXP + 1)
#define TL_METRIC_HIST (TL_METRIC_BOUNDS + 2) /* columns: each bound, above all, and the sum */
#define TL_SERIES_DEFAULT 20000
#define TL_SERIES_LEAST 1000
#define TL_SERIES_MOST 1000000

enum tl_metric_type { TL_METRIC_COUNTER, TL_METRIC_GAUGE, TL_METRIC_HISTOGRAM, TL_METRIC_STATESET, TL_METRIC_INFO };
enum tl_metric_form { TL_FORM_WHOLE, TL_FORM_NS, TL_FORM_REAL };

/* Rows of figures that have the same labels. */
enum tl_rows_kind {
	TL_ROWS_DAEMON,
	TL_ROWS_CELL,
	TL_ROWS_EDGE,
	TL_ROWS_TIER,
	TL_ROWS_FUNCTION,
	TL_ROWS_CHARGE,
	TL_ROWS_COUNT,
	TL_ROWS_HOST,
	TL_ROWS_RATE,
	TL_ROWS_DECISION,
	TL_ROWS_PUSH,
	TL_ROWS_ENDPOINT,
	TL_ROWS_ADDRESS,
	TL_ROWS_KINDS
};

enum tl_daemon_column {
	TL_OF_LOSSES,
	TL_OF_EVENTS = TL_OF_LOSSES + TL_LOSSES,
	TL_OF_PROBE_HITS = TL_OF_EVENTS + TL_EVENTS,
	TL_OF_PROBE_NS = TL_OF_PROBE_HITS + 2,
	TL_OF_BUILD = TL_OF_PROBE_NS + 2,
	TL_OF_UP,
	TL_OF_LENGTH,
	TL_OF_LAST,
	TL_OF_INTERVALS,
	TL_OF_MISSED,
	TL_OF_SERIES,
	TL_OF_CAPPED,
	TL_OF_RELOAD,
	TL_OF_RELOADED,
	TL_OF_PROCESSORS,
	TL_OF_DAEMON_COLUMNS
};

enum tl_cell_column {
	TL_OF_REQUESTS,
	TL_OF_CARRIED,
	TL_OF_TRACED,
	TL_OF_BYTES,
	TL_OF_STORAGE = TL_OF_BYTES + 2,
	TL_OF_CPU = TL_OF_STORAGE + 2,
	TL_OF_RUN_WAIT,
	TL_OF_QUEUE,
	TL_OF_QUEUED,
	TL_OF_RESPONSE,
	TL_OF_OWN = TL_OF_RESPONSE + TL_METRIC_HIST,
	TL_OF_CELL_COLUMNS = TL_OF_OWN + TL_METRIC_HIST
};

enum tl_edge_column {
	TL_OF_CALLS,
	TL_OF_CALL_NS,
	TL_OF_BY,
	TL_OF_JOINED = TL_OF_BY + TL_BY_KINDS,
	TL_OF_TRANSIT,
	TL_OF_CALL_BYTES,
	TL_OF_EDGE_COLUMNS = TL_OF_CALL_BYTES + 2
};

enum tl_push_column {
	TL_OF_SENT,
	TL_OF_REPEATED,
	TL_OF_PUSH_LOST,
	TL_OF_PUSH_INTERVALS = TL_OF_PUSH_LOST + TL_PUSH_LOSSES,
	TL_OF_PUSH_REQUESTS,
	TL_OF_PUSH_WAITING = TL_OF_PUSH_REQUESTS + TL_PUSH_OUTCOMES,
	TL_OF_PUSH_BYTES,
	TL_OF_PUSH_SIZE,
	TL_OF_PUSH_LAST,
	TL_OF_PUSH_UP,
	TL_OF_PUSH_COLUMNS
};

enum tl_tier_column { TL_OF_PROCESSES, TL_OF_TIER_CPU, TL_OF_REQUEST_CPU, TL_OF_LEVEL, TL_OF_TIER_COLUMNS };
enum tl_function_column { TL_OF_CALLED, TL_OF_CALLED_NS, TL_OF_CALLED_OWN, TL_OF_CALLED_CPU, TL_OF_FUNCTION_COLUMNS };
enum tl_count_column { TL_OF_COUNTED, TL_OF_ENABLED, TL_OF_RUNNING, TL_OF_COUNT_COLUMNS };

/**
 * struct tl_family - Figures of one name
 * @name: without the suffix that its type demands
 * @unit: of it, at the end of the name; NULL for none
 * @form: whole numbers, nanoseconds that are told in seconds, or real numbers
 * @first: column of a row, of @n; of a set of states the only one
 * @label: what tells the columns apart, by @names; NULL if there is one
 */
struct tl_family {
	const char *name, *unit, *help;
	enum tl_metric_type type;
	enum tl_rows_kind kind;
	enum tl_metric_form form;
	unsigned int first, n;
	const char *label;
	const char *const *names;
};

extern const struct tl_family tl_families[];
extern const size_t tl_families_n;

/* Of a kind of rows. @forget: rows that no interval has had for an hour are forgotten, not only gone tiers' */
struct tl_rows_shape {
	const char *label[TL_METRIC_LABELS];
	unsigned int labels, columns;
	bool forget;
};

extern const struct tl_rows_shape tl_rows_shapes[TL_ROWS_KINDS];
size_t tl_rows_series(enum tl_rows_kind kind);

union tl_metric_value {
	u64 n;
	double real;
};

/**
 * struct tl_metric_row - Figures with the same labels
 * @seen: bits of the columns that were ever known
 * @at_ns: when it was in an interval last, on the monotonic clock
 * @at: among the rows of its kind, @costs: so many series
 */
struct tl_metric_row {
	const char *label[TL_METRIC_LABELS];
	unsigned int labels;
	u64 seen, at_ns;
	size_t at, costs;
	union tl_metric_value value[];
};

struct tl_metric_rows {
	struct tl_metric_row **row;
	size_t n;
	void *tree; /* of tsearch() */
};

/**
 * struct tl_metrics - Figures since the daemon began, of bounded number
 * @cap: series, at most
 * @series: that there are, and those that are kept free for what goes to "other"
 * @time_ns: end of the last interval, since the epoch
 * @now_ns: on the monotonic clock, when the last interval was added
 * @changes: counts rows that came and went
 * @known_ns: intervals that ended by then, since the epoch, are in what others have already; of those the kernel keeps
 *            so many at most, @known
 * @bound: of histograms, in seconds, as they stand in "le"; the last one is above all
 */
struct tl_metrics {
	struct tl_metric_rows rows[TL_ROWS_KINDS];
	size_t cap, series;
	u64 time_ns, now_ns, changes, known_ns;
	unsigned int known;
	char bound[TL_METRIC_BOUNDS + 1][24];
};

int tl_metrics_begin(struct tl_metrics *metrics, size_t cap);
void tl_metrics_end(struct tl_metrics *metrics);
struct tl_metric_row *tl_metrics_row(struct tl_metrics *metrics, enum tl_rows_kind kind, const char *const *labels);
void tl_metrics_forget(struct tl_metrics *metrics);
void tl_metric_count(struct tl_metric_row *row, unsigned int column, u64 more);
void tl_metric_gauge(struct tl_metric_row *row, unsigned int column, double value);
int tl_metrics_decided(struct tl_metrics *metrics, const char *kind, const char *why);

void tl_metrics_pushed(struct tl_metrics *metrics, const struct tl_push_figures *figures);
void tl_metrics_drop_old(struct tl_metrics *metrics, enum tl_rows_kind kind);

/* metrics-add.c */
int tl_metrics_add(struct tl_metrics *metrics, const struct tl_interval *interval, u64 missed, u64 now_ns);

/**
 * struct tl_sample - One figure, for whoever exposes it
 * @suffix: behind the family's name: "_total", "_bucket" …, or ""
 * @name: [@labels]
 * @exact: as it is kept, by @form; @number: in units of the family
 * @time_ns: of which it is, since the epoch: the end of the last interval; 0 before there is any
 */
struct tl_sample {
	const struct tl_family *family;
	const char *suffix;
	const char *name[TL_METRIC_LABELS + 1], *value[TL_METRIC_LABELS + 1];
	size_t labels;
	enum tl_metric_form form;
	union tl_metric_value exact;
	double number;
	u64 time_ns;
};

/* Return: 0 to go on. */
typedef int tl_sample_fn(const struct tl_sample *sample, void *arg);

/* metrics-each.c */
int tl_metrics_each(const struct tl_metrics *metrics, tl_sample_fn *fn, void *arg);

/* metrics-text.c */
char *tl_metrics_text(const struct tl_metrics *metrics, bool open, size_t *len);

#endif
