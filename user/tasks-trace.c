// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sync points of a process from a table: seq, time_us, thread, op, object, stack; beside them
 * cpu_us, wait_us, bytes, position, end, read_bytes, written_bytes and given_us if there are
 *
 * The lines may stand in any order; seq tells which was first, and what is missing.
 */
#include "tasks-trace.h"

#include "csv-rows.h"
#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { SEQ, TIME, THREAD, OP, OBJECT, STACK, CPU, WAIT, BYTES, POSITION, END, READ,
	      WRITTEN, GIVEN, COLUMNS };

#define NEEDED (STACK + 1)
#define NOWHERE ((size_t)-1)
#define US_MAX 9e15 /* ns of it fit into 64 bits */

static const char *const names[COLUMNS] = {
	[SEQ] = "seq", [TIME] = "time_us", [THREAD] = "thread", [OP] = "op",
	[OBJECT] = "object", [STACK] = "stack", [CPU] = "cpu_us", [WAIT] = "wait_us",
	[BYTES] = "bytes", [POSITION] = "position", [END] = "end",
	[READ] = "read_bytes", [WRITTEN] = "written_bytes",
	[GIVEN] = "given_us",
};

const char *const tl_tasks_ops[TL_TASK_OPS] = {
	[TL_TASK_LOCK] = "lock", [TL_TASK_UNLOCK] = "unlock", [TL_TASK_SIGNAL] = "signal",
	[TL_TASK_WAIT] = "wait", [TL_TASK_ENQ] = "enq", [TL_TASK_DEQ] = "deq",
	[TL_TASK_SEND] = "send", [TL_TASK_RECV] = "recv", [TL_TASK_START] = "start",
	[TL_TASK_EXIT] = "exit",
};

/* An event with the line that it stands in, until all are in order. */
struct placed {
	struct tl_task_event event;
	unsigned long line;
};

struct reader {
	struct tl_tasks_trace *trace;
	struct tl_error *err;
	const char *file;
	size_t at[COLUMNS], fields;
	unsigned long line;
	char *const *field;
	struct placed *placed;
	size_t n, room;
};

static int fault(const struct reader *r, enum column column, const char *what)
{
	return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu (%s): %s", r->file, r->line,
			    r->at[column] + 1, names[column], what);
}

/* ---- the head line ------------------------------------------------------------------- */

static int head_name(struct reader *r, size_t at)
{
	size_t i;

	for (i = 0; i < COLUMNS; i++) {
		if (strcmp(r->field[at], names[i]))
			continue;
		if (r->at[i] != NOWHERE)
			return tl_error_set(r->err, -EEXIST, "%s:%lu: columns %zu and %zu are both "
					    "\"%s\": delete one", r->file, r->line, r->at[i] + 1,
					    at + 1, names[i]);
		r->at[i] = at;
		return 0;
	}
	tl_faults_note(&r->trace->notes, r->line, "column %zu says nothing here and is ignored",
		       at + 1);
	return 0;
}

static int head_read(struct reader *r, size_t n)
{
	size_t i;
	int code = 0;

	r->fields = n;
	for (i = 0; i < COLUMNS; i++)
		r->at[i] = NOWHERE;
	for (i = 0; i < n && !code; i++)
		code = head_name(r, i);
	for (i = 0; i < NEEDED && !code; i++)
		if (r->at[i] == NOWHERE)
			code = tl_error_set(r->err, -EINVAL, "%s:%lu: there is no column \"%s\": the "
					    "head line names seq, time_us, thread, op, object and stack",
					    r->file, r->line, names[i]);
	return code;
}

/* ---- lines --------------------------------------------------------------------------- */

static const char *text_of(const struct reader *r, enum column column)
{
	return r->at[column] == NOWHERE ? "" : r->field[r->at[column]];
}

static int whole(struct reader *r, enum column column, uint64_t most, uint64_t *value)
{
	const char *text = text_of(r, column);
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || *value > most)
		return fault(r, column, "no whole number, or too large: mend it");
	return 0;
}

