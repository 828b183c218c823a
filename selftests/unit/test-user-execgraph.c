// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces that were damaged: nothing is read that is not there, each refusal has a sentence,
 * and of what is sound no execution is lost. EXECGRAPH_MUTANTS: how many (800).
 */
#include "damage.h"
#include "tap.h"

#include "error.h"
#include "hist.h"
#include "traces.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const pieces[] = {
	"\"", "{", "}", "[", "]", ",", ":", "null", "0", "-1", "1e308", "\\u0000", "\n", "\xc3", "\"kind\":5,",
	"\"a\"", "\"b\"", "\"spans\"", "\"links\"", ",,", "a,", "async", "99999999999999999999", "\"parentSpanId\":\"b\",",
};

static const char otlp[] =
	"{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
	"{\"stringValue\":\"web\"}}]},\"scopeSpans\":[{\"spans\":["
	"{\"traceId\":\"1\",\"spanId\":\"a\",\"name\":\"x\",\"kind\":2,\"startTimeUnixNano\":\"5\",\"endTimeUnixNano\":\"9\"},"
	"{\"traceId\":\"1\",\"spanId\":\"b\",\"parentSpanId\":\"a\",\"name\":\"y\",\"kind\":\"SPAN_KIND_CLIENT\","
	"\"attributes\":[{\"key\":\"db.system\",\"value\":{\"stringValue\":\"db\"}}]},"
	"{\"traceId\":\"2\",\"spanId\":\"c\",\"name\":\"z\",\"kind\":5,\"links\":[{\"traceId\":\"1\",\"spanId\":\"a\"}]}]}]}]}\n";
static const char jaeger[] =
	"{\"data\":[{\"traceID\":\"1\",\"processes\":{\"p\":{\"serviceName\":\"web\"},\"q\":{\"serviceName\":\"db\"}},"
	"\"spans\":[{\"spanID\":\"a\",\"operationName\":\"x\",\"processID\":\"p\",\"startTime\":1,\"duration\":5},"
	"{\"spanID\":\"b\",\"operationName\":\"y\",\"processID\":\"q\",\"references\":[{\"refType\":\"CHILD_OF\","
	"\"traceID\":\"1\",\"spanID\":\"a\"}],\"tags\":[{\"key\":\"span.kind\",\"value\":\"server\"}]}]}]}";
static const char spans[] = "span,parent,service,kind,count\na,,web,,2\nb,a,app,sync,3\nc,b,web,async,1\n"
			    "d,c,app,sync,1\ne,a,db,sync,4\n";
static const char calls[] = "trace,caller,callee\n1,a,b\n1,b,c\n1,c,a\n2,a,c\n1,a,b\n";

struct counts {
	size_t sound, silent, lost;
};

/* Every execution stands in a node, as a call from outside or within. */
static bool conserved(const struct tl_traces *t)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < t->graph.n; i++)
		if (!t->graph.node[i].folded)
			all += t->graph.node[i].count + t->graph.node[i].inner;
	return all == t->executions;
}

static void try(const char *file, struct counts *counts)
{
	struct tl_traces traces = { 0 };
	struct tl_error err = { "" };

	if (tl_traces_read(&traces, file, &err)) {
		counts->silent += !*err.text;
	} else {
		counts->sound++;
		counts->lost += tl_traces_merge(&traces, 1) || !conserved(&traces);
	}
	tl_traces_free(&traces);
}

static void test_damaged(const char *name, const char *suffix, const char *text,
			 unsigned int mutants)
{
	size_t room = 3 * strlen(text), len, i;
	struct counts counts = { 0 };
	char file[64], *work = malloc(room);
	unsigned int n;
	FILE *to;

	snprintf(file, sizeof(file), "/tmp/test-user-execgraph.%d%s", (int)getpid(), suffix);
	for (n = 0; n < mutants; n++) {
		len = strlen(text);
		memcpy(work, text, len);
		/* The first one is whole. */
		for (i = n ? damage_below(4) + 1 : 0; i > 0; i--)
			len = damage(work, len, room, pieces, ARRAY_SIZE(pieces));
		to = fopen(file, "we");
		fwrite(work, 1, len, to);
		fclose(to);
		try(file, &counts);
		if (!n)
			ok(counts.sound == 1, "%s: sound", name);
	}
	unlink(file);
	free(work);
	ok(!counts.silent && !counts.lost && counts.sound > mutants / 100 && counts.sound < mutants,
	   "%s: %u damaged files: %zu still sound, %zu refused without a sentence, %zu that lost "
	   "executions", name, mutants, counts.sound, counts.silent, counts.lost);
}

int main(void)
{
	const char *mutants = getenv("EXECGRAPH_MUTANTS");
	unsigned int n = mutants ? (unsigned int)atoi(mutants) : 800;

	alarm(60 + n / 20); /* who never comes back has failed */
	test_damaged("OTLP", ".json", otlp, n);
	test_damaged("Jaeger", ".json", jaeger, n);
	test_damaged("spans", ".csv", spans, n);
	test_damaged("calls", ".csv", calls, n);
	return done();
}
