// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens cbmg: how people go through a site, from access logs or matrices. */
#include "cbmg-graph.h"
#include "cmd.h"
#include "drawn.h"
#include "error.h"
#include "out.h"
#include "weblog-read.h"

#include <stdlib.h>
#include <string.h>

struct args {
	const struct tl_cmd *cmd;
	const char *output;
	bool json, dot;
	double least;
	struct tl_weblog log;
	struct tl_cbmg_matrix_in matrix;
	const char **share;
	bool of_log, of_matrix; /* an option was given that only makes sense for such */
	char cookie[72]; /* the field that nginx has a cookie's value in */
};

/* ---- options -------------------------------------------------------------------------- */

/* "NAME=VALUE": a copy of the name, and the value. Return: exit status. */
static int pair_read(const struct args *args, const char *option, char *name, size_t size,
		     const char **value)
{
	const char *equals = strchr(optarg, '=');

	if (!equals || equals == optarg || (size_t)(equals - optarg) >= size || !equals[1])
		return tl_args_usage(args->cmd, "%s \"%s\" is no NAME=VALUE", option, optarg);
	memcpy(name, optarg, (size_t)(equals - optarg));
	name[equals - optarg] = '\0';
	*value = equals + 1;
	return TL_EXIT_OK;
}

static int state_read(struct args *args)
{
	struct tl_error err;
	const char *prefix;
	char name[128];
	int status = pair_read(args, "--state", name, sizeof(name), &prefix);

	if (status || !tl_weblog_rule_add(&args->log.states, name, prefix, &err))
		return status;
	tl_out_error("--state %s: %s", optarg, err.text);
	return TL_EXIT_USAGE;
}

static int states_read(struct args *args)
{
	struct tl_error err;

	return tl_weblog_rules_read(&args->log.states, optarg, &err) ? tl_out_failed(&err) :
								       TL_EXIT_OK;
}

/* "ROLE=NAME"; of the response the unit may be behind the role. */
static int field_read(struct args *args)
{
	static const struct {
		const char *name;
		double unit_s;
	} units[] = { { "response", 1 }, { "response_ms", 1e-3 }, { "response_us", 1e-6 } };
	struct tl_weblog_format *format = &args->log.format;
	const char *name;
	char role[32];
	size_t i;
	int status = pair_read(args, "--field", role, sizeof(role), &name);

	if (status)
		return status;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(role, units[i].name)) {
			format->named[TL_WEBLOG_RESPONSE] = name;
			format->response_unit_s = units[i].unit_s;
			return TL_EXIT_OK;
		}
	for (i = 0; i < TL_WEBLOG_SESSION; i++)
		if (!strcmp(role, tl_weblog_roles[i])) {
			format->named[i] = name;
			return TL_EXIT_OK;
		}
	return tl_args_usage(args->cmd, "--field has no \"%s\", but time, request, method, url, address, "
			     "agent, cookies, response, response_ms and response_us", role);
}

/* "address", "cookie:NAME" or a field. */
static int session_read(struct args *args)
{
	struct tl_weblog_format *format = &args->log.format;
	size_t len = strlen("cookie:");

	if (!strcmp(optarg, "address"))
		return TL_EXIT_OK;
	if (!*optarg || strlen(optarg) > 60)
		return tl_args_usage(args->cmd, "--session is address, cookie:NAME or a field");
	if (strncmp(optarg, "cookie:", len)) {
		format->named[TL_WEBLOG_SESSION] = optarg;
		return TL_EXIT_OK;
	}
	format->cookie = optarg + len;
	snprintf(args->cookie, sizeof(args->cookie), "cookie_%s", format->cookie);
	format->named[TL_WEBLOG_SESSION] = args->cookie;
	return *format->cookie ? TL_EXIT_OK :
				 tl_args_usage(args->cmd, "--session cookie: needs its name");
}

static int depth_read(struct args *args)
{
	u64 depth;
	int status = tl_args_u64("--depth", optarg, 1, 20, &depth);

	args->log.states.depth = status ? 1 : (size_t)depth;
	return status;
}

static int share_keep(struct args *args)
{
	const char **grown = reallocarray(args->share, args->matrix.shares + 1, sizeof(*grown));
	struct tl_error err;

	if (!grown) {
		tl_error_no_memory(&err);
		return tl_out_failed(&err);
	}
	args->share = grown;
	grown[args->matrix.shares++] = optarg;
	args->matrix.share = grown;
	return TL_EXIT_OK;
}

