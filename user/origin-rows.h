/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ORIGIN_ROWS_H
#define TL_ORIGIN_ROWS_H

#include "origin.h"

#include <stdio.h>

struct tl_error;

/**
 * struct tl_origin_row - A file or class that somebody asks about
 * @item: what is known; its texts are the row's
 * @shown: what it is called where it was named
 * @label: what it is said to be; TL_ORIGIN_LABELS if nothing is said
 * @line: of the file
 */
struct tl_origin_row {
	struct tl_origin_item item;
	char *path, *program, *main, *package, *program_package, *group, *shown;
	enum tl_origin_label label;
	unsigned long line;
};

struct tl_origin_rows {
	struct tl_origin_row *row;
	size_t n, room;
};

int tl_origin_rows_add(struct tl_origin_rows *rows, const struct tl_origin_item *item, struct tl_error *err);
int tl_origin_rows_read(struct tl_origin_rows *rows, const char *file, bool labels, struct tl_error *err);
void tl_origin_rows_free(struct tl_origin_rows *rows);

/* origin-objects.c: of a process, and of a program before it runs */
int tl_origin_rows_pid(struct tl_origin_rows *rows, uint32_t pid, char **root, struct tl_error *err);
int tl_origin_rows_program(struct tl_origin_rows *rows, const char *root, const char *program, struct tl_error *err);

/* origin-java.c: of jars and folders, separated by colons */
int tl_origin_rows_classes(struct tl_origin_rows *rows, const char *root, const char *classpath, const char *program,
			   struct tl_error *err);

#endif