static int ns_read(struct reader *r, enum column column, int64_t *ns)
{
	const char *text = text_of(r, column);
	double us;
	char *end;

	us = strtod(text, &end);
	if (end == text || *end || !isfinite(us) || us < 0 || us > US_MAX)
		return fault(r, column, "no time in microseconds: mend it");
	*ns = llround(us * 1000);
	return 0;
}

/* What is not there is unknown. */
static int ns_perhaps(struct reader *r, enum column column, int64_t *ns)
{
	*ns = TL_TASK_UNKNOWN;
	return *text_of(r, column) ? ns_read(r, column, ns) : 0;
}

static int bytes_perhaps(struct reader *r, enum column column, int64_t *bytes)
{
	uint64_t value = 0;
	int code = 0;

	*bytes = TL_TASK_UNKNOWN;
	if (*text_of(r, column)) {
		code = whole(r, column, INT64_MAX / 2, &value);
		*bytes = (int64_t)value;
	}
	return code;
}

static int op_read(struct reader *r, enum tl_task_op *op)
{
	size_t i;

	for (i = 0; i < TL_TASK_OPS; i++)
		if (!strcmp(text_of(r, OP), tl_tasks_ops[i])) {
			*op = (enum tl_task_op)i;
			return 0;
		}
	return fault(r, OP, "is none of lock, unlock, signal, wait, enq, deq, send, recv, start and "
		     "exit: mend it");
}

static int name_read(struct reader *r, enum column column, struct tl_ids *ids, uint32_t *id)
{
	const char *text = text_of(r, column);

	return tl_ids_of(ids, text, strlen(text), id) ? tl_error_no_memory(r->err) : 0;
}

static int names_read(struct reader *r, struct tl_task_event *event)
{
	struct tl_tasks_trace *t = r->trace;
	int code;

	if (!*text_of(r, THREAD))
		return fault(r, THREAD, "is empty: name the thread");
	if (!*text_of(r, OBJECT) && event->op != TL_TASK_START && event->op != TL_TASK_EXIT)
		return fault(r, OBJECT, "is empty: name what the thread waited for, locked, …");
	event->end = TL_TASK_NONE;
	code = name_read(r, THREAD, &t->threads, &event->thread);
	code = code ? code : name_read(r, OBJECT, &t->objects, &event->object);
	code = code ? code : name_read(r, STACK, &t->stacks, &event->stack);
	if (!code && *text_of(r, END))
		code = name_read(r, END, &t->ends, &event->end);
	return code;
}

static int event_read(struct reader *r, struct tl_task_event *event)
{
	int code = whole(r, SEQ, UINT64_MAX - 1, &event->seq);

	code = code ? code : ns_read(r, TIME, &event->time_ns);
	code = code ? code : op_read(r, &event->op);
	code = code ? code : ns_perhaps(r, CPU, &event->cpu_ns);
	code = code ? code : ns_perhaps(r, WAIT, &event->wait_ns);
	code = code ? code : ns_perhaps(r, GIVEN, &event->given_ns);
	code = code ? code : bytes_perhaps(r, BYTES, &event->bytes);
	code = code ? code : bytes_perhaps(r, POSITION, &event->position);
	code = code ? code : bytes_perhaps(r, READ, &event->read_bytes);
	code = code ? code : bytes_perhaps(r, WRITTEN, &event->written_bytes);
	code = code ? code : names_read(r, event);
	if (!code) {
		r->trace->cpu |= event->cpu_ns >= 0;
		r->trace->wait |= event->wait_ns >= 0;
	}
	return code;
}

static int room_make(struct reader *r)
{
	size_t room = r->room ? 2 * r->room : 1024;
	struct placed *grown;

	if (r->n >= TL_TASKS_EVENTS_MAX)
		return tl_error_set(r->err, -E2BIG, "%s:%lu: more than %d events: record for a shorter "
				    "time", r->file, r->line, TL_TASKS_EVENTS_MAX);
	if (r->n < r->room)
		return 0;
	grown = reallocarray(r->placed, room, sizeof(*grown));
	if (!grown)
		return tl_error_no_memory(r->err);
	r->placed = grown;
	r->room = room;
	return 0;
}

