// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlensd: looks at each interval, and looks closer where there is trouble. */
#include "adapt-args.h"
#include "adaptor.h"
#include "cmd.h"
#include "daemon/replay.h"
#include "daemon/service.h"
#include "daemon/study.h"
#include "error.h"
#include "out.h"

#include <gsl/gsl_errno.h>
#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>
#include <tierlens-version.h>

#define LARGE_BYTES (128 << 10) /* of a page or a request: it goes back to the kernel, and no hole stays */

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	struct tl_service service;
	struct tl_error err;
	int status = tl_service_open(&service, cmd, argc, argv);

	if (status == TL_GO_ON && service.settings.replay)
		status = tl_daemon_replay(&service.settings.daemon, service.settings.replay, &err) ? tl_out_failed(&err) : TL_EXIT_OK;
	else if (status == TL_GO_ON)
		status = tl_daemon_loop(&service.settings.daemon, &err) ? tl_out_failed(&err) : TL_EXIT_OK;
	return tl_service_close(&service, status);
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
		"      --replay FILE  tell of a recording or a history instead of the kernel, until it is ended\n"
		"  -c, --config FILE  read options from FILE, as keys without dashes (" TL_CONFIG_DEFAULT ",\n"
		"                     if it is there); those given here win\n"
		"      --check        only say whether all of them are well\n"
		"      --listen ADDRESS:PORT  serve a page, metrics and figures there (" TL_LISTEN_DEFAULT "), or none\n"
		"      --token-file FILE  what those who ask have to know; needed beyond this host\n"
		"      --tls-cert FILE, --tls-key FILE  serve by TLS with this certificate and key\n"
		"      --remote-write URL  send all figures there, by Prometheus' remote write, or none\n"
		"      --remote-write-token-file FILE  what to show there; --remote-write-ca FILE: whose word counts\n"
		"      --remote-write-queue FILE  where they wait (" TL_PUSH_QUEUE_DEFAULT ")\n"
		"      --remote-write-queue-size MB  of the newest (64)\n"
		"      --remote-write-skip GLOB  figures that are not sent; may be given several times\n"
		"      --label NAME=VALUE  of all that is sent; may be given several times\n"
		"      --series N     metrics have at most N series, 1000 to 1000000 (20000)\n"
		"      --hosts        find out how busy the host is, too\n"
		TL_ADAPT_HELP
		"      --function GLOB  look at functions of that name only; may be given several times\n"
		"      --not GLOB     never at those\n"
		"      --user GLOB    also at files of that path, beside the program itself and what tierlens\n"
		"                     origin takes for the user's own\n"
		"      --help         print this\n"
		"It stays in the foreground; SIGTERM ends it, and gives all levels back. If it ends in any\n"
		"other way, the kernel takes them back after three intervals. SIGHUP: the file is read again.\n"
		"\nExample:\n"
		"  tierlensd --budget 0.5% --log /var/log/tierlens.jsonl --history /var/lib/tierlens.db\n",
	.run = run,
};

int main(int argc, char **argv)
{
	struct tl_error err;
	int status;

	/* There are few threads, and none asks for much: what one has given back is of use to the others. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	/* The module tells figures to those who may measure; so do files of ours, whoever starts us. */
	umask(umask(0) | 07);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	gsl_set_error_handler_off();
	if (argc > 1 && !strcmp(argv[1], TL_STUDY_OPTION))
		return tl_study_run(argc, argv);
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
