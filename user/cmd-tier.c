// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens tier: which ports and sockets are tiers, and what they are called. */
#include "action.h"
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "out.h"
#include "tiers.h"

#include <stdlib.h>

struct args {
	u64 port, netns;
	const char *path;
	bool json;
};

static int list(struct tl_ctl *ctl, char **words, void *arg, struct tl_error *err)
{
	struct tl_tier_info *tiers = NULL;
	const struct args *args = arg;
	int status = TL_EXIT_OK;
	size_t n;

	(void)words;
	if (tl_ctl_tiers(ctl, &tiers, &n, err))
		status = tl_out_failed(err);
	else if (args->json)
		status = tl_out_json(json_pack("{s:o}", "tiers", tl_tiers_json(tiers, n)));
	else
		tl_tiers_print(tiers, n);
	free(tiers);
	return status;
}

static int done(const struct args *args, const char *what, const char *name)
{
	return args->json ? tl_out_json(json_pack("{s:o}", what, tl_out_name(name))) : TL_EXIT_OK;
}

static int add(struct tl_ctl *ctl, char **words, void *arg, struct tl_error *err)
{
	const struct args *args = arg;

	if (tl_ctl_tier_add(ctl, words[0], (u32)args->port, args->path, (u32)args->netns,
			    err))
		return tl_out_failed(err);
	return done(args, "added", words[0]);
}

static int del(struct tl_ctl *ctl, char **words, void *arg, struct tl_error *err)
{
	if (tl_ctl_tier_del(ctl, words[0], err))
		return tl_out_failed(err);
	return done(arg, "deleted", words[0]);
}

static int check_path(const struct tl_cmd *cmd, const char *path)
{
	if (*path != '/' && *path != '@')
		return tl_args_usage(cmd, "the socket \"%s\" must begin with / or, if it "
				     "is abstract, with @", path);
	if (!path[1] || strlen(path) > TIERLENS_SUN_PATH_MAX)
		return tl_args_usage(cmd, "the path of a socket must have 2 to %d bytes",
				     TIERLENS_SUN_PATH_MAX);
	return TL_EXIT_OK;
}

static int check_add(const struct tl_cmd *cmd, const struct tl_action *action,
		     char **words, void *arg)
{
	struct args *args = arg;

	(void)action;
	if (tl_action_name(cmd, "the name", words[0]))
		return TL_EXIT_USAGE;
	args->path = words[1];
	if (!args->path && !args->port)
		return tl_args_usage(cmd, "tier add needs --port or the path of a socket");
	if (args->path && args->port)
		return tl_args_usage(cmd, "tier add takes --port or \"%s\", not both",
				     args->path);
	return args->path ? check_path(cmd, args->path) : TL_EXIT_OK;
}

static int check_others(const struct tl_cmd *cmd, const struct tl_action *action,
			char **words, void *arg)
{
	const struct args *args = arg;

	if (args->port || args->netns)
		return tl_args_usage(cmd, "tier %s takes neither --port nor --netns",
				     action->name);
	return action->least ? tl_action_name(cmd, "the name", words[0]) : TL_EXIT_OK;
}

static const struct tl_action actions[TL_ACTIONS] = {
	{ .name = "list", .check = check_others, .run = list },
	{ "add", "the name of a tier", 1, 2, check_add, add },
	{ "del", "the name of a tier", 1, 1, check_others, del },
};

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "netns", required_argument, NULL, 'n' },
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option, status = TL_EXIT_OK;

	while ((option = tl_args_next(cmd, argc, argv, "p:n:", options)) >= 0) {
		if (option == 'p')
			status = tl_args_u64("--port", optarg, 1, TIERLENS_PORT_MAX,
					     &args.port);
		else if (option == 'n')
			status = tl_args_u64("--netns", optarg, 1, UINT32_MAX,
					     &args.netns);
		else
			args.json = true;
		if (status)
			return status;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	return tl_action_run(cmd, actions, argc, argv, &args);
}

const struct tl_cmd tl_cmd_tier = {
	.name = "tier",
	.args = "list | add NAME --port P|PATH [--netns INODE] | del NAME  [--json]",
	.summary = "List the tiers, name the tier of a port or socket, take a name back",
	.help = "  -p, --port P      the port that the tier listens on, 1 to 65535\n"
		"  -n, --netns INODE only in this network namespace (stat -L -c %i\n"
		"                    /proc/PID/ns/net); without it in any\n"
		TL_COMMON_HELP
		"PATH is that of a UNIX socket, /run/php.sock; @ begins an abstract name.\n"
		"\nExample:\n"
		"  tierlens tier add web --port 8080\n",
	.run = run,
};
