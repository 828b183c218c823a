// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of the adaptor, of the command and the daemon alike. */
#include "adapt-args.h"

#include "cmd.h"
#include "model/adapt.h"

#include <linux/tierlens.h>
#include <stdlib.h>

/* "1%" or "0.01" */
static int part_read(const struct tl_cmd *cmd, const char *what, const char *text, double most, double *value)
{
	char *end = NULL;
	double read = strtod(text, &end);

	if (end != text && *end == '%' && !end[1])
		read /= 100;
	else if (end == text || *end)
		return tl_args_usage(cmd, "%s \"%s\" is not a part: give one such as 1%% or 0.01", what, text);
	if (!(read > 0) || !(read <= most))
		return tl_args_usage(cmd, "%s %s is out of range: give more than 0, and at most %g%%", what, text,
				     100 * most);
	*value = read;
	return TL_EXIT_OK;
}

/**
 * tl_adapt_args() - Take an option of the adaptor
 * @cmd: the command
 * @option: one of TL_ADAPT_OPTIONS; its argument is in optarg
 * @options: changed
 *
 * Return: TL_EXIT_OK, or TL_EXIT_USAGE after a sentence.
 */
int tl_adapt_args(const struct tl_cmd *cmd, int option, struct tl_adapt_options *options)
{
	int status;
	u64 n = 0;

	switch (option) {
	case 'B':
		return part_read(cmd, "--budget", optarg, 1, &options->budget);
	case 'E':
		return part_read(cmd, "--effect", optarg, 100, &options->evidence.effect);
	case 'T':
		return tl_args_number("--timeout", optarg, 1e-6, &options->evidence.timeout_s);
	case 'Q':
		status = tl_args_u64("--quiet", optarg, 1, 60, &n);
		options->evidence.quiet = (unsigned int)n;
		return status;
	case 'F':
		status = tl_args_u64("--functions", optarg, 1, TIERLENS_FUNCTIONS_MAX, &n);
		options->functions = (size_t)n;
		return status;
	default:
		options->resting = tl_at_read(optarg);
		if (options->resting == TL_AT_TRACE || options->resting == TL_AT_SERVER)
			return TL_EXIT_OK;
		return tl_args_usage(cmd, "--resting \"%s\" is neither server nor trace", optarg);
	}
}