static int row_read(void *arg, unsigned long line, char *const *field, size_t n)
{
	struct reader *r = arg;
	int code;

	r->line = line;
	r->field = field;
	if (!r->fields)
		return head_read(r, n);
	if (n != r->fields)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: %zu fields, but the first line has %zu: "
				    "mend the row", r->file, line, n, r->fields);
	code = room_make(r);
	if (code)
		return code;
	r->placed[r->n].line = line;
	return event_read(r, &r->placed[r->n++].event);
}

/* ---- all of them --------------------------------------------------------------------- */

static int seq_compare(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->event.seq != y->event.seq)
		return x->event.seq < y->event.seq ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Put the events in order, and look whether their times are. */
static int order(struct reader *r)
{
	struct tl_tasks_trace *t = r->trace;
	size_t i, moved = 0, late = 0;
	int64_t before = 0, given_ns, most_ns = 0;

	for (i = 1; i < r->n; i++)
		moved += r->placed[i].event.seq < r->placed[i - 1].event.seq;
	if (moved)
		qsort(r->placed, r->n, sizeof(*r->placed), seq_compare);
	t->trace.event = calloc(r->n + 1, sizeof(*t->trace.event));
	if (!t->trace.event)
		return tl_error_no_memory(r->err);
	for (i = 0; i < r->n; i++) {
		t->trace.event[i] = r->placed[i].event;
		if (i && r->placed[i].event.seq == r->placed[i - 1].event.seq)
			return tl_error_set(r->err, -EEXIST, "%s:%lu: seq %" PRIu64 " is that of line %lu "
					    "too: number the events", r->file, r->placed[i].line,
					    r->placed[i].event.seq, r->placed[i - 1].line);
		given_ns = tl_task_given_ns(&t->trace.event[i]);
		late += given_ns < before;
		most_ns = before - given_ns > most_ns ? before - given_ns : most_ns;
		before = given_ns;
	}
	if (moved)
		tl_faults_note(&t->notes, 0, "%zu lines stand before one with a lower seq: read by seq",
			       moved);
	if (late)
		tl_faults_note(&t->notes, 0, "%zu events have a time before that of the one with the seq before, "
			       "by up to %.3g ms: times across them may be wrong by that", late,
			       (double)most_ns / 1e6);
	return 0;
}

/* Whoever gives ends other names has not said who asks. */
static uint32_t end_of(const struct tl_ids *ends, const char *name)
{
	uint32_t i;

	for (i = 0; i < ends->n; i++)
		if (!strcmp(tl_ids_key(ends, i, NULL), name))
			return i;
	return TL_TASK_NONE;
}

/**
 * tl_tasks_trace_read() - Read the sync points of a process
 * @trace: written; to be freed by tl_tasks_trace_free(), also after a failure
 * @file: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_tasks_trace_read(struct tl_tasks_trace *trace, const char *file, struct tl_error *err)
{
	struct reader r = { .trace = trace, .err = err, .file = file };
	struct tl_csv_rows rows = { "sync points", row_read, &r };
	int code;

	*trace = (struct tl_tasks_trace){ .notes.file = file };
	code = tl_csv_rows_read(&rows, file, err);
	if (!code && !r.fields)
		code = tl_error_set(err, -ENODATA, "%s: the file is empty: give sync points", file);
	code = code ? code : order(&r);
	free(r.placed);
	trace->trace.n = r.n;
	trace->trace.threads = trace->threads.n;
	trace->trace.objects = trace->objects.n;
	trace->trace.stacks = trace->stacks.n;
	trace->trace.client = end_of(&trace->ends, "client");
	trace->trace.server = end_of(&trace->ends, "server");
	return code;
}

/**
 * tl_tasks_trace_free() - Free a trace
 * @trace: the trace
 */
void tl_tasks_trace_free(struct tl_tasks_trace *trace)
{
	free(trace->trace.event);
	tl_ids_free(&trace->threads);
	tl_ids_free(&trace->objects);
	tl_ids_free(&trace->ends);
	tl_ids_free(&trace->stacks);
	tl_faults_free(&trace->notes);
	*trace = (struct tl_tasks_trace){ 0 };
}
