// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Access logs and matrices that were damaged, formats and times that are none: nothing is
 * read that is not there, and what is sound has figures that are figures.
 */
#include "damage.h"
#include "tap.h"

#include "cbmg-graph.h"
#include "error.h"
#include "hist.h"
#include "weblog-read.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const pieces[] = {
	"\"", "\\", "\n", "[", "]", "{", "}", " - ", "-", "$", "%", "\xc3", "1e308", "0", "99999999999",
	"/", "?", "://", "GET ", ":", ",", "null", "0.5", "01/Dec/2025:00:00:00 +0000", ";sid=", "\r\n",
	"\"P\":[[", "\"states\"", "-1", "1,",
};

#define LINE(address, second, path, time) \
	address " - - [01/Dec/2025:00:00:" second " +0000] \"GET " path " HTTP/1.1\" 200 1 \"-\" " \
	"\"agent \\\"x\\\"\" " time " \"a=b; sid=" address "\"\n"
static const char text_log[] =
	LINE("1.1.1.1", "00", "/", "0.1") LINE("1.1.1.2", "01", "/cart?x=1", "0.2")
	LINE("1.1.1.1", "05", "/cart", "0.01") LINE("1.1.1.1", "07", "/a/b/c.png", "0.001")
	LINE("1.1.1.2", "09", "http://host/cart/;j=1", "-") LINE("1.1.1.1", "30", "/buy", "2.5");

#define OBJECT(t, url) \
	"{\"msec\":" t ",\"request_uri\":\"" url "\",\"remote_addr\":\"::1\",\"request_time\":0.1," \
	"\"user\":{\"id\":7,\"kind\":\"x\"}}\n"
static const char json_log[] = OBJECT("1764547200", "/") OBJECT("1764547203.5", "/a\\u0007")
	OBJECT("\"1764547209000\"", "/b?c") OBJECT("1764551000", "/");

static const char json_matrix[] =
	"{\"x\": {\"states\": [\"(start)\", \"a\", \"b\", \"(exit)\"], \"share\": 2, \"think_s\": {\"a\": 3},\n"
	"\"P\": [[0,1,0,0],[0,0.5,0.25,0.25],[0,0.5,0,0.5],[0,0,0,0]]},\n"
	"\"y\": {\"names\": [\"init\", \"b\", \"end\"], \"share\": 1, \"P\": [[0,1,0],[0,0.1,0.9],[0,0,1]],\n"
	"\"D\": [[0,0,0],[0,null,2],[0,0,0]]}}";
static const char csv_matrix[] = ",start,a,b,exit\nstart,0,1,0,0\na,0,0.5,0.25,0.25\nb,0,0.5,,0.5\n";

#define KEYS "$remote_addr - $remote_user [$time_local] \"$request\" $status $bytes \"$referer\" " \
	     "\"$http_user_agent\" $request_time \"$http_cookie\""

struct counts {
	size_t sound, silent, odd, broken; /* @broken: lines that did not count */
};

/* Every figure that is there is a number: jansson holds no others, keys would be missing. */
static bool whole(const struct tl_cbmg_graph *graph)
{
	static const char *const keys[] = { "verdict", "notes", "states", "P", "visits", "mix",
					    "think_s", "sessions" };
	json_t *object = tl_cbmg_json(graph);
	char *text = NULL;
	size_t len = 0, i;
	FILE *to = open_memstream(&text, &len);
	bool good = object;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		good = good && json_object_get(object, keys[i]);
	if (graph->figures && graph->pooled)
		good = good && json_is_array(json_object_get(object, "P")) &&
		       json_object_get(object, "residual");
	tl_cbmg_print(graph, to);
	tl_cbmg_dot(graph, 0.01, to);
	fclose(to);
	good = good && !strstr(text, "nan") && !strstr(text, "inf ");
	free(text);
	json_decref(object);
	return good;
}

