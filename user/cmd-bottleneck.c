// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens bottleneck: what holds a layered queueing network back. */
#include "bottleneck-out.h"
#include "cmd.h"
#include "error.h"
#include "lqn-out.h"
#include "lqn-use.h"
#include "model/bottleneck.h"
#include "model/lqn.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>

struct args {
	const struct tl_cmd *cmd;
	const char *file;
	bool json;
	struct tl_lqn_what_if what_if;
};

static int find(const void *arg, struct tl_lqn *lqn, const struct tl_faults *faults)
{
	const struct args *args = arg;
	struct tl_bottleneck_out out = { 0 };
	struct tl_error err;
	int status, code = tl_bottleneck(lqn, &out);

	if (code == -ENOMEM)
		tl_error_no_memory(&err);
	else if (code)
		tl_error_set(&err, code, "%s: the solver has no answer with so many customers: "
			     "give less of them (--set NAME.users=N)", args->file);
	if (code)
		status = tl_out_failed(&err);
	else if (args->json)
		status = tl_out_json(tl_bottleneck_json(lqn, &out, faults));
	else
		status = TL_EXIT_OK;
	if (!code && !args->json)
		tl_bottleneck_print(lqn, &out, stdout);
	tl_bottleneck_free(&out);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "set", required_argument, NULL, 's' },
		TL_COMMON_OPTIONS
	};
	static struct args args;
	int option;

	args = (struct args){ .cmd = cmd };
	while ((option = tl_args_next(cmd, argc, argv, "", options)) >= 0) {
		if (option == 'J')
			args.json = true;
		else if (tl_lqn_what_if_add(&args.what_if, cmd, optarg))
			return TL_EXIT_USAGE;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (optind >= argc)
		return tl_args_usage(cmd, "bottleneck needs a model");
	if (optind + 1 < argc)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 1]);
	args.file = argv[optind];
	return tl_lqn_use(args.file, &args.what_if, args.json, find, &args);
}

const struct tl_cmd tl_cmd_bottleneck = {
	.name = "bottleneck",
	.args = "FILE [--set CHANGE]... [--json]",
	.summary = "Which processor or pool of threads holds a model back, and which is next",
	.help = "  --set CHANGE      what if: App.threads=20, db.demand*=0.7; threads of a task,\n"
		"                    users or think of a reference task, servers or speed of a\n"
		"                    processor, arrivals of an entry, demand of any\n"
		TL_COMMON_HELP
		"FILE is a layered queueing network as of tierlens lqn. The bottleneck is that of which\n"
		"twice as many gain most; next is what it is when that has become enough. Shown are\n"
		"also who waits where, by layers, and the laws that the solution fulfils.\n"
		"\nExample:\n"
		"  tierlens bottleneck shop.lqn\n"
		"  tierlens bottleneck shop.lqn --set Users.users=500 --set Db.threads=20\n",
	.run = run,
};
