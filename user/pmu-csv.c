// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of counters: t,cpu,event,value,enabled,running, a row an event, interval and processor. */
#include "pmu-csv.h"

#include "csv-rows.h"
#include "error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 512
#define CELLS_MAX 50000000.0 /* of a part: 1.2 GB */

enum column { T, CPU, EVENT, VALUE, ENABLED, RUNNING, COLUMNS };

static const char *const names[COLUMNS] = { "t", "cpu", "event", "value", "enabled", "running" };

static const char *const actions[TL_PMU_ACTIONS] = {
	"kept", "scaled", "corrected", "filled", "false zero", "outlier", "absent",
};

/**
 * tl_pmu_action_name() - What was done to a value, as a word
 * @action: it
 *
 * Return: the word.
 */
const char *tl_pmu_action_name(enum tl_pmu_action action)
{
	return actions[action];
}

struct row {
	double t, value, enabled, running;
	long cpu;
	size_t event;
	unsigned long line;
};

struct reader {
	struct tl_pmu_file *file;
	const char *name;
	struct tl_error *err;
	size_t at[COLUMNS], fields, n, room;
	struct row *row;
};

static int bad(const struct reader *r, unsigned long line, enum column c, const char *text,
	       const char *what)
{
	return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: %s \"%.40s\" is no %s", r->name, line,
			    r->at[c] + 1, names[c], text, what);
}

static int head_read(struct reader *r, char *const *field, size_t n)
{
	size_t c, i;

	for (c = 0; c < COLUMNS; c++) {
		for (i = 0; i < n && strcmp(field[i], names[c]); i++)
			;
		if (i == n)
			return tl_error_set(r->err, -EINVAL, "%s:1: no column \"%s\": give what pmu record "
					    "wrote, t,cpu,event,value,enabled,running", r->name, names[c]);
		r->at[c] = i;
	}
	for (i = 0; i < n; i++)
		r->file->cleaned |= !strcmp(field[i], "action");
	r->fields = n;
	return 0;
}

/* Finite and not below zero: strtod() takes nan, infinity and hexadecimal, too. */
static bool number_read(const char *text, double *value)
{
	char *end;

	if (!*text || strspn(text, "0123456789+-.eE") != strlen(text))
		return false;
	*value = strtod(text, &end);
	return !*end && isfinite(*value);
}

static int event_find(struct reader *r, const char *name, size_t *event)
{
	struct tl_pmu_file *file = r->file;
	char **grown;

	/* Rows come in the same order again and again: look on where the last was. */
	for (size_t i = 0; i < file->events; i++) {
		size_t at = (*event + 1 + i) % file->events;

		if (strcmp(file->event[at], name))
			continue;
		*event = at;
		return 0;
	}
	if (file->events == EVENTS_MAX)
		return tl_error_set(r->err, -E2BIG, "%s: more than %d events: is this a record of counters?",
				    r->name, EVENTS_MAX);
	grown = reallocarray(file->event, file->events + 1, sizeof(*grown));
	if (!grown)
		return tl_error_no_memory(r->err);
	file->event = grown;
	grown[file->events] = strdup(name);
	if (!grown[file->events])
		return tl_error_no_memory(r->err);
	*event = file->events++;
	return 0;
}

static int numbers_read(const struct reader *r, unsigned long line, char *const *field,
			struct row *row)
{
	double *const number[] = { &row->value, &row->enabled, &row->running };
	char *end;
	size_t i;

