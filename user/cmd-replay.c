// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens replay: a recording through top's display. */
#include "cmd.h"
#include "error.h"
#include "gap.h"
#include "out.h"
#include "recording.h"
#include "screen.h"
#include "signals.h"
#include "table.h"

/* The pace of the recording; a gap in it is told, not waited for. */
static void pace(struct tl_screen *screen, const struct tl_interval *next, double speed)
{
	const struct tl_interval *last = screen->last;
	double left;

	if (!last || speed <= 0 || next->start_ns <= last->start_ns)
		return;
	left = tl_ns_to_s(min(next->start_ns - last->start_ns, next->length_ns)) / speed;
	for (; left > 0 && !tl_signals_stopped(); left -= 0.1) {
		tl_signals_sleep(min(left, 0.1));
		if (tl_signals_resized())
			tl_screen_refresh(screen);
	}
}

static int loop(struct tl_recording *recording, struct tl_screen *screen, double speed)
{
	struct tl_gap gap = { 0 };
	int code, status = TL_EXIT_OK;
	struct tl_interval *interval;
	struct tl_error err;
	char text[120];

	while (!tl_signals_stopped() && status == TL_EXIT_OK) {
		code = tl_recording_next(recording, &interval, &err);
		if (code < 0)
			return tl_out_failed(&err);
		if (!interval)
			break;
		pace(screen, interval, speed);
		tl_gap_look(&gap, interval);
		tl_gap_print(text, sizeof(text), &gap);
		status = tl_screen_show(screen, interval, gap.missed, text);
	}
	return status;
}

static int replay(const char *file, double speed, enum tl_view view, bool json)
{
	struct tl_recording *recording;
	struct tl_screen screen;
	struct tl_error err;
	int status;

	if (tl_recording_open(&recording, file, &err))
		return tl_out_failed(&err);
	tl_signals_catch();
	tl_screen_open(&screen, view, json);
	status = loop(recording, &screen, speed);
	tl_screen_close(&screen);
	if (tl_recording_warning(recording))
		tl_out_error("%s", tl_recording_warning(recording));
	tl_recording_close(recording);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "speed", required_argument, NULL, 's' },
		{ "waits", no_argument, NULL, 'w' },
		TL_WHILE_OPTIONS,
		TL_COMMON_OPTIONS
	};
	enum tl_view view = TL_VIEW_FIGURES;
	const char *file = NULL;
	bool json = false;
	double speed = 1;
	int option, status;

	while ((option = tl_args_next(cmd, argc, argv, "s:w", options)) >= 0) {
		if (option == 'J')
			json = true;
		else if (option == 'w')
			view = TL_VIEW_WAITS;
		else if (tl_args_number("--speed", optarg, 0, &speed))
			return TL_EXIT_USAGE;
	}
	status = tl_args_recording(cmd, option, argc, argv, &file);
	return status == TL_GO_ON ? replay(file, speed, view, json) : status;
}

const struct tl_cmd tl_cmd_replay = {
	.name = "replay",
	.args = "FILE [--speed X] [--waits] [--json]",
	.summary = "Play a recording through the display of top",
	.help = "  -s, --speed X     X times as fast as it was recorded (1); 0 for no pauses\n"
		"  -w, --waits       as top --waits\n"
		TL_WHILE_HELP
		TL_COMMON_HELP
		"FILE \"-\" is standard input. Ctrl-C ends it.\n"
		"\nExample:\n"
		"  tierlens replay evening.jsonl --speed 60\n",
	.run = run,
};
