// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens adapt: what the adaptor would have done while something was recorded. */
#include "adapt-args.h"
#include "adapt-play.h"
#include "adapt-row.h"
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "recording.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>

struct args {
	struct tl_adapt_options options;
	const char *file;
	u64 processors;
	bool dry_run, json;
};

struct print {
	struct tl_adapt_play play;
	struct tl_grid *grid;
	bool json;
	int status;
};

static void row_add(struct tl_grid *grid, const struct tl_adapt_row *row)
{
	char when[32], change[32];

	tl_adapt_time_text(when, sizeof(when), row->t_s, "%F %T");
	tl_adapt_row_change(change, sizeof(change), row);
	tl_grid_add(grid, "%s", when);
	tl_grid_add(grid, "%s", row->path ? row->path : "-");
	tl_grid_add(grid, "%s", row->tier);
	tl_grid_add(grid, "%s", change);
	tl_grid_add(grid, "%s", row->text);
}

static void tell(json_t *json, void *arg)
{
	struct print *p = arg;
	struct tl_adapt_row row;

	/* One of names without end is no row for people. */
	if (p->json || !json || tl_adapt_row_read(&row, json)) {
		p->status |= tl_out_json(json);
		return;
	}
	row_add(p->grid, &row);
	tl_adapt_row_free(&row);
	json_decref(json);
}

static int play(const struct tl_interval *interval, void *arg)
{
	struct print *p = arg;

	return tl_adapt_play_add(&p->play, interval);
}

static void summary(const struct print *p)
{
	const struct tl_adapt_play *played = &p->play;

	tl_grid_print(p->grid, stdout, 0, 0);
	printf("%s%" PRIu64 " windows, %" PRIu64 " changes of levels, %" PRIu64 " findings\n",
	       played->changes || played->findings ? "\n" : "", played->intervals, played->changes, played->findings);
	if (played->known)
		printf("probes cost %.2f %% of %.0f processors at most; more than the budget in %" PRIu64 " windows\n",
		       100 * played->most, fmax(played->feed.processors, 1), played->over);
	else
		puts("what probes cost is not recorded: the budget could not be looked at");
}

static int adapt(const struct args *args)
{
	struct print p = { .grid = tl_grid_new("when|path|tier|level|why"), .json = args->json };
	char warning[600] = "";
	struct tl_error err;
	int status = TL_EXIT_OK;

	if (tl_adapt_play_begin(&p.play, &args->options, args->processors, tell, &p)) {
		tl_error_no_memory(&err);
		status = tl_out_failed(&err);
	} else if (tl_recording_each(args->file, play, &p, warning, sizeof(warning), &err)) {
		status = tl_out_failed(&err);
	} else if (!args->json) {
		summary(&p);
	}
	if (*warning)
		tl_out_error("%s", warning);
	tl_grid_free(p.grid);
	tl_adapt_play_end(&p.play);
	return status ? status : p.status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ "processors", required_argument, NULL, 'P' },
		TL_ADAPT_OPTIONS,
		TL_WHILE_OPTIONS,
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option, status = TL_EXIT_OK;

	tl_adapt_defaults(&args.options);
	while ((option = tl_args_next(cmd, argc, argv, "n", options)) >= 0) {
		if (option == 'n')
			args.dry_run = true;
		else if (option == 'J')
			args.json = true;
		else if (option == 'P')
			status = tl_args_u64("--processors", optarg, 1, 65536, &args.processors);
		else
			status = tl_adapt_args(cmd, option, &args.options);
		if (status)
			return status;
	}
	status = tl_args_recording(cmd, option, argc, argv, &args.file);
	if (status != TL_GO_ON)
		return status;
	if (!args.dry_run)
		return tl_args_usage(cmd, "adapt plays recordings with --dry-run; tierlensd is what changes levels");
	return adapt(&args);
}

const struct tl_cmd tl_cmd_adapt = {
	.name = "adapt",
	.args = "--dry-run FILE [OPTIONS] [--json]",
	.summary = "What tierlensd would have looked at while something was recorded",
	.help = "  -n, --dry-run      change nothing; it goes no other way\n"
		TL_ADAPT_HELP
		"      --processors N of the recorded host, if the recording does not tell\n"
		TL_WHILE_HELP
		TL_COMMON_HELP
		"Levels of the recording are those that it was taken with, whatever is decided: what\n"
		"was not looked at then cannot be found now. --json prints a decision a line.\n"
		"\nExample:\n"
		"  tierlens adapt --dry-run evening.jsonl --budget 0.5%\n",
	.run = run,
};
