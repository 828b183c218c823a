/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DRAWN_H
#define TL_DRAWN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct tl_faults;

/**
 * struct tl_drawn - an answer that is a picture, a table or JSON, as the user asked
 * @output: file for the picture; NULL if none was named
 * @dot: the picture as DOT, not as SVG
 * @json: JSON instead of the table
 * @least: edges with a smaller share are left out of the picture
 * @notes: what was found in the input, and which file it was
 * @figures: there is something to draw
 * @verdict: why not
 * @what: what is drawn, handed to the three functions
 */
struct tl_drawn {
	const char *output;
	bool dot, json;
	double least;
	const struct tl_faults *notes;
	bool figures;
	const char *verdict;
	const void *what;
	void (*draw)(const void *what, double least, FILE *to);
	json_t *(*as_json)(const void *what);
	void (*print)(const void *what, FILE *to);
};

int tl_drawn_show(const struct tl_drawn *drawn);

#endif
