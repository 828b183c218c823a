// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens demand: what each kind of request costs, and how sure that is. */
#include "cmd.h"
#include "demand.h"
#include "error.h"
#include "out.h"
#include "windows.h"

#include <string.h>

struct args {
	const char *word, *file;
	enum tl_method method;
	bool json;
};

static int fit(const struct args *args)
{
	struct tl_demand demand = { 0 };
	struct tl_windows windows;
	int status = TL_EXIT_OK;
	struct tl_error err;
	int code;

	code = tl_windows_read(&windows, args->file, &err);
	if (!code && *windows.note)
		tl_out_error("%s", windows.note);
	code = code ? code : tl_demand_fit(&demand, &windows, args->method, &err);
	if (code)
		status = tl_out_failed(&err);
	else if (args->json)
		status = tl_out_json(tl_demand_json(&demand));
	else
		tl_demand_print(&demand, stdout);
	tl_demand_free(&demand);
	tl_windows_free(&windows);
	return status;
}

static int method_read(const struct tl_cmd *cmd, const char *name, enum tl_method *method)
{
	int i;

	for (i = 0; i < TL_METHODS; i++)
		if (!strcmp(name, tl_method_names[i])) {
			*method = (enum tl_method)i;
			return TL_EXIT_OK;
		}
	return tl_args_usage(cmd, "unknown method \"%s\"", name);
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "method", required_argument, NULL, 'm' },
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "m:", options)) >= 0) {
		if (option == 'J')
			args.json = true;
		else if (method_read(cmd, optarg, &args.method))
			return TL_EXIT_USAGE;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (optind >= argc)
		return tl_args_usage(cmd, "demand needs to be told what to do: fit");
	args.word = argv[optind++];
	if (strcmp(args.word, "fit"))
		return tl_args_usage(cmd, "demand has no \"%s\"", args.word);
	option = tl_args_recording(cmd, option, argc, argv, &args.file);
	return option == TL_GO_ON ? fit(&args) : option;
}

const struct tl_cmd tl_cmd_demand = {
	.name = "demand",
	.args = "fit FILE [--method M] [--json]",
	.summary = "What each class of requests costs at each tier and resource",
	.help = "  -m, --method M    auto (the default), ols, nnls, sdl\n"
		TL_COMMON_HELP
		"FILE is a recording, or a table of figures whose name ends with .csv.\n"
		"\nExample:\n"
		"  tierlens demand fit evening.jsonl\n",
	.run = run,
};
