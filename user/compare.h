/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_COMPARE_H
#define TL_COMPARE_H

#include "demand.h"

#include <jansson.h>
#include <stdio.h>

/**
 * struct tl_compared - How far off the methods are on one file
 * @file: its name
 * @busiest: mean utilisation of its busiest resource
 * @error: [methods][targets] what the sum over its windows is off, relative to it; NAN where
 *         there is none. Crossed: Σ of what windows are off, relative to the sum
 */
struct tl_compared {
	char *file;
	double busiest, *error;
};

/**
 * struct tl_comparison - Methods held against each other
 * @windows: what they were fitted to; the caller's
 * @demand: by auto; its targets are those of the errors
 * @compared: one a file that they were held against
 * @crossed: there was no other file: each fifth of the windows was predicted from the rest
 */
struct tl_comparison {
	const struct tl_windows *windows;
	struct tl_demand demand;
	struct tl_compared *compared;
	size_t n;
	bool crossed;
};

int tl_comparison_make(struct tl_comparison *c, const struct tl_windows *windows,
		       struct tl_error *err);
int tl_comparison_add(struct tl_comparison *c, const struct tl_windows *windows,
		      struct tl_error *err);
int tl_comparison_cross(struct tl_comparison *c, struct tl_error *err);
void tl_comparison_free(struct tl_comparison *c);
json_t *tl_comparison_json(const struct tl_comparison *c);
void tl_comparison_print(const struct tl_comparison *c, FILE *to);

#endif
