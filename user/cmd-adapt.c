// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens adapt: what the adaptor would have done while something was recorded. */
#include "adapt-args.h"
#include "adapt-feed.h"
#include "adapt-out.h"
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "probe-cost.h"
#include "recording.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

struct args {
	struct tl_adapt_options options;
	const char *file;
	u64 processors;
	bool dry_run, json;
};

struct play {
	const struct args *args;
	struct tl_adapt *adapt;
	struct tl_adapt_feed feed;
	struct tl_grid *grid;
	u64 intervals, changes, over, known, findings;
	double most;
	int code;
};

/* ---- a recording --------------------------------------------------------------------------- */

/* Processors, if what a tier used is known both as time and as a part of them. */
static void processors_learn(struct play *p, const struct tl_interval *interval)
{
	const struct tl_sum *cpu;
	double n;
	size_t i, k, len;

	for (i = 0; i < interval->n_hosts && !p->args->processors; i++)
		for (k = 0; k < interval->n_tiers; k++) {
			cpu = &interval->tiers[k].usage[TL_USAGE_CPU];
			len = strlen(interval->tiers[k].name);
			if (!tl_sum_known(cpu) || !(interval->hosts[i].value > 0.001) ||
			    strncmp(interval->hosts[i].name, interval->tiers[k].name, len) ||
			    strcmp(interval->hosts[i].name + len, ".cpu"))
				continue;
			n = tl_ns_to_s(cpu->value) / tl_ns_to_s(interval->length_ns) / interval->hosts[i].value;
			p->feed.processors = fmax(p->feed.processors, round(n));
		}
}

static void row_add(struct play *p, double t_s, const char *path, const char *tier, const char *change, char *text)
{
	time_t at = (time_t)t_s;
	char when[32];
	struct tm tm;

	localtime_r(&at, &tm);
	strftime(when, sizeof(when), "%F %T", &tm);
	tl_grid_add(p->grid, "%s", when);
	tl_grid_add(p->grid, "%s", path ? path : "-");
	tl_grid_add(p->grid, "%s", tier);
	tl_grid_add(p->grid, "%s", change);
	tl_grid_add(p->grid, "%s", text ? text : "");
	free(text);
}

static const char *path_of(const struct play *p, size_t node)
{
	return node < p->feed.paths.n ? p->feed.paths.name[node].text : NULL;
}

static void decision_tell(struct play *p, const struct tl_adapt_decision *d, double t_s)
{
	double budget = p->args->options.budget;
	char change[64];

	p->changes += d->from != d->to;
	if (p->args->json) {
		p->code |= tl_out_json(tl_adapt_decision_json(&p->feed, d, t_s, budget));
		return;
	}
	if (d->from == d->to)
		snprintf(change, sizeof(change), "%s", tl_at_name(d->from));
	else
		snprintf(change, sizeof(change), "%s to %s", tl_at_name(d->from), tl_at_name(d->to));
	row_add(p, t_s, path_of(p, d->node), p->feed.tiers.name[d->tier].text, change,
		tl_adapt_decision_text(&p->feed, d, budget));
}

static void finding_tell(struct play *p, const struct tl_adapt_finding *f, double t_s)
{
	p->findings++;
	if (p->args->json)
		p->code |= tl_out_json(tl_adapt_finding_json(&p->feed, f, t_s));
	else
		row_add(p, t_s, path_of(p, f->node), p->feed.tiers.name[f->tier].text, "found",
			tl_adapt_finding_text(&p->feed, f));
}

static int play(const struct tl_interval *interval, void *arg)
{
	struct play *p = arg;
	struct tl_adapt_out out;
	size_t i;
	int code;

	processors_learn(p, interval);
	code = tl_adapt_feed(&p->feed, interval);
	code = code ? code : tl_adapt_step(p->adapt, &p->feed.in, &out);
	if (code)
		return code;
	for (i = 0; i < out.decisions; i++)
		decision_tell(p, &out.decision[i], p->feed.in.t_s);
	for (i = 0; i < out.findings; i++)
		finding_tell(p, &out.finding[i], p->feed.in.t_s);
	p->intervals++;
	p->known += out.share >= 0;
	p->over += out.share > p->args->options.budget;
	p->most = fmax(p->most, out.share);
	return 0;
}

static void summary(const struct play *p)
{
	tl_grid_print(p->grid, stdout, 0, 0);
	printf("%s%" PRIu64 " windows, %" PRIu64 " changes of levels, %" PRIu64 " findings\n",
	       p->changes || p->findings ? "\n" : "", p->intervals, p->changes, p->findings);
	if (p->known)
		printf("probes cost %.2f %% of %.0f processors at most; more than the budget in %" PRIu64 " windows\n",
		       100 * p->most, fmax(p->feed.processors, 1), p->over);
	else
		puts("what probes cost is not recorded: the budget could not be looked at");
}

static int adapt(const struct args *args)
{
	struct play p = { .args = args, .adapt = tl_adapt_new(&args->options),
			  .grid = tl_grid_new("when|path|tier|level|why") };
	char warning[600] = "";
	struct tl_error err;
	int status = TL_EXIT_OK;

	p.feed.processors = (double)args->processors;
	p.feed.trap_s = TL_HOOK_TRAP_S;
	p.feed.function_trap_s = TL_FUNCTION_TRAP_S;
	if (!p.adapt)
		return tl_out_json(NULL);
	if (tl_recording_each(args->file, play, &p, warning, sizeof(warning), &err))
		status = tl_out_failed(&err);
	else if (!args->json)
		summary(&p);
	if (*warning)
		tl_out_error("%s", warning);
	tl_grid_free(p.grid);
	tl_adapt_feed_free(&p.feed);
	tl_adapt_free(p.adapt);
	return status ? status : p.code;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ "processors", required_argument, NULL, 'P' },
		TL_ADAPT_OPTIONS,
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
		TL_COMMON_HELP
		"Levels of the recording are those that it was taken with, whatever is decided: what\n"
		"was not looked at then cannot be found now. --json prints a decision a line.\n"
		"\nExample:\n"
		"  tierlens adapt --dry-run evening.jsonl --budget 0.5%\n",
	.run = run,
};
