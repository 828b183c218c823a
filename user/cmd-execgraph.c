// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens execgraph: what services call, merged from traces. */
#include "cmd.h"
#include "drawn.h"
#include "error.h"
#include "execgraph-out.h"
#include "out.h"
#include "traces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const struct tl_cmd *cmd;
	const char *output;
	bool json, dot;
	double least, broken;
	u64 theta;
	struct tl_traces traces;
};

static int by_read(struct args *args)
{
	args->traces.by_operation = !strcmp(optarg, "operation");
	if (!args->traces.by_operation && strcmp(optarg, "service"))
		return tl_args_usage(args->cmd, "--by is service or operation, not \"%s\"", optarg);
	return TL_EXIT_OK;
}

static int option_read(struct args *args, int option)
{
	switch (option) {
	case 't':
		return tl_args_u64("--theta", optarg, 1, TL_EXEC_DEPTH_MAX, &args->theta);
	case 'b':
		return by_read(args);
	case 'B':
		return tl_args_part(args->cmd, "--broken", optarg, &args->broken);
	case 'l':
		return tl_args_part(args->cmd, "--least", optarg, &args->least);
	case 'o':
		args->output = optarg;
		return TL_EXIT_OK;
	case 'd':
		args->dot = true;
		return TL_EXIT_OK;
	default:
		args->json = true;
		return TL_EXIT_OK;
	}
}

static void note(struct tl_execgraph *graph, uint64_t n, const char *what)
{
	if (n)
		tl_faults_note(&graph->notes, 0, "%llu spans %s", (unsigned long long)n, what);
}

/* Return: 0 or -ENOMEM. */
static int judge(struct tl_execgraph *graph, double most)
{
	const struct tl_traces *t = graph->traces;
	uint64_t lost = t->orphans + t->circles + t->deep + t->broken;
	double all = (double)(t->n + t->broken);
	int len;

	note(graph, t->orphans, "have no parent in the files, or are below such: they are left out");
	note(graph, t->circles, "are below themselves: they are left out");
	note(graph, t->deep, "are below more calls than can be followed: they are left out");
	note(graph, t->twins, "have the name of another one of their trace: the first counts");
	if (t->broken)
		tl_faults_note(&graph->notes, 0, "%llu spans could not be read and are left out, the first: "
			       "%s", (unsigned long long)t->broken, t->broken_at);
	graph->figures = t->traces && (double)lost <= most * all;
	if (graph->figures)
		len = asprintf(&graph->verdict, "ok");
	else if (!t->traces)
		len = asprintf(&graph->verdict, "not identifiable: no trace has a beginning");
	else
		len = asprintf(&graph->verdict, "unreliable: %.2g %% of the spans cannot be put in place, more "
			       "than %g %% (--broken)", 100 * (double)lost / all, 100 * most);
	return len < 0 ? -ENOMEM : 0;
}

static void draw(const void *what, double least, FILE *to)
{
	tl_execgraph_dot(what, least, to);
}

static json_t *as_json(const void *what)
{
	return tl_execgraph_json(what);
}

static void print(const void *what, FILE *to)
{
	tl_execgraph_print(what, to);
}

static int show(const struct tl_execgraph *graph, const struct args *args)
{
	struct tl_drawn drawn = { .output = args->output, .dot = args->dot, .json = args->json,
				  .least = args->least, .notes = &graph->notes,
				  .figures = graph->figures, .verdict = graph->verdict,
				  .what = graph, .draw = draw, .as_json = as_json,
				  .print = print };

	return tl_drawn_show(&drawn);
}

static int run_files(struct args *args, int n, char **files)
{
	struct tl_execgraph graph = { .traces = &args->traces, .theta = (unsigned int)args->theta };
	struct tl_error err;
	int i, code = 0, status;

	if (n < 1)
		return tl_args_usage(args->cmd, "execgraph needs traces");
	graph.notes.file = files[0];
	for (i = 0; i < n && !code; i++)
		code = tl_traces_read(&args->traces, files[i], &err);
	if (!code && (tl_traces_merge(&args->traces, graph.theta) || judge(&graph, args->broken)))
		code = tl_error_no_memory(&err);
	status = code ? tl_out_failed(&err) : show(&graph, args);
	free(graph.verdict);
	tl_faults_free(&graph.notes);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "theta", required_argument, NULL, 't' },
		{ "by", required_argument, NULL, 'b' },
		{ "broken", required_argument, NULL, 'B' },
		{ "output", required_argument, NULL, 'o' },
		{ "dot", no_argument, NULL, 'd' },
		{ "least", required_argument, NULL, 'l' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .cmd = cmd, .broken = 0.05, .theta = 1 };
	int option, status = TL_EXIT_OK;

	while (!status && (option = tl_args_next(cmd, argc, argv, "t:o:d", options)) >= 0)
		status = option_read(&args, option);
	if (!status && option != TL_ARGS_END)
		status = tl_args_status(option);
	else if (!status)
		status = run_files(&args, argc - optind, argv + optind);
	tl_traces_free(&args.traces);
	return status;
}

const struct tl_cmd tl_cmd_execgraph = {
	.name = "execgraph",
	.args = "TRACES... [--theta N] [--by service|operation] [-o FILE.svg] [--dot] [--json]",
	.summary = "What services call for a request, merged from traces",
	.help = "  -t, --theta N     how often a service may stand in a way; loops beyond are folded\n"
		"                    into one node (1)\n"
		"  --by WHAT         what is a node: a service, or each operation of a service; of\n"
		"                    recordings a tier, or each class of a tier (service)\n"
		"  --broken P        part of the spans that may have no place (0.05)\n"
		"  -o, --output FILE draw the graph\n"
		"  -d, --dot         in graphviz's language instead of SVG\n"
		"  --least P         draw nodes that are called at least so often, as a part of the\n"
		"                    most called one (0)\n"
		TL_COMMON_HELP
		"TRACES are OTLP's or Jaeger's JSON, recordings, or tables (.csv) with the columns\n"
		"span, parent and service, or trace, caller and callee; kind (sync, async) and count\n"
		"may stand beside them.\n"
		"\nExample:\n"
		"  tierlens execgraph traces.json -o calls.svg\n"
		"  tierlens execgraph evening.jsonl --by operation\n",
	.run = run,
};
