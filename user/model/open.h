/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_OPEN_H
#define TL_MODEL_OPEN_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct tl_open_out - A queue with arrivals from outside
 * @utilisation: of a server
 * @throughput_per_s: what is done; less than arrives, if some are turned away
 * @response_s: of who is let in
 * @number: in the system
 * @turned_away: part of the arrivals
 */
struct tl_open_out {
	double utilisation, throughput_per_s, response_s, number, turned_away;
};

/**
 * struct tl_open_in - An open network of several classes
 * @classes: how many
 * @arrivals_per_s: [classes]
 * @stations: how many
 * @servers: [stations] of a queue, or TL_MVA_DELAY
 * @demand_s: [classes][stations]
 */
struct tl_open_in {
	size_t classes, stations;
	const double *arrivals_per_s;
	const uint32_t *servers;
	const double *demand_s;
};

int tl_open_mm1(double arrivals_per_s, double service_s, struct tl_open_out *out);
int tl_open_mmm(double arrivals_per_s, double service_s, uint32_t servers,
		struct tl_open_out *out);
int tl_open_mmmk(double arrivals_per_s, double service_s, uint32_t servers, uint32_t places,
		 struct tl_open_out *out);
int tl_open_mg1(double arrivals_per_s, double service_s, double cv2, struct tl_open_out *out);
int tl_open_network(const struct tl_open_in *in, double *residence_s, size_t *culprit);

#endif
