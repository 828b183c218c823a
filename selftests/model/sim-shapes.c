// SPDX-License-Identifier: GPL-2.0-or-later
/* Services to simulate, and what is measured of them as a table of figures. */
#include "sim.h"

#include <math.h>
#include <string.h>

static const char *const tier_names[] = { "web", "app", "db" };

static void station_add(struct sim *sim, size_t tier, const char *resource,
			enum sim_discipline discipline)
{
	struct sim_station *station = &sim->station[sim->stations++];

	station->tier = tier;
	station->discipline = discipline;
	snprintf(station->resource, sizeof(station->resource), "%s.%s", tier_names[tier],
		 resource);
}

/* Demands from a tenth to ten times the mean, some classes without some stations. */
static void demands_draw(struct sim *sim)
{
	size_t k, i;

	for (k = 0; k < sim->stations; k++)
		for (i = 0; i < sim->classes; i++)
			sim->station[k].demand_s[i] =
				k && sim_uniform(sim) < 0.15 ? 0 :
				1e-3 * pow(10, 2 * sim_uniform(sim) - 1);
}

static void mixes_draw(struct sim *sim, enum sim_mixes mixes)
{
	size_t w, i;

	for (w = 0; w < sim->windows; w++) {
		double level = mixes == SIM_CONSTANT ? 1 : 0.3 + 1.4 * sim_uniform(sim);

		for (i = 0; i < sim->classes; i++)
			sim->rate[w][i] = level * (mixes == SIM_CONSTANT ? 1 :
						   0.1 + 1.9 * sim_uniform(sim));
	}
}

/* The second class comes right behind each of the first: no count tells them apart. */
static void pair_up(struct sim *sim)
{
	size_t w;

	sim->follows[0] = 1;
	for (w = 0; w < sim->windows; w++)
		sim->rate[w][1] = 0;
}

static double busiest_of(const struct sim *sim)
{
	double most = 0, busy;
	size_t w, k, i;

	for (w = 0; w < sim->windows; w++)
		for (k = 0; k < sim->stations; k++) {
			for (i = 0, busy = 0; i < sim->classes; i++) {
				size_t as = sim->follows[0] == 1 && i == 1 ? 0 : i;

				busy += sim->rate[w][as] * sim->station[k].demand_s[i];
			}
			most = fmax(most, busy);
		}
	return most;
}

/* Three tiers with a processor each, and a disk at the last; seeded before. */
void sim_shape(struct sim *sim, size_t classes, size_t windows, enum sim_mixes mixes,
	       double busiest)
{
	size_t w, i;
	double scale;

	sim->windows = windows;
	sim->classes = classes;
	sim->stations = 0;
	sim->tiers = 3;
	sim->clients = 0;
	for (i = 0; i < SIM_CLASSES; i++)
		sim->follows[i] = -1;
	station_add(sim, 0, "cpu", SIM_SHARED);
	station_add(sim, 1, "cpu", SIM_SHARED);
	station_add(sim, 2, "cpu", SIM_SHARED);
	station_add(sim, 2, "disk", SIM_FIFO);
	demands_draw(sim);
	mixes_draw(sim, mixes);
	if (mixes == SIM_COLLINEAR)
		pair_up(sim);
	scale = busiest / busiest_of(sim);
	for (w = 0; w < windows; w++)
		for (i = 0; i < classes; i++)
			sim->rate[w][i] *= scale;
}

static void class_print(const struct sim *sim, FILE *to, const char *before, size_t i)
{
	if (*sim->name[i])
		fprintf(to, ",%s_%s", before, sim->name[i]);
	else
		fprintf(to, ",%s_c%zu", before, i);
}

static void head_print(const struct sim *sim, FILE *to, bool times)
{
	char own[24];
	size_t i, k;

	fputs("t,seconds", to);
	for (i = 0; i < sim->classes; i++)
		class_print(sim, to, "n", i);
	for (i = 0; times && i < sim->classes; i++)
		class_print(sim, to, "rt", i);
	for (k = 0; times && k < sim->tiers; k++) {
		snprintf(own, sizeof(own), "own_%s", tier_names[k]);
		for (i = 0; i < sim->classes; i++)
			class_print(sim, to, own, i);
	}
	for (k = 0; k < sim->tiers; k++)
		fprintf(to, ",y_%s", tier_names[k]);
	for (k = 0; k < sim->stations; k++)
		fprintf(to, ",u_%s", sim->station[k].resource);
	fputc('\n', to);
}

static void mean_print(FILE *to, double sum, double count)
{
	fputc(',', to);
	if (count > 0)
		fprintf(to, "%.9g", sum / count);
}

/* As a table of figures; without @times of the classes, what others can measure. */
void sim_print(const struct sim *sim, FILE *to, bool times)
{
	size_t w, i, k;
	double sum;

	head_print(sim, to, times);
	for (w = 0; w < sim->windows; w++) {
		fprintf(to, "%.9g,%.9g", sim->seconds * (double)w, sim->seconds);
		for (i = 0; i < sim->classes; i++)
			fprintf(to, ",%.0f", sim->count[w][i]);
		for (i = 0; times && i < sim->classes; i++)
			mean_print(to, sim->response_s[w][i], sim->count[w][i]);
		for (k = 0; times && k < sim->tiers; k++)
			for (i = 0; i < sim->classes; i++)
				mean_print(to, sim->own_s[w][k][i], sim->count[w][i]);
		for (k = 0; k < sim->tiers; k++) {
			for (i = 0, sum = 0; i < sim->classes; i++)
				sum += sim->own_s[w][k][i];
			fprintf(to, ",%.9g", sum);
		}
		for (k = 0; k < sim->stations; k++)
			fprintf(to, ",%.9g", sim->busy[w][k]);
		fputc('\n', to);
	}
}
