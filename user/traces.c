// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spans of traces as executions of services
 *
 * Formats differ in what a span is. An execution of a service is a span of kind server or
 * consumer, one that has no parent, or one of another process than its parent; all others are
 * what a service does while it is executed, and their calls are its own; if operations are
 * told apart, those within a process are executions, too, but calls. A call to somebody who
 * leaves no spans, a database perhaps, is an execution of what it says that it calls.
 *
 * A call is asynchronous if it goes through a producer or to a consumer, if the format says
 * that nobody waited for it, or if it began after its caller had ended.
 *
 * A span whose parent is missing could be anywhere: it and what is below it is counted and
 * left out.
 */
#include "traces.h"

#include "hist.h"
#include "text.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------- */

struct named {
	const char *name;
	int32_t index;
};

static int named_compare(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static int name_add(struct tl_traces *t, char *name)
{
	char **grown = reallocarray(t->name, t->names + 1, sizeof(*grown));
	struct named *named = malloc(sizeof(*named));

	if (grown)
		t->name = grown;
	if (!grown || !named) {
		free(named);
		free(name);
		return -ENOMEM;
	}
	*named = (struct named){ name, (int32_t)t->names };
	grown[t->names++] = name;
	if (tsearch(named, &t->by_name, named_compare))
		return named->index;
	free(named);
	return -ENOMEM;
}

/**
 * tl_traces_name() - The index of a name
 * @traces: traces
 * @one: the name, or the first part of it
 * @other: its second part, or NULL
 *
 * Return: index, or -ENOMEM.
 */
int tl_traces_name(struct tl_traces *traces, const char *one, const char *other)
{
	struct named key, **found;
	char *text = NULL, *utf8;

	if (asprintf(&text, other ? "%s %s" : "%s", one, other) < 0)
		return -ENOMEM;
	utf8 = tl_text_utf8(text, strlen(text));
	free(text);
	if (!utf8)
		return -ENOMEM;
	key.name = utf8;
	found = tfind(&key, &traces->by_name, named_compare);
	if (!found)
		return name_add(traces, utf8);
	free(utf8);
	return (*found)->index;
}

/**
 * tl_span_id() - What a span is known by
 * @trace: name of its trace
 * @span: its name in it
 *
 * Return: two hashes of both.
 */
struct tl_span_id tl_span_id(const char *trace, const char *span)
{
	struct tl_span_id id;
	const char *text;
	size_t i, part;

	for (i = 0; i < 2; i++) {
		uint64_t h = 0xcbf29ce484222325ULL + 2 * i;

		for (part = 0; part < 2; part++) {
			for (text = part ? span : trace; *text; text++)
				h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
			h = (h ^ 0x1ff) * 0x9e3779b97f4a7c15ULL;
			h ^= h >> 31;
		}
		id.half[i] = h;
	}
	return id;
}

/**
 * tl_traces_add() - Take in a span
 * @traces: traces
 * @span: copied
 *
 * Return: 0 or -ENOMEM.
 */
int tl_traces_add(struct tl_traces *traces, const struct tl_span *span)
{
	size_t room = traces->room ? 2 * traces->room : 256;
	struct tl_span *grown;

	if (traces->n == traces->room) {
		grown = reallocarray(traces->span, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		traces->span = grown;
		traces->room = room;
	}
	traces->span[traces->n++] = *span;
	return 0;
}

/* ---- merging ------------------------------------------------------------------------- */

#define NONE SIZE_MAX

struct merge {
	struct tl_traces *traces;
	size_t *parent, *child, *next, *node; /* [n] of spans: indexes of spans; of nodes */
	bool *has_callee; /* [n] somebody else's execution is below it */
};

static int id_compare(const void *a, const void *b)
{
	const struct tl_span *x = a, *y = b;

	return memcmp(&x->id, &y->id, sizeof(x->id));
}

static size_t span_find(const struct tl_traces *t, const struct tl_span_id *id)
{
	struct tl_span key = { .id = *id };
	const struct tl_span *found = bsearch(&key, t->span, t->n, sizeof(key), id_compare);

	return found ? (size_t)(found - t->span) : NONE;
}

/* Of spans of the same name the first that is one stays. */
static void twins_drop(struct tl_traces *t)
{
	size_t i, n = 0;

	if (t->n)
		qsort(t->span, t->n, sizeof(*t->span), id_compare);
	for (i = 0; i < t->n; i++) {
		if (n && !id_compare(&t->span[n - 1], &t->span[i]))
			t->twins++;
		else
			t->span[n++] = t->span[i];
	}
	t->n = n;
}

static void spans_link(struct merge *m)
{
	struct tl_traces *t = m->traces;
	size_t i, up;

	for (i = 0; i < t->n; i++)
		m->child[i] = m->next[i] = NONE;
	for (i = 0; i < t->n; i++) {
		up = t->span[i].root ? NONE : span_find(t, &t->span[i].parent);
		m->parent[i] = up;
		if (up == NONE)
			continue;
		m->next[i] = m->child[up];
		m->child[up] = i;
		m->has_callee[up] |= t->span[i].process != t->span[up].process;
	}
}

static bool is_execution(const struct merge *m, size_t i)
{
	const struct tl_span *span = &m->traces->span[i];

	if (m->traces->by_operation && span->kind <= TL_SPAN_INTERNAL)
		return true;
	return span->node || span->root || span->kind == TL_SPAN_SERVER ||
	       span->kind == TL_SPAN_CONSUMER ||
	       m->traces->span[m->parent[i]].process != span->process;
}

/* A call of which the other end left no span. */
static bool is_last_call(const struct merge *m, size_t i)
{
	const struct tl_span *span = &m->traces->span[i];

	return span->peer >= 0 && !m->has_callee[i] && m->child[i] == NONE &&
	       (span->kind == TL_SPAN_CLIENT || span->kind == TL_SPAN_PRODUCER);
}

static bool is_async(const struct merge *m, size_t i)
{
	const struct tl_span *span = &m->traces->span[i], *up;

	if (span->async || span->kind == TL_SPAN_CONSUMER || span->kind == TL_SPAN_PRODUCER)
		return true;
	if (m->parent[i] == NONE)
		return false;
	up = &m->traces->span[m->parent[i]];
	return up->end_s > 0 && span->start_s > up->end_s && span->end_s >= span->start_s;
}

static int execution_count(struct merge *m, size_t i, size_t up, int32_t service, size_t *node)
{
	struct tl_traces *t = m->traces;

	t->executions += t->span[i].count;
	return tl_exec_add(&t->graph, up, (size_t)service, is_async(m, i) ? TL_EXEC_ASYNC :
			   TL_EXEC_SYNC, t->span[i].count, node);
}

/* What it adds to the graph below its caller's node. */
static int span_merge(struct merge *m, size_t i)
{
	struct tl_span *span = &m->traces->span[i];
	size_t up = m->parent[i] == NONE ? TL_EXEC_NONE : m->node[m->parent[i]], last;
	int code = 0;

	m->node[i] = up;
	if (is_execution(m, i))
		code = execution_count(m, i, up, span->service, &m->node[i]);
	else if (m->parent[i] != NONE && is_async(m, i))
		m->traces->span[i].async = true;
	if (!code && is_last_call(m, i) && m->node[i] != TL_EXEC_NONE)
		code = execution_count(m, i, m->node[i], span->peer, &last);
	return code;
}

/* The next one of a tree, from the root down; NONE behind the last. Traces may be deep. */
static size_t tree_next(const struct merge *m, size_t root, size_t at, size_t *depth)
{
	if (m->child[at] != NONE) {
		++*depth;
		return m->child[at];
	}
	while (at != root && m->next[at] == NONE) {
		at = m->parent[at];
		--*depth;
	}
	return at == root ? NONE : m->next[at];
}

static int tree_merge(struct merge *m, size_t root, size_t *seen)
{
	struct tl_span *span = m->traces->span;
	size_t at, depth = 0;
	int code = 0;

	for (at = root; at != NONE && !code; at = tree_next(m, root, at, &depth)) {
		++*seen;
		if (depth >= TL_EXEC_DEPTH_MAX) {
			m->traces->deep++;
			continue;
		}
		/* What goes on behind an asynchronous call is so, too. */
		if (at != root)
			span[at].async |= span[m->parent[at]].async && !is_execution(m, m->parent[at]);
		code = span_merge(m, at);
	}
	return code;
}

/* Spans below one that is missing. */
static uint64_t orphans_count(const struct merge *m)
{
	const struct tl_traces *t = m->traces;
	size_t i, at, depth;
	uint64_t n = 0;

	for (i = 0; i < t->n; i++)
		if (m->parent[i] == NONE && !t->span[i].root)
			for (at = i, depth = 0; at != NONE; at = tree_next(m, i, at, &depth))
				n++;
	return n;
}

static int trees_merge(struct merge *m)
{
	struct tl_traces *t = m->traces;
	size_t i, seen = 0;
	int code = 0;

	spans_link(m);
	for (i = 0; i < t->n && !code; i++) {
		if (!t->span[i].root)
			continue;
		t->traces += t->span[i].count;
		code = tree_merge(m, i, &seen);
	}
	t->orphans = orphans_count(m);
	t->circles = t->n - seen - t->orphans; /* no root and no orphan leads to them */
	return code;
}

static int name_compare(const void *a, const void *b, void *arg)
{
	char **name = arg;

	return strcmp(name[*(const size_t *)a], name[*(const size_t *)b]);
}

static int graph_fold(struct tl_traces *t, unsigned int theta)
{
	size_t *order = calloc(2 * t->names + 1, sizeof(*order)), *rank, i;
	int code;

	if (!order)
		return -ENOMEM;
	rank = order + t->names;
	for (i = 0; i < t->names; i++)
		order[i] = i;
	qsort_r(order, t->names, sizeof(*order), name_compare, t->name);
	for (i = 0; i < t->names; i++)
		rank[order[i]] = i;
	code = tl_exec_fold(&t->graph, t->names, rank, theta);
	free(order);
	return code;
}

/**
 * tl_traces_merge() - Merge all traces into one graph
 * @traces: spans taken in; sorted
 * @theta: how often a service may stand in a way
 *
 * Return: 0 or -ENOMEM.
 */
int tl_traces_merge(struct tl_traces *traces, unsigned int theta)
{
	size_t n;
	struct merge m = { .traces = traces };
	int code = -ENOMEM;

	twins_drop(traces);
	n = traces->n + 1;
	m.parent = calloc(4 * n, sizeof(*m.parent));
	m.has_callee = calloc(n, sizeof(*m.has_callee));
	if (m.parent && m.has_callee) {
		m.child = m.parent + n;
		m.next = m.child + n;
		m.node = m.next + n;
		code = trees_merge(&m);
	}
	free(m.has_callee);
	free(m.parent);
	return code ? code : graph_fold(traces, theta);
}

/**
 * tl_traces_free() - Free spans, names and graph
 * @traces: traces
 */
void tl_traces_free(struct tl_traces *traces)
{
	size_t i;

	tdestroy(traces->by_name, free);
	for (i = 0; i < traces->names; i++)
		free(traces->name[i]);
	free(traces->name);
	free(traces->span);
	free(traces->broken_at);
	tl_exec_free(&traces->graph);
}
