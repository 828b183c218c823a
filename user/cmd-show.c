// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens show: closed intervals that the kernel still keeps. */
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "out.h"
#include "recording.h"
#include "view.h"

struct args {
	enum tl_which which;
	u64 generation;
	bool json;
};

static int print(const struct tl_intervals *list, const struct args *args)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (args->json) {
			if (tl_out_json(tl_interval_json(list->interval[i])))
				return TL_EXIT_FAILED;
			continue;
		}
		if (i)
			putchar('\n');
		if (tl_view_print(stdout, list->interval[i], NULL, (struct tl_room){ 0 }))
			return tl_out_json(NULL);
		tl_view_edges(stdout, list->interval[i]);
	}
	return TL_EXIT_OK;
}

static int none(const struct tl_module *module)
{
	if (!module->enabled)
		tl_out_error("no interval to show, measuring is off: tierlens enable");
	else
		tl_out_error(
			"no such interval has been closed yet: wait %u ms and try again",
			module->interval_ms + module->quiet_ms);
	return TL_EXIT_FAILED;
}

static int show(const struct args *args)
{
	struct tl_intervals list = { 0 };
	int status = TL_EXIT_OK;
	struct tl_module module;
	struct tl_error err;
	struct tl_ctl *ctl;

	if (tl_ctl_open(&ctl, &err))
		return tl_out_failed(&err);
	/* Asked first: an error of the second would be less to the point. */
	if (tl_ctl_module(ctl, &module, &err))
		status = tl_out_failed(&err);
	else if (!module.newest)
		status = none(&module);
	else if (tl_ctl_intervals(ctl, args->which, args->generation, &list, &err))
		status = tl_out_failed(&err);
	else if (!list.n)
		status = none(&module);
	else
		status = print(&list, args);
	tl_intervals_free(&list);
	tl_ctl_close(ctl);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "generation", required_argument, NULL, 'g' },
		{ "since", required_argument, NULL, 's' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .which = TL_WHICH_NEWEST };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "g:s:", options)) >= 0) {
		if (option == 'J') {
			args.json = true;
			continue;
		}
		if (args.which != TL_WHICH_NEWEST)
			return tl_args_usage(cmd, "only one of --generation and --since");
		args.which = option == 'g' ? TL_WHICH_GENERATION : TL_WHICH_SINCE;
		if (tl_args_u64(option == 'g' ? "--generation" : "--since", optarg,
				option == 'g', UINT64_MAX, &args.generation))
			return TL_EXIT_USAGE;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (tl_args_none(cmd, argc, argv))
		return TL_EXIT_USAGE;
	return show(&args);
}

const struct tl_cmd tl_cmd_show = {
	.name = "show",
	.args = "[--generation G | --since G] [--json]",
	.summary = "The newest closed interval: tiers, classes and calls",
	.help = "  -g, --generation G\n"
		"                    that interval instead, if the kernel still keeps it\n"
		"  -s, --since G     all that are kept after that one; 0 for all\n"
		TL_COMMON_HELP
		"--json prints an interval as a recording holds it, one a line.\n"
		"\nExample:\n"
		"  tierlens show --json | jq '.tiers[] | .name'\n",
	.run = run,
};
