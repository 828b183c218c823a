// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces from JSON: OTLP's (resourceSpans) and Jaeger's (data), one object or several one
 * after the other, and recordings of tierlens; tables by their names
 */
#include "traces.h"

#include "error.h"
#include "hist.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct reader {
	struct tl_traces *traces;
	struct tl_error *err;
	const char *file;
	size_t object; /* which of the file's, from 1 */
	const char *service; /* of the resource, or of the process */
};

static int no_memory(const struct reader *r)
{
	return tl_error_no_memory(r->err);
}

/* A span that says too little of itself is counted, the first with its place. */
static int broken(struct reader *r, size_t nr, const char *why)
{
	struct tl_traces *t = r->traces;

	if (!t->broken++ && asprintf(&t->broken_at, "object %zu, span %zu: %s", r->object, nr, why) < 0) {
		t->broken_at = NULL;
		return no_memory(r);
	}
	return 0;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? text : NULL;
}

/* OTLP writes 64-bit numbers as texts. */
static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_string(value) ? strtod(json_string_value(value), NULL) :
				       json_number_value(value);
}

/* ---- what is called that leaves no spans -------------------------------------------- */

static const char *const peers[] = {
	"peer.service", "db.system.name", "db.system", "messaging.destination.name",
	"messaging.system", "rpc.service", "server.address", "net.peer.name",
};

/* The best of the attributes, which @value looks up. */
static int peer_find(struct reader *r, const json_t *of,
		     const char *(*value)(const json_t *of, const char *key), int32_t *peer)
{
	const char *name = NULL;
	size_t i;
	int at;

	*peer = -1;
	for (i = 0; i < ARRAY_SIZE(peers) && !name; i++)
		name = value(of, peers[i]);
	if (!name)
		return 0;
	at = tl_traces_name(r->traces, name, NULL);
	*peer = at;
	return at < 0 ? no_memory(r) : 0;
}

static int names_set(struct reader *r, struct tl_span *span, const char *operation)
{
	bool both = r->traces->by_operation && operation;
	int process = tl_traces_name(r->traces, r->service, NULL);
	int service = tl_traces_name(r->traces, r->service, both ? operation : NULL);

	span->process = process;
	span->service = service;
	return process < 0 || service < 0 ? no_memory(r) : 0;
}

/* ---- OTLP ---------------------------------------------------------------------------- */

static const char *attribute(const json_t *list, const char *key)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (text_of(one, "key") && !strcmp(text_of(one, "key"), key))
			return text_of(json_object_get(one, "value"), "stringValue");
	return NULL;
}

static enum tl_span_kind otlp_kind(const json_t *span)
{
	static const char *const names[] = { "UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT",
					     "PRODUCER", "CONSUMER" };
	const json_t *kind = json_object_get(span, "kind");
	const char *text = json_string_value(kind);
	size_t i;

	if (!text)
		return json_integer_value(kind) > 0 && json_integer_value(kind) < 6 ?
		       (enum tl_span_kind)json_integer_value(kind) : TL_SPAN_UNKNOWN;
	text += strncmp(text, "SPAN_KIND_", 10) ? 0 : 10;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(text, names[i]))
			return (enum tl_span_kind)i;
	return TL_SPAN_UNKNOWN;
}

static bool is_no_id(const char *id)
{
	return !id || !id[strspn(id, "0")];
}

/* A consumer may begin a trace of its own and be linked with its producer. */
static void otlp_parent(const json_t *object, const char *trace, struct tl_span *span)
{
	const char *parent = text_of(object, "parentSpanId");
	const json_t *link = json_array_get(json_object_get(object, "links"), 0);

	span->root = is_no_id(parent);
	if (!span->root) {
		span->parent = tl_span_id(trace, parent);
	} else if (span->kind == TL_SPAN_CONSUMER && text_of(link, "traceId") &&
		   text_of(link, "spanId")) {
		span->parent = tl_span_id(text_of(link, "traceId"), text_of(link, "spanId"));
		span->root = false;
	}
}

