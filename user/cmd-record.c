// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens record: closed intervals into a file, one a line. */
#include "cmd.h"
#include "out.h"
#include "record.h"
#include "recording.h"

#include <inttypes.h>

static int write_line(FILE *to, const char *name, const struct tl_interval *interval, void *arg,
		      struct tl_error *err)
{
	(void)arg;
	return tl_recording_write(to, name, interval, err);
}

static int record(struct tl_record *r, bool json)
{
	int status = tl_record(r);

	if (!r->file || !r->begun)
		return status;
	if (json)
		tl_out_json(json_pack("{s:o, s:I, s:I}", "file", tl_out_name(r->file), "intervals",
				      (json_int_t)r->written, "missed", (json_int_t)r->missed));
	else if (status == TL_EXIT_OK)
		printf("%s: %" PRIu64 " intervals\n", r->file, r->written);
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
	struct tl_record args = { .write = write_line };
	bool json = false;
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
			json = true;
		if (status)
			return status;
	}
	status = tl_args_end(cmd, option, argc, argv);
	if (status != TL_GO_ON)
		return status;
	return record(&args, json);
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
		"prints, with -o, how much was recorded. It runs at nice -20 if it may, so that it\n"
		"reads in time on a busy host; start it with nice to have another priority.\n"
		"\nExample:\n"
		"  tierlens record -o evening.jsonl --seconds 3600\n",
	.run = run,
};
