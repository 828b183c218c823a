/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_CONVOLUTION_H
#define TL_MODEL_CONVOLUTION_H

#include <stddef.h>

/**
 * struct tl_convolution_station - A station whose speed depends on how many are there
 * @demand_s: what a customer asks of it in a cycle, at speed 1
 * @speed: [speeds] with 1, 2, ... customers there, above 0; the last holds for more
 * @speeds: how many, at least one
 */
struct tl_convolution_station {
	double demand_s;
	const double *speed;
	size_t speeds;
};

/**
 * struct tl_convolution_in - A closed network of one class
 * @customers: how many go round
 * @delay_s: time in a cycle without waiting for anybody
 * @stations: how many
 * @station: [stations]
 */
struct tl_convolution_in {
	size_t customers, stations;
	double delay_s;
	const struct tl_convolution_station *station;
};

/**
 * struct tl_convolution - Its solution for every number of customers up to that
 * @customers: how many
 * @stations: how many
 * @throughput_per_s: [customers + 1] cycles
 * @scale: cycles per second by which the weights are scaled
 * @sum: [customers + 1] normalising constants
 * @weight: [stations][customers + 1] of so many at a station
 * @rest: [stations][customers + 1] normalising constants of the network without it
 */
struct tl_convolution {
	size_t customers, stations;
	double scale;
	double *throughput_per_s, *sum, *weight, *rest;
};

int tl_convolution(const struct tl_convolution_in *in, struct tl_convolution *out);
void tl_convolution_free(struct tl_convolution *out);
double tl_convolution_chance(const struct tl_convolution *net, size_t station, size_t there,
			     size_t customers);
double tl_convolution_arrivals(const struct tl_convolution *net, size_t station,
			       size_t elsewhere);

#endif
