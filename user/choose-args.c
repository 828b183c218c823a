// SPDX-License-Identifier: GPL-2.0-or-later
/* Which functions are to be looked at, on a command line. */
#include "choose-args.h"

#include "choose.h"
#include "cmd.h"
#include "out.h"
#include "table.h"

#include <getopt.h>
#include <stdlib.h>

static int pattern_add(char ***patterns, size_t *n)
{
	char **to = tl_array_append((void **)patterns, n, sizeof(*to));

	if (!to) {
		tl_out_error("out of memory: free some and try again");
		return TL_EXIT_FAILED;
	}
	*to = optarg;
	return TL_EXIT_OK;
}

/**
 * tl_choose_args() - Take a pattern
 * @option: 'f' of functions, 'x' of functions that are not, 'u' of files of the user's own
 * @options: get it
 *
 * Return: exit status so far.
 */
int tl_choose_args(int option, struct tl_choose_options *options)
{
	if (option == 'f')
		return pattern_add(&options->name, &options->names);
	if (option == 'x')
		return pattern_add(&options->not, &options->nots);
	return pattern_add(&options->user, &options->users);
}

void tl_choose_args_free(struct tl_choose_options *options)
{
	free(options->name);
	free(options->not);
	free(options->user);
}
