// SPDX-License-Identifier: GPL-2.0-or-later
/* Closed-loop load over HTTP/1.1 or the test services' line protocol: options and end. */
#include "load.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "opt.h"

/* clang-format off */
static const char help[] =
	"usage: load --to ADDR [--proto frame|http] [options]\n"
	"  --to ADDR            PORT, HOST:PORT, [V6]:PORT or unix:PATH\n"
	"  --proto frame|http   the line protocol of tierserver (default), or HTTP/1.1 GET\n"
	"  --mix FILE           lines 'WEIGHT NAME TEXT', see below\n"
	"  --ask TEXT           one target of weight 1; may be repeated\n"
	"  --classes N          targets c00, c01 and so on, all of weight 1\n"
	"  --knobs TEXT         with --classes: what comes after their names\n"
	"  --in-order           the targets in turn instead of at random by weight\n"
	"  --walk FILE=N        N sessions, a connection each, whose next target depends on the last one:\n"
	"                       lines 'FROM TO P TO P ...' with names of the mix, a row INIT for the\n"
	"                       beginning and a row '*' for all that have none; may be repeated\n"
	"  --connections N      (default 1) --reconnect-every N requests (default: never)\n"
	"  --requests N         (default 1000) and\n"
	"  --seconds S          (default 60): whichever comes first ends it\n"
	"  --think-ms MS        between an answer and the next request; --think-exp: MS is a mean\n"
	"  --burst N --gap-ms G after each N requests nothing is in flight for G ms\n"
	"  --seed N             of what is random (default 1)\n"
	"how a client of the line protocol behaves:\n"
	"  --pipeline K         K requests at once on a connection, then their answers\n"
	"  --pieces K --piece-gap-ms G  a request is sent in K pieces with G ms between\n"
	"  --half-close         after its last request a connection only reads;\n"
	"                       --reconnect-every is then 1 if it is not given\n"
	"  --reset-every N      each N-th request is broken off by a reset when its answer begins to\n"
	"                       come; in the JSON it is neither in count nor in errors\n"
	"  --read-bytes N --read-gap-ms G  answers are read N bytes at a time with G ms between\n"
	"what is right:\n"
	"  --min-bytes N        a shorter body is an error;\n"
	"  --tail TEXT          and so is an HTTP body that does not end so (up to 64 bytes)\n"
	"  --csv FILE           each request\n"
	"The text of a target is a URL, or a request line of tierserver: 'CLASS [work=US,US,…]\n"
	"[sleep=US,…] [calls=N,…] [size=BYTES,…] [sends=N,…] [gap=US,…] [parallel=1,…] [body=N [expect=1]]',\n"
	"one value for each tier; expect=1: the body is sent when the server asks for it. {A-B} in it becomes a random number.\n"
	"Prints JSON. The exit status is 1 if any answer was wrong.\n"
	"example: load --to 9001 --connections 4 --requests 500 --ask 'home work=200,100 calls=2'\n";

enum { OPT_TO = 256, OPT_PROTO, OPT_MIX, OPT_ASK, OPT_CLASSES, OPT_KNOBS, OPT_IN_ORDER, OPT_WALK, OPT_CONNECTIONS,
       OPT_RECONNECT, OPT_REQUESTS, OPT_SECONDS, OPT_THINK, OPT_THINK_EXP, OPT_BURST,
       OPT_GAP, OPT_SEED, OPT_MIN_BYTES, OPT_TAIL, OPT_CSV, OPT_HELP,
       OPT_PIPELINE, OPT_PIECES, OPT_PIECE_GAP, OPT_HALF_CLOSE, OPT_RESET, OPT_READ_BYTES,
       OPT_READ_GAP };

