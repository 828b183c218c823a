/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_BOTTLENECK_OUT_H
#define TL_BOTTLENECK_OUT_H

#include <jansson.h>
#include <stdio.h>

struct tl_bottleneck_out;
struct tl_faults;
struct tl_lqn;

json_t *tl_bottleneck_json(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out,
			   const struct tl_faults *faults);
void tl_bottleneck_print(const struct tl_lqn *lqn, const struct tl_bottleneck_out *out,
			 FILE *to);

#endif
