/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_NNLS_H
#define TL_MODEL_NNLS_H

#include <stddef.h>

struct tl_ols_in;
struct tl_ols_out;

/**
 * struct tl_nnls_in - min ‖A x - b‖ with x ≥ 0
 * @columns: of A
 * @gram: [columns][columns] A' A
 * @moment: [columns] A' b
 */
struct tl_nnls_in {
	size_t columns;
	const double *gram, *moment;
};

/**
 * struct tl_nnls_out - The solution
 * @x: [columns] the caller's
 * @iterations: that it took
 */
struct tl_nnls_out {
	double *x;
	unsigned int iterations;
};

int tl_nnls(const struct tl_nnls_in *in, struct tl_nnls_out *out);
int tl_nnls_regression(const struct tl_ols_in *in, struct tl_ols_out *out);

#endif
