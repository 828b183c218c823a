// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens graph: tiers and the calls between them as a picture. */
#include "cmd.h"
#include "ctl.h"
#include "dot.h"
#include "error.h"
#include "graph.h"
#include "out.h"
#include "recording.h"

#include <errno.h>

struct args {
	const char *output;
	bool dot, paths, json;
};

static int sum(const struct tl_interval *interval, void *total)
{
	return tl_interval_add(total, interval);
}

static int sum_files(struct tl_interval *total, int n, char **files, struct tl_error *err)
{
	char warning[400];
	int i, code;

	for (i = 0; i < n; i++) {
		code = tl_recording_each(files[i], sum, total, warning, sizeof(warning),
					 err);
		if (code)
			return code;
		if (*warning)
			tl_out_error("%s", warning);
	}
	return 0;
}

/* All intervals that the kernel still keeps: what happened just now. */
static int sum_kept(struct tl_interval *total, struct tl_error *err)
{
	struct tl_intervals list = { 0 };
	struct tl_ctl *ctl;
	size_t i;
	int code = tl_ctl_open(&ctl, err);

	if (code)
		return code;
	code = tl_ctl_intervals(ctl, TL_WHICH_SINCE, 0, &list, err);
	for (i = 0; i < list.n && !code; i++)
		if (tl_interval_add(total, list.interval[i]))
			code = tl_error_no_memory(err);
	if (!code && !list.n)
		code = tl_error_set(err, -ENODATA,
				    "no interval has been closed yet: tierlens "
				    "enable, and wait for one");
	tl_intervals_free(&list);
	tl_ctl_close(ctl);
	return code;
}

static void print(const void *graph, FILE *to)
{
	tl_dot_print(to, graph);
}

static int draw(const struct tl_graph *graph, const struct args *args)
{
	struct tl_error err;

	if (args->json)
		return tl_out_json(tl_graph_json(graph));
	return tl_dot_write(args->output, !args->dot, print, graph, &err) ? tl_out_failed(&err) :
									    TL_EXIT_OK;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "dot", no_argument, NULL, 'd' },
		{ "paths", no_argument, NULL, 'p' },
		TL_WHILE_OPTIONS,
		TL_COMMON_OPTIONS
	};
	struct tl_interval *total = NULL;
	struct tl_graph graph = { 0 };
	struct args args = { 0 };
	struct tl_error err;
	int option, code, status;

	while ((option = tl_args_next(cmd, argc, argv, "o:dp", options)) >= 0) {
		if (option == 'o')
			args.output = optarg;
		else if (option == 'd')
			args.dot = true;
		else if (option == 'p')
			args.paths = true;
		else
			args.json = true;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	total = tl_interval_new();
	code = total ? 0 : tl_error_no_memory(&err);
	if (!code && optind < argc)
		code = sum_files(total, argc - optind, argv + optind, &err);
	else if (!code)
		code = sum_kept(total, &err);
	if (!code && (args.paths ? tl_graph_paths : tl_graph_make)(&graph, total))
		code = tl_error_no_memory(&err);
	status = code ? tl_out_failed(&err) : draw(&graph, &args);
	tl_graph_free(&graph);
	tl_interval_free(total);
	return status;
}

const struct tl_cmd tl_cmd_graph = {
	.name = "graph",
	.args = "[FILE...] [-o FILE.svg] [--paths] [--dot] [--json]",
	.summary = "Tiers and the calls between them as a picture",
	.help = "  -o, --output FILE where to write; standard output without it\n"
		"  -d, --dot         graphviz's language instead of SVG\n"
		"  -p, --paths       the chains of tiers that requests came down, instead of the\n"
		"                    tiers and their calls\n"
		TL_WHILE_HELP
		TL_COMMON_HELP
		"Sums all intervals of the recordings; without one, those that the kernel\n"
		"still keeps. SVG needs graphviz.\n"
		"\nExample:\n"
		"  tierlens graph evening.jsonl -o evening.svg\n",
	.run = run,
};
