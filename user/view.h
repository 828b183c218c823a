/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_VIEW_H
#define TL_VIEW_H

#include <stdio.h>

struct tl_adaptor;
struct tl_interval;

/* What is told of each tier and class. */
enum tl_view { TL_VIEW_FIGURES, TL_VIEW_WAITS };

/* What a block of figures may take up; 0 for no limit. */
struct tl_room {
	size_t width, height;
};

int tl_view_print(FILE *to, const struct tl_interval *interval, enum tl_view view,
		  const char *note, const struct tl_adaptor *adaptor, struct tl_room room);
void tl_view_usage(FILE *to, const struct tl_interval *interval);
void tl_view_hosts(FILE *to, const struct tl_interval *interval);
int tl_view_paths(FILE *to, const struct tl_interval *interval);
void tl_view_edges(FILE *to, const struct tl_interval *interval);
int tl_view_json(const struct tl_interval *interval, unsigned long long missed,
		 const struct tl_adaptor *adaptor);

/* view-adaptor.c */
size_t tl_view_adaptor(FILE *to, const struct tl_adaptor *adaptor, double now_s, struct tl_room room);

#endif
