// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens show: closed intervals that the kernel still keeps. */
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "figures.h"
#include "host.h"
#include "out.h"
#include "recording.h"
#include "tree.h"
#include "view.h"

#include <string.h>

struct args {
	enum tl_which which;
	u64 generation;
	bool json, paths;
	enum tl_view view;
};

/* What --paths and --waits are about; without them, a recording's line. */
static json_t *as_json(const struct tl_interval *interval, const struct args *args)
{
	struct tl_figures figures = { 0 };
	struct tl_tree tree = { 0 };
	json_t *part = NULL;

	if (!args->paths && args->view == TL_VIEW_FIGURES)
		return tl_interval_json(interval);
	if (args->paths && !tl_tree_make(&tree, interval))
		part = tl_tree_json(&tree);
	else if (!args->paths && !tl_figures_make(&figures, interval))
		part = tl_figures_json(&figures);
	tl_figures_free(&figures);
	tl_tree_free(&tree);
	return part ? json_pack("{s:I, s:f, s:f, s:o}",
				"generation", (json_int_t)interval->generation,
				"t", tl_ns_to_s(interval->start_ns),
				"seconds", tl_ns_to_s(interval->length_ns),
				args->paths ? "paths" : "figures", part) : NULL;
}

/* What the host did meanwhile is not known to somebody who comes afterwards. */
static int print(const struct tl_intervals *list, u32 processors, const struct args *args)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (tl_host_tiers(list->interval[i], processors))
			return tl_out_json(NULL);
		if (args->json) {
			if (tl_out_json(as_json(list->interval[i], args)))
				return TL_EXIT_FAILED;
			continue;
		}
		if (i)
			putchar('\n');
		if (args->paths ? tl_view_paths(stdout, list->interval[i]) :
				  tl_view_print(stdout, list->interval[i], args->view, NULL, NULL,
						(struct tl_room){ 0 }))
			return tl_out_json(NULL);
		if (args->paths || args->view != TL_VIEW_FIGURES)
			continue;
		tl_view_edges(stdout, list->interval[i]);
		tl_view_usage(stdout, list->interval[i]);
		tl_view_hosts(stdout, list->interval[i]);
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
		status = print(&list, module.processors, args);
	tl_intervals_free(&list);
	tl_ctl_close(ctl);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "generation", required_argument, NULL, 'g' },
		{ "since", required_argument, NULL, 's' },
		{ "paths", no_argument, NULL, 'p' },
		{ "waits", no_argument, NULL, 'w' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .which = TL_WHICH_NEWEST };
	int option, status;

	while ((option = tl_args_next(cmd, argc, argv, "g:s:pw", options)) >= 0) {
		if (strchr("Jpw", option)) {
			args.json |= option == 'J';
			args.paths |= option == 'p';
			args.view = option == 'w' ? TL_VIEW_WAITS : args.view;
			continue;
		}
		if (args.which != TL_WHICH_NEWEST)
			return tl_args_usage(cmd, "only one of --generation and --since");
		args.which = option == 'g' ? TL_WHICH_GENERATION : TL_WHICH_SINCE;
		if (tl_args_u64(option == 'g' ? "--generation" : "--since", optarg,
				option == 'g', UINT64_MAX, &args.generation))
			return TL_EXIT_USAGE;
	}
	status = tl_args_end(cmd, option, argc, argv);
	if (status != TL_GO_ON)
		return status;
	if (args.paths && args.view == TL_VIEW_WAITS)
		return tl_args_usage(cmd, "only one of --paths and --waits");
	return show(&args);
}

const struct tl_cmd tl_cmd_show = {
	.name = "show",
	.args = "[--generation G | --since G] [--paths | --waits] [--json]",
	.summary = "The newest closed interval: tiers, classes, calls, paths",
	.help = "  -g, --generation G\n"
		"                    that interval instead, if the kernel still keeps it\n"
		"  -s, --since G     all that are kept after that one; 0 for all\n"
		"  -p, --paths       the chains of tiers that requests came down, as a tree\n"
		"  -w, --waits       what the response times are made up of: waits and time on\n"
		"                    a processor\n"
		TL_COMMON_HELP
		"--json prints an interval as a recording holds it, one a line.\n"
		"\nExample:\n"
		"  tierlens show --json | jq '.tiers[] | .name'\n",
	.run = run,
};
