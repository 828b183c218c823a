// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlensd: looks at each interval, and looks closer where there is trouble. */
#include "adapt-args.h"
#include "adaptor.h"
#include "cmd.h"
#include "choose-args.h"
#include "daemon/history.h"
#include "daemon/log.h"
#include "daemon/loop.h"
#include "error.h"
#include "origin.h"
#include "out.h"
#include "table.h"

#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdlib.h>
#include <tierlens-version.h>

#define INTERVAL_MS_LEAST 100
#define HISTORY_MB_MOST 1000000

struct args {
	struct tl_daemon daemon;
	const char *log, *history;
	struct tl_history_limits limits;
};

static int take(const struct tl_cmd *cmd, int option, struct args *args)
{
	u64 ms = 0, mb = 0;
	int status;

	switch (option) {
	case 'i':
		status = tl_args_u64("--interval", optarg, INTERVAL_MS_LEAST, TL_DAEMON_INTERVAL_MS_MOST, &ms);
		args->daemon.interval_ms = (u32)ms;
		return status;
	case 'n':
		return tl_args_u64("-n", optarg, 1, UINT64_MAX, &args->daemon.n);
	case 'l':
		args->log = optarg;
		return TL_EXIT_OK;
	case 's':
		args->daemon.state = optarg;
		return TL_EXIT_OK;
	case 'H':
		args->history = optarg;
		return TL_EXIT_OK;
	case 'S':
		status = tl_args_u64("--history-size", optarg, TL_HISTORY_MB_LEAST, HISTORY_MB_MOST, &mb);
		args->limits.bytes = mb * 1000000;
		return status;
	case 'f':
	case 'x':
	case 'u':
		return tl_choose_args(option, &args->daemon.choose);
	default:
		return tl_adapt_args(cmd, option, &args->daemon.adapt);
	}
}

static int serve(struct args *args)
{
	struct tl_origin origin = { .sure = TL_ORIGIN_SURE };
	struct tl_error err;
	struct tl_log log;
	int status = TL_EXIT_OK;

	if (args->history && tl_history_open(&args->daemon.history, args->history, &args->limits, &err))
		return tl_out_failed(&err);
	if (tl_log_open(&log, args->log, &err)) {
		tl_history_close(args->daemon.history);
		return tl_out_failed(&err);
	}
	log.history = args->daemon.history;
	args->daemon.log = &log;
	if (tl_origin_open(&origin, NULL, "", &err))
		tl_log_text(&log, 0, "note", NULL, NULL, err.text);
	else
		args->daemon.choose.origin = &origin;
	if (tl_daemon_loop(&args->daemon, &err))
		status = tl_out_failed(&err);
	if (tl_log_close(&log, &err) && status == TL_EXIT_OK)
		status = tl_out_failed(&err);
	tl_history_close(args->daemon.history);
	tl_origin_close(&origin);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "intervals", required_argument, NULL, 'n' },
		{ "log", required_argument, NULL, 'l' },
		{ "state", required_argument, NULL, 's' },
		{ "history", required_argument, NULL, 'H' },
		{ "history-size", required_argument, NULL, 'S' },
		{ "function", required_argument, NULL, 'f' },
		{ "not", required_argument, NULL, 'x' },
		{ "user", required_argument, NULL, 'u' },
		TL_ADAPT_OPTIONS,
		{ "help", no_argument, NULL, 'h' }, { 0 }
	};
	struct args args = { .daemon.state = TL_ADAPTOR_FILE, .limits = tl_history_limits };
	int option, status = TL_EXIT_OK;

	tl_adapt_defaults(&args.daemon.adapt);
	while (!status && (option = tl_args_next(cmd, argc, argv, "n:l:", options)) >= 0)
		status = take(cmd, option, &args);
	if (!status)
		status = tl_args_end(cmd, option, argc, argv);
	if (status == TL_GO_ON)
		status = serve(&args);
	tl_choose_args_free(&args.daemon.choose);
	return status;
}

static const struct tl_cmd tierlensd = {
	.name = "tierlensd",
	.alone = true,
	.args = "[OPTIONS]",
	.summary = "Look at each interval, and closer where there is trouble",
	.help = "      --interval MS  length of an interval; without it, as it is\n"
		"  -n, --intervals N  end after N intervals\n"
		"  -l, --log FILE     append decisions to FILE, one a line, instead of printing them\n"
		"      --state FILE   keep a file that tells what it is doing now, for tierlens top\n"
		"                     (" TL_ADAPTOR_FILE ")\n"
		"      --history FILE  keep all intervals and decisions in FILE: the last hours as they were,\n"
		"                     then minutes, hours and days; tierlens replay, report, ... read it\n"
		"      --history-size MB  how large it may become (190)\n"
		TL_ADAPT_HELP
		"      --function GLOB  look at functions of that name only; may be given several times\n"
		"      --not GLOB     never at those\n"
		"      --user GLOB    also at files of that path, beside the program itself and what tierlens\n"
		"                     origin takes for the user's own\n"
		"      --help         print this\n"
		"It stays in the foreground; SIGTERM ends it, and gives all levels back. If it ends in any\n"
		"other way, the kernel takes them back after three intervals.\n"
		"\nExample:\n"
		"  tierlensd --budget 0.5% --log /var/log/tierlens.jsonl --history /var/lib/tierlens.db\n",
	.run = run,
};

int main(int argc, char **argv)
{
	struct tl_error err;
	int status;

	signal(SIGPIPE, SIG_IGN);
	gsl_set_error_handler_off();
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("tierlensd " TIERLENS_VERSION);
		status = TL_EXIT_OK;
	} else {
		status = tierlensd.run(&tierlensd, argc, argv);
	}
	if (tl_out_close(stdout, "standard output", &err) && status == TL_EXIT_OK)
		status = tl_out_failed(&err);
	return status;
}