static void log_try(const char *file, const char *format, struct counts *counts)
{
	struct tl_weblog log = { .broken_part = 0.5, .states.depth = 1, .sessions.gap_s = 1800 };
	struct tl_cbmg_graph graph = { .notes.file = file };
	struct tl_error err = { "" };
	char *files[] = { (char *)file };

	log.format_text = format;
	if (format && strstr(format, "cookie"))
		log.format.cookie = "sid";
	if (tl_weblog_read(&log, files, 1, &err) || tl_cbmg_from_log(&graph, &log, &err)) {
		counts->silent += !*err.text;
	} else {
		counts->sound++;
		counts->odd += !whole(&graph);
		counts->broken += log.broken;
	}
	tl_cbmg_graph_free(&graph);
	tl_weblog_free(&log);
}

static void matrix_try(const char *file, struct counts *counts)
{
	struct tl_cbmg_matrix_in in = { .file = file };
	struct tl_cbmg_graph graph = { 0 };
	struct tl_error err = { "" };

	tl_cbmg_is_matrix(file);
	if (tl_cbmg_from_matrix(&graph, &in, &err)) {
		counts->silent += !*err.text;
	} else {
		counts->sound++;
		counts->odd += !whole(&graph);
	}
	tl_cbmg_graph_free(&graph);
}

static void write_file(const char *file, const char *text, size_t len)
{
	FILE *to = fopen(file, "we");

	fwrite(text, 1, len, to);
	fclose(to);
}

static void test_damaged(const char *name, const char *suffix, const char *text,
			 const char *format, unsigned int mutants)
{
	size_t room = 3 * strlen(text) + 100, len, i;
	bool matrix = *suffix;
	struct counts counts = { 0 };
	char file[64], *work = malloc(room);
	unsigned int n;

	snprintf(file, sizeof(file), "/tmp/test-user-cbmg.%d%s", (int)getpid(), suffix);
	for (n = 0; n < mutants; n++) {
		len = strlen(text);
		memcpy(work, text, len);
		/* The first one is whole. */
		for (i = n ? damage_below(4) + 1 : 0; i > 0; i--)
			len = damage(work, len, room, pieces, ARRAY_SIZE(pieces));
		write_file(file, work, len);
		if (matrix)
			matrix_try(file, &counts);
		else
			log_try(file, format, &counts);
		if (!n)
			ok(counts.sound == 1, "%s: sound", name);
	}
	unlink(file);
	free(work);
	ok(!counts.silent && !counts.odd && counts.sound > mutants / 100 &&
	   (matrix ? counts.sound < mutants : counts.broken > mutants / 4),
	   "%s: %u damaged files: %zu still sound, %zu refused without a sentence, %zu with figures "
	   "that are none", name, mutants, counts.sound, counts.silent, counts.odd);
}

static void test_formats(unsigned int mutants)
{
	static const char *const whole_ones[] = { KEYS, "%h %l %u %t \\\"%r\\\" %>s %{User-agent}i %D" };
	size_t good = 0, silent = 0, len, i;
	unsigned int n;

	for (n = 0; n < mutants; n++) {
		struct tl_weblog_format format = { 0 };
		struct tl_error err = { "" };
		char work[400] = "";

		strcpy(work, whole_ones[n % 2]);
		len = strlen(work);
		for (i = n > 1 ? damage_below(3) + 1 : 0; i > 0; i--)
			len = damage(work, len, sizeof(work) - 1, pieces, ARRAY_SIZE(pieces));
		work[len] = '\0';
		if (tl_weblog_format_set(&format, work, &err))
			silent += !*err.text;
		else
			good++;
		tl_weblog_format_free(&format);
	}
	ok(good > 2 && good < mutants && !silent, "%u damaged formats: %zu still sound, %zu refused "
	   "without a sentence", mutants, good, silent);
}

struct clock {
	const char *text;
	double t_s; /* below 0: none */
	bool whole;
};

static const struct clock clocks[] = {
	{ "01/Dec/2025:00:00:00 +0000", 1764547200, true },
	{ "[01/Dec/2025:01:00:00 +0100]", 1764547200, true },
	{ "2025-12-01T00:00:00Z", 1764547200, true },
	{ "2025-11-30T19:30:00.25-04:30", 1764547200.25, false },
	{ "2025-12-01 00:00:00,5", 1764547200.5, false },
	{ "1764547200", 1764547200, true },
	{ "1764547200.125", 1764547200.125, false },
	{ "1764547200125", 1764547200.125, false },
	{ "1764547200125000", 1764547200.125, false },
	{ "", -1, false }, { "-", -1, false }, { "nan", -1, false }, { "0x10", -1, false },
	{ "1e400", -1, false }, { "01/Foo/2025:00:00:00 +0000", -1, false },
	{ "01/Dec/2025:00:00:00 +0000 x", -1, false }, { "32/Dec/2025:00:00:00", -1, false },
	{ "2025-12-01T00:00:00Q", -1, false }, { "-5", -1, false },
};

