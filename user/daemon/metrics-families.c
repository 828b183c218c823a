// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tierlensd exposes: names, units and meanings
 *
 * Names follow the conventions of Prometheus and OpenMetrics: base units, the unit at the end, "_total" for what
 * only grows. Sums that some intervals do not know are sums over those that do.
 */
#include "daemon/metrics.h"

#include <tierlens-version.h>

static const char *const ways[] = { "in", "out" };
static const char *const transfers[] = { "read", "write" };
static const char *const probes[] = { "hook", "function" };
static const char *const version[] = { TIERLENS_VERSION };
const char *const tl_push_loss_names[TL_PUSH_LOSSES] = { "refused", "no_room", "damaged", "unwritten", "clock" };
const char *const tl_push_outcome_names[TL_PUSH_OUTCOMES] = { "accepted", "refused", "retried" };
static const char *const levels[] = { "off", "trace", "server", "method" };

const struct tl_rows_shape tl_rows_shapes[TL_ROWS_KINDS] = {
	[TL_ROWS_DAEMON] = { { NULL }, 0, TL_OF_DAEMON_COLUMNS, false },
	[TL_ROWS_CELL] = { { "tier", "class" }, 2, TL_OF_CELL_COLUMNS, false },
	[TL_ROWS_EDGE] = { { "tier", "class", "peer", "peer_tier" }, 4, TL_OF_EDGE_COLUMNS, false },
	[TL_ROWS_TIER] = { { "tier" }, 1, TL_OF_TIER_COLUMNS, false },
	[TL_ROWS_FUNCTION] = { { "tier", "class", "function" }, 3, TL_OF_FUNCTION_COLUMNS, true },
	[TL_ROWS_CHARGE] = { { "tier", "class", "event" }, 3, 1, false },
	[TL_ROWS_COUNT] = { { "event" }, 1, TL_OF_COUNT_COLUMNS, true },
	[TL_ROWS_HOST] = { { "resource" }, 1, 1, true },
	[TL_ROWS_RATE] = { { "resource" }, 1, 1, true },
	[TL_ROWS_DECISION] = { { "kind", "why" }, 2, 1, false },
	[TL_ROWS_PUSH] = { { NULL }, 0, TL_OF_PUSH_COLUMNS, false },
	[TL_ROWS_ENDPOINT] = { { "tier", "endpoint" }, 2, 1, false },
	[TL_ROWS_ADDRESS] = { { "address" }, 1, 1, false },
};

#define COUNTER(name_, unit_, kind_, form_, column_, help_) \
	{ "tierlens_" name_, unit_, help_, TL_METRIC_COUNTER, kind_, form_, column_, 1, NULL, NULL }
#define COUNTERS(name_, unit_, kind_, form_, column_, label_, names_, n_, help_) \
	{ "tierlens_" name_, unit_, help_, TL_METRIC_COUNTER, kind_, form_, column_, n_, label_, names_ }
#define GAUGE(name_, unit_, kind_, column_, help_) \
	{ "tierlens_" name_, unit_, help_, TL_METRIC_GAUGE, kind_, TL_FORM_REAL, column_, 1, NULL, NULL }
#define INFO(name_, kind_, help_) \
	{ "tierlens_" name_, NULL, help_, TL_METRIC_INFO, kind_, TL_FORM_REAL, 0, 1, NULL, NULL }
#define HISTOGRAM(name_, column_, help_) \
	{ "tierlens_" name_, "seconds", help_, TL_METRIC_HISTOGRAM, TL_ROWS_CELL, TL_FORM_NS, column_, TL_METRIC_HIST, \
	  NULL, NULL }

