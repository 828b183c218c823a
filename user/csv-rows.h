/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CSV_ROWS_H
#define TL_CSV_ROWS_H

#include <stddef.h>

struct tl_error;

/**
 * struct tl_csv_rows - What is done with the rows of a CSV file
 * @give: what to give instead of a file that cannot be read
 * @row: called for each with its line and fields; returns 0, or a negative errno after a
 *       sentence, which ends the reading
 * @arg: given to it
 */
struct tl_csv_rows {
	const char *give;
	int (*row)(void *arg, unsigned long line, char *const *field, size_t n);
	void *arg;
};

int tl_csv_rows_read(const struct tl_csv_rows *rows, const char *file, struct tl_error *err);

#endif
