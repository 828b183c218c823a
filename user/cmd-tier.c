// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens tier: which ports are tiers, and what they are called. */
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "out.h"
#include "tiers.h"

#include <linux/tierlens.h>
#include <stdlib.h>

struct args {
	u64 port, netns;
	bool json;
};

static int list(struct tl_ctl *ctl, const char *name, const struct args *args,
		struct tl_error *err)
{
	struct tl_tier_info *tiers = NULL;
	int status = TL_EXIT_OK;
	size_t n;

	(void)name;
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
	return args->json ? tl_out_json(json_pack("{s:s}", what, name)) : TL_EXIT_OK;
}

static int add(struct tl_ctl *ctl, const char *name, const struct args *args,
	       struct tl_error *err)
{
	if (tl_ctl_tier_add(ctl, name, (u32)args->port, (u32)args->netns, err))
		return tl_out_failed(err);
	return done(args, "added", name);
}

static int del(struct tl_ctl *ctl, const char *name, const struct args *args,
	       struct tl_error *err)
{
	if (tl_ctl_tier_del(ctl, name, err))
		return tl_out_failed(err);
	return done(args, "deleted", name);
}

static const struct action {
	const char *name;
	bool needs_name, needs_port;
	int (*run)(struct tl_ctl *ctl, const char *name, const struct args *args,
		   struct tl_error *err);
} actions[] = {
	{ .name = "list", .run = list },
	{ .name = "add", .needs_name = true, .needs_port = true, .run = add },
	{ .name = "del", .needs_name = true, .run = del },
};

static int check(const struct tl_cmd *cmd, const struct action *action, const char *name,
		 const struct args *args)
{
	if (action->needs_name && !name)
		return tl_args_usage(cmd, "tier %s needs the name of a tier",
				     action->name);
	if (name && !action->needs_name)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", name);
	if (name && (!*name || strlen(name) > TIERLENS_NAME_MAX))
		return tl_args_usage(cmd, "the name \"%s\" must have 1 to %d bytes", name,
				     TIERLENS_NAME_MAX);
	if (action->needs_port && !args->port)
		return tl_args_usage(cmd, "tier %s needs --port", action->name);
	if (!action->needs_port && (args->port || args->netns))
		return tl_args_usage(cmd, "tier %s takes neither --port nor --netns",
				     action->name);
	return TL_EXIT_OK;
}

static const struct action *action_find(const char *name)
{
	size_t i;

	for (i = 0; name && i < ARRAY_SIZE(actions); i++)
		if (!strcmp(name, actions[i].name))
			return &actions[i];
	return NULL;
}

static int run_action(const struct tl_cmd *cmd, int n, char **words,
		      const struct args *args)
{
	const struct action *action = action_find(n ? words[0] : "list");
	const char *name = n > 1 ? words[1] : NULL;
	struct tl_error err;
	struct tl_ctl *ctl;
	int status;

	if (!action)
		return tl_args_usage(cmd, "tier has no \"%s\", but list, add and del",
				     words[0]);
	if (n > 2)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", words[2]);
	status = check(cmd, action, name, args);
	if (status)
		return status;
	if (tl_ctl_open(&ctl, &err))
		return tl_out_failed(&err);
	status = action->run(ctl, name, args, &err);
	tl_ctl_close(ctl);
	return status;
}

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
	return run_action(cmd, argc - optind, argv + optind, &args);
}

const struct tl_cmd tl_cmd_tier = {
	.name = "tier",
	.args = "list | add NAME --port P [--netns INODE] | del NAME  [--json]",
	.summary = "List the tiers, name the tier of a port, take a name back",
	.help = "  -p, --port P      the port that the tier listens on, 1 to 65535\n"
		"  -n, --netns INODE only in this network namespace (stat -L -c %i\n"
		"                    /proc/PID/ns/net); without it in any\n"
		TL_COMMON_HELP
		"\nExample:\n"
		"  tierlens tier add web --port 8080\n",
	.run = run,
};
