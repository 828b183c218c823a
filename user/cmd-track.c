// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens track: what each kind of request costs, followed over time. */
#include "child.h"
#include "cmd.h"
#include "error.h"
#include "follow.h"
#include "out.h"

#include <stdlib.h>
#include <string.h>

struct args {
	const char *file, *output;
	enum tl_follow_method method;
	bool json;
	u64 points;
};

static int draw(const struct tl_follow *follow, const char *output, struct tl_error *err)
{
	struct tl_bytes picture = { 0 };
	int code = tl_follow_plot(follow, &picture, err);

	code = code ? code : tl_out_file(output, &picture, err);
	free(picture.data);
	return code;
}

static int track(const struct args *args)
{
	struct tl_windows windows = { 0 };
	struct tl_follow follow = { 0 };
	int status = TL_EXIT_OK;
	struct tl_error err;
	int code = tl_windows_read(&windows, args->file, &err);

	follow.demand.windows = &windows;
	if (!code && *windows.note)
		tl_out_error("%s", windows.note);
	code = code ? code : tl_follow_make(&follow, &windows, args->method, &err);
	if (!code && args->output)
		code = draw(&follow, args->output, &err);
	if (code)
		status = tl_out_failed(&err);
	else if (args->json)
		status = tl_follow_json(&follow, args->points);
	else
		tl_follow_print(&follow, stdout);
	tl_follow_free(&follow);
	tl_windows_free(&windows);
	return status;
}

static int method_read(const struct tl_cmd *cmd, const char *name, struct args *args)
{
	int i;

	for (i = 0; i < TL_FOLLOW_METHODS; i++)
		if (!strcmp(name, tl_follow_names[i])) {
			args->method = (enum tl_follow_method)i;
			return TL_EXIT_OK;
		}
	return tl_args_usage(cmd, "unknown method \"%s\"", name);
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "method", required_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		{ "points", required_argument, NULL, 'p' },
		TL_WHILE_OPTIONS,
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "m:o:", options)) >= 0) {
		if (option == 'J')
			args.json = true;
		else if (option == 'o')
			args.output = optarg;
		else if (option == 'p' && tl_args_u64("--points", optarg, 1, 1000000, &args.points))
			return TL_EXIT_USAGE;
		else if (option == 'p')
			continue;
		else if (method_read(cmd, optarg, &args))
			return TL_EXIT_USAGE;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (optind == argc)
		return tl_args_usage(cmd, "track needs a recording or a table of figures");
	if (optind + 1 < argc)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 1]);
	args.file = argv[optind];
	return track(&args);
}

const struct tl_cmd tl_cmd_track = {
	.name = "track",
	.args = "FILE [--method M] [-o FILE.svg] [--points N] [--json]",
	.summary = "What each class of requests costs, followed over time",
	.help = "  -m, --method M    filter (the default), paper, sdl or nnls\n"
		"  -o, --output FILE.svg\n"
		"                    draw the demands, their intervals and what changed\n"
		"      --points N    with --json: at most N windows, evenly, the last among them\n"
		TL_WHILE_HELP
		TL_COMMON_HELP
		"FILE is a recording, or a table of figures whose name ends with .csv. filter\n"
		"sees utilisations and the classes' times, paper utilisations alone; sdl knows\n"
		"each window alone, nnls each half hour. --json prints a line a window.\n"
		"\nExample:\n"
		"  tierlens track day.jsonl -o day.svg\n",
	.run = run,
};