static int log_option(struct args *args, int option)
{
	args->of_log = true;
	switch (option) {
	case 's':
		return session_read(args);
	case 'g':
		return tl_args_number("--gap", optarg, 1, &args->log.sessions.gap_s);
	case 'S':
		return state_read(args);
	case 'r':
		return states_read(args);
	case 'D':
		return depth_read(args);
	case 'F':
		args->log.format_text = optarg;
		return TL_EXIT_OK;
	case 'f':
		return field_read(args);
	case 'T':
		args->log.format.named[TL_WEBLOG_TYPE] = optarg;
		return TL_EXIT_OK;
	case 'B':
		return tl_args_part(args->cmd, "--broken", optarg, &args->log.broken_part);
	case 'e':
		args->log.states.embedded = true;
		return TL_EXIT_OK;
	case 'b':
		args->log.sessions.begins = true;
		return TL_EXIT_OK;
	default:
		args->log.sessions.whole = TL_SESSIONS_WHOLE;
		return TL_EXIT_OK;
	}
}

static int matrix_option(struct args *args, int option)
{
	args->of_matrix = true;
	if (option == 'H')
		return share_keep(args);
	if (option == 'N')
		args->matrix.start = optarg;
	else if (option == 'X')
		args->matrix.exit = optarg;
	else
		args->matrix.only = optarg;
	return TL_EXIT_OK;
}

static int option_read(struct args *args, int option)
{
	switch (option) {
	case 'J':
		args->json = true;
		return TL_EXIT_OK;
	case 'o':
		args->output = optarg;
		return TL_EXIT_OK;
	case 'd':
		args->dot = true;
		return TL_EXIT_OK;
	case 'l':
		return tl_args_part(args->cmd, "--least", optarg, &args->least);
	case 'H':
	case 'N':
	case 'X':
	case 'O':
		return matrix_option(args, option);
	default:
		return log_option(args, option);
	}
}

/* ---- what comes of it ----------------------------------------------------------------- */

static void draw(const void *what, double least, FILE *to)
{
	tl_cbmg_dot(what, least, to);
}

static json_t *as_json(const void *what)
{
	return tl_cbmg_json(what);
}

static void print(const void *what, FILE *to)
{
	tl_cbmg_print(what, to);
}

static int show(const struct tl_cbmg_graph *graph, const struct args *args)
{
	struct tl_drawn drawn = { .output = args->output, .dot = args->dot, .json = args->json,
				  .least = args->least, .notes = &graph->notes,
				  .figures = graph->figures, .verdict = graph->verdict,
				  .what = graph, .draw = draw, .as_json = as_json,
				  .print = print };

	return tl_drawn_show(&drawn);
}

static int matrix_run(struct args *args, char **files, size_t n, struct tl_cbmg_graph *graph)
{
	struct tl_error err;

	if (n > 1)
		return tl_args_usage(args->cmd, "%s is a matrix: give it alone", files[0]);
	if (args->of_log)
		return tl_args_usage(args->cmd, "%s is a matrix, which takes only --start, --exit, --only "
				     "and --share", files[0]);
	args->matrix.file = files[0];
	if (tl_cbmg_from_matrix(graph, &args->matrix, &err))
		return tl_out_failed(&err);
	return show(graph, args);
}

static int log_run(struct args *args, char **files, size_t n, struct tl_cbmg_graph *graph)
{
	struct tl_error err;
	size_t i;

	if (args->of_matrix)
		return tl_args_usage(args->cmd, "%s is no matrix, and only these take --start, --exit, "
				     "--only and --share", files[0]);
	for (i = 1; i < n; i++)
		if (tl_cbmg_is_matrix(files[i]))
			return tl_args_usage(args->cmd, "%s is a matrix: give it alone", files[i]);
	graph->notes.file = files[0];
	if (tl_weblog_read(&args->log, files, n, &err) ||
	    tl_cbmg_from_log(graph, &args->log, &err))
		return tl_out_failed(&err);
	return show(graph, args);
}

