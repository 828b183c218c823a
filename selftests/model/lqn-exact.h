/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known exactly of queues, computed the slow and plain way. */
#ifndef TL_LQN_EXACT_H
#define TL_LQN_EXACT_H

#include <stddef.h>

#define EXACT_CLASSES 3
#define EXACT_STATIONS 4
#define EXACT_CUSTOMERS 40

double exact_mm_c_wait(double arrivals, double service_s, unsigned int servers);
double exact_mg1_wait(double arrivals, double service_s, double square_s2);

/**
 * struct exact_closed - A closed network of product form
 * @customers: [class]
 * @think_s: [class]
 * @demand_s: [station][class]
 * @servers: [station] 0 for a delay
 * @throughput: [class] out
 * @response_s: [class] out, without the think time
 */
struct exact_closed {
	size_t classes, stations;
	unsigned int customers[EXACT_CLASSES], servers[EXACT_STATIONS];
	double think_s[EXACT_CLASSES], demand_s[EXACT_STATIONS][EXACT_CLASSES];
	double throughput[EXACT_CLASSES], response_s[EXACT_CLASSES];
};

void exact_closed(struct exact_closed *net);

#endif
