// SPDX-License-Identifier: GPL-2.0-or-later
/* A command that needs a layered queueing network without a fault. */
#include "lqn-use.h"

#include "error.h"
#include "lqn-out.h"
#include "lqn-read.h"
#include "model/lqn.h"
#include "out.h"

/**
 * tl_lqn_use() - read a model, and do with it what a command does
 * @file: the model, text or XML
 * @json: the answer holds the reader's notes; else they are printed here
 * @use: what is done; its status is that of the command
 * @arg: handed to @use
 *
 * Return: the exit status of @use, or TL_EXIT_FAILED with the reason printed.
 */
int tl_lqn_use(const char *file, bool json,
	       int (*use)(const void *arg, struct tl_lqn *lqn, const struct tl_faults *faults),
	       const void *arg)
{
	struct tl_faults faults = { 0 };
	struct tl_lqn lqn = { 0 };
	struct tl_error err;
	int status;

	if (tl_lqn_read(&lqn, file, &faults, &err)) {
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