static int run_files(struct args *args, int n, char **files)
{
	struct tl_cbmg_graph graph = { 0 };
	int status;

	if (n < 1)
		return tl_args_usage(args->cmd, "cbmg needs access logs or a matrix");
	status = (tl_cbmg_is_matrix(files[0]) ? matrix_run : log_run)(args, files, (size_t)n, &graph);
	tl_cbmg_graph_free(&graph);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "session", required_argument, NULL, 's' },
		{ "gap", required_argument, NULL, 'g' },
		{ "state", required_argument, NULL, 'S' },
		{ "states", required_argument, NULL, 'r' },
		{ "depth", required_argument, NULL, 'D' },
		{ "embedded", no_argument, NULL, 'e' },
		{ "format", required_argument, NULL, 'F' },
		{ "field", required_argument, NULL, 'f' },
		{ "begin-times", no_argument, NULL, 'b' },
		{ "type", required_argument, NULL, 'T' },
		{ "whole", no_argument, NULL, 'w' },
		{ "broken", required_argument, NULL, 'B' },
		{ "start", required_argument, NULL, 'N' },
		{ "exit", required_argument, NULL, 'X' },
		{ "only", required_argument, NULL, 'O' },
		{ "share", required_argument, NULL, 'H' },
		{ "output", required_argument, NULL, 'o' },
		{ "dot", no_argument, NULL, 'd' },
		{ "least", required_argument, NULL, 'l' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .cmd = cmd, .least = 0.005, .log = { .broken_part = 0.05,
			     .states.depth = 1, .sessions.gap_s = 1800 } };
	int option, status = TL_EXIT_OK;

	while (!status && (option = tl_args_next(cmd, argc, argv, "s:g:o:d", options)) >= 0)
		status = option_read(&args, option);
	if (!status && option != TL_ARGS_END)
		status = tl_args_status(option);
	else if (!status)
		status = run_files(&args, argc - optind, argv + optind);
	tl_weblog_free(&args.log);
	free(args.share);
	return status;
}

const struct tl_cmd tl_cmd_cbmg = {
	.name = "cbmg",
	.args = "LOG... | MATRIX [OPTIONS] [-o FILE.svg] [--dot] [--json]",
	.summary = "How people go through a site: ways, visits, think times, mix",
	.help = "Of access logs:\n"
		"  -s, --session S   what tells sessions apart: address (with the agent, the default),\n"
		"                    cookie:NAME, or a field\n"
		"  -g, --gap S       without a request for so many seconds a session has ended (1800)\n"
		"  --state NAME=PREFIX\n"
		"                    requests whose path, or \"METHOD /path\", begins so are state NAME;\n"
		"                    - for none; the longest prefix decides, the rest is \"other\"\n"
		"  --states FILE     the same from lines of NAME PREFIX, or from class list --json\n"
		"  --depth N         without such rules: so many components of the path are a state (1)\n"
		"  --embedded        pictures, style sheets and the like are states, too\n"
		"  --format F        combined, common, vhost_combined, json, or what the server's\n"
		"                    configuration has: '$remote_addr [$time_local] \"$request\" ...'\n"
		"  --field ROLE=NAME which field is the time, request, method, url, address, agent,\n"
		"                    cookies, response (s), response_ms or response_us\n"
		"  --begin-times     times are those of requests' begin (Apache), not of their end (nginx)\n"
		"  --type FIELD      a graph for each type of users that this field tells apart\n"
		"  --whole           sessions begin and end in the log, none is cut off by its ends\n"
		"  --broken P        part of the lines that may be broken (0.05)\n"
		"Of a matrix:\n"
		"  --start NAME      state in which sessions start, if it is not called (start) or INIT\n"
		"  --exit NAME       state in which they end, if it is not called (exit) or END\n"
		"  --only TYPE       one of several types of users\n"
		"  --share TYPE=PART which part of all is of that type\n"
		"Of both:\n"
		"  -o, --output FILE draw the graph\n"
		"  -d, --dot         in graphviz's language instead of SVG\n"
		"  --least P         draw ways that are at least so large a part of all steps (0.005)\n"
		TL_COMMON_HELP
		"A matrix is JSON with \"states\" and \"P\", by types of users if there are several, or\n"
		"CSV (.csv) with names in the head line and before each row. Logs come in the order of\n"
		"time, - is standard input.\n"
		"\nExample:\n"
		"  tierlens cbmg access.log.1 access.log --session cookie:sid -o site.svg\n"
		"  zcat access.log.*.gz | tierlens cbmg - --state cart=/cart --state 'buy=POST /order'\n"
		"  tierlens cbmg mixes.json --only shopping\n",
	.run = run,
};
