// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens selftest: is attribution right on this machine, and what does it cost? */
#include "cmd.h"
#include "error.h"
#include "out.h"
#include "selftest/findings.h"
#include "selftest/session.h"

#include <stdlib.h>

#define CONNECTIONS_MAX 256 /* prefork has a process for each */
#define REQUESTS_MAX 100000
#define CALLS_MAX 1000000 /* of all trials; the test servers remember each */
#define COST "cost"

static int shape_add(const struct tl_cmd *cmd, struct tl_session_options *o, const char *name,
		     size_t len)
{
	const struct tl_shape *shape = tl_shape_find(name, len);

	if (len == strlen(COST) && !strncmp(name, COST, len)) {
		o->cost = true;
		return TL_EXIT_OK;
	}
	if (!shape)
		return tl_args_usage(cmd, "no shape is called \"%.*s\": tierlens selftest "
				     "--list tells them", (int)len, name);
	if (o->n_shapes == ARRAY_SIZE(o->shapes))
		return tl_args_usage(cmd, "--shapes: give at most %zu",
				     ARRAY_SIZE(o->shapes));
	o->shapes[o->n_shapes++] = shape;
	return TL_EXIT_OK;
}

static int shapes_read(const struct tl_cmd *cmd, struct tl_session_options *o,
		       const char *list)
{
	int status = TL_EXIT_OK;
	size_t len;

	o->n_shapes = 0;
	o->cost = false;
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		status = shape_add(cmd, o, list, len);
		if (status || !list[len])
			return status;
	}
}

static int connections_read(const struct tl_cmd *cmd, struct tl_session_options *o,
			    const char *list)
{
	char number[24];
	size_t len;

	o->n_connections = 0;
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (o->n_connections == ARRAY_SIZE(o->connections))
			return tl_args_usage(cmd, "--connections: give at most %zu numbers",
					     ARRAY_SIZE(o->connections));
		snprintf(number, sizeof(number), "%.*s", (int)len, list);
		if (tl_args_u64("--connections", number, 1, CONNECTIONS_MAX,
				&o->connections[o->n_connections++]))
			return TL_EXIT_USAGE;
		if (!list[len])
			return TL_EXIT_OK;
	}
}

static int option_read(const struct tl_cmd *cmd, struct tl_session_options *o, int option)
{
	switch (option) {
	case 's':
		return shapes_read(cmd, o, optarg);
	case 'c':
		return connections_read(cmd, o, optarg);
	case 'r':
		return tl_args_u64("--requests", optarg, 1, REQUESTS_MAX, &o->requests);
	case 't':
		return tl_args_number("--seconds", optarg, 0.1, &o->seconds);
	case 'p':
		o->programs = optarg;
		return TL_EXIT_OK;
	default:
		o->json = true;
		return TL_EXIT_OK;
	}
}

static void defaults(struct tl_session_options *o)
{
	static const u64 connections[] = { 1, 8, 64 };
	size_t i;

	memset(o, 0, sizeof(*o));
	o->programs = getenv("TIERLENS_PROGRAMS");
	for (i = 0; i < tl_shapes_n; i++)
		o->shapes[o->n_shapes++] = &tl_shapes[i];
	memcpy(o->connections, connections, sizeof(connections));
	o->n_connections = ARRAY_SIZE(connections);
	o->requests = 500;
	o->cost = true;
}

static int selftest(const struct tl_session_options *o)
{
	struct tl_session session = { .options = o };
	struct tl_error err;
	int status, printed = TL_EXIT_OK;

	if (tl_session_run(&session, &err)) {
		status = tl_out_failed(&err);
	} else {
		if (o->json)
			printed = tl_findings_json(&session);
		else
			tl_findings_print(&session);
		status = tl_findings_status(&session);
		status = status ? status : printed;
	}
	tl_session_free(&session);
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "shapes", required_argument, NULL, 's' },
		{ "connections", required_argument, NULL, 'c' },
		{ "requests", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 't' },
		{ "programs", required_argument, NULL, 'p' },
		{ "list", no_argument, NULL, 'l' },
		TL_COMMON_OPTIONS
	};
	struct tl_session_options o;
	int option, status;
	bool list = false;

	defaults(&o);
	while ((option = tl_args_next(cmd, argc, argv, "", options)) >= 0) {
		list |= option == 'l';
		status = option == 'l' ? TL_EXIT_OK : option_read(cmd, &o, option);
		if (status)
			return status;
	}
	status = tl_args_end(cmd, option, argc, argv);
	if (status != TL_GO_ON)
		return status;
	if (list)
		return tl_findings_shapes(o.json);
	if (o.seconds > 600)
		return tl_args_usage(cmd, "--seconds: give at most 600 for each trial");
	if (o.requests * o.n_shapes * o.n_connections > CALLS_MAX)
		return tl_args_usage(cmd, "%zu shapes with %zu numbers of connections and so many "
				     "requests each are too much: give fewer", o.n_shapes,
				     o.n_connections);
	return selftest(&o);
}

const struct tl_cmd tl_cmd_selftest = {
	.name = "selftest",
	.args = "[--shapes LIST] [--connections N,...] [--requests N] [--seconds S] [--list] "
		"[--json]",
	.summary = "How often attribution is right here, and what measuring costs",
	.help = "      --shapes LIST only these, separated by commas; cost stands for what the\n"
		"                    hooks add to operations on this machine\n"
		"      --connections N,...\n"
		"                    how many at once, 1 to 256: each shape is tried with each;\n"
		"                    without it 1,8,64\n"
		"      --requests N  requests of each trial, 500 without it, and\n"
		"      --seconds S   time for them: whichever comes first; without it the\n"
		"                    trials share 80 seconds, so that also a slow machine has\n"
		"                    done after two minutes; where an order has to be learnt,\n"
		"                    200 more come before them, and are not judged\n"
		"      --programs DIR\n"
		"                    where the test programs are, if not where they were\n"
		"                    installed; TIERLENS_PROGRAMS says the same\n"
		"      --list        the shapes, and what is wanted of each\n"
		TL_COMMON_HELP
		"Runs servers of every shape on loopback and a load on them, and compares what\n"
		"the kernel says about their calls with what they say themselves. Measuring must\n"
		"be off; afterwards all is as it was. How small a part of wrong calls it can\n"
		"rule out stands beside each figure. Exit status: 0 all is as good as wanted,\n"
		"1 something is not, or it could not be run, 2 wrong usage.\n"
		"\nExample:\n"
		"  tierlens selftest --shapes epoll,pool,cost --connections 64\n",
	.run = run,
};
