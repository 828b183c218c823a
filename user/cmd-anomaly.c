// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens anomaly: which messages took longer than others of their size, and which timed out. */
#include "anomaly-out.h"
#include "cmd.h"
#include "error.h"
#include "messages.h"
#include "model/anomaly-stream.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MTU 1500
#define MTU_LEAST 64
#define MTU_MOST 1048576
#define WINDOW 2000
#define WINDOW_MOST 1000000

struct args {
	const char *file, *output, *method;
	u64 mtu, window;
	bool stream, json;
};

/* ---- what is found ----------------------------------------------------------------------- */

static int failed(const struct args *args, int code, struct tl_error *err)
{
	if (code == -ENOMEM)
		return tl_error_no_memory(err);
	return tl_error_set(err, code, "%s: sizes or times are too far apart to draw a line through: mend the rows", args->file);
}

static int fit(const struct args *args, const struct tl_anomaly_in *in, struct tl_anomaly_model *model)
{
	return strcmp(args->method, "printed") ? tl_anomaly(in, model) : tl_anomaly_printed(in, model);
}

/* Path by path. @end: [paths + 1] zero, where each path's messages end; @room: [2 n] */
static int fit_all(const struct args *args, struct tl_anomalies *a, size_t *end, double *room)
{
	const struct tl_messages *m = a->messages;
	double *size = room, *time_ms = room + m->n;
	size_t i, begin = 0;
	int code = 0;

	for (i = 0; i < m->n; i++)
		end[m->path[i] + 1]++;
	for (i = 0; i < m->paths.n; i++)
		end[i + 1] += end[i];
	for (i = 0; i < m->n; i++) {
		size[end[m->path[i]]] = m->size[i];
		time_ms[end[m->path[i]]++] = m->time_ms[i];
	}
	for (i = 0; !code && i < m->paths.n; begin = end[i++]) {
		struct tl_anomaly_in in = { size + begin, time_ms + begin, end[i] - begin, (double)args->mtu };

		code = fit(args, &in, &a->model[i]);
	}
	return code;
}

static int judge(const struct args *args, struct tl_anomalies *a)
{
	const struct tl_messages *m = a->messages;
	double *room = calloc(2 * m->n, sizeof(*room));
	size_t *end = calloc(m->paths.n + 1, sizeof(*end)), i;
	int code = room && end ? fit_all(args, a, end, room) : -ENOMEM;

	for (i = 0; !code && i < m->n; i++)
		a->kind[i] = tl_anomaly_judge(&a->model[m->path[i]], m->size[i], m->time_ms[i]);
	free(room);
	free(end);
	return code;
}

static int judge_stream(const struct args *args, struct tl_anomalies *a)
{
	const struct tl_messages *m = a->messages;
	struct tl_anomaly_stream *stream = calloc(m->paths.n, sizeof(*stream));
	size_t i;
	int code = stream ? 0 : -ENOMEM;

	for (i = 0; !code && i < m->paths.n; i++) {
		stream[i].window = args->window;
		stream[i].mtu = (double)args->mtu;
	}
	for (i = 0; !code && i < m->n; i++)
		code = tl_anomaly_next(&stream[m->path[i]], m->size[i], m->time_ms[i], &a->kind[i]);
	for (i = 0; stream && i < m->paths.n; i++) {
		a->model[i] = stream[i].model;
		tl_anomaly_stream_free(&stream[i]);
	}
	free(stream);
	return code;
}

static int find(const struct args *args, struct tl_anomalies *a, struct tl_error *err)
{
	const struct tl_messages *m = a->messages;
	size_t i;
	int code;

	a->method = args->method;
	a->kind = calloc(m->n, sizeof(*a->kind));
	a->model = calloc(m->paths.n, sizeof(*a->model));
	a->count = calloc(m->paths.n, sizeof(*a->count));
	if (!a->kind || !a->model || !a->count)
		return tl_error_no_memory(err);
	code = args->stream ? judge_stream(args, a) : judge(args, a);
	if (code)
		return failed(args, code, err);
	for (i = 0; i < m->n; i++)
		a->count[m->path[i]][a->kind[i]]++;
	return 0;
}