	if (!number_read(field[r->at[T]], &row->t))
		return bad(r, line, T, field[r->at[T]], "number of seconds");
	errno = 0;
	row->cpu = strtol(field[r->at[CPU]], &end, 10);
	if (end == field[r->at[CPU]] || *end || errno || row->cpu < -1)
		return bad(r, line, CPU, field[r->at[CPU]], "processor's number");
	for (i = 0; i < 3; i++)
		if (!number_read(field[r->at[VALUE + i]], number[i]) || *number[i] < 0)
			return bad(r, line, VALUE + i, field[r->at[VALUE + i]],
				   i ? "number of seconds from 0" : "number from 0");
	if (row->running > row->enabled * (1 + 1e-6) + 1e-9)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: running %s is more than enabled %s: mend the row",
				    r->name, line, field[r->at[RUNNING]], field[r->at[ENABLED]]);
	if (row->running <= 0 && row->value > 0 && !r->file->cleaned)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: value %s was counted in no time: mend the row",
				    r->name, line, field[r->at[VALUE]]);
	return 0;
}

static int row_read(void *arg, unsigned long line, char *const *field, size_t n)
{
	struct reader *r = arg;
	struct row row = { .line = line, .event = r->n ? r->row[r->n - 1].event : 0 };
	size_t room = r->room ? 2 * r->room : 1024;
	struct row *grown;
	int code;

	if (!r->fields)
		return head_read(r, field, n);
	if (n != r->fields)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: %zu fields, the head has %zu: mend the row",
				    r->name, line, n, r->fields);
	code = numbers_read(r, line, field, &row);
	if (!code && !*field[r->at[EVENT]])
		code = bad(r, line, EVENT, "", "name");
	code = code ? code : event_find(r, field[r->at[EVENT]], &row.event);
	if (code)
		return code;
	if (r->n == r->room) {
		grown = reallocarray(r->row, room, sizeof(*grown));
		if (!grown)
			return tl_error_no_memory(r->err);
		r->row = grown;
		r->room = room;
	}
	r->row[r->n++] = row;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct row *l = a, *r = b;

	if (l->cpu != r->cpu)
		return l->cpu < r->cpu ? -1 : 1;
	if (l->t != r->t)
		return l->t < r->t ? -1 : 1;
	if (l->event != r->event)
		return l->event < r->event ? -1 : 1;
	return l->line < r->line ? -1 : l->line > r->line;
}

static int part_allocate(const struct reader *r, struct tl_pmu_part *part, size_t intervals)
{
	size_t cells = intervals * r->file->events;

	if ((double)intervals * (double)r->file->events > CELLS_MAX)
		return tl_error_set(r->err, -E2BIG, "%s: more than %.0f values of a processor: cut it up",
				    r->name, CELLS_MAX);
	part->t = calloc(intervals, sizeof(*part->t));
	part->count = calloc(3 * cells, sizeof(*part->count));
	if (!part->t || !part->count)
		return tl_error_no_memory(r->err);
	part->record = (struct tl_pmu_record){ intervals, r->file->events, part->count,
					       part->count + cells, part->count + 2 * cells };
	return 0;
}

static void cell_set(const struct reader *r, struct tl_pmu_part *part, size_t interval,
		     const struct row *row)
{
	size_t cells = part->record.intervals * r->file->events;
	size_t cell = interval * r->file->events + row->event;

	part->t[interval] = row->t;
	part->count[cell] = row->value;
	part->count[cells + cell] = row->enabled;
	/* What was cleaned stands for all of the time. */
	part->count[2 * cells + cell] = r->file->cleaned ? row->enabled : row->running;
}

/* Rows of one processor, sorted; what has none was not enabled then. */
static int part_fill(const struct reader *r, struct tl_pmu_part *part, const struct row *row,
		     size_t n)
{
	size_t intervals = 1, at = 0, i;
	int code;

	for (i = 1; i < n; i++) {
		intervals += row[i].t != row[i - 1].t;
		if (row[i].t == row[i - 1].t && row[i].event == row[i - 1].event)
			return tl_error_set(r->err, -EINVAL, "%s:%lu: %s was there already for that time and "
					    "processor, in line %lu: take one away", r->name, row[i].line,
					    r->file->event[row[i].event], row[i - 1].line);
	}
	part->cpu = row->cpu;
	code = part_allocate(r, part, intervals);
	for (i = 0; !code && i < n; i++) {
		at += i && row[i].t != row[i - 1].t;
		cell_set(r, part, at, &row[i]);
	}
	return code;
}

