/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DOT_H
#define TL_DOT_H

#include <stdbool.h>
#include <stdio.h>

struct tl_bytes;
struct tl_error;
struct tl_graph;

void tl_dot_print(FILE *to, const struct tl_graph *graph);
int tl_dot_write(const char *output, bool svg, void (*print)(const void *arg, FILE *to),
		 const void *arg, struct tl_error *err);
void tl_dot_text(FILE *to, const char *text);
void tl_dot_time(FILE *to, double s);
int tl_dot_svg(const struct tl_graph *graph, struct tl_bytes *svg, struct tl_error *err);

#endif