/* ---- what is said ------------------------------------------------------------------------ */

static int rows_write(const struct args *args, const struct tl_anomalies *a, struct tl_error *err)
{
	char *part;
	FILE *to;

	if (!args->output) {
		tl_anomalies_write(a, stdout);
		return 0;
	}
	to = tl_out_begin(args->output, &part, err);
	if (!to)
		return -EIO;
	tl_anomalies_write(a, to);
	return tl_out_end(to, args->output, part, 0, err);
}

/* Rows to standard output are all that is printed there. */
static int tell(const struct args *args, const struct tl_anomalies *a, struct tl_error *err, int *status)
{
	int code = args->json && !args->output ? 0 : rows_write(args, a, err);

	if (!code && args->json)
		*status = tl_out_json(tl_anomalies_json(a));
	else if (!code && args->output)
		tl_anomalies_print(a, stdout);
	return code;
}

static int anomaly(const struct args *args)
{
	struct tl_messages messages;
	struct tl_anomalies a = { .messages = &messages };
	struct tl_error err;
	int status = TL_EXIT_OK, code = tl_messages_read(&messages, args->file, &err);

	code = code ? code : find(args, &a, &err);
	code = code ? code : tell(args, &a, &err, &status);
	free(a.kind);
	free(a.model);
	free(a.count);
	tl_messages_free(&messages);
	return code ? tl_out_failed(&err) : status;
}

/* ---- arguments --------------------------------------------------------------------------- */

static int take(struct args *args, int option)
{
	switch (option) {
	case 'm':
		return tl_args_u64("--mtu", optarg, MTU_LEAST, MTU_MOST, &args->mtu);
	case 'w':
		args->stream = true;
		return tl_args_u64("--window", optarg, TL_ANOMALY_LEAST, WINDOW_MOST, &args->window);
	case 'M':
		args->method = optarg;
		break;
	case 's':
		args->stream = true;
		break;
	case 'o':
		args->output = optarg;
		break;
	default:
		args->json = true;
	}
	return TL_EXIT_OK;
}

static int check(const struct tl_cmd *cmd, const struct args *args)
{
	if (strcmp(args->method, "best") && strcmp(args->method, "printed"))
		return tl_args_usage(cmd, "--method \"%s\" is neither best nor printed", args->method);
	if (args->stream && strcmp(args->method, "best"))
		return tl_args_usage(cmd, "--stream goes with --method best only");
	return TL_EXIT_OK;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "mtu", required_argument, NULL, 'm' },
		{ "method", required_argument, NULL, 'M' },
		{ "stream", no_argument, NULL, 's' },
		{ "window", required_argument, NULL, 'w' },
		{ "output", required_argument, NULL, 'o' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .mtu = MTU, .window = WINDOW, .method = "best" };
	int option, status;

	while ((option = tl_args_next(cmd, argc, argv, "m:w:o:", options)) >= 0) {
		status = take(&args, option);
		if (status)
			return status;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (argc - optind < 1)
		return tl_args_usage(cmd, "anomaly needs messages: a file with size_bytes,time_ms");
	if (argc - optind > 1)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", argv[optind + 1]);
	args.file = argv[optind];
	status = check(cmd, &args);
	return status ? status : anomaly(&args);
}

const struct tl_cmd tl_cmd_anomaly = {
	.name = "anomaly",
	.args = "FILE.csv [--mtu BYTES] [--method best|printed] [--stream] [--window N] [-o FILE] [--json]",
	.summary = "Tell which messages took longer than others of their size, and which timed out",
	.help = "  -m, --mtu BYTES   of a packet (1500)\n"
		"      --method M    best: as many groups as there is evidence for; printed: paper 004's (best)\n"
		"      --stream      judge each message by those before it only\n"
		"  -w, --window N    and by no more than so many of them (2000)\n"
		"  -o, --output FILE rows to there, and what was found as a table\n"
		TL_COMMON_HELP
		"\nThe rows of FILE come out as they are with one column more, label: normal, delayed or timeout.\n"
		"\nExample:\n"
		"  tierlens anomaly messages.csv --mtu 1500 -o labelled.csv\n",
	.run = run,
};
