/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated service whose demands are known, and what would be measured of it. */
#ifndef TL_SIM_H
#define TL_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_CLASSES 24
#define SIM_STATIONS 12
#define SIM_WINDOWS 600

enum sim_service { SIM_FIXED, SIM_EXPONENTIAL, SIM_LOGNORMAL }; /* variation 0, 1, 2 */
enum sim_discipline { SIM_SHARED, SIM_FIFO };

/**
 * struct sim_station - A server that requests pass in turn
 * @tier: index of the tier that it belongs to
 * @resource: name of its utilisation
 * @background: utilisation without requests, evenly over time
 * @demand_s: mean service time of each class
 */
struct sim_station {
	size_t tier;
	char resource[24];
	enum sim_discipline discipline;
	double background, demand_s[SIM_CLASSES];
};

/**
 * struct sim_walk - Where a client goes from each class
 * @next: [class][class] how likely; the last row is of clients that come
 */
struct sim_walk {
	double next[SIM_CLASSES + 1][SIM_CLASSES];
};

/**
 * struct sim - What to simulate, and what came of it
 * @rate: [window][class] arrivals per second, by chance; or of @clients each, who think
 * @follows: class that comes right behind each request of a class; -1 for none
 * @clients: if above 0, a closed system: so many ask, think @think_s and ask again,
 *           for a class drawn by @rate
 * @walk: [window] or from the one before by this, if there is any
 * @active: [window] of the clients, so many ask, the others sleep; 0 for all
 * @change: [window][station][class] what demands are multiplied by; 0 for 1
 * @name: of the classes; "" for c0, c1, ...
 * @noise: standard deviation of what is measured of a utilisation
 * @count: [window][class] completed
 * @own_s: [window][tier][class] Σ their time at the tier's stations
 * @response_s: [window][class] Σ
 * @busy: [window][station] measured utilisation
 */
struct sim {
	size_t windows, classes, stations, tiers;
	double seconds, noise, think_s;
	unsigned int clients, active[SIM_WINDOWS];
	enum sim_service service;
	struct sim_station station[SIM_STATIONS];
	int follows[SIM_CLASSES];
	char name[SIM_CLASSES][24];
	const struct sim_walk *walk[SIM_WINDOWS];
	double change[SIM_WINDOWS][SIM_STATIONS][SIM_CLASSES];
	double rate[SIM_WINDOWS][SIM_CLASSES];
	double count[SIM_WINDOWS][SIM_CLASSES];
	double own_s[SIM_WINDOWS][SIM_STATIONS][SIM_CLASSES];
	double response_s[SIM_WINDOWS][SIM_CLASSES];
	double busy[SIM_WINDOWS][SIM_STATIONS];
	uint64_t random[4];
};

void sim_seed(struct sim *sim, uint64_t seed);
double sim_uniform(struct sim *sim);
double sim_normal(struct sim *sim);
int sim_run(struct sim *sim);

/* sim-shapes.c */
enum sim_mixes { SIM_VARIED, SIM_COLLINEAR, SIM_CONSTANT };
void sim_shape(struct sim *sim, size_t classes, size_t windows, enum sim_mixes mixes,
	       double busiest);
void sim_print(const struct sim *sim, FILE *to, bool times);

/* sim-hours.c */
#define SIM_WALKS 3
#define SIM_DEAR "home" /* the class that gets dearer, and where */
#define SIM_DEAR_AT 1
int sim_hours(struct sim *sim, const char *walks, struct sim_walk walk[SIM_WALKS]);

#endif
