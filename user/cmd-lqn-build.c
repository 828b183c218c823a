// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens lqn build: a layered queueing network from what was measured. */
#include "child.h"
#include "cmd.h"
#include "error.h"
#include "lqn-build.h"
#include "lqn-out.h"
#include "lqn-read.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const struct tl_cmd *cmd;
	const char *output;
	bool json;
	struct tl_build_in in;
};

/* What was written must be what the other commands read. */
static int check(const struct tl_bytes *text, struct tl_error *err)
{
	struct tl_faults faults = { .file = "lqn build" };
	struct tl_lqn lqn = { 0 };
	int code = tl_lqn_parse(&lqn, text->data, text->len, false, &faults);

	if (code == -ENOMEM)
		tl_error_no_memory(err);
	else if (code || faults.faults)
		code = tl_error_set(err, -EINVAL, "the network is not sound: %s: tell the authors of tierlens",
				    faults.faults ? faults.fault[0] : strerror(-code));
	tl_faults_free(&faults);
	tl_lqn_free(&lqn);
	return code;
}

static int text_make(const struct tl_built *built, struct tl_bytes *text, struct tl_error *err)
{
	FILE *to = open_memstream(&text->data, &text->len);

	if (!to)
		return tl_error_no_memory(err);
	tl_built_print(built, to);
	if (fclose(to))
		return tl_error_no_memory(err);
	return check(text, err);
}

static int answer(const struct args *args, const struct tl_built *built, struct tl_error *err)
{
	struct tl_bytes text = { 0 };
	int code = text_make(built, &text, err);

	if (!code && (args->output || !args->json))
		code = tl_out_file(args->output ? args->output : "-", &text, err);
	free(text.data);
	if (code)
		return tl_out_failed(err);
	if (!args->json)
		tl_lqn_notes_print(&built->notes);
	if (strcmp(built->verdict, "ok"))
		tl_out_error("%s: %s", args->in.recording, built->verdict);
	return args->json ? tl_out_json(tl_built_json(built)) : TL_EXIT_OK;
}

static int build(const struct args *args)
{
	struct tl_built built = { 0 };
	struct tl_error err;
	int status;

	if (tl_lqn_build(&args->in, &built, &err))
		status = tl_out_failed(&err);
	else
		status = answer(args, &built, &err);
	tl_built_free(&built);
	return status;
}

static int whole(const char *what, unsigned int *value)
{
	uint64_t n;

	if (tl_args_u64(what, optarg, 1, 1000000000, &n))
		return TL_EXIT_USAGE;
	*value = (unsigned int)n;
	return TL_EXIT_OK;
}

static int option_read(struct args *args, int option)
{
	struct tl_build_in *in = &args->in;

	switch (option) {
	case 'J':
		args->json = true;
		return TL_EXIT_OK;
	case 'o':
		args->output = optarg;
		return TL_EXIT_OK;
	case 'd':
		in->demands = optarg;
		return TL_EXIT_OK;
	case 'c':
		in->cbmg = optarg;
		return TL_EXIT_OK;
	case 'f':
		in->front = optarg;
		return TL_EXIT_OK;
	case 'u':
		return whole("--users", &in->customers);
	case 'p':
		return whole("--processors", &in->processors);
	case 'z':
		return tl_args_number("--think", optarg, 0, &in->think_s);
	default:
		if (in->n_threads == TL_BUILD_THREADS_MAX)
			return tl_args_usage(args->cmd, "more than %d times --threads", TL_BUILD_THREADS_MAX);
		in->threads[in->n_threads++] = optarg;
		return TL_EXIT_OK;
	}
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "demands", required_argument, NULL, 'd' },
		{ "cbmg", required_argument, NULL, 'c' },
		{ "front", required_argument, NULL, 'f' },
		{ "users", required_argument, NULL, 'u' },
		{ "think", required_argument, NULL, 'z' },
		{ "threads", required_argument, NULL, 't' },
		{ "processors", required_argument, NULL, 'p' },
		TL_WHILE_OPTIONS,
		TL_COMMON_OPTIONS
	};
	static struct args args;
	int option, status = TL_EXIT_OK;

	args = (struct args){ .cmd = cmd, .in.think_s = -1 };
	while (!status && (option = tl_args_next(cmd, argc, argv, "o:u:z:t:", options)) >= 0)
		status = option_read(&args, option);
	if (status)
		return status;
	status = tl_args_recording(cmd, option, argc, argv, &args.in.recording);
	return status == TL_GO_ON ? build(&args) : status;
}

const struct tl_cmd tl_cmd_lqn_build = {
	.name = "lqn build",
	.args = "RECORDING [--users N] [--think S] [--cbmg FILE] [--front TIER] [--demands FILE] "
		"[--threads TIER=N]... [--processors N] [-o FILE.lqn] [--json]",
	.summary = "A layered queueing network from what was measured",
	.help = "  -u, --users N     customers; alone: so many there were, and they thought as long\n"
		"                    as fits what came\n"
		"  -z, --think S     seconds between an answer and a customer's next request; alone:\n"
		"                    as many customers as fit what came\n"
		"  --cbmg FILE       mix and think times of a behaviour model graph, as of tierlens\n"
		"                    cbmg LOG --json, whose states are classes of the recording\n"
		"                    (without all these: arrivals as they were)\n"
		"  --front TIER      the tier that customers come to (the busiest that no tier calls)\n"
		"  --demands FILE    as of tierlens demand fit --output (those of the recording)\n"
		"  -t, --threads TIER=N\n"
		"                    no more than N requests at once in the tier (no limit)\n"
		"  --processors N    of the host (those of the recording)\n"
		"  -o, --output FILE write the network there (to standard output)\n"
		TL_WHILE_HELP
		TL_COMMON_HELP
		"Each number of the network has a comment that tells where it comes from. Record while\n"
		"the load is light, for some minutes, with the classes that are to be told apart.\n"
		"\nExample:\n"
		"  tierlens record -n 300 -o light.jsonl\n"
		"  tierlens lqn build light.jsonl --users 20 --threads php-fpm:9000=50 -o shop.lqn\n"
		"  tierlens capacity shop.lqn --max-response 0.5\n",
	.run = run,
};
