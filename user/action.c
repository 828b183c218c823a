// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands that list, add and delete what the kernel goes by: tiers, classes. */
#include "action.h"

#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "out.h"

static const struct tl_action *find(const struct tl_action *actions, const char *name)
{
	int i;

	for (i = 0; i < TL_ACTIONS; i++)
		if (!strcmp(name, actions[i].name))
			return &actions[i];
	return NULL;
}

/**
 * tl_action_run() - Find the action that is asked for, and do it
 * @cmd: the command
 * @actions: TL_ACTIONS of them
 * @argc: as given to the command, options read
 * @argv: as given to the command
 * @args: its options
 *
 * Return: exit status.
 */
int tl_action_run(const struct tl_cmd *cmd, const struct tl_action *actions, int argc,
		  char **argv, void *args)
{
	bool named = optind < argc;
	char **words = argv + optind + named;
	int n = argc - optind - named, status;
	const struct tl_action *action;
	struct tl_error err;
	struct tl_ctl *ctl;

	action = named ? find(actions, argv[optind]) : &actions[0];
	if (!action)
		return tl_args_usage(cmd, "%s has no \"%s\", but %s, %s and %s", cmd->name,
				     argv[optind], actions[0].name, actions[1].name,
				     actions[2].name);
	if (n < action->least)
		return tl_args_usage(cmd, "%s %s needs %s", cmd->name, action->name,
				     action->needs);
	if (n > action->most)
		return tl_args_usage(cmd, "unexpected argument \"%s\"",
				     words[action->most]);
	status = action->check(cmd, action, words, args);
	if (status)
		return status;
	if (tl_ctl_open(&ctl, &err))
		return tl_out_failed(&err);
	status = action->run(ctl, words, args, &err);
	tl_ctl_close(ctl);
	return status;
}

/**
 * tl_action_name() - Check a name that the kernel is to keep
 * @cmd: the command
 * @what: what to call it in a sentence
 * @name: the name
 *
 * Return: TL_EXIT_OK, or TL_EXIT_USAGE after a sentence.
 */
int tl_action_name(const struct tl_cmd *cmd, const char *what, const char *name)
{
	if (*name && strlen(name) <= TIERLENS_NAME_MAX)
		return TL_EXIT_OK;
	return tl_args_usage(cmd, "%s \"%s\" must have 1 to %d bytes", what, name,
			     TIERLENS_NAME_MAX);
}
