// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a recording was looked at more closely: its levels, and logs of tierlensd of which some lines are none. */
#include "tap.h"

#include "adapt-rows.h"
#include "closer.h"
#include "error.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[] = "/tmp/tl-closer-XXXXXX";

static void file_write(const char *text, size_t len)
{
	FILE *to = fopen(file, "w");

	fwrite(text, 1, len, to);
	fclose(to);
}

/* ---- logs -------------------------------------------------------------------------------------- */

static int read_log(struct tl_closer *c, struct tl_error *err)
{
	memset(c, 0, sizeof(*c));
	c->log = file;
	c->from_ns = (u64)(NOW_S - 1) * 1000000000;
	c->until_ns = (u64)(NOW_S + 100) * 1000000000;
	return tl_closer_log(c, err);
}

static void test_log(void)
{
	struct tl_closer *c = malloc(sizeof(*c));
	struct tl_error err;
	char *row;
	json_t *json;
	size_t i;
	FILE *to = fopen(file, "w");
	int code;

	fprintf(to, "{\"kind\":\"begin\",\"t\":1}\n\n{\"kind\":\"deci{\"kind\":\"begin\"}\n");
	for (i = 0; i < 200; i++) {
		json = i % 2 ? decision(NOW_S - 50 + (double)i, "server", "method", "own", "x") :
			       finding(NOW_S - 50 + (double)i, 0.01, "y");
		row = json_dumps(json, 0);
		fprintf(to, "%s\n", row);
		free(row);
		json_decref(json);
	}
	for (i = 0; i < 1000000; i++)
		fputc('x', to);
	fputs("\n{\"kind\":\"finding\"", to);
	fclose(to);
	code = read_log(c, &err);
	ok(!code && c->broken == 3, "a log with three broken lines, one of a million letters (%llu)",
	   (unsigned long long)c->broken);
	/* From 0 to 100 behind, both among them: the interval before ends at the first. */
	ok(c->findings.all + c->decisions.all == 101 && c->findings.kept == 50 && c->findings.row[0].t_s == NOW_S &&
	   c->decisions.row[0].t_s == NOW_S + 1, "of the time of the recording only (%llu and %llu)",
	   (unsigned long long)c->findings.all, (unsigned long long)c->decisions.all);
	tl_closer_free(c);
	file_write("", 0);
	ok(!read_log(c, &err) && !c->findings.all && !c->broken, "an empty one");
	tl_closer_free(c);
	file_write("{\"format\":1}\n[]\n7\n", 18);
	code = read_log(c, &err);
	ok(code == -22 && strstr(err.text, "has no row of tierlensd's"), "%s", err.text);
	tl_closer_free(c);
	unlink(file);
	code = read_log(c, &err);
	ok(code == -2 && strstr(err.text, "cannot read"), "%s", err.text);
	tl_closer_free(c);
	free(c);
}

/* ---- levels of a recording ----------------------------------------------------------------------- */

static void at_level(struct tl_closer *c, size_t n, enum tl_at web, enum tl_at app)
{
	static u64 at = 1000;
	struct tl_interval *interval;

	for (; n; n--) {
		interval = tl_interval_new();
		interval->start_ns = at++ * 1000000000;
		interval->length_ns = 1000000000;
		interval->generation = at;
		tl_interval_cell(interval, "web", "other")->level = web;
		if (app)
			tl_interval_cell(interval, "app", "other")->level = app;
		tl_closer_add(c, interval);
		tl_interval_free(interval);
	}
}

static bool is_span(const struct tl_closer *c, size_t at, const char *tier, enum tl_at level, u64 from_s, u64 until_s)
{
	const struct tl_closer_span *span = &c->span[at];

	return !strcmp(c->tier[span->tier].name, tier) && span->level == level && span->from_ns == from_s * 1000000000 &&
	       span->until_ns == until_s * 1000000000;
}

static void test_levels(void)
{
	struct tl_closer *c = malloc(sizeof(*c));
	json_t *json;
	size_t i;

	tl_closer_begin(c, NULL);
	at_level(c, 3, TL_AT_SERVER, TL_AT_SERVER);
	at_level(c, 2, TL_AT_SERVER, TL_AT_METHOD);
	at_level(c, 1, TL_AT_SERVER, TL_AT_UNKNOWN); /* nobody asked it for anything */
	at_level(c, 1, TL_AT_SERVER, TL_AT_METHOD);
	at_level(c, 3, TL_AT_SERVER, TL_AT_TRACE);
	ok(c->spans == 4 && is_span(c, 0, "web", TL_AT_SERVER, 1000, 1010) && is_span(c, 1, "app", TL_AT_SERVER, 1000, 1003) &&
	   is_span(c, 2, "app", TL_AT_METHOD, 1003, 1007) && is_span(c, 3, "app", TL_AT_TRACE, 1007, 1010),
	   "levels, from when until when");
	ok(!tl_closer_shows(c, &c->span[0]) && tl_closer_shows(c, &c->span[1]), "a tier that was at server all the time is not shown");
	json = tl_closer_json(c);
	ok(json_array_size(json_object_get(json, "levels")) == 3, "nor to programs");
	json_decref(json);
	for (i = 0; i < 3000; i++)
		at_level(c, 1, TL_AT_SERVER, i % 2 ? TL_AT_METHOD : TL_AT_SERVER);
	ok(c->spans == 3004 && !c->spans_more, "a level that changes 3000 times");
	for (i = 0; i < 3000; i++)
		at_level(c, 1, TL_AT_SERVER, i % 2 ? TL_AT_METHOD : TL_AT_SERVER);
	ok(c->spans == 4096 && c->spans_more == 1908, "and more often: the rest is counted (%llu)",
	   (unsigned long long)c->spans_more);
	tl_closer_free(c);
	free(c);
}

int main(void)
{
	close(mkstemp(file));
	test_log();
	test_levels();
	return done();
}
