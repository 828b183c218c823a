// SPDX-License-Identifier: GPL-2.0-or-later
/* Files and classes, a row each: path, and what else is known of it. */
#include "origin-rows.h"

#include "csv-rows.h"
#include "error.h"
#include "hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST 20000000 /* rows */
#define PATH_MOST 4000 /* bytes */
#define LARGEST 1e15 /* seconds, bytes */

enum column { PATH, KIND, MTIME, SIZE, LABEL, PROGRAM, PROGRAM_MTIME, PROGRAM_PACKAGE, MAIN, PACKAGE, ARCHIVE, GROUP, KNOWN };

static const char *const names[KNOWN] = { "path", "kind", "mtime", "size", "label", "program", "program_mtime", "program_package",
					  "main", "package", "archive", "group" };

struct reader {
	struct tl_origin_rows *rows;
	const char *file;
	struct tl_error *err;
	size_t at[KNOWN], columns;
	unsigned long line;
	char *const *field;
	bool labels;
};

/* What the row has there; NULL if it has no such column. */
static const char *text_of(const struct reader *r, enum column c)
{
	return r->at[c] < r->columns ? r->field[r->at[c]] : NULL;
}

static int head_read(struct reader *r, char *const *field, size_t n)
{
	size_t c, i;

	for (c = 0; c < KNOWN; c++) {
		for (i = 0; i < n && strcmp(field[i], names[c]); i++)
			;
		r->at[c] = i;
		if (i == n && (c == PATH || (c == LABEL && r->labels)))
			return tl_error_set(r->err, -EINVAL, "%s:1: no column \"%s\": give %s and, as far as they are known, kind, "
					    "mtime, size, program, program_mtime, program_package, main, package, archive, group", r->file, names[c],
					    r->labels ? "path, label" : "path");
		for (i++; i < n; i++)
			if (!strcmp(field[i], names[c]))
				return tl_error_set(r->err, -EINVAL, "%s:1: column %zu: \"%s\" is there twice: leave one", r->file,
						    i + 1, names[c]);
	}
	r->columns = n;
	return 0;
}

/* strtod() takes nan, infinity and hexadecimal, too. Empty is not known. */
static int number_read(const struct reader *r, enum column c, double low, int64_t *value)
{
	const char *text = text_of(r, c);
	char *end = NULL;
	double number = 0;

	if (!text || !*text)
		return 0;
	if (strspn(text, "0123456789+-.eE") == strlen(text))
		number = strtod(text, &end);
	if (!end || end == text || *end)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: %s \"%.40s\" is no number: mend the row", r->file,
				    r->line, r->at[c] + 1, names[c], text);
	if (!(number >= low && number <= LARGEST))
		return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: %s %.40s is out of range: give one from %g to %g",
				    r->file, r->line, r->at[c] + 1, names[c], text, low, LARGEST);
	*value = (int64_t)number;
	return 0;
}

static int kind_read(const struct reader *r, enum tl_origin_kind *kind)
{
	const char *text = text_of(r, KIND);
	int k;

	*kind = TL_ORIGIN_KINDS;
	for (k = 0; text && *text && k < TL_ORIGIN_KINDS; k++)
		if (!strcmp(text, tl_origin_kinds[k])) {
			*kind = (enum tl_origin_kind)k;
			return 0;
		}
	if (!text || !*text)
		return 0;
	return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: unknown kind \"%.40s\": give elf, script, jar or class", r->file,
			    r->line, r->at[KIND] + 1, text);
}

static int label_read(const struct reader *r, enum tl_origin_label *label)
{
	const char *text = text_of(r, LABEL);
	int l;

	*label = TL_ORIGIN_LABELS;
	if (!r->labels)
		return 0;
	for (l = 0; l < TL_ORIGIN_LABELS; l++)
		if (!strcmp(text, tl_origin_labels[l]))
			*label = (enum tl_origin_label)l;
	if (!strcmp(text, "third_party") || !strcmp(text, "thirdparty"))
		*label = TL_ORIGIN_THIRD_PARTY;
	if (*label != TL_ORIGIN_LABELS)
		return 0;
	return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: unknown label \"%.40s\": give user, system or third-party",
			    r->file, r->line, r->at[LABEL] + 1, text);
}

static bool copied(const char *text, char **to, const char **item)
{
	*to = text ? strdup(text) : NULL;
	*item = *to;
	return !text || *to;
}

