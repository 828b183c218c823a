/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_DESIGN_H
#define TL_MODEL_DESIGN_H

#include <stdbool.h>
#include <stddef.h>

/* Belsley, Kuh and Welsch: from about 30 on a dependency harms, at 100 nothing is left. */
#define TL_CONDITION_MAX 100

/**
 * struct tl_design_in - Counts of requests, to be taken apart
 * @windows: rows
 * @classes: columns
 * @count: [windows][classes] requests completed in each window
 * @seconds: [windows] their lengths
 * @background: is there something that works without requests? Then a last column of ones
 */
struct tl_design_in {
	size_t windows, classes;
	const double *count, *seconds;
	bool background;
};

/**
 * struct tl_design_out - The design matrix and its singular values
 * @columns: classes, and one for the background
 * @x: [windows][columns] requests per second, and ones
 * @scale: [columns] length of each column; 0 if it is all zero
 * @r: [columns][columns] triangular: X scaled = Q R
 * @singular: [columns] of X scaled, falling
 * @v: [columns][columns] right singular vectors, in columns
 * @pseudo: [columns][columns] (X' X)⁺ over the directions that the windows vary
 * @spread: [columns][columns] the same over all directions: how far off a mix is
 * @leverage: [windows] 0 … 1
 * @set: [columns] 0 for a column that can be told apart, else the number of its set
 * @sets: how many sets there are
 * @absent: columns that are all zero
 * @rank: of X, at the condition that is allowed
 * @condition: largest by smallest singular value; 1/ε at most
 */
struct tl_design_out {
	size_t windows, classes, columns, rank, sets, absent;
	double *x, *scale, *r, *singular, *v, *pseudo, *spread, *leverage, condition;
	size_t *set;
};

int tl_design(const struct tl_design_in *in, struct tl_design_out *out);
void tl_design_gram(const struct tl_design_out *design, double *gram);
void tl_design_free(struct tl_design_out *out);

#endif
