// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces from tables with three columns, and two more if there are
 *
 * Either "span, parent, service", one line an execution, whose parent is empty for the first
 * of a trace; or "trace, caller, callee", one line a call, where the caller is the last
 * execution of that service in the trace, and the first line's caller its first. A column
 * "kind" says sync or async, "count" how many of the same a line stands for. Without a head
 * line the columns are those of the first form.
 */
#include "traces.h"

#include "csv-rows.h"
#include "error.h"
#include "hist.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum column { SPAN, PARENT, SERVICE, TRACE, CALLER, CALLEE, KIND, COUNT, COLUMNS };

#define NAMES_MAX 5

static const char *const names[COLUMNS][NAMES_MAX] = {
	[SPAN] = { "span", "id", "span_id", "spanid" },
	[PARENT] = { "parent", "parent_id", "parent_span", "parentspanid" },
	[SERVICE] = { "service", "name", "node", "component" },
	[TRACE] = { "trace", "trace_id", "traceid" },
	[CALLER] = { "caller", "from", "source" },
	[CALLEE] = { "callee", "to", "target" },
	[KIND] = { "kind", "call", "type" },
	[COUNT] = { "count", "calls" },
};

#define NOWHERE ((size_t)-1)

/* The last execution of a service in a trace. */
struct last {
	struct tl_span_id key, span;
};

struct reader {
	struct tl_traces *traces;
	struct tl_error *err;
	const char *file;
	size_t at[COLUMNS], fields;
	void *last; /* tsearch() */
	unsigned long line;
	char *const *field;
};

static int fault(const struct reader *r, const char *what, const char *remedy)
{
	return tl_error_set(r->err, -EINVAL, "%s:%lu: %s: %s", r->file, r->line, what, remedy);
}

static const char *text_of(const struct reader *r, enum column column)
{
	return r->at[column] == NOWHERE ? "" : r->field[r->at[column]];
}

/* ---- the head line ------------------------------------------------------------------- */

static int column_of(const char *name)
{
	int column;
	size_t i;

	for (column = 0; column < COLUMNS; column++)
		for (i = 0; i < NAMES_MAX && names[column][i]; i++)
			if (!strcasecmp(name, names[column][i]))
				return column;
	return -1;
}

/* Return: whether it is one, 1, or a line like the others, 0; or a negative errno. */
static int head_read(struct reader *r, size_t n)
{
	size_t i, known = 0;
	int column;

	for (i = 0; i < COLUMNS; i++)
		r->at[i] = NOWHERE;
	for (i = 0; i < n; i++) {
		column = column_of(r->field[i]);
		if (column < 0)
			continue;
		if (r->at[column] != NOWHERE)
			return tl_error_set(r->err, -EEXIST, "%s:%lu: columns %zu and %zu are both \"%s\": "
					    "delete one", r->file, r->line, r->at[column] + 1, i + 1,
					    names[column][0]);
		r->at[column] = i;
		known++;
	}
	if (r->at[SERVICE] != NOWHERE && r->at[CALLEE] == NOWHERE)
		r->at[CALLEE] = r->at[CALLER] == NOWHERE ? NOWHERE : r->at[SERVICE];
	if ((r->at[SPAN] != NOWHERE && r->at[PARENT] != NOWHERE && r->at[SERVICE] != NOWHERE) ||
	    (r->at[CALLER] != NOWHERE && r->at[CALLEE] != NOWHERE))
		return 1;
	if (known > 1 || n != 3)
		return fault(r, "the head line has neither \"span\", \"parent\" and \"service\", nor "
			     "\"trace\", \"caller\" and \"callee\"", "name the columns so");
	for (i = 0; i < COLUMNS; i++)
		r->at[i] = i < 3 ? i : NOWHERE;
	return 0;
}

/* ---- lines --------------------------------------------------------------------------- */

static int rest_read(struct reader *r, struct tl_span *span)
{
	const char *kind = text_of(r, KIND), *count = text_of(r, COUNT);
	char *end;

	span->peer = -1;
	span->node = true;
	span->count = 1;
	span->async = !strcasecmp(kind, "async") || !strcasecmp(kind, "asynchronous");
	if (*kind && !span->async && strcasecmp(kind, "sync") && strcasecmp(kind, "synchronous"))
		return fault(r, "the kind of a call is sync or async", "mend it");
	if (!*count)
		return 0;
	span->count = strtoull(count, &end, 10);
	if (*end || *count < '0' || *count > '9' || !span->count || span->count > 1000000000000ULL)
		return fault(r, "the count is no whole number from 1", "mend it");
	return 0;
}

