/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TRACES_H
#define TL_TRACES_H

#include "model/execgraph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_error;

/* What a span is: work for somebody else's request, or a part of its caller's work. */
enum tl_span_kind {
	TL_SPAN_UNKNOWN, /* the format does not say */
	TL_SPAN_INTERNAL,
	TL_SPAN_SERVER,
	TL_SPAN_CLIENT,
	TL_SPAN_PRODUCER,
	TL_SPAN_CONSUMER,
};

struct tl_span_id {
	uint64_t half[2];
};

/**
 * struct tl_span - One execution, or one call, of a trace
 * @id: hashes of trace and span
 * @parent: those of the one that it belongs to
 * @service: index of the name of what was executed
 * @peer: of a call without another end in the traces, index of the name of that; or -1
 * @process: index of the name of who did it; calls within it are not calls of a service
 * @kind: what it is
 * @root: it says that it has no parent
 * @node: it counts as an execution whatever its kind is, as in formats that have no kinds
 * @async: whoever called it did not wait
 * @start_s: when it began, relative to anything; 0 with @end_s if that is not known
 * @end_s: when it ended
 * @count: how many of the same it stands for
 */
struct tl_span {
	struct tl_span_id id, parent;
	int32_t service, peer, process;
	enum tl_span_kind kind;
	bool root, node, async;
	double start_s, end_s;
	uint64_t count;
};

/**
 * struct tl_traces - Spans of traces, and the graph that they make
 * @span: [n]
 * @name: [names] of services
 * @by_operation: services are told apart by the operation, too
 * @graph: merged
 * @traces: roots
 * @executions: spans that are executions of a service
 * @orphans: spans whose parent, or an ancestor, is not there
 * @twins: spans of the same name in a trace as another
 * @circles: spans that are below themselves
 * @deep: spans below more calls than can be followed
 * @broken: spans that say nothing of themselves
 * @broken_at: the place of the first of them; owned
 */
struct tl_traces {
	struct tl_span *span;
	size_t n, room;
	char **name;
	size_t names;
	void *by_name; /* tsearch() */
	bool by_operation;
	struct tl_exec_graph graph;
	uint64_t traces, executions, orphans, twins, circles, deep, broken;
	char *broken_at;
};

/* traces.c */
int tl_traces_name(struct tl_traces *traces, const char *one, const char *other);
struct tl_span_id tl_span_id(const char *trace, const char *span);
int tl_traces_add(struct tl_traces *traces, const struct tl_span *span);
int tl_traces_merge(struct tl_traces *traces, unsigned int theta);
void tl_traces_free(struct tl_traces *traces);

/* traces-json.c, traces-csv.c, traces-paths.c */
int tl_traces_read(struct tl_traces *traces, const char *file, struct tl_error *err);
int tl_traces_csv(struct tl_traces *traces, const char *file, struct tl_error *err);
int tl_traces_paths(struct tl_traces *traces, const char *file, struct tl_error *err);

#endif