static const struct option longs[] = {
	{ "to", required_argument, NULL, OPT_TO },
	{ "proto", required_argument, NULL, OPT_PROTO },
	{ "mix", required_argument, NULL, OPT_MIX },
	{ "ask", required_argument, NULL, OPT_ASK },
	{ "classes", required_argument, NULL, OPT_CLASSES },
	{ "knobs", required_argument, NULL, OPT_KNOBS },
	{ "in-order", no_argument, NULL, OPT_IN_ORDER },
	{ "walk", required_argument, NULL, OPT_WALK },
	{ "connections", required_argument, NULL, OPT_CONNECTIONS },
	{ "reconnect-every", required_argument, NULL, OPT_RECONNECT },
	{ "requests", required_argument, NULL, OPT_REQUESTS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "think-ms", required_argument, NULL, OPT_THINK },
	{ "think-exp", no_argument, NULL, OPT_THINK_EXP },
	{ "burst", required_argument, NULL, OPT_BURST },
	{ "gap-ms", required_argument, NULL, OPT_GAP },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "min-bytes", required_argument, NULL, OPT_MIN_BYTES },
	{ "tail", required_argument, NULL, OPT_TAIL },
	{ "csv", required_argument, NULL, OPT_CSV },
	{ "pipeline", required_argument, NULL, OPT_PIPELINE },
	{ "pieces", required_argument, NULL, OPT_PIECES },
	{ "piece-gap-ms", required_argument, NULL, OPT_PIECE_GAP },
	{ "half-close", no_argument, NULL, OPT_HALF_CLOSE },
	{ "reset-every", required_argument, NULL, OPT_RESET },
	{ "read-bytes", required_argument, NULL, OPT_READ_BYTES },
	{ "read-gap-ms", required_argument, NULL, OPT_READ_GAP },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};
/* clang-format on */

static struct load_run run = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static load_ask_fn *find_proto(const char *name)
{
	if (!strcmp(name, "frame"))
		return load_ask_frame;
	if (!strcmp(name, "http"))
		return load_ask_http;
	opt_usage("no such protocol:", name);
}

/* Its name is its first word. */
static void add_ask(struct load_mix *m, const char *text)
{
	char line[LOAD_TEXT + 64];
	int word = strcspn(text, " ?");

	if (word > 30)
		word = 30;
	if (snprintf(line, sizeof(line), "1 %.*s %s", word, text, text) >=
		    (int)sizeof(line) ||
	    load_mix_add(m, line))
		opt_usage("not a target:", text);
}

/* The class's number tells its endpoint to a server with --next-per-class. */
static void add_classes(struct load_mix *m, unsigned int n, const char *knobs)
{
	char text[LOAD_TEXT];

	for (unsigned int i = 0; i < n; i++) {
		if (snprintf(text, sizeof(text), "c%02u %s", i, knobs) >=
		    (int)sizeof(text))
			opt_usage("too long:", knobs);
		add_ask(m, text);
	}
}

/* The file is read when all targets are known. */
static void add_walk(struct load_options *o, const char *text)
{
	struct load_sessions *s = &o->sessions[o->walks];
	const char *n = strrchr(text, '=');

	if (!n || n == text || o->walks == LOAD_WALKS)
		opt_usage("not FILE=SESSIONS, or too many of them:", text);
	s->path = strndup(text, n - text);
	s->n = opt_number(n + 1, 1, 16384);
	o->walks++;
}

static void read_walks(struct load_options *o)
{
	if (o->walks)
		o->connections = 0;
	for (unsigned int i = 0; i < o->walks; i++) {
		struct load_sessions *s = &o->sessions[i];

		s->walk = load_walk_read(&o->mix, s->path);
		if (!s->walk)
			exit(2);
		o->connections += s->n;
	}
}

static void set_target_option(struct load_options *o, int opt, const char *value)
{
	int err;

	switch (opt) {
	case OPT_TO:
		opt_addr(&o->to, value);
		break;
	case OPT_PROTO:
		o->ask = find_proto(value);
		break;
	case OPT_MIX:
		err = load_mix_read(&o->mix, value);
		if (err)
			opt_usage(strerror(-err), value);
		break;
	case OPT_ASK:
		add_ask(&o->mix, value);
		break;
	case OPT_WALK:
		add_walk(o, value);
		break;
	case OPT_CLASSES:
		o->classes = opt_number(value, 1, 100);
		break;
	case OPT_KNOBS:
		o->knobs = value;
		break;
	case OPT_TAIL:
		if (strlen(value) > 64)
			opt_usage("too long:", value);
		o->check.tail = value;
		break;
	case OPT_HELP:
		fputs(help, stdout);
		exit(0);
	default:
		exit(2);
	}
}

