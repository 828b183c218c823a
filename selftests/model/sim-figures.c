// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulates a service and prints what is measured of it as a table of figures
 *
 * usage: sim-figures SEED CLASSES WINDOWS varied|collinear|constant BUSIEST all|counts
 *        sim-figures SEED hours WALKS
 *
 * hours are nine, by the minute, of a shop whose clients go by the matrices in WALKS. The
 * true demands at the beginning, in seconds, go to standard error, a line a resource.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static enum sim_mixes mixes_of(const char *name)
{
	return !strcmp(name, "collinear") ? SIM_COLLINEAR :
	       !strcmp(name, "constant") ? SIM_CONSTANT : SIM_VARIED;
}

static int shape(struct sim *sim, int argc, char **argv)
{
	static struct sim_walk walk[SIM_WALKS];

	if (argc == 4 && !strcmp(argv[2], "hours"))
		return sim_hours(sim, argv[3], walk);
	if (argc != 7)
		return 2;
	sim->seconds = 10;
	sim->service = SIM_EXPONENTIAL;
	sim_shape(sim, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
		  mixes_of(argv[4]), strtod(argv[5], NULL));
	return 0;
}

int main(int argc, char **argv)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	size_t k, i;
	int code;

	if (argc < 2)
		return 2;
	sim_seed(sim, strtoull(argv[1], NULL, 10));
	sim->noise = 0.01;
	code = shape(sim, argc, argv);
	if (code)
		return code < 0 ? 1 : code;
	if (sim_run(sim))
		return 1;
	sim_print(sim, stdout, argc == 4 || !strcmp(argv[6], "all"));
	for (k = 0; k < sim->stations; k++) {
		fprintf(stderr, "%s", sim->station[k].resource);
		for (i = 0; i < sim->classes; i++)
			fprintf(stderr, " %.9g", sim->station[k].demand_s[i]);
		fputc('\n', stderr);
	}
	free(sim);
	return 0;
}
