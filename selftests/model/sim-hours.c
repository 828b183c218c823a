// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nine hours of a shop, minute by minute, as paper 001 has them (3.2)
 *
 * Clients go from page to page by TPC-W's matrices, whose mix changes every hour:
 * browsing, shopping, ordering, in turn. They are more or less every ten minutes. In the
 * seventh hour the home page costs 2.5 times as much on the application server. Demands
 * are drawn, from one to eight.
 */
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOURS 9
#define MINUTES 60
#define CLIENTS 300
#define THINK_S 2
#define DEAR_HOUR 6 /* counted from 0 */
#define DEAR 2.5
#define BUSIEST 0.85 /* a server that all clients ask in that hour, if nobody waited */
#define LINE_BYTES 1000
#define NOWHERE ((size_t)-1)

static const char *const walk_names[SIM_WALKS] = { "browsing", "shopping", "ordering" };

/* The clients' coming is a row behind those of the classes. */
static size_t row_of(struct sim *sim, const char *name)
{
	size_t i;

	if (!strcmp(name, "INIT"))
		return SIM_CLASSES;
	for (i = 0; i < sim->classes; i++)
		if (!strcmp(sim->name[i], name))
			return i;
	if (sim->classes == SIM_CLASSES)
		return NOWHERE;
	snprintf(sim->name[i], sizeof(sim->name[i]), "%s", name);
	return sim->classes++;
}

static int row_read(struct sim *sim, char *line, struct sim_walk *walk)
{
	char *rest = NULL, *name = strtok_r(line, " \t\n", &rest), *part;
	size_t from, to;

	if (!name || *name == '#')
		return 0;
	from = row_of(sim, name);
	while ((name = strtok_r(NULL, " \t\n", &rest))) {
		part = strtok_r(NULL, " \t\n", &rest);
		to = row_of(sim, name);
		if (!part || from == NOWHERE || to >= SIM_CLASSES)
			return -1;
		walk->next[from][to] = strtod(part, NULL);
	}
	return 0;
}

static int walk_read(struct sim *sim, const char *walks, const char *name,
		     struct sim_walk *walk)
{
	char file[LINE_BYTES], line[LINE_BYTES];
	int code = 0;
	FILE *from;

	snprintf(file, sizeof(file), "%s/%s", walks, name);
	memset(walk, 0, sizeof(*walk));
	from = fopen(file, "r");
	if (!from)
		return -1;
	while (!code && fgets(line, sizeof(line), from))
		code = row_read(sim, line, walk);
	fclose(from);
	return code;
}

/* Part of the requests in the long run; a mean of two steps, because some go in circles. */
static void mix_of(const struct sim *sim, const struct sim_walk *walk, double *part)
{
	double next[SIM_CLASSES];
	size_t step, i, k;

	for (i = 0; i < sim->classes; i++)
		part[i] = 1.0 / (double)sim->classes;
	for (step = 0; step < 500; step++) {
		memset(next, 0, sizeof(next));
		for (i = 0; i < sim->classes; i++)
			for (k = 0; k < sim->classes; k++)
				next[k] += part[i] * walk->next[i][k];
		for (i = 0; i < sim->classes; i++)
			part[i] = (part[i] + next[i]) / 2;
	}
}

static void stations_make(struct sim *sim)
{
	static const char *const resources[] = { "web.cpu", "app.cpu", "db.cpu" };
	static const double part[] = { 0.1, 1, 0.6 };
	size_t k, i;

	sim->stations = sim->tiers = 3;
	for (k = 0; k < sim->stations; k++) {
		struct sim_station *station = &sim->station[k];

		*station = (struct sim_station){ .tier = k, .discipline = SIM_SHARED };
		strcpy(station->resource, resources[k]);
		for (i = 0; i < sim->classes; i++)
			station->demand_s[i] = part[k] * pow(8, sim_uniform(sim));
	}
}

/* In the dear hour all clients make the busiest server as busy as wanted. */
static void demands_scale(struct sim *sim, const struct sim_walk *walk)
{
	double part[SIM_CLASSES], busy = 0, mean;
	size_t k, i;

	mix_of(sim, &walk[DEAR_HOUR % SIM_WALKS], part);
	for (k = 0; k < sim->stations; k++) {
		for (i = 0, mean = 0; i < sim->classes; i++)
			mean += part[i] * sim->station[k].demand_s[i] *
				(!strcmp(sim->name[i], SIM_DEAR) && k == SIM_DEAR_AT ? DEAR : 1);
		busy = fmax(busy, mean * CLIENTS / THINK_S);
	}
	for (k = 0; k < sim->stations; k++)
		for (i = 0; i < sim->classes; i++)
			sim->station[k].demand_s[i] *= BUSIEST / busy;
}

static void minutes_make(struct sim *sim, const struct sim_walk *walk)
{
	unsigned int active = CLIENTS;
	size_t w, i;

	for (w = 0; w < sim->windows; w++) {
		if (w % 10 == 0)
			active = (unsigned int)(CLIENTS * (0.4 + 0.6 * sim_uniform(sim)));
		sim->active[w] = active;
		sim->walk[w] = &walk[w / MINUTES % SIM_WALKS];
		for (i = 0; i < sim->classes; i++)
			if (!strcmp(sim->name[i], SIM_DEAR) && w / MINUTES == DEAR_HOUR)
				sim->change[w][SIM_DEAR_AT][i] = DEAR;
	}
}

/* Seeded before; @walks is the directory with the matrices. Return: 0, or -1 without them. */
int sim_hours(struct sim *sim, const char *walks, struct sim_walk walk[SIM_WALKS])
{
	size_t i;

	sim->windows = HOURS * MINUTES;
	sim->seconds = 60;
	sim->classes = 0;
	sim->clients = CLIENTS;
	sim->think_s = THINK_S;
	sim->service = SIM_EXPONENTIAL;
	for (i = 0; i < SIM_WALKS; i++)
		if (walk_read(sim, walks, walk_names[i], &walk[i]))
			return -1;
	for (i = 0; i < SIM_CLASSES; i++)
		sim->follows[i] = -1;
	stations_make(sim);
	demands_scale(sim, walk);
	minutes_make(sim, walk);
	return 0;
}
