// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens: finds the command, and sees that all it printed was written. */
#include "cmd.h"
#include "error.h"
#include "out.h"

#include <gsl/gsl_errno.h>
#include <signal.h>
#include <string.h>
#include <tierlens-version.h>

static const struct tl_cmd *const commands[] = {
	&tl_cmd_top, &tl_cmd_status, &tl_cmd_enable, &tl_cmd_disable, &tl_cmd_tier,
	&tl_cmd_class, &tl_cmd_level, &tl_cmd_show, &tl_cmd_record, &tl_cmd_replay, &tl_cmd_graph, &tl_cmd_report,
	&tl_cmd_fleet,
	&tl_cmd_demand, &tl_cmd_track, &tl_cmd_cbmg, &tl_cmd_execgraph, &tl_cmd_lqn,
	&tl_cmd_capacity, &tl_cmd_bottleneck, &tl_cmd_pmu, &tl_cmd_tasks, &tl_cmd_anomaly, &tl_cmd_origin,
	&tl_cmd_adapt, &tl_cmd_selftest, &tl_cmd_check_kernel,
};

static void usage(FILE *to)
{
	size_t i;

	fputs("usage: tierlens [COMMAND] [OPTIONS]\n\n"
	      "Response and own times of the tiers of services that nobody may change.\n\n",
	      to);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nWithout a command: top. \"tierlens COMMAND --help\" tells its options.\n"
	      "Exit status: 0 done, 1 failed, 2 wrong usage.\n", to);
}

static int run(int argc, char **argv)
{
	static char name[] = "top";
	static char *top[] = { name, NULL };
	size_t i;

	if (argc < 2)
		return tl_cmd_top.run(&tl_cmd_top, 1, top);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		usage(stdout);
		return TL_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("tierlens " TIERLENS_VERSION);
		return TL_EXIT_OK;
	}
	if (argv[1][0] == '-') /* options of the default command */
		return tl_cmd_top.run(&tl_cmd_top, argc, argv);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i]->name))
			return commands[i]->run(commands[i], argc - 1, argv + 1);
	tl_out_error("unknown command \"%s\": tierlens --help lists them", argv[1]);
	return TL_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct tl_error err;
	int status;

	/* A reader that goes away is a failed write, with a sentence. */
	signal(SIGPIPE, SIG_IGN);
	/* GSL's own handler aborts; every call of it is looked at instead. */
	gsl_set_error_handler_off();
	status = run(argc, argv);
	tl_out_progress_end();
	if (tl_out_close(stdout, "standard output", &err) && status == TL_EXIT_OK)
		status = tl_out_failed(&err);
	return status;
}