/**
 * tl_origin_rows_add() - One more
 * @rows: get it
 * @item: what is known, copied
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_origin_rows_add(struct tl_origin_rows *rows, const struct tl_origin_item *item, struct tl_error *err)
{
	size_t room = rows->room ? 2 * rows->room : 256;
	struct tl_origin_row *row, *grown;

	if (rows->n == rows->room) {
		grown = rows->n < MOST ? reallocarray(rows->row, room, sizeof(*grown)) : NULL;
		if (!grown)
			return tl_error_no_memory(err);
		rows->row = grown;
		rows->room = room;
	}
	row = &rows->row[rows->n++];
	*row = (struct tl_origin_row){ .item = *item, .label = TL_ORIGIN_LABELS };
	if (!copied(item->path, &row->path, &row->item.path) || !copied(item->program, &row->program, &row->item.program) ||
	    !copied(item->main, &row->main, &row->item.main) || !copied(item->package, &row->package, &row->item.package) ||
	    !copied(item->program_package, &row->program_package, &row->item.program_package) ||
	    !copied(item->group, &row->group, &row->item.group))
		return tl_error_no_memory(err);
	return 0;
}

/* Empty is not known. */
static const char *known(const struct reader *r, enum column c)
{
	const char *text = text_of(r, c);

	return text && *text ? text : NULL;
}

/* "-" is how a column says that there is none. */
static const char *package(const struct reader *r, enum column c)
{
	const char *text = known(r, c);

	return text && !strcmp(text, "-") ? "" : text;
}

/* A class's path may be the one in the archive that has a column of its own. */
static int path_read(const struct reader *r, char *path, size_t room, bool *joined)
{
	const char *text = text_of(r, PATH), *archive = text_of(r, ARCHIVE);

	*joined = archive && *archive && !strstr(text, "!/");
	if (!*text)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: an empty path: mend the row", r->file, r->line,
				    r->at[PATH] + 1);
	if (strlen(text) + (*joined ? strlen(archive) + 2 : 0) >= room)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: column %zu: a path of more than %d bytes: mend the row", r->file,
				    r->line, r->at[PATH] + 1, PATH_MOST - 1);
	snprintf(path, room, "%s%s%s", *joined ? archive : "", *joined ? "!/" : "", *joined && *text == '/' ? text + 1 : text);
	return 0;
}

static int row_read(void *arg, unsigned long line, char *const *field, size_t n)
{
	struct reader *r = arg;
	struct tl_origin_item item = { .mtime = TL_ORIGIN_NO_TIME, .program_mtime = TL_ORIGIN_NO_TIME, .size = -1 };
	enum tl_origin_label label = TL_ORIGIN_LABELS;
	char path[PATH_MOST];
	bool joined = false;
	int code;

	if (!r->columns)
		return head_read(r, field, n);
	if (n != r->columns)
		return tl_error_set(r->err, -EINVAL, "%s:%lu: %zu fields, the head has %zu: mend the row", r->file, line, n,
				    r->columns);
	r->line = line;
	r->field = field;
	item.path = path;
	item.program = known(r, PROGRAM);
	item.main = known(r, MAIN);
	item.package = package(r, PACKAGE);
	item.program_package = package(r, PROGRAM_PACKAGE);
	item.group = known(r, GROUP);
	code = path_read(r, path, sizeof(path), &joined);
	code = code ? code : kind_read(r, &item.kind);
	code = code ? code : number_read(r, MTIME, -LARGEST, &item.mtime);
	code = code ? code : number_read(r, SIZE, 0, &item.size);
	code = code ? code : number_read(r, PROGRAM_MTIME, -LARGEST, &item.program_mtime);
	code = code ? code : label_read(r, &label);
	code = code ? code : tl_origin_rows_add(r->rows, &item, r->err);
	if (code)
		return code;
	r->rows->row[r->rows->n - 1].label = label;
	r->rows->row[r->rows->n - 1].line = line;
	if (joined) {
		r->rows->row[r->rows->n - 1].shown = strdup(text_of(r, PATH));
		if (!r->rows->row[r->rows->n - 1].shown)
			return tl_error_no_memory(r->err);
	}
	return 0;
}

/**
 * tl_origin_rows_read() - Read files and classes
 * @rows: all zero; to be freed, however it ends
 * @file: its name
 * @labels: there is to be a label for each
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_origin_rows_read(struct tl_origin_rows *rows, const char *file, bool labels, struct tl_error *err)
{
	const char *give = labels ? "files as CSV: path,kind,mtime,size,label" : "files as CSV: path";
	struct reader r = { .rows = rows, .file = file, .err = err, .labels = labels };
	struct tl_csv_rows csv = { give, row_read, &r };
	int code = tl_csv_rows_read(&csv, file, err);

	if (!code && !r.columns)
		return tl_error_set(err, -ENODATA, "%s: the file is empty: give %s", file, give);
	if (!code && !rows->n)
		return tl_error_set(err, -ENODATA, "%s: no row but the head: give %s", file, give);
	return code;
}

/**
 * tl_origin_rows_free() - Give back what rows took
 * @rows: all
 */
void tl_origin_rows_free(struct tl_origin_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		free(rows->row[i].path);
		free(rows->row[i].program);
		free(rows->row[i].main);
		free(rows->row[i].package);
		free(rows->row[i].program_package);
		free(rows->row[i].group);
		free(rows->row[i].shown);
	}
	free(rows->row);
	*rows = (struct tl_origin_rows){ 0 };
}
