// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens fleet: tiers on many hosts, whose metrics are in one store. */
#include "cmd.h"
#include "dot.h"
#include "error.h"
#include "fleet/network.h"
#include "fleet/prom.h"
#include "graph.h"
#include "out.h"

#include <stdlib.h>

struct args {
	const char *url, *output;
	bool dot, json;
};

static int hosts(const struct tl_fleet_figures *figures, const struct args *args)
{
	if (args->json)
		return tl_out_json(tl_fleet_hosts_json(figures->fleet));
	tl_fleet_hosts_print(figures->fleet);
	return TL_EXIT_OK;
}

static int show(const struct tl_fleet_figures *figures, const struct args *args)
{
	struct tl_error err;

	if (args->json)
		return tl_out_json(tl_fleet_json(figures));
	if (!tl_fleet_print(figures))
		return TL_EXIT_OK;
	tl_error_no_memory(&err);
	return tl_out_failed(&err);
}

static void print(const void *graph, FILE *to)
{
	tl_dot_print(to, graph);
}

static int hosts_set(struct tl_graph *graph, const struct tl_fleet *fleet)
{
	size_t i, host;

	for (i = 0; i < graph->n_nodes; i++) {
		host = graph->node[i].kind == TL_NODE_TIER ? tl_fleet_host_of(fleet, graph->node[i].name) : SIZE_MAX;
		if (host == SIZE_MAX)
			continue;
		graph->node[i].host = strdup(fleet->host[host].name);
		if (!graph->node[i].host)
			return -1;
	}
	return 0;
}

static int graph(const struct tl_fleet_figures *figures, const struct args *args)
{
	struct tl_graph drawn;
	struct tl_error err;
	int code = 0, status = TL_EXIT_OK;

	if (tl_graph_make(&drawn, figures->total) || hosts_set(&drawn, figures->fleet))
		code = tl_error_no_memory(&err);
	if (!code && args->json)
		status = tl_out_json(tl_graph_json(&drawn));
	else if (!code)
		code = tl_dot_write(args->output, !args->dot, print, &drawn, &err);
	tl_graph_free(&drawn);
	return code ? tl_out_failed(&err) : status;
}

static const struct {
	const char *name;
	int (*run)(const struct tl_fleet_figures *figures, const struct args *args);
} words[] = { { "show", show }, { "hosts", hosts }, { "graph", graph } };

static int read_and_run(const struct args *args, size_t word)
{
	struct tl_fleet_figures figures;
	struct tl_error err;
	int status;

	if (tl_fleet_figures_read(&figures, args->url, &err))
		status = tl_out_failed(&err);
	else
		status = words[word].run(&figures, args);
	tl_fleet_figures_free(&figures);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "dot", no_argument, NULL, 'd' },
		TL_WHILE_OPTIONS,
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	size_t i, word = 0;
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "o:d", options)) >= 0) {
		if (option == 'o')
			args.output = optarg;
		else if (option == 'd')
			args.dot = true;
		else
			args.json = true;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	for (i = 0; optind < argc && i < ARRAY_SIZE(words); i++)
		if (!strcmp(argv[optind], words[i].name)) {
			word = i;
			optind++;
			break;
		}
	if (optind == argc)
		return tl_args_usage(cmd, "fleet needs the URL of a store");
	args.url = argv[optind++];
	if (!tl_prom_is_url(args.url))
		return tl_args_usage(cmd, "\"%s\" is neither show, hosts or graph, nor a URL such as http://host:9090", args.url);
	if (optind < argc)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind]);
	if ((args.output || args.dot) && words[word].run != graph)
		return tl_args_usage(cmd, "--output and --dot go with graph");
	return read_and_run(&args, word);
}

const struct tl_cmd tl_cmd_fleet = {
	.name = "fleet",
	.args = "[show | hosts | graph] URL [-o FILE.svg] [--json]",
	.summary = "Tiers on many hosts, joined, from a Prometheus or VictoriaMetrics that scrapes them",
	.help = "  -o, --output FILE where graph writes; standard output without it\n"
		"  -d, --dot         graphviz's language instead of SVG\n"
		"      --from TIME   from then on; without it, an hour ago\n"
		"      --to TIME     until then; without it, now\n"
		"      --step N      windows of so many seconds, not shorter than what is between\n"
		"                    two samples; without it, what suits the time\n"
		"      --selector S  only series with such labels: 'job=\"tierlens\"'\n"
		"      --token-file FILE\n"
		"                    its first line is sent as bearer token\n"
		"      --ca FILE     certificates of who may have signed the store's\n"
		"      --host-label L\n"
		"                    the label that tells hosts apart; without it, instance\n"
		TL_COMMON_HELP
		"show (without a word, too): tiers over all hosts, and between them the time on the\n"
		"network: what a call took at its caller less what it took at the tier that it\n"
		"called. hosts: who is there, and what each of them missed. graph: a picture.\n"
		"What reads a recording reads a store as well, by URL or --prometheus URL.\n"
		"\nExample:\n"
		"  tierlens fleet http://prometheus:9090 --from -2h\n"
		"  tierlens demand fit http://prometheus:9090 --from 18:00 --to 20:00\n",
	.run = run,
};