static int parts_fill(struct reader *r)
{
	struct tl_pmu_part *grown;
	size_t from, to;
	int code;

	qsort(r->row, r->n, sizeof(*r->row), by_place);
	for (from = 0; from < r->n; from = to) {
		for (to = from + 1; to < r->n && r->row[to].cpu == r->row[from].cpu; to++)
			;
		grown = reallocarray(r->file->part, r->file->parts + 1, sizeof(*grown));
		if (!grown)
			return tl_error_no_memory(r->err);
		r->file->part = grown;
		grown[r->file->parts] = (struct tl_pmu_part){ 0 };
		code = part_fill(r, &grown[r->file->parts++], r->row + from, to - from);
		if (code)
			return code;
	}
	return 0;
}

/**
 * tl_pmu_file_read() - Read a record of counters
 * @file: filled in; to be freed, however it ends
 * @name: its name
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_pmu_file_read(struct tl_pmu_file *file, const char *name, struct tl_error *err)
{
	struct reader r = { .file = file, .name = name, .err = err };
	struct tl_csv_rows rows = { "what tierlens pmu record wrote", row_read, &r };
	int code;

	*file = (struct tl_pmu_file){ 0 };
	code = tl_csv_rows_read(&rows, name, err);
	if (!code && !r.fields)
		code = tl_error_set(err, -ENODATA, "%s: the file is empty: give what tierlens pmu record "
				    "wrote", name);
	else if (!code && !r.n)
		code = tl_error_set(err, -ENODATA, "%s: no row but the head: record for longer", name);
	code = code ? code : parts_fill(&r);
	free(r.row);
	return code;
}

/**
 * tl_pmu_file_free() - Give back what tl_pmu_file_read() has allocated
 * @file: filled in
 */
void tl_pmu_file_free(struct tl_pmu_file *file)
{
	while (file->events)
		free(file->event[--file->events]);
	while (file->parts) {
		free(file->part[--file->parts].t);
		free(file->part[file->parts].count);
	}
	free(file->event);
	free(file->part);
}

/* A name with a comma or a quote, as cpu/event=0x3c,umask=0x00/ has. */
static void name_write(const char *name, FILE *to)
{
	if (!strpbrk(name, ",;\t\"\n\r")) {
		fputs(name, to);
		return;
	}
	putc('"', to);
	for (; *name; name++) {
		if (*name == '"')
			putc('"', to);
		putc(*name, to);
	}
	putc('"', to);
}

static void part_write(const struct tl_pmu_file *file, const struct tl_pmu_part *part,
		       const struct tl_pmu_out *out, FILE *to)
{
	const struct tl_pmu_record *r = &part->record;
	size_t t, e, cell;

	for (t = 0; t < r->intervals; t++)
		for (e = 0; e < r->events; e++) {
			cell = t * r->events + e;
			if (out->action[cell] == TL_PMU_ABSENT)
				continue;
			fprintf(to, "%.15g,%ld,", part->t[t], part->cpu);
			name_write(file->event[e], to);
			fprintf(to, ",%.0f,%.9g,%.9g,%s,%.0f,%.0f\n", out->count[cell], r->enabled_s[cell],
				r->running_s[cell], actions[out->action[cell]],
				floor(out->low95[cell]), ceil(out->high95[cell]));
		}
}

/**
 * tl_pmu_file_write() - Write a record that was cleaned
 * @file: it
 * @out: [parts] what became of each part
 * @to: where
 */
void tl_pmu_file_write(const struct tl_pmu_file *file, const struct tl_pmu_out *out, FILE *to)
{
	size_t p;

	fputs("t,cpu,event,value,enabled,running,action,low95,high95\n", to);
	for (p = 0; p < file->parts; p++)
		part_write(file, &file->part[p], &out[p], to);
}
