/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_GENERAL_H
#define TL_MODEL_GENERAL_H

#include <stddef.h>

/**
 * struct tl_general_phase - An exponential part of a service time
 * @start: how likely a service begins with it
 * @rate_per_s: 1 / its mean
 * @on: how likely the next one follows; else the service is over
 */
struct tl_general_phase {
	double start, rate_per_s, on;
};

/**
 * struct tl_general_in - A server, one by one, whose service times are not exponential
 * @phases: how many
 * @phase: [phases]
 * @levels: how many customers are told apart
 * @arrivals_per_s: [levels + 1] while 0, 1, ... are there; 0 with the last, if there are
 *                  never more
 */
struct tl_general_in {
	size_t phases, levels;
	const struct tl_general_phase *phase;
	const double *arrivals_per_s;
};

size_t tl_general_phases(double cv2);
size_t tl_general_add(struct tl_general_phase *phase, double weight, double mean_s, double cv2);
int tl_general(const struct tl_general_in *in, double *departures_per_s);

#endif
