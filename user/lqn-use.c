// SPDX-License-Identifier: GPL-2.0-or-later
/* A command that needs a layered queueing network without a fault. */
#include "lqn-use.h"

#include "cmd.h"
#include "error.h"
#include "lqn-out.h"
#include "lqn-read.h"
#include "lqn-set.h"
#include "model/lqn.h"
#include "out.h"

/**
 * tl_lqn_what_if_add() - Keep a change for when the network has been read
 * @what_if: where
 * @cmd: the command
 * @change: the option's value
 *
 * Return: TL_EXIT_OK, or TL_EXIT_USAGE after a sentence.
 */
int tl_lqn_what_if_add(struct tl_lqn_what_if *what_if, const struct tl_cmd *cmd,
		       const char *change)
{
	if (what_if->n == TL_LQN_CHANGES_MAX)
		return tl_args_usage(cmd, "--set: more than %d of them", TL_LQN_CHANGES_MAX);
	what_if->change[what_if->n++] = change;
	return TL_EXIT_OK;
}

/**
 * tl_lqn_use() - read a model, and do with it what a command does
 * @file: the model, text or XML
 * @what_if: changes of it
 * @json: the answer holds the reader's notes; else they are printed here
 * @use: what is done; its status is that of the command
 * @arg: handed to @use
 *
 * Return: the exit status of @use, or TL_EXIT_FAILED with the reason printed.
 */
int tl_lqn_use(const char *file, const struct tl_lqn_what_if *what_if, bool json,
	       int (*use)(const void *arg, struct tl_lqn *lqn, const struct tl_faults *faults),
	       const void *arg)
{
	struct tl_faults faults = { 0 };
	struct tl_lqn lqn = { 0 };
	struct tl_error err;
	int status;

	if (tl_lqn_read(&lqn, file, &faults, &err) ||
	    tl_lqn_set(&lqn, file, what_if->change, what_if->n, &err)) {
		status = tl_out_failed(&err);
	} else {
		if (!json)
			tl_lqn_notes_print(&faults);
		status = use(arg, &lqn, &faults);
	}
	tl_faults_free(&faults);
	tl_lqn_free(&lqn);
	return status;
}
