// SPDX-License-Identifier: GPL-2.0-or-later
/* The history's tables. Documentation/formats.md says what each column means. */
#include "past.h"

#include <stdio.h>

#define SECOND_NS 1000000000ULL

const struct tl_history_level tl_history_level[TL_HISTORY_LEVELS] = {
	{ "raw", "intervals", 0 },
	{ "minute", "minutes", 60 * SECOND_NS },
	{ "ten_minutes", "ten minutes", 600 * SECOND_NS },
	{ "hour", "hours", 3600 * SECOND_NS },
	{ "six_hours", "six hours", 6 * 3600 * SECOND_NS },
	{ "day", "days", 24 * 3600 * SECOND_NS },
};

/* The index tells when and how much without a look at the rows; what is packed stands last in them. */
#define TABLE(name) \
	"CREATE TABLE " name "(id INTEGER PRIMARY KEY AUTOINCREMENT, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL," \
	" generation INTEGER NOT NULL, intervals INTEGER NOT NULL, missed INTEGER NOT NULL, gap_ns INTEGER NOT NULL," \
	" first INTEGER NOT NULL, last INTEGER NOT NULL, bytes INTEGER NOT NULL, sums BLOB NOT NULL, hists BLOB NOT NULL);" \
	"CREATE INDEX " name "_time ON " name "(start_ns, end_ns, bytes);" \
	"CREATE INDEX " name "_last ON " name "(last);"

const struct tl_base_kind tl_history_kind = {
	.what = "history",
	.give = "give the file that tierlensd --history wrote",
	.anew = "begin a new one",
	.other = "give another file",
	.application_id = 0x544c4853, /* TLHS */
	.version = 1,
	.schema = TABLE("raw") TABLE("minute") TABLE("ten_minutes") TABLE("hour") TABLE("six_hours") TABLE("day")
		"CREATE TABLE log(id INTEGER PRIMARY KEY, t REAL NOT NULL, row TEXT NOT NULL);"
		"CREATE INDEX log_time ON log(t);"
		"CREATE TABLE state(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;",
};

#define HEAD_BYTES 72
#define ID_AT 68 /* the application's id, in what SQLite has in front of every file */

static size_t head_read(const char *file, u8 *head)
{
	FILE *from = strcmp(file, "-") ? fopen(file, "re") : NULL;
	size_t n = from ? fread(head, 1, HEAD_BYTES, from) : 0;

	if (from)
		fclose(from);
	return n;
}

/**
 * tl_history_is() - Whether a file is a database, and so no recording
 * @file: its name
 *
 * Return: whether it is; whose it is, opening it tells.
 */
bool tl_history_is(const char *file)
{
	static const char magic[] = "SQLite format 3";
	u8 head[HEAD_BYTES];

	return head_read(file, head) == HEAD_BYTES && !memcmp(head, magic, sizeof(magic));
}

/**
 * tl_history_is_ours() - Whether a file is a history, by its head alone, though it may be damaged
 * @file: its name
 *
 * Return: whether it is.
 */
bool tl_history_is_ours(const char *file)
{
	u8 head[HEAD_BYTES];
	u32 id = 0;
	int i;

	if (!tl_history_is(file) || head_read(file, head) != HEAD_BYTES)
		return false;
	for (i = 0; i < 4; i++)
		id = id << 8 | head[ID_AT + i];
	return id == tl_history_kind.application_id;
}
