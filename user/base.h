/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_BASE_H
#define TL_BASE_H

#include "hist.h"

#include <sqlite3.h>

struct tl_error;

/**
 * struct tl_base_kind - What a database of ours is
 * @what: "knowledge base"
 * @give: what to give instead of another file
 * @anew: what to do about a damaged one
 * @other: what to do if it may not be written
 * @application_id: told from others by it, and by @version of @schema
 */
struct tl_base_kind {
	const char *what, *give, *anew, *other, *schema;
	u32 application_id;
	int version;
};

/* A file that SQLite has opened. */
struct tl_base {
	const struct tl_base_kind *kind;
	sqlite3 *db;
	char *name;
};

int tl_base_open(struct tl_base *base, const struct tl_base_kind *kind, const char *name, int flags, int wait_ms,
		 struct tl_error *err);
void tl_base_close(struct tl_base *base);
int tl_base_check(struct tl_base *base, bool make, struct tl_error *err);
int tl_base_failed(const struct tl_base *base, struct tl_error *err);
int tl_base_do(struct tl_base *base, const char *sql, struct tl_error *err);
int tl_base_number(struct tl_base *base, const char *sql, sqlite3_int64 *number, struct tl_error *err);
sqlite3_stmt *tl_base_ask(struct tl_base *base, const char *sql, const char *types, ...);
int tl_base_end(struct tl_base *base, sqlite3_stmt *st, struct tl_error *err);

#endif
