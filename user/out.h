/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_OUT_H
#define TL_OUT_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct tl_bytes;
struct tl_error;

void tl_out_place(const char *at);
void tl_out_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int tl_out_failed(const struct tl_error *err);
void tl_out_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tl_out_progress_end(void);
int tl_out_json(json_t *object);
json_t *tl_out_name(const char *bytes);
json_t *tl_out_text(char *text);
json_t *tl_out_real(double value);
int tl_out_close(FILE *file, const char *name, struct tl_error *err);
FILE *tl_out_begin(const char *name, char **part, struct tl_error *err);
int tl_out_end(FILE *to, const char *name, char *part, int code, struct tl_error *err);
int tl_out_file(const char *name, const struct tl_bytes *bytes, struct tl_error *err);

/* A text table: rows are printed when all widths are known. */
struct tl_grid;

struct tl_grid *tl_grid_new(const char *heads);
void tl_grid_free(struct tl_grid *grid);
void tl_grid_add(struct tl_grid *grid, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tl_grid_print(const struct tl_grid *grid, FILE *to, size_t max_width,
		   size_t max_rows);

#endif
