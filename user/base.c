// SPDX-License-Identifier: GPL-2.0-or-later
/* Databases in SQLite: whose they are, and one sentence for each thing that goes wrong. */
#include "base.h"

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * tl_base_failed() - What is wrong, and what to do, of whatever SQLite says
 * @base: base
 * @err: the sentence
 *
 * Return: a negative errno; -EUCLEAN if the file is damaged.
 */
int tl_base_failed(const struct tl_base *base, struct tl_error *err)
{
	const struct tl_base_kind *kind = base->kind;
	int code;

	switch (sqlite3_errcode(base->db)) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return tl_error_set(err, -EBUSY, "%s: another process is writing to it: try again when it "
				    "is done", base->name);
	case SQLITE_READONLY:
		return tl_error_set(err, -EROFS, "%s: it may not be written: give it to you (chmod, chown), "
				    "or %s", base->name, kind->other);
	case SQLITE_FULL:
		return tl_error_set(err, -ENOSPC, "%s: the disk is full, nothing was changed: make room",
				    base->name);
	case SQLITE_IOERR:
		return tl_error_set(err, -EIO, "%s: the disk is full or failed (%s), nothing was changed: make "
				    "room, or move it to a sound disk", base->name, sqlite3_errmsg(base->db));
	case SQLITE_CANTOPEN:
		return tl_error_set(err, -ENOENT, "%s: cannot open (%s): %s", base->name,
				    strerror(sqlite3_system_errno(base->db)), kind->give);
	case SQLITE_NOMEM:
		return tl_error_no_memory(err);
	default:
		code = sqlite3_errcode(base->db);
		code = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR ? -EUCLEAN : -EIO;
		return tl_error_set(err, code, "%s: it is damaged, or no %s (%s): %s", base->name, kind->what,
				    sqlite3_errmsg(base->db), kind->anew);
	}
}

/**
 * tl_base_do() - Do what answers nothing
 * @base: base
 * @sql: statements
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_base_do(struct tl_base *base, const char *sql, struct tl_error *err)
{
	return sqlite3_exec(base->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : tl_base_failed(base, err);
}

/**
 * tl_base_number() - The first column of the first row
 * @base: base
 * @sql: query that has a row
 * @number: set
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_base_number(struct tl_base *base, const char *sql, sqlite3_int64 *number, struct tl_error *err)
{
	sqlite3_stmt *st = NULL;
	int code = 0;

	if (sqlite3_prepare_v2(base->db, sql, -1, &st, NULL) != SQLITE_OK || sqlite3_step(st) != SQLITE_ROW)
		code = tl_base_failed(base, err);
	else
		*number = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return code;
}

/**
 * tl_base_ask() - A statement with its values
 * @base: base
 * @sql: statement
 * @types: t text, i sqlite3_int64, d double
 *
 * Return: it, to be stepped and finalized; NULL if it fails, which tl_base_failed() tells.
 */
sqlite3_stmt *tl_base_ask(struct tl_base *base, const char *sql, const char *types, ...)
{
	sqlite3_stmt *st = NULL;
	va_list args;
	int i;

	if (sqlite3_prepare_v2(base->db, sql, -1, &st, NULL) != SQLITE_OK)
		return NULL;
	va_start(args, types);
	for (i = 1; *types; types++, i++)
		if (*types == 't')
			sqlite3_bind_text(st, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
		else if (*types == 'i')
			sqlite3_bind_int64(st, i, va_arg(args, sqlite3_int64));
		else
			sqlite3_bind_double(st, i, va_arg(args, double));
	va_end(args);
	return st;
}

/**
 * tl_base_end() - Do a statement that answers nothing, and finalize it
 * @base: base
 * @st: from tl_base_ask(), also if that was NULL
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_base_end(struct tl_base *base, sqlite3_stmt *st, struct tl_error *err)
{
	int code = st && sqlite3_step(st) == SQLITE_DONE ? 0 : tl_base_failed(base, err);

	sqlite3_finalize(st);
	return code;
}

/**
 * tl_base_check() - See whose a file is
 * @base: base, in a transaction
 * @make: make the schema, if there is nothing in it
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_base_check(struct tl_base *base, bool make, struct tl_error *err)
{
	const struct tl_base_kind *kind = base->kind;
	sqlite3_int64 id, version, tables;
	char pragmas[100];
	int code = tl_base_number(base, "PRAGMA application_id", &id, err);

	code = code ? code : tl_base_number(base, "PRAGMA user_version", &version, err);
	code = code ? code : tl_base_number(base, "SELECT count(*) FROM sqlite_master", &tables, err);
	if (code)
		return code;
	if (!tables && !id && make) {
		snprintf(pragmas, sizeof(pragmas), "PRAGMA application_id = %u;PRAGMA user_version = %d;",
			 kind->application_id, kind->version);
		code = tl_base_do(base, pragmas, err);
		return code ? code : tl_base_do(base, kind->schema, err);
	}
	if (id != kind->application_id)
		return tl_error_set(err, -EINVAL, "%s: a database, but no %s: %s", base->name, kind->what, kind->give);
	if (version < kind->version)
		return tl_error_set(err, -EINVAL, "%s: made by an older tierlens (version %lld, this one has "
				    "%d): %s", base->name, version, kind->version, kind->anew);
	if (version > kind->version)
		return tl_error_set(err, -EINVAL, "%s: made by a newer tierlens (version %lld, this one has "
				    "%d): use that", base->name, version, kind->version);
	return 0;
}

/**
 * tl_base_open() - Open a file
 * @base: filled in; to be closed, however it ends
 * @kind: what it is to be
 * @name: of the file
 * @flags: of sqlite3_open_v2()
 * @wait_ms: how long to wait for others
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_base_open(struct tl_base *base, const struct tl_base_kind *kind, const char *name, int flags, int wait_ms,
		 struct tl_error *err)
{
	*base = (struct tl_base){ .kind = kind, .name = strdup(name) };
	if (!base->name)
		return tl_error_no_memory(err);
	if (sqlite3_open_v2(name, &base->db, flags, NULL) != SQLITE_OK)
		return base->db ? tl_base_failed(base, err) : tl_error_no_memory(err);
	sqlite3_busy_timeout(base->db, wait_ms);
	return tl_base_do(base, "PRAGMA foreign_keys = ON;PRAGMA trusted_schema = OFF;", err);
}

/**
 * tl_base_close() - Close it
 * @base: base; what was not committed is taken back
 */
void tl_base_close(struct tl_base *base)
{
	sqlite3_close(base->db);
	free(base->name);
	memset(base, 0, sizeof(*base));
}
