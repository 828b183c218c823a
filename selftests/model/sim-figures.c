// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulates a service and prints what is measured of it as a table of figures
 *
 * usage: sim-figures SEED CLASSES WINDOWS varied|collinear|constant BUSIEST all|counts
 *
 * The true demands, in seconds, go to standard error, a line a resource.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static enum sim_mixes mixes_of(const char *name)
{
	return !strcmp(name, "collinear") ? SIM_COLLINEAR :
	       !strcmp(name, "constant") ? SIM_CONSTANT : SIM_VARIED;
}

int main(int argc, char **argv)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	size_t k, i;

	if (argc != 7)
		return 2;
	sim_seed(sim, strtoull(argv[1], NULL, 10));
	sim->seconds = 10;
	sim->noise = 0.01;
	sim->service = SIM_EXPONENTIAL;
	sim_shape(sim, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
		  mixes_of(argv[4]), strtod(argv[5], NULL));
	if (sim_run(sim))
		return 1;
	sim_print(sim, stdout, !strcmp(argv[6], "all"));
	for (k = 0; k < sim->stations; k++) {
		fprintf(stderr, "%s", sim->station[k].resource);
		for (i = 0; i < sim->classes; i++)
			fprintf(stderr, " %.9g", sim->station[k].demand_s[i]);
		fputc('\n', stderr);
	}
	free(sim);
	return 0;
}