static void set_manner_option(struct load_options *o, int opt, const char *value)
{
	struct load_manner *m = &o->manner;

	switch (opt) {
	case OPT_PIPELINE:
		m->pipeline = opt_number(value, 1, LOAD_PIPELINE);
		break;
	case OPT_PIECES:
		m->pieces = opt_number(value, 1, 1000);
		break;
	case OPT_PIECE_GAP:
		m->piece_gap_ms = opt_number(value, 0, 600000);
		break;
	case OPT_HALF_CLOSE:
		m->half_close = true;
		break;
	case OPT_RESET:
		m->reset_every = opt_number(value, 0, UINT32_MAX);
		break;
	case OPT_READ_BYTES:
		m->read_bytes = opt_number(value, 0, UINT32_MAX);
		break;
	case OPT_READ_GAP:
		m->read_gap_ms = opt_number(value, 0, 600000);
		break;
	default:
		set_target_option(o, opt, value);
	}
}

static void check_options(struct load_options *o)
{
	static const struct load_manner none;

	if (!o->to.len || !o->mix.n || o->mix.weights <= 0)
		opt_usage("needed:", "--to and --mix, --ask or --classes");
	if (o->ask == load_ask_http && memcmp(&o->manner, &none, sizeof(none)))
		opt_usage("only the line protocol has manners, not", "--proto http");
	if (o->in_order && o->walks)
		opt_usage("not with --walk:", "--in-order");
	if (o->burst && o->manner.pipeline > 1)
		opt_usage("not with --burst:", "--pipeline");
	if (o->manner.half_close && !o->reconnect_every)
		o->reconnect_every = 1;
}

static void set_option(struct load_options *o, int opt, const char *value)
{
	switch (opt) {
	case OPT_IN_ORDER:
		o->in_order = true;
		break;
	case OPT_CONNECTIONS:
		o->connections = opt_number(value, 1, 16384);
		break;
	case OPT_RECONNECT:
		o->reconnect_every = opt_number(value, 0, UINT32_MAX);
		break;
	case OPT_REQUESTS:
		o->requests = opt_number(value, 1, 10000000);
		break;
	case OPT_SECONDS:
		o->seconds = opt_real(value, 86400);
		break;
	case OPT_THINK:
		o->think_s = opt_real(value, 86400) / 1e3;
		break;
	case OPT_THINK_EXP:
		o->think_exponential = true;
		break;
	case OPT_BURST:
		o->burst = opt_number(value, 0, UINT32_MAX);
		break;
	case OPT_GAP:
		o->gap_ms = opt_number(value, 0, 600000);
		break;
	case OPT_SEED:
		o->seed = opt_number(value, 0, UINT64_MAX);
		break;
	case OPT_MIN_BYTES:
		o->check.min_bytes = opt_number(value, 0, UINT32_MAX);
		break;
	case OPT_CSV:
		o->csv = value;
		break;
	default:
		set_manner_option(o, opt, value);
	}
}

static void *watch_signals(void *set)
{
	int sig;

	if (!sigwait(set, &sig))
		load_stop(&run, "signal");
	return NULL;
}

static int write_csv(const char *path)
{
	FILE *f = fopen(path, "w");
	int ret = f ? load_write_csv(&run, f) : -errno;

	if (f && fclose(f))
		ret = -errno;
	if (ret)
		fprintf(stderr, "load: cannot write %s: %s\n", path, strerror(-ret));
	return ret;
}

int main(int argc, char **argv)
{
	static struct load_options o = {.ask = load_ask_frame,
					.connections = 1,
					.requests = 1000,
					.seconds = 60,
					.seed = 1,
					.knobs = ""};
	static sigset_t set;
	pthread_t watcher;
	int opt, err;

	while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1)
		set_option(&o, opt, optarg);
	if (optind < argc)
		opt_usage("what is", argv[optind]);
	add_classes(&o.mix, o.classes, o.knobs);
	check_options(&o);
	read_walks(&o);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	err = -pthread_create(&watcher, NULL, watch_signals, &set);
	if (!err)
		err = load_run(&run, &o);
	if (err) {
		fprintf(stderr, "load: cannot start: %s\n", strerror(-err));
		return 1;
	}
	if (load_write_json(&run, stdout))
		err = 1;
	if (o.csv && write_csv(o.csv))
		err = 1;
	free(run.samples);
	return err;
}