static int otlp_span(struct reader *r, const json_t *object, size_t nr)
{
	const char *trace = text_of(object, "traceId"), *id = text_of(object, "spanId");
	struct tl_span span = { .count = 1 };
	int code;

	if (!trace || !id)
		return broken(r, nr, "no traceId or no spanId");
	if (!r->service)
		return broken(r, nr, "its resource has no service.name");
	span.id = tl_span_id(trace, id);
	span.kind = otlp_kind(object);
	span.start_s = number_of(object, "startTimeUnixNano") / 1e9;
	span.end_s = number_of(object, "endTimeUnixNano") / 1e9;
	otlp_parent(object, trace, &span);
	code = names_set(r, &span, text_of(object, "name"));
	code = code ? code : peer_find(r, json_object_get(object, "attributes"), attribute, &span.peer);
	if (code)
		return code;
	return tl_traces_add(r->traces, &span) ? no_memory(r) : 0;
}

static int otlp_resource(struct reader *r, const json_t *resource, size_t *nr)
{
	const json_t *scopes = json_object_get(resource, "scopeSpans"), *scope, *spans, *span;
	size_t i, k;
	int code = 0;

	if (!scopes)
		scopes = json_object_get(resource, "instrumentationLibrarySpans");
	r->service = attribute(json_object_get(json_object_get(resource, "resource"), "attributes"),
			       "service.name");
	json_array_foreach(scopes, i, scope) {
		spans = json_object_get(scope, "spans");
		json_array_foreach(spans, k, span)
			if (!code)
				code = otlp_span(r, span, ++*nr);
	}
	return code;
}

static int otlp_read(struct reader *r, const json_t *object)
{
	const json_t *list = json_object_get(object, "resourceSpans"), *resource;
	size_t i, nr = 0;
	int code = 0;

	json_array_foreach(list, i, resource)
		if (!code)
			code = otlp_resource(r, resource, &nr);
	return code;
}

/* ---- Jaeger -------------------------------------------------------------------------- */

static const char *tag(const json_t *list, const char *key)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (text_of(one, "key") && !strcmp(text_of(one, "key"), key))
			return text_of(one, "value");
	return NULL;
}

static enum tl_span_kind jaeger_kind(const json_t *tags)
{
	static const char *const names[] = { "internal", "server", "client", "producer", "consumer" };
	const char *kind = tag(tags, "span.kind");
	size_t i;

	for (i = 0; kind && i < ARRAY_SIZE(names); i++)
		if (!strcmp(kind, names[i]))
			return (enum tl_span_kind)(TL_SPAN_INTERNAL + i);
	return TL_SPAN_UNKNOWN;
}

/* The first reference that it is a child of, or else that it follows from. */
static void jaeger_parent(const json_t *object, const char *trace, struct tl_span *span)
{
	const json_t *list = json_object_get(object, "references"), *one;
	const char *parent = text_of(object, "parentSpanID"), *of;
	size_t i;

	span->root = is_no_id(parent);
	if (!span->root)
		span->parent = tl_span_id(trace, parent);
	json_array_foreach(list, i, one) {
		bool follows = text_of(one, "refType") && !strcmp(text_of(one, "refType"), "FOLLOWS_FROM");

		if (!text_of(one, "spanID") || (!span->root && (follows || !span->async)))
			continue;
		of = text_of(one, "traceID");
		span->parent = tl_span_id(of ? of : trace, text_of(one, "spanID"));
		span->root = false;
		span->async = follows;
	}
}

