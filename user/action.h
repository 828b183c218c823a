/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ACTION_H
#define TL_ACTION_H

#include <stddef.h>

struct tl_cmd;
struct tl_ctl;
struct tl_error;

/**
 * struct tl_action - What a command with words of its own does: list, add, del
 * @name: the word
 * @needs: what the words behind it are, for a sentence if one is missing
 * @least: how many words must follow
 * @most: how many may
 * @check: looks at words and options before the kernel is asked. Returns the exit status
 * @run: does it. Returns the exit status
 */
struct tl_action {
	const char *name, *needs;
	int least, most;
	int (*check)(const struct tl_cmd *cmd, const struct tl_action *action,
		     char **words, void *args);
	int (*run)(struct tl_ctl *ctl, char **words, void *args, struct tl_error *err);
};

/* list, add, del: the first is meant if there is no word. */
#define TL_ACTIONS 3

int tl_action_run(const struct tl_cmd *cmd, const struct tl_action *actions, int argc,
		  char **argv, void *args);
int tl_action_name(const struct tl_cmd *cmd, const char *what, const char *name);

#endif
