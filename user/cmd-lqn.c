// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens lqn: layered queueing networks from files. */
#include "cmd.h"
#include "error.h"
#include "lqn-out.h"
#include "lqn-read.h"
#include "model/lqn.h"
#include "out.h"

#include <string.h>

struct args {
	const struct tl_cmd *cmd;
	const char *file;
	bool json;
};

static int check(const struct args *args)
{
	struct tl_faults faults = { 0 };
	struct tl_lqn lqn = { 0 };
	struct tl_error err;
	int status;
	int code = tl_lqn_read(&lqn, args->file, &faults, &err);

	if (code && !faults.faults)
		status = tl_out_failed(&err);
	else if (args->json)
		status = tl_out_json(tl_lqn_check_json(&lqn, &faults));
	else
		status = tl_lqn_check_print(&lqn, &faults, stdout);
	if (faults.faults)
		status = TL_EXIT_FAILED;
	tl_faults_free(&faults);
	tl_lqn_free(&lqn);
	return status;
}

static const struct {
	const char *name;
	int (*run)(const struct args *args);
} words[] = {
	{ "check", check },
};

static int run_word(struct args *args, int argc, char **argv)
{
	size_t i;

	if (!argc)
		return tl_args_usage(args->cmd, "lqn needs check");
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(argv[0], words[i].name))
			break;
	if (i == ARRAY_SIZE(words))
		return tl_args_usage(args->cmd, "lqn has no \"%s\"", argv[0]);
	if (argc < 2)
		return tl_args_usage(args->cmd, "lqn %s needs a model", argv[0]);
	if (argc > 2)
		return tl_args_usage(args->cmd, "unexpected argument \"%s\"", argv[2]);
	args->file = argv[1];
	return words[i].run(args);
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = { TL_COMMON_OPTIONS };
	struct args args = { .cmd = cmd };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "", options)) >= 0)
		args.json = true;
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	return run_word(&args, argc - optind, argv + optind);
}

const struct tl_cmd tl_cmd_lqn = {
	.name = "lqn",
	.args = "check FILE [--json]",
	.summary = "Layered queueing networks: what a model says",
	.help = TL_COMMON_HELP
		"FILE is a model in the LQN text format (.lqn, .in, .xlqn) or in LQNX (.lqnx, .xml).\n"
		"check tells what it is, and all that is wrong with it.\n"
		"\nExample:\n"
		"  tierlens lqn check shop.lqn\n",
	.run = run,
};
