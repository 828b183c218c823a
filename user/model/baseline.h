/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_BASELINE_H
#define TL_MODEL_BASELINE_H

struct tl_ols_in;
struct tl_ols_out;

int tl_baseline(const struct tl_ols_in *in, struct tl_ols_out *out);

#endif
