// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The knowledge base: two levels, in SQLite
 *
 * `event` has a row for each event of each run: application, environment, event, length, most,
 * least, mean and deviation of its rate, which other events were recorded with it, and the name
 * of the series; `sample` has the series. Whoever reads finds what a threshold takes in the
 * first, and goes to the second only for what is to be learned from (paper 003, figure 7).
 *
 * A run is written in one transaction, so that it is in the base whole or not at all, whenever
 * the writer ends. A run of exactly the same events of the same program replaces the one that is
 * there; one of others is added.
 */
#include "pmu-kb.h"

#include "base.h"
#include "error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS 3000

struct tl_pmu_kb {
	struct tl_base base;
};

static const struct tl_base_kind kind = {
	.what = "knowledge base",
	.give = "give the file that pmu learn made",
	.anew = "learn into a new one",
	.other = "learn into another one",
	.application_id = 0x544c4b42, /* TLKB */
	.version = 1,
	.schema =
	"CREATE TABLE event(series TEXT PRIMARY KEY NOT NULL, application TEXT NOT NULL,"
	" environment TEXT NOT NULL, event TEXT NOT NULL, length INTEGER NOT NULL, max REAL NOT NULL,"
	" min REAL NOT NULL, mean REAL NOT NULL, sd REAL NOT NULL, events TEXT NOT NULL,"
	" run INTEGER NOT NULL) WITHOUT ROWID;"
	"CREATE INDEX by_program ON event(application, environment, event);"
	"CREATE TABLE sample(series TEXT NOT NULL REFERENCES event(series) ON DELETE CASCADE,"
	" interval INTEGER NOT NULL, rate REAL NOT NULL, PRIMARY KEY(series, interval)) WITHOUT ROWID;",
};

/**
 * tl_pmu_kb_open() - Open a knowledge base
 * @kb: set; to be closed
 * @name: of the file
 * @write: make it, if there is none, and begin a transaction that tl_pmu_kb_learn() ends
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_pmu_kb_open(struct tl_pmu_kb **kb, const char *name, bool write, struct tl_error *err)
{
	int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
	int code = 0;

	*kb = calloc(1, sizeof(**kb));
	if (!*kb)
		return tl_error_no_memory(err);
	code = tl_base_open(&(*kb)->base, &kind, name, flags, WAIT_MS, err);
	if (!code)
		code = tl_base_do(&(*kb)->base, write ? "BEGIN IMMEDIATE" : "BEGIN", err);
	code = code ? code : tl_base_check(&(*kb)->base, write, err);
	if (!code)
		return 0;
	tl_pmu_kb_close(*kb);
	*kb = NULL;
	return code;
}

/**
 * tl_pmu_kb_close() - Close a knowledge base
 * @kb: it, or NULL
 *
 * What was not learned to its end is taken back.
 */
void tl_pmu_kb_close(struct tl_pmu_kb *kb)
{
	if (!kb)
		return;
	tl_base_close(&kb->base);
	free(kb);
}

/* ---- learning ----------------------------------------------------------------------------- */

