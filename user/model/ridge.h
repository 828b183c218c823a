/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_RIDGE_H
#define TL_MODEL_RIDGE_H

struct tl_ols_in;
struct tl_ols_out;

int tl_ridge(const struct tl_ols_in *in, struct tl_ols_out *out);

#endif
