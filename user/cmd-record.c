// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens record: closed intervals into a file, one a line. */
#include "cmd.h"
#include "error.h"
#include "feed.h"
#include "out.h"
#include "recording.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

struct args {
	const char *file;
	u64 n;
	double seconds;
	bool kept, json;
};

struct session {
	const struct args *args;
	struct tl_feed feed;
	FILE *to;
	const char *name;
	u64 written, missed;
	double began_s;
	bool told_off;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void tell_gap(struct session *s)
{
	char text[120];

	s->missed += s->feed.gap.missed;
	tl_gap_print(text, sizeof(text), &s->feed.gap);
	if (*text)
		tl_out_error("%s: the recording has a gap", text);
}

/* Somebody may turn it on again: the recording goes on, but not without a word. */
static void tell_off(struct session *s)
{
	if (!s->feed.enabled && !s->told_off)
		tl_out_error("measuring was turned off, waiting: tierlens enable");
	s->told_off = !s->feed.enabled;
}

static bool has_all(const struct session *s)
{
	return s->args->n && s->written >= s->args->n;
}

static bool done(const struct session *s)
{
	if (tl_signals_stopped() || has_all(s))
		return true;
	return s->args->seconds > 0 && now_s() - s->began_s >= s->args->seconds;
}

static int loop(struct session *s, struct tl_error *err)
{
	struct tl_interval *interval;
	int code;

	for (;;) {
		/* What was closed before we were told to stop is still ours. */
		s->feed.impatient = done(s);
		if (s->feed.impatient && (!tl_signals_stopped() || has_all(s)))
			return 0;
		code = tl_feed_next(&s->feed, &interval, err);
		if (code < 0)
			return code;
		tell_off(s);
		if (!interval && s->feed.impatient)
			return 0;
		if (!interval)
			continue;
		tell_gap(s);
		code = tl_recording_write(s->to, s->name, interval, err);
		tl_interval_free(interval);
		if (code) /* a reader that stood still when we were told to stop */
			return code == -EINTR && tl_signals_stopped() ? 0 : code;
		s->written++;
		tl_out_progress("%" PRIu64 " intervals recorded", s->written);
	}
	return 0;
}

static int session(struct session *s)
{
	struct tl_error err;
	int status = TL_EXIT_OK;

	tl_signals_catch();
	s->began_s = now_s();
	if (loop(s, &err))
		status = tl_out_failed(&err);
	tl_out_progress_end();
	if (!s->args->file)
		return status;
	if (tl_out_close(s->to, s->name, &err) && status == TL_EXIT_OK)
		status = tl_out_failed(&err);
	if (s->args->json)
		tl_out_json(json_pack("{s:o, s:I, s:I}", "file", tl_out_name(s->args->file),
				      "intervals", (json_int_t)s->written,
				      "missed", (json_int_t)s->missed));
	else if (status == TL_EXIT_OK)
		printf("%s: %" PRIu64 " intervals\n", s->name, s->written);
	return status;
}

static int record(const struct args *args)
{
	struct session s = { .args = args, .to = stdout, .name = "standard output" };
	struct tl_error err;
	int status;

	if (tl_feed_open(&s.feed, args->kept, &err))
		return tl_out_failed(&err);
	if (!s.feed.enabled) {
		tl_feed_close(&s.feed);
		tl_out_error("measuring is off: tierlens enable");
		return TL_EXIT_FAILED;
	}
	if (args->file) {
		s.name = args->file;
		s.to = fopen(args->file, "we");
	}
	if (s.to) {
		status = session(&s);
	} else {
		tl_error_write(&err, -errno, args->file);
		status = tl_out_failed(&err);
	}
	tl_feed_close(&s.feed);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "intervals", required_argument, NULL, 'n' },
		{ "seconds", required_argument, NULL, 's' },
		{ "kept", no_argument, NULL, 'k' },
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option, status = TL_EXIT_OK;

	while ((option = tl_args_next(cmd, argc, argv, "o:n:s:", options)) >= 0) {
		if (option == 'o')
			args.file = optarg;
		else if (option == 'n')
			status = tl_args_u64("-n", optarg, 1, UINT64_MAX, &args.n);
		else if (option == 's')
			status = tl_args_number("--seconds", optarg, 1e-3,
						&args.seconds);
		else if (option == 'k')
			args.kept = true;
		else
			args.json = true;
		if (status)
			return status;
	}
	status = tl_args_end(cmd, option, argc, argv);
	if (status != TL_GO_ON)
		return status;
	return record(&args);
}

const struct tl_cmd tl_cmd_record = {
	.name = "record",
	.args = "[-o FILE] [-n N] [--seconds S] [--kept] [--json]",
	.summary = "Write closed intervals to a file, for replay, graph and report",
	.help = "  -o, --output FILE where to write; standard output without it\n"
		"  -n, --intervals N stop after N intervals\n"
		"  -s, --seconds S   stop after S seconds\n"
		"      --kept        begin with the intervals that the kernel still keeps,\n"
		"                    not with the first one that closes from now on\n"
		TL_COMMON_HELP
		"Ctrl-C ends the recording; it is complete up to the last interval. --json\n"
		"prints, with -o, how much was recorded.\n"
		"\nExample:\n"
		"  tierlens record -o evening.jsonl --seconds 3600\n",
	.run = run,
};
