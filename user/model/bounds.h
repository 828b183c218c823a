/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_BOUNDS_H
#define TL_MODEL_BOUNDS_H

#include <stddef.h>

/**
 * struct tl_bounds_out - Between which a closed network's figures are
 * @throughput_low_per_s: at least
 * @throughput_high_per_s: at most
 * @response_low_s: of a cycle without the think time, at least
 * @response_high_s: at most
 */
struct tl_bounds_out {
	double throughput_low_per_s, throughput_high_per_s, response_low_s, response_high_s;
};

int tl_bounds_asymptotic(double customers, double think_s, size_t stations,
			 const double *demand_s, struct tl_bounds_out *out);
int tl_bounds_balanced(double customers, double think_s, size_t stations,
		       const double *demand_s, struct tl_bounds_out *out);

#endif