static int jaeger_span(struct reader *r, const json_t *trace, const json_t *object, size_t nr)
{
	const char *id = text_of(object, "spanID"), *of = text_of(object, "traceID");
	const char *process = text_of(object, "processID");
	const json_t *tags = json_object_get(object, "tags");
	struct tl_span span = { .count = 1 };
	int code;

	of = of ? of : text_of(trace, "traceID");
	r->service = process ? text_of(json_object_get(json_object_get(trace, "processes"), process),
				       "serviceName") :
			       text_of(json_object_get(object, "process"), "serviceName");
	if (!of || !id)
		return broken(r, nr, "no traceID or no spanID");
	if (!r->service)
		return broken(r, nr, "its process has no serviceName");
	span.id = tl_span_id(of, id);
	span.kind = jaeger_kind(tags);
	span.start_s = number_of(object, "startTime") / 1e6;
	span.end_s = span.start_s + number_of(object, "duration") / 1e6;
	jaeger_parent(object, of, &span);
	code = names_set(r, &span, text_of(object, "operationName"));
	code = code ? code : peer_find(r, tags, tag, &span.peer);
	if (code)
		return code;
	return tl_traces_add(r->traces, &span) ? no_memory(r) : 0;
}

static int jaeger_read(struct reader *r, const json_t *object)
{
	const json_t *list = json_object_get(object, "data"), *trace, *spans, *span;
	size_t i, k, nr = 0;
	int code = 0;

	/* A trace by itself, too. */
	for (i = 0; i < (list ? json_array_size(list) : 1) && !code; i++) {
		trace = list ? json_array_get(list, i) : object;
		spans = json_object_get(trace, "spans");
		json_array_foreach(spans, k, span)
			if (!code)
				code = jaeger_span(r, trace, span, ++nr);
	}
	return code;
}

/* ---- files --------------------------------------------------------------------------- */

static int object_read(struct reader *r, const json_t *object)
{
	if (json_is_array(json_object_get(object, "resourceSpans")))
		return otlp_read(r, object);
	if (json_is_array(json_object_get(object, "data")) ||
	    json_is_array(json_object_get(object, "spans")))
		return jaeger_read(r, object);
	return tl_error_set(r->err, -EINVAL, "%s: object %zu has no \"resourceSpans\" as OTLP's, no "
			    "\"data\" as Jaeger's and no \"format\" as recordings of tierlens: give "
			    "traces", r->file, r->object);
}

/* Whether there is something behind white space. */
static bool goes_on(FILE *from)
{
	int c;

	do
		c = fgetc(from);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	if (c != EOF)
		ungetc(c, from);
	return c != EOF;
}

static int objects_read(struct reader *r, FILE *from, bool *recording)
{
	json_error_t where;
	json_t *object;
	int code = 0;

	while (!code && !*recording && goes_on(from)) {
		object = json_loadf(from, JSON_DISABLE_EOF_CHECK, &where);
		r->object++;
		if (!object)
			return tl_error_set(r->err, -EBADMSG, "%s: object %zu: line %d, column %d of it: no "
					    "JSON (%s): mend it", r->file, r->object, where.line,
					    where.column, where.text);
		*recording = r->object == 1 && json_object_get(object, "format");
		code = *recording ? 0 : object_read(r, object);
		json_decref(object);
	}
	if (!code && ferror(from))
		return tl_error_set(r->err, -EIO, "%s: cannot read (%s): give traces", r->file,
				    strerror(errno));
	if (!code && !r->object)
		return tl_error_set(r->err, -ENODATA, "%s: the file is empty: give traces", r->file);
	return code;
}

/**
 * tl_traces_read() - Take in the traces of a file
 * @traces: traces
 * @file: its name; a table ends with .csv
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_traces_read(struct tl_traces *traces, const char *file, struct tl_error *err)
{
	struct reader r = { .traces = traces, .err = err, .file = file };
	size_t len = strlen(file);
	bool recording = false;
	FILE *from;
	int code;

	if (len > 4 && !strcmp(file + len - 4, ".csv"))
		return tl_traces_csv(traces, file, err);
	from = fopen(file, "re");
	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give traces", file,
				    strerror(errno));
	code = objects_read(&r, from, &recording);
	fclose(from);
	return code || !recording ? code : tl_traces_paths(traces, file, err);
}
