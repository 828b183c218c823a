// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of the commands, and one sentence for each way to get them wrong. */
#include "cmd.h"
#include "out.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static void help_print(const struct tl_cmd *cmd)
{
	printf("usage: %s%s%s%s\n\n%s.\n\n%s", cmd->alone ? "" : "tierlens ", cmd->name,
	       *cmd->args ? " " : "", cmd->args, cmd->summary, cmd->help);
}

/**
 * tl_args_usage() - Say what is wrong with the arguments
 * @cmd: the command
 * @fmt: printf format of what is wrong
 *
 * Return: the exit status for wrong usage.
 */
int tl_args_usage(const struct tl_cmd *cmd, const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	tl_out_error("%s: see %s%s --help", what, cmd->alone ? "" : "tierlens ", cmd->name);
	return TL_EXIT_USAGE;
}

/**
 * tl_args_next() - Next option of a command line
 * @cmd: the command
 * @argc: as given to it
 * @argv: as given to it
 * @shorts: short options for getopt
 * @options: long options, TL_COMMON_OPTIONS at the end
 *
 * Return: the option's character or an enum tl_args; for less than TL_ARGS_END the
 * help or a sentence has been printed and tl_args_status() has the exit status.
 */
int tl_args_next(const struct tl_cmd *cmd, int argc, char **argv, const char *shorts,
		 const struct option *options)
{
	char with_colon[64];
	int option;

	opterr = 0;
	/* With a colon in front getopt tells missing values from unknown options. */
	snprintf(with_colon, sizeof(with_colon), ":h%s", shorts);
	option = getopt_long(argc, argv, with_colon, options, NULL);
	if (option == 'h') {
		help_print(cmd);
		return TL_ARGS_HELP;
	}
	if (option == ':') {
		tl_args_usage(cmd, "option %s needs a value", argv[optind - 1]);
		return TL_ARGS_BAD;
	}
	if (option != '?')
		return option;
	if (optopt && argv[optind - 1][1] != '-')
		tl_args_usage(cmd, "unknown option -%c", optopt);
	else
		tl_args_usage(cmd, "unknown option %s", argv[optind - 1]);
	return TL_ARGS_BAD;
}

/**
 * tl_args_status() - Exit status after tl_args_next() ended the command
 * @end: what it returned
 *
 * Return: exit status.
 */
int tl_args_status(int end)
{
	return end == TL_ARGS_HELP ? TL_EXIT_OK : TL_EXIT_USAGE;
}

static int none_left(const struct tl_cmd *cmd, int argc, char **argv)
{
	if (optind >= argc)
		return TL_EXIT_OK;
	return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind]);
}

/**
 * tl_args_end() - After the last option of a command that takes no argument
 * @cmd: the command
 * @option: what tl_args_next() returned last
 * @argc: as given to it
 * @argv: as given to it
 *
 * Return: TL_GO_ON, or the exit status after a sentence or the help.
 */
int tl_args_end(const struct tl_cmd *cmd, int option, int argc, char **argv)
{
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	return none_left(cmd, argc, argv) ? TL_EXIT_USAGE : TL_GO_ON;
}

/**
 * tl_args_recording() - After the last option of a command that takes a recording
 * @cmd: the command
 * @option: what tl_args_next() returned last
 * @argc: as given to it
 * @argv: as given to it
 * @file: set to the recording's name
 *
 * Return: TL_GO_ON, or the exit status after a sentence or the help.
 */
int tl_args_recording(const struct tl_cmd *cmd, int option, int argc, char **argv,
		      const char **file)
{
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (optind >= argc)
		return tl_args_usage(cmd, "%s needs a recording", cmd->name);
	*file = argv[optind++];
	return none_left(cmd, argc, argv) ? TL_EXIT_USAGE : TL_GO_ON;
}

/**
 * tl_args_json() - Read the command line of a command that has no options of its own
 * @cmd: the command
 * @argc: as given to it
 * @argv: as given to it
 * @json: set to whether --json is there
 *
 * Return: TL_GO_ON, or the exit status after a sentence or the help.
 */
int tl_args_json(const struct tl_cmd *cmd, int argc, char **argv, bool *json)
{
	static const struct option options[] = { TL_COMMON_OPTIONS };
	int option;

	*json = false;
	while ((option = tl_args_next(cmd, argc, argv, "", options)) >= 0)
		*json = true;
	return tl_args_end(cmd, option, argc, argv);
}

/**
 * tl_args_u64() - Read a whole number
 * @what: what to call it in a sentence
 * @text: decimal digits, nothing else
 * @low: least allowed
 * @high: most allowed
 * @value: set to the number
 *
 * Return: TL_EXIT_OK, or TL_EXIT_USAGE after a sentence.
 */
int tl_args_u64(const char *what, const char *text, u64 low, u64 high, u64 *value)
{
	char *end = NULL;

	errno = 0;
	if (isdigit((unsigned char)*text))
		*value = strtoull(text, &end, 10);
	if (!end || *end)
		tl_out_error("%s \"%s\" is not a whole number: give one from %" PRIu64
			     " to %" PRIu64, what, text, low, high);
	else if (errno || *value < low || *value > high)
		tl_out_error("%s %s is out of range: give one from %" PRIu64
			     " to %" PRIu64,
			     what, text, low, high);
	else
		return TL_EXIT_OK;
	return TL_EXIT_USAGE;
}

/**
 * tl_args_number() - Read a number that may have decimals
 * @what: what to call it in a sentence
 * @text: decimal number
 * @low: least allowed; the most is 1e9
 * @value: set to the number
 *
 * Return: TL_EXIT_OK, or TL_EXIT_USAGE after a sentence.
 */
int tl_args_number(const char *what, const char *text, double low, double *value)
{
	char *end = NULL;

	if (isdigit((unsigned char)*text) || *text == '.')
		*value = strtod(text, &end);
	if (end && end != text && !*end && *value >= low && *value <= 1e9)
		return TL_EXIT_OK;
	tl_out_error("%s \"%s\" is not a number from %g to 1e9: give one such as 2.5",
		     what, text, low);
	return TL_EXIT_USAGE;
}

/**
 * tl_args_part() - Read a part of something
 * @cmd: the command
 * @what: what to call it in a sentence
 * @text: decimal number from 0 to 1
 * @value: set to the number
 *
 * Return: TL_EXIT_OK, or TL_EXIT_USAGE after a sentence.
 */
int tl_args_part(const struct tl_cmd *cmd, const char *what, const char *text, double *value)
{
	int status = tl_args_number(what, text, 0, value);

	if (!status && *value > 1)
		return tl_args_usage(cmd, "%s %s is above 1, 0.01 is one percent", what, text);
	return status;
}
