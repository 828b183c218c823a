/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CSV_HEAD_H
#define TL_CSV_HEAD_H

#include <stddef.h>

struct tl_error;
struct tl_windows;

enum tl_csv_kind {
	TL_CSV_OTHER,
	TL_CSV_T,
	TL_CSV_SECONDS,
	TL_CSV_COUNT,
	TL_CSV_RESPONSE,
	TL_CSV_OWN,
	TL_CSV_TIER_OWN,
	TL_CSV_BUSY,
};

/**
 * struct tl_csv_field - What the head line says of a field
 * @name: as it stands there, printable
 * @column: where its values go in the table of figures
 * @count_at: of a mean, the field with the count
 */
struct tl_csv_field {
	char *name;
	enum tl_csv_kind kind;
	size_t column, count_at;
};

struct tl_csv_head {
	struct tl_csv_field *field;
	size_t n, t_at, seconds_at;
};

void tl_csv_head_init(struct tl_csv_head *head);
void tl_csv_head_free(struct tl_csv_head *head);
int tl_csv_head_add(struct tl_csv_head *head, const char *name, const char *file,
		    struct tl_error *err);
int tl_csv_head_end(struct tl_csv_head *head, struct tl_windows *windows,
		    const char *file, struct tl_error *err);
int tl_csv_head_derive(const struct tl_csv_head *head, struct tl_windows *windows);

#endif