static void test_clock(const struct clock *clock)
{
	double t_s = 0;
	bool whole_s = false, is = tl_weblog_time(clock->text, &t_s, &whole_s);

	ok(clock->t_s < 0 ? !is : is && fabs(t_s - clock->t_s) < 1e-5 && whole_s == clock->whole,
	   "time \"%s\"", clock->text);
}

struct request {
	const char *request, *method, *url, *state; /* @state: "" for none */
};

static const struct request requests[] = {
	{ "GET /cart/12?x HTTP/1.1", NULL, NULL, "/cart" }, { "GET / HTTP/1.1", NULL, NULL, "/" },
	{ "GET /a/ HTTP/1.1", NULL, NULL, "/a" }, { "GET /?q HTTP/1.1", NULL, NULL, "/" },
	{ "GET http://shop/a/b HTTP/1.1", NULL, NULL, "/a" }, { "GET http://shop HTTP/1.1", NULL, NULL, "/" },
	{ NULL, "POST", "/a;j=1/b", "/a" }, { NULL, NULL, "/r?to=http://x/y", "/r" },
	{ "GET /x.PNG HTTP/1.1", NULL, NULL, "" }, { "GET /x.png/y HTTP/1.1", NULL, NULL, "/x.png" },
	{ "GET /v1.css2 HTTP/1.1", NULL, NULL, "/v1.css2" }, { "\\x16\\x03", NULL, NULL, "" },
	{ "GET", NULL, NULL, "" }, { "", NULL, NULL, "" }, { NULL, NULL, NULL, "" }, { "OPTIONS * HTTP/1.1",
	  NULL, NULL, "" },
	{ "POST /order/now HTTP/1.1", NULL, NULL, "buy" }, { "GET /order/now HTTP/1.1", NULL, NULL,
	  "/order" }, { "GET /img/x.png HTTP/1.1", NULL, NULL, "picture" }, { "GET /img/private HTTP/1.1",
	  NULL, NULL, "" },
};

/* With rules, what none is for is "other". */
static void test_request(const struct request *request, bool ruled)
{
	struct tl_weblog_states states = { .depth = 1 };
	struct tl_error err;
	const char *want = request->state, *got;
	int state = 0;

	if (ruled) {
		tl_weblog_rule_add(&states, "buy", "POST /order", &err);
		tl_weblog_rule_add(&states, "picture", "/img/", &err);
		tl_weblog_rule_add(&states, "-", "/img/priv", &err);
		if (*want && strcmp(want, "buy") && strcmp(want, "picture"))
			want = "other";
	}
	tl_weblog_state(&states, request->request, request->method, request->url, &state);
	got = state < 0 ? "" : states.name[state];
	ok(!strcmp(got, want), "%s%s: \"%s\" is \"%s\"", ruled ? "by rules: " : "",
	   request->request ? request->request : "", request->url ? request->url : "", got);
	tl_weblog_states_free(&states);
}

int main(void)
{
	const char *mutants = getenv("CBMG_MUTANTS");
	unsigned int n = mutants ? (unsigned int)atoi(mutants) : 800;
	size_t i;

	gsl_set_error_handler_off();
	alarm(60 + n / 20); /* who never comes back has failed */
	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		test_clock(&clocks[i]);
	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		if (strcmp(requests[i].state, "buy") && strcmp(requests[i].state, "picture") &&
		    i + 1 < ARRAY_SIZE(requests))
			test_request(&requests[i], false);
		test_request(&requests[i], true);
	}
	test_formats(10 * n);
	test_damaged("a log", "", text_log, NULL, n);
	test_damaged("a log by its format", "", text_log, KEYS, n);
	test_damaged("a log of JSON lines", "", json_log, NULL, n);
	test_damaged("a matrix", ".json", json_matrix, NULL, n);
	test_damaged("a table", ".csv", csv_matrix, NULL, n);
	return done();
}