const struct tl_family tl_families[] = {
	{ "tierlens_build", NULL, "What this is.", TL_METRIC_INFO, TL_ROWS_DAEMON, TL_FORM_REAL, TL_OF_BUILD, 1, "version",
	  version },
	GAUGE("up", NULL, TL_ROWS_DAEMON, TL_OF_UP, "Whether the kernel module is measuring."),
	GAUGE("processors", NULL, TL_ROWS_DAEMON, TL_OF_PROCESSORS, "Processors of the host."),
	GAUGE("interval_seconds", "seconds", TL_ROWS_DAEMON, TL_OF_LENGTH, "Length of the last interval."),
	GAUGE("last_interval_timestamp_seconds", "seconds", TL_ROWS_DAEMON, TL_OF_LAST, "End of the last interval."),
	COUNTER("intervals", NULL, TL_ROWS_DAEMON, TL_FORM_WHOLE, TL_OF_INTERVALS, "Intervals that were read."),
	COUNTER("intervals_missed", NULL, TL_ROWS_DAEMON, TL_FORM_WHOLE, TL_OF_MISSED,
		"Intervals that the kernel closed and tierlensd did not read."),
	GAUGE("series", NULL, TL_ROWS_DAEMON, TL_OF_SERIES, "Series that are kept, those in reserve included."),
	COUNTER("series_capped", NULL, TL_ROWS_DAEMON, TL_FORM_WHOLE, TL_OF_CAPPED,
		"Figures that went to a row named other, because there are too many series."),
	GAUGE("config_last_reload_successful", NULL, TL_ROWS_DAEMON, TL_OF_RELOAD,
	      "Whether the configuration was read without a mistake when that was tried last."),
	GAUGE("config_last_reload_success_timestamp_seconds", "seconds", TL_ROWS_DAEMON, TL_OF_RELOADED,
	      "When the configuration was read that holds."),
	COUNTERS("losses", NULL, TL_ROWS_DAEMON, TL_FORM_WHOLE, TL_OF_LOSSES, "kind", tl_loss_names, TL_LOSSES,
		 "What the kernel module could not take into account, or could not be sure of."),
	COUNTERS("events", NULL, TL_ROWS_DAEMON, TL_FORM_WHOLE, TL_OF_EVENTS, "outcome", tl_event_names, TL_EVENTS,
		 "Events at the hooks, by what became of them."),
	COUNTERS("probe_hits", NULL, TL_ROWS_DAEMON, TL_FORM_WHOLE, TL_OF_PROBE_HITS, "probe", probes, 2,
		 "Hits of hooks of the kernel, and of functions of programs."),
	COUNTERS("probe_seconds", "seconds", TL_ROWS_DAEMON, TL_FORM_NS, TL_OF_PROBE_NS, "probe", probes, 2,
		 "Time that probes took on processors."),
	COUNTER("adaptor_decisions", NULL, TL_ROWS_DECISION, TL_FORM_WHOLE, 0,
		"Decisions and findings of the adaptor."),

	COUNTER("remote_write_samples", NULL, TL_ROWS_PUSH, TL_FORM_WHOLE, TL_OF_SENT,
		"Samples that the receiver of remote write has taken."),
	COUNTER("remote_write_samples_repeated", NULL, TL_ROWS_PUSH, TL_FORM_WHOLE, TL_OF_REPEATED,
		"Samples that were sent again for want of an answer, and that it seems to have had."),
	COUNTERS("remote_write_samples_lost", NULL, TL_ROWS_PUSH, TL_FORM_WHOLE, TL_OF_PUSH_LOST, "reason",
		 tl_push_loss_names, TL_PUSH_LOSSES, "Samples that it will never have."),
	COUNTER("remote_write_intervals_lost", NULL, TL_ROWS_PUSH, TL_FORM_WHOLE, TL_OF_PUSH_INTERVALS,
		"Intervals of which it will never have any, because they found or kept no place in the queue."),
	COUNTERS("remote_write_requests", NULL, TL_ROWS_PUSH, TL_FORM_WHOLE, TL_OF_PUSH_REQUESTS, "outcome",
		 tl_push_outcome_names, TL_PUSH_OUTCOMES, "Requests to it, by what became of them."),
	GAUGE("remote_write_pending_intervals", NULL, TL_ROWS_PUSH, TL_OF_PUSH_WAITING, "Intervals in the queue."),
	GAUGE("remote_write_queue_bytes", "bytes", TL_ROWS_PUSH, TL_OF_PUSH_BYTES, "What of the queue's file is used."),
	GAUGE("remote_write_queue_limit_bytes", "bytes", TL_ROWS_PUSH, TL_OF_PUSH_SIZE, "Size of the queue's file."),
	GAUGE("remote_write_last_sent_timestamp_seconds", "seconds", TL_ROWS_PUSH, TL_OF_PUSH_LAST,
	      "End of the last interval that it has."),
	GAUGE("remote_write_up", NULL, TL_ROWS_PUSH, TL_OF_PUSH_UP, "Whether it took the last request."),

	COUNTER("requests", NULL, TL_ROWS_CELL, TL_FORM_WHOLE, TL_OF_REQUESTS, "Requests that were answered."),
	COUNTER("requests_carried", NULL, TL_ROWS_CELL, TL_FORM_WHOLE, TL_OF_CARRIED,
		"Requests that had begun in an interval before the one in which they were answered."),
	COUNTER("requests_traced", NULL, TL_ROWS_CELL, TL_FORM_WHOLE, TL_OF_TRACED,
		"Requests that were seen from end to end only: they are in no sum of own or processor time."),
	HISTOGRAM("response_seconds", TL_OF_RESPONSE, "Response times, from the first byte in to the last byte out."),
	HISTOGRAM("own_seconds", TL_OF_OWN, "Own times: response times less the union of the calls."),
	COUNTER("cpu_seconds", "seconds", TL_ROWS_CELL, TL_FORM_NS, TL_OF_CPU, "Time on a processor in requests."),
	COUNTER("run_wait_seconds", "seconds", TL_ROWS_CELL, TL_FORM_NS, TL_OF_RUN_WAIT,
		"Time that requests waited for a processor."),
	COUNTER("queue_wait_seconds", "seconds", TL_ROWS_CELL, TL_FORM_NS, TL_OF_QUEUE,
		"Time that requests stood unread in a socket."),
	COUNTER("queue_waits", NULL, TL_ROWS_CELL, TL_FORM_WHOLE, TL_OF_QUEUED,
		"Requests of which it is known how long they stood unread in a socket."),
	COUNTERS("request_bytes", "bytes", TL_ROWS_CELL, TL_FORM_WHOLE, TL_OF_BYTES, "direction", ways, 2,
		 "Bytes of requests (in) and of their answers (out)."),
	COUNTERS("storage_bytes", "bytes", TL_ROWS_CELL, TL_FORM_WHOLE, TL_OF_STORAGE, "operation", transfers, 2,
		 "Bytes that requests read from storage and wrote to it."),

	COUNTER("calls", NULL, TL_ROWS_EDGE, TL_FORM_WHOLE, TL_OF_CALLS,
		"Calls to a peer; those with an empty tier belong to no request that was found."),
	COUNTER("call_seconds", "seconds", TL_ROWS_EDGE, TL_FORM_NS, TL_OF_CALL_NS, "Time of calls, as their callers see it."),
	COUNTERS("calls_attributed", NULL, TL_ROWS_EDGE, TL_FORM_WHOLE, TL_OF_BY, "by", tl_by_names, TL_BY_KINDS,
		 "Calls whose request was found, by how it was."),
	COUNTER("calls_joined", NULL, TL_ROWS_EDGE, TL_FORM_WHOLE, TL_OF_JOINED, "Calls of which both ends were seen."),
	COUNTER("call_transit_seconds", "seconds", TL_ROWS_EDGE, TL_FORM_NS, TL_OF_TRANSIT,
		"Time that calls spent between their two ends."),
	COUNTERS("call_bytes", "bytes", TL_ROWS_EDGE, TL_FORM_WHOLE, TL_OF_CALL_BYTES, "direction", ways, 2,
		 "Bytes of calls' answers (in) and of what was asked (out)."),

	GAUGE("tier_processes", NULL, TL_ROWS_TIER, TL_OF_PROCESSES, "Processes of a tier."),
	COUNTER("tier_cpu_seconds", "seconds", TL_ROWS_TIER, TL_FORM_NS, TL_OF_TIER_CPU,
		"Time on a processor of all of a tier's processes, in requests and outside."),
	COUNTER("tier_request_cpu_seconds", "seconds", TL_ROWS_TIER, TL_FORM_NS, TL_OF_REQUEST_CPU,
		"Of that, the time in requests."),
	{ "tierlens_level", NULL, "How closely a tier is looked at.", TL_METRIC_STATESET, TL_ROWS_TIER, TL_FORM_REAL,
	  TL_OF_LEVEL, 4, "tierlens_level", levels },

	COUNTER("function_calls", NULL, TL_ROWS_FUNCTION, TL_FORM_WHOLE, TL_OF_CALLED,
		"Calls of functions that are probed; with an empty class, outside of requests."),
	COUNTER("function_seconds", "seconds", TL_ROWS_FUNCTION, TL_FORM_NS, TL_OF_CALLED_NS, "From entry to return."),
	COUNTER("function_own_seconds", "seconds", TL_ROWS_FUNCTION, TL_FORM_NS, TL_OF_CALLED_OWN,
		"Of that, not in other functions that are probed."),
	COUNTER("function_cpu_seconds", "seconds", TL_ROWS_FUNCTION, TL_FORM_NS, TL_OF_CALLED_CPU,
		"Of that time, on a processor."),

	COUNTER("request_events", NULL, TL_ROWS_CHARGE, TL_FORM_WHOLE, 0,
		"What counters of processors counted while threads worked on requests."),
	COUNTER("pmu_events", NULL, TL_ROWS_COUNT, TL_FORM_WHOLE, TL_OF_COUNTED,
		"What counters of all processors counted, while they were running."),
	COUNTER("pmu_enabled_seconds", "seconds", TL_ROWS_COUNT, TL_FORM_NS, TL_OF_ENABLED,
		"Time in which an event was to be counted, of all processors."),
	COUNTER("pmu_running_seconds", "seconds", TL_ROWS_COUNT, TL_FORM_NS, TL_OF_RUNNING, "Time in which it was."),

	GAUGE("host_utilization_ratio", "ratio", TL_ROWS_HOST, 0, "How busy a resource of the host was in the last interval."),
	GAUGE("host_bytes_per_second", "bytes_per_second", TL_ROWS_RATE, 0, "Rates of the host in the last interval."),
	INFO("tier_endpoint", TL_ROWS_ENDPOINT, "Where a tier listens: a port, or the path of a UNIX socket."),
	INFO("host_address", TL_ROWS_ADDRESS, "An address of the host that others can reach."),
};

const size_t tl_families_n = ARRAY_SIZE(tl_families);

/**
 * tl_rows_series() - How many series a row is
 * @kind: of the row
 *
 * Return: at most so many.
 */
size_t tl_rows_series(enum tl_rows_kind kind)
{
	size_t i, n = 0;

	/* A histogram has a sum and a count: as many as columns, and one more. */
	for (i = 0; i < tl_families_n; i++)
		if (tl_families[i].kind == kind)
			n += tl_families[i].n + (tl_families[i].type == TL_METRIC_HISTOGRAM);
	return n;
}