struct lesson {
	struct tl_pmu_kb *kb;
	const struct tl_pmu_what *what;
	const struct tl_pmu_file *file;
	struct tl_pmu_learned *learned;
	struct tl_error *err;
	char *events; /* all of the file, sorted, with newlines between */
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *events_join(const struct tl_pmu_file *file)
{
	char **sorted = calloc(file->events, sizeof(*sorted)), *text = NULL;
	size_t len = 0, i;
	FILE *to = sorted ? open_memstream(&text, &len) : NULL;

	if (to) {
		memcpy(sorted, file->event, file->events * sizeof(*sorted));
		qsort(sorted, file->events, sizeof(*sorted), by_name);
		for (i = 0; i < file->events; i++)
			fprintf(to, "%s%s", i ? "\n" : "", sorted[i]);
		if (fclose(to)) {
			free(text);
			text = NULL;
		}
	}
	free(sorted);
	return text;
}

/* Exactly the same events: what was known is what is to be replaced. */
static int replace(struct lesson *l)
{
	sqlite3_stmt *st = tl_base_ask(&l->kb->base, "DELETE FROM event WHERE application = ? AND environment = ? AND "
			       "events = ?", "ttt", l->what->app, l->what->environment, l->events);
	int code = tl_base_end(&l->kb->base, st, l->err);

	l->learned->replaced = code ? 0 : (size_t)sqlite3_changes(l->kb->base.db);
	return code;
}

static int samples_write(struct lesson *l, const struct tl_pmu_part *part, size_t event,
			 const char *series)
{
	const struct tl_pmu_record *r = &part->record;
	sqlite3_stmt *st = tl_base_ask(&l->kb->base, "INSERT INTO sample VALUES(?, ?, ?)", "t", series);
	size_t t;
	int code = 0;

	for (t = 0; st && !code && t < r->intervals; t++) {
		sqlite3_bind_int64(st, 2, (sqlite3_int64)t);
		sqlite3_bind_double(st, 3, tl_pmu_rate(r, t * r->events + event));
		code = sqlite3_step(st) == SQLITE_DONE ? 0 : tl_base_failed(&l->kb->base, l->err);
		sqlite3_reset(st);
	}
	code = st ? code : tl_base_failed(&l->kb->base, l->err);
	sqlite3_finalize(st);
	return code;
}

static int event_write(struct lesson *l, const struct tl_pmu_part *part, size_t event,
		       const struct tl_pmu_event *known, sqlite3_int64 run)
{
	char series[64];
	sqlite3_stmt *st;
	int code;

	snprintf(series, sizeof(series), "run %lld event %zu", run, event);
	st = tl_base_ask(&l->kb->base, "INSERT INTO event VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "ttttiddddti",
		 series, l->what->app, l->what->environment, l->file->event[event],
		 (sqlite3_int64)part->record.intervals, known->max, known->min, known->mean, known->sd,
		 l->events, run);
	code = tl_base_end(&l->kb->base, st, l->err);
	if (!code)
		l->learned->added++;
	return code ? code : samples_write(l, part, event, series);
}

/* Counters that were not on all of the time would teach what is not so. */
static int part_write(struct lesson *l, const struct tl_pmu_part *part)
{
	struct tl_pmu_in in = { &part->record, NULL, 0, TL_PMU_SD };
	struct tl_pmu_out out;
	sqlite3_int64 run;
	size_t e;
	int code = tl_pmu_out_init(&in, &out);

	if (code)
		code = tl_error_set(l->err, code, "processor %ld: no values to learn: record it again",
				    part->cpu);
	code = code ? code : tl_base_number(&l->kb->base, "SELECT coalesce(max(run), 0) + 1 FROM event", &run, l->err);
	for (e = 0; !code && e < l->file->events; e++)
		if (out.event[e].running > 0)
			code = event_write(l, part, e, &out.event[e], run);
	tl_pmu_out_free(&out);
	return code;
}

/**
 * tl_pmu_kb_learn() - Put a record into the base
 * @kb: opened to be written
 * @what: what was recorded
 * @file: the record; a run for each processor
 * @beside: leave a run of the same events, and have this one beside it
 * @learned: filled in
 * @err: the sentence if it fails; the base is as it was then
 *
 * Return: 0 or a negative errno.
 */
int tl_pmu_kb_learn(struct tl_pmu_kb *kb, const struct tl_pmu_what *what,
		    const struct tl_pmu_file *file, bool beside, struct tl_pmu_learned *learned,
		    struct tl_error *err)
{
	struct lesson l = { kb, what, file, learned, err, events_join(file) };
	int code = l.events ? 0 : tl_error_no_memory(err);
	size_t p;

	*learned = (struct tl_pmu_learned){ 0 };
	if (!code && !beside)
		code = replace(&l);
	for (p = 0; !code && p < file->parts; p++)
		code = part_write(&l, &file->part[p]);
	if (!code)
		code = tl_base_do(&kb->base, "COMMIT", err);
	free(l.events);
	return code;
}

/* ---- recalling ---------------------------------------------------------------------------- */

static int run_add(struct tl_pmu_recall *recall, size_t intervals, size_t events,
		   struct tl_error *err)
{
	struct tl_pmu_run *grown = reallocarray(recall->run, recall->runs + 1, sizeof(*grown));
	double *rate = calloc(intervals * events + 1, sizeof(*rate));
	bool *has = calloc(events, sizeof(*has));