static int span_add(struct reader *r, struct tl_span *span, const char *service)
{
	int index;

	if (!*service)
		return fault(r, "the service has no name", "give it one");
	index = tl_traces_name(r->traces, service, NULL);
	span->service = span->process = index;
	return index < 0 || tl_traces_add(r->traces, span) ? tl_error_no_memory(r->err) : 0;
}

static int execution_read(struct reader *r)
{
	const char *parent = text_of(r, PARENT), *trace = text_of(r, TRACE);
	struct tl_span span = { .id = tl_span_id(trace, text_of(r, SPAN)) };

	if (!*text_of(r, SPAN))
		return fault(r, "the span has no name", "give each one of its own");
	span.root = !*parent || !strcmp(parent, "-");
	span.parent = tl_span_id(trace, parent);
	return rest_read(r, &span) ? -EINVAL : span_add(r, &span, text_of(r, SERVICE));
}

static int last_compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tl_span_id));
}

/* Make @span the last execution of a service in the line's trace. */
static int last_set(struct reader *r, const char *service, struct tl_span_id span)
{
	struct last *last = malloc(sizeof(*last)), **found;

	if (!last)
		return tl_error_no_memory(r->err);
	last->key = tl_span_id(text_of(r, TRACE), service);
	found = tsearch(last, &r->last, last_compare);
	if (!found) {
		free(last);
		return tl_error_no_memory(r->err);
	}
	(*found)->span = span;
	if (*found != last)
		free(last);
	return 0;
}

static const struct last *last_of(struct reader *r, const char *service)
{
	struct last key = { .key = tl_span_id(text_of(r, TRACE), service) }, **found;

	found = tfind(&key, &r->last, last_compare);
	return found ? *found : NULL;
}

/* An execution that a line begins: of a trace, of a caller that is there without a line, or
 * of the called one. */
static int execution_begin(struct reader *r, const char *service, const char *part,
			   struct tl_span *span)
{
	char name[64];
	int code;

	snprintf(name, sizeof(name), "%lu %s", r->line, part);
	span->id = tl_span_id(r->file, name);
	code = span_add(r, span, service);
	return code ? code : last_set(r, service, span->id);
}

static int call_read(struct reader *r)
{
	const char *caller = text_of(r, CALLER);
	const struct last *last = *caller ? last_of(r, caller) : NULL;
	struct tl_span span = { .root = true, .peer = -1, .node = true, .count = 1 };
	bool first = !last_of(r, "");
	int code = 0;

	if (*caller && !last) {
		if (!first)
			return tl_error_set(r->err, -ENOENT, "%s:%lu: the caller \"%.100s\" has not been "
					    "called before in trace \"%.60s\": put its call first", r->file,
					    r->line, caller, text_of(r, TRACE));
		code = execution_begin(r, caller, "first", &span);
		last = code ? NULL : last_of(r, caller);
	}
	/* That the trace has begun is kept with the service without a name. */
	code = code ? code : last_set(r, "", span.id);
	if (code)
		return code;
	if (last)
		span = (struct tl_span){ .parent = last->span };
	return rest_read(r, &span) ? -EINVAL : execution_begin(r, text_of(r, CALLEE), "", &span);
}

static int row_read(void *arg, unsigned long line, char *const *field, size_t n)
{
	struct reader *r = arg;
	int head;

	r->line = line;
	r->field = field;
	if (!r->fields) {
		r->fields = n;
		head = head_read(r, n);
		if (head)
			return head < 0 ? head : 0;
	}
	if (n != r->fields)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: %zu fields, but the first line has %zu: mend "
				    "the row", r->file, line, n, r->fields);
	return r->at[CALLER] == NOWHERE ? execution_read(r) : call_read(r);
}

/**
 * tl_traces_csv() - Take in the traces of a table
 * @traces: traces
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_traces_csv(struct tl_traces *traces, const char *file, struct tl_error *err)
{
	struct reader r = { .traces = traces, .err = err, .file = file };
	struct tl_csv_rows rows = { "traces", row_read, &r };
	int code = tl_csv_rows_read(&rows, file, err);

	tdestroy(r.last, free);
	if (!code && !r.fields)
		return tl_error_set(err, -ENODATA, "%s: the file is empty: give traces", file);
	return code;
}
