// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens top: a live table, and what is shown when nothing else is asked for. */
#include "adaptor.h"
#include "cmd.h"
#include "error.h"
#include "feed.h"
#include "out.h"
#include "screen.h"
#include "signals.h"

static void note_waiting(struct tl_screen *screen, const struct tl_feed *feed)
{
	if (!feed->enabled)
		tl_screen_note(screen, "measuring was turned off: tierlens enable");
	else if (!screen->shown && screen->terminal)
		tl_screen_note(screen, "waiting for the first interval to close");
}

static int loop(struct tl_feed *feed, struct tl_screen *screen, u64 n)
{
	struct tl_interval *interval;
	int code, status = TL_EXIT_OK;
	struct tl_error err;
	char gap[120] = "";

	while (!tl_signals_stopped() && (!n || screen->shown < n) &&
	       status == TL_EXIT_OK) {
		if (tl_signals_resized())
			tl_screen_refresh(screen);
		code = tl_feed_next(feed, &interval, &err);
		if (code < 0)
			return tl_out_failed(&err);
		if (!interval) {
			note_waiting(screen, feed);
			tl_screen_look(screen);
			continue;
		}
		/* On a terminal the last gap stays in sight. */
		if (!screen->terminal || feed->gap.missed || feed->gap.off_ns)
			tl_gap_print(gap, sizeof(gap), &feed->gap);
		status = tl_screen_show(screen, interval, feed->gap.missed, gap);
	}
	return status;
}

struct args {
	const char *state;
	enum tl_view view;
	bool json;
	u64 n;
};

static int top(const struct args *args)
{
	struct tl_adaptor adaptor = { .file = args->state };
	struct tl_screen screen;
	struct tl_error err;
	struct tl_feed feed;
	int status;

	if (tl_feed_open(&feed, false, &err))
		return tl_out_failed(&err);
	if (!feed.enabled) {
		tl_feed_close(&feed);
		tl_out_error("measuring is off: tierlens enable");
		return TL_EXIT_FAILED;
	}
	tl_signals_catch();
	tl_screen_open(&screen, args->view, args->json);
	screen.adaptor = &adaptor;
	note_waiting(&screen, &feed);
	status = loop(&feed, &screen, args->n);
	tl_screen_close(&screen);
	tl_adaptor_free(&adaptor);
	tl_feed_close(&feed);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "intervals", required_argument, NULL, 'n' },
		{ "waits", no_argument, NULL, 'w' },
		{ "state", required_argument, NULL, 's' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .state = TL_ADAPTOR_FILE, .view = TL_VIEW_FIGURES };
	int option, status;

	while ((option = tl_args_next(cmd, argc, argv, "n:w", options)) >= 0) {
		if (option == 'J')
			args.json = true;
		else if (option == 'w')
			args.view = TL_VIEW_WAITS;
		else if (option == 's')
			args.state = optarg;
		else if (tl_args_u64("-n", optarg, 1, UINT64_MAX, &args.n))
			return TL_EXIT_USAGE;
	}
	status = tl_args_end(cmd, option, argc, argv);
	if (status != TL_GO_ON)
		return status;
	return top(&args);
}

const struct tl_cmd tl_cmd_top = {
	.name = "top",
	.args = "[-n N] [--waits] [--state FILE] [--json]",
	.summary = "Live table of tiers and classes (the default)",
	.help = "  -n, --intervals N stop after N intervals\n"
		"  -w, --waits       what the response times are made up of instead: waits and\n"
		"                    time on a processor\n"
		"      --state FILE  where tierlensd, if there is one, tells what it is doing\n"
		"                    (" TL_ADAPTOR_FILE ")\n"
		TL_COMMON_HELP
		"Ctrl-C ends it. Columns: requests per second, mean response, own and\n"
		"processor time, quantiles of the response time, share of the own time of all\n"
		"tiers, calls to other tiers per request. --json prints an interval a line.\n"
		"Below them is what tierlensd has decided and found, the newest first.\n"
		"\nExample:\n"
		"  tierlens top -n 10\n",
	.run = run,
};