	if (grown)
		recall->run = grown;
	if (!grown || !rate || !has) {
		free(rate);
		free(has);
		return tl_error_no_memory(err);
	}
	grown[recall->runs++] = (struct tl_pmu_run){ intervals, rate, has };
	return 0;
}

static int series_read(struct tl_pmu_kb *kb, const char *series, struct tl_pmu_run *run,
		       size_t events, size_t event, struct tl_error *err)
{
	sqlite3_stmt *st = tl_base_ask(&kb->base, "SELECT interval, rate FROM sample WHERE series = ? ORDER BY interval",
			       "t", series);
	size_t n = 0;
	int step = SQLITE_ERROR;

	while (st && (step = sqlite3_step(st)) == SQLITE_ROW && n < run->intervals &&
	       sqlite3_column_int64(st, 0) == (sqlite3_int64)n)
		((double *)run->rate)[n++ * events + event] = sqlite3_column_double(st, 1);
	if (step != SQLITE_DONE && step != SQLITE_ROW) {
		sqlite3_finalize(st);
		return tl_base_failed(&kb->base, err);
	}
	sqlite3_finalize(st);
	((bool *)run->has)[event] = true;
	return n == run->intervals && step == SQLITE_DONE ? 0 :
	       tl_error_set(err, -EINVAL, "%s: series \"%s\" is not as long as it is said to be: learn into "
			    "a new base", kb->base.name, series);
}

static size_t event_of(const struct tl_pmu_file *file, const char *name)
{
	size_t e;

	for (e = 0; e < file->events; e++)
		if (name && !strcmp(file->event[e], name))
			break;
	return e;
}

#define LENGTH_MAX 10000000

static int row_read(struct tl_pmu_kb *kb, sqlite3_stmt *st, const struct tl_pmu_file *file,
		    sqlite3_int64 *last, struct tl_pmu_recall *recall, struct tl_error *err)
{
	sqlite3_int64 run = sqlite3_column_int64(st, 0), length = sqlite3_column_int64(st, 1);
	size_t event = event_of(file, (const char *)sqlite3_column_text(st, 2));
	const char *series = (const char *)sqlite3_column_text(st, 3);
	int code = 0;

	if (event == file->events)
		return 0;
	if (length < 0 || length > LENGTH_MAX || !series)
		return tl_error_set(err, -EINVAL, "%s: a series of %lld intervals: learn into a new base",
				    kb->base.name, length);
	if (!recall->runs || run != *last)
		code = run_add(recall, (size_t)length, file->events, err);
	*last = run;
	return code ? code : series_read(kb, series, &recall->run[recall->runs - 1], file->events,
					 event, err);
}

/**
 * tl_pmu_kb_recall() - What the base knows of a program's events
 * @kb: opened
 * @what: of what
 * @file: the record whose events are meant
 * @recall: filled in; no runs if the program was never seen. To be freed, however it ends
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_pmu_kb_recall(struct tl_pmu_kb *kb, const struct tl_pmu_what *what,
		     const struct tl_pmu_file *file, struct tl_pmu_recall *recall,
		     struct tl_error *err)
{
	sqlite3_stmt *st = tl_base_ask(&kb->base, "SELECT run, length, event, series FROM event WHERE application = ? "
			       "AND environment = ? ORDER BY run, series", "tt", what->app,
			       what->environment);
	int step = SQLITE_ERROR, code = 0;
	sqlite3_int64 last = 0;

	*recall = (struct tl_pmu_recall){ 0 };
	while (st && !code && (step = sqlite3_step(st)) == SQLITE_ROW)
		code = row_read(kb, st, file, &last, recall, err);
	if (!code && step != SQLITE_DONE)
		code = tl_base_failed(&kb->base, err);
	sqlite3_finalize(st);
	return code;
}

/**
 * tl_pmu_recall_free() - Give back what tl_pmu_kb_recall() has allocated
 * @recall: filled in
 */
void tl_pmu_recall_free(struct tl_pmu_recall *recall)
{
	while (recall->runs) {
		free((double *)recall->run[--recall->runs].rate);
		free((bool *)recall->run[recall->runs].has);
	}
	free(recall->run);
}
