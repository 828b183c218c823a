/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_MVA_H
#define TL_MODEL_MVA_H

#include <stddef.h>
#include <stdint.h>

#define TL_MVA_DELAY UINT32_MAX /* servers of a station where nobody waits */
#define TL_MVA_STATES_MAX 20000000.0 /* numbers that an exact solution may keep */

/**
 * struct tl_mva_in - A closed network of several classes
 * @classes: how many
 * @customers: [classes]
 * @think_s: [classes] time in a cycle without anybody
 * @stations: how many
 * @servers: [stations] of a queue, or TL_MVA_DELAY
 * @demand_s: [classes][stations] in a cycle
 */
struct tl_mva_in {
	size_t classes, stations;
	const uint32_t *customers;
	const double *think_s;
	const uint32_t *servers;
	const double *demand_s;
};

/**
 * struct tl_mva_out - Its solution; all arrays are the caller's
 * @throughput_per_s: [classes] cycles
 * @residence_s: [classes][stations] time in a cycle
 * @number: [classes][stations] mean number there
 * @residual: of an approximation: relative change of the last iteration; 0 if exact
 * @iterations: that it took; 0 if exact
 */
struct tl_mva_out {
	double *throughput_per_s, *residence_s, *number;
	double residual;
	unsigned int iterations;
};

double tl_mva_states(const struct tl_mva_in *in);
int tl_mva_exact(const struct tl_mva_in *in, struct tl_mva_out *out);
int tl_mva_schweitzer(const struct tl_mva_in *in, struct tl_mva_out *out);
int tl_mva_linearizer(const struct tl_mva_in *in, struct tl_mva_out *out);

#endif
