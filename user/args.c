// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of the commands, and one sentence for each way to get them wrong. */
#include "cmd.h"
#include "fleet/fleet.h"
#include "fleet/prom.h"
#include "out.h"
#include "recording.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

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

static int url_read(const char *url)
{
	tl_fleet_settings.url = url;
	if (tl_prom_is_url(url))
		return TL_EXIT_OK;
	tl_out_error("--prometheus \"%s\" is no URL: give one such as http://host:9090", url);
	return TL_EXIT_USAGE;
}

/* Where figures come from, and of which time. */
static int source_read(int option)
{
	struct tl_fleet_settings *store = &tl_fleet_settings;

	switch (option) {
	case TL_ARGS_FROM:
		return tl_args_time("--from", optarg, &tl_recording_while.from_ns);
	case TL_ARGS_TO:
		return tl_args_time("--to", optarg, &tl_recording_while.to_ns);
	case TL_ARGS_STEP:
		return tl_args_u64("--step", optarg, 1, 86400, &store->step_s);
	case TL_ARGS_PROMETHEUS:
		return url_read(optarg);
	case TL_ARGS_SELECTOR:
		store->selector = optarg;
		return TL_EXIT_OK;
	case TL_ARGS_TOKEN:
		store->token_file = optarg;
		return TL_EXIT_OK;
	case TL_ARGS_CA:
		store->ca = optarg;
		return TL_EXIT_OK;
	default:
		store->host_label = optarg;
		return TL_EXIT_OK;
	}
}

/* A store is one more file, behind the others: its place was that of its option, which is not needed any more. */
static void store_is_file(int argc, char **argv)
{
	int at = optind - 1;

	if (!tl_fleet_settings.url || at < 1)
		return;
	for (; at + 1 < argc; at++)
		argv[at] = argv[at + 1];
	argv[argc - 1] = (char *)tl_fleet_settings.url;
	tl_fleet_settings.url = NULL;
	optind--;
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
	do {
		option = getopt_long(argc, argv, with_colon, options, NULL);
		if (option >= TL_ARGS_FROM && source_read(option))
			return TL_ARGS_BAD;
	} while (option >= TL_ARGS_FROM);
	if (option == -1)
		store_is_file(argc, argv);
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

/* Seconds, minutes, hours or days before now. */
static bool ago(const char *text, time_t now, double *t_s)
{
	static const char units[] = "smhd";
	static const double seconds[] = { 1, 60, 3600, 86400 };
	char *end;
	double n = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (*text != '-' || !unit || end[1] || !(n >= -1e6))
		return false;
	*t_s = (double)now + n * seconds[unit - units];
	return true;
}

/* Local time; without a day, of today. */
static bool local(const char *text, time_t now, double *t_s)
{
	static const char *const forms[] = { "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M",
					     "%Y-%m-%d", "%H:%M:%S", "%H:%M" };
	struct tm today, tm;
	const char *end;
	size_t i;

	localtime_r(&now, &today);
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		tm = today;
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		end = strptime(text, forms[i], &tm);
		if (!end || *end)
			continue;
		tm.tm_isdst = -1;
		*t_s = (double)mktime(&tm);
		return true;
	}
	return false;
}

/**
 * tl_args_time() - Read a time
 * @what: what to call it in a sentence
 * @text: local time, seconds since the epoch, or how long ago
 * @ns: set to it, since the epoch
 *
 * Return: TL_EXIT_OK, or TL_EXIT_USAGE after a sentence.
 */
int tl_args_time(const char *what, const char *text, u64 *ns)
{
	time_t now = time(NULL);
	char *end = NULL;
	double t_s = 0;

	if (!ago(text, now, &t_s) && !local(text, now, &t_s) && isdigit((unsigned char)*text))
		t_s = strtod(text, &end);
	if ((!end || !*end) && t_s >= 1 && t_s < 9e9) {
		*ns = (u64)llround(t_s * 1e9);
		return TL_EXIT_OK;
	}
	tl_out_error("%s \"%s\" is no time: give one such as \"2026-05-01 18:00\", 18:00 or -2h", what, text);
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
