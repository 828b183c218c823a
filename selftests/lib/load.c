// SPDX-License-Identifier: GPL-2.0-or-later
/* Closed-loop load over HTTP/1.1 or the test services' line protocol: options and end. */
#include "load.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char help[] =
	"usage: load --to ADDR [--proto frame|http] [options]\n"
	"  --to ADDR            PORT, HOST:PORT, [V6]:PORT or unix:PATH\n"
	"  --proto frame|http   the line protocol of tierserver (default), or HTTP/1.1 GET\n"
	"  --mix FILE           lines 'WEIGHT NAME TEXT', see below\n"
	"  --ask TEXT           one target of weight 1; may be repeated\n"
	"  --in-order           the targets in turn instead of at random by weight\n"
	"  --connections N      (default 1) --reconnect-every N requests (default: never)\n"
	"  --requests N         (default 1000) and\n"
	"  --seconds S          (default 60): whichever comes first ends it\n"
	"  --think-ms MS        between an answer and the next request; --think-exp: MS is a mean\n"
	"  --burst N --gap-ms G after each N requests nothing is in flight for G ms\n"
	"  --seed N             of what is random (default 1)\n"
	"  --min-bytes N        a shorter body is an error;\n"
	"  --tail TEXT          and so is an HTTP body that does not end so (up to 64 bytes)\n"
	"  --csv FILE           each request\n"
	"The text of a target is a URL, or a request line of tierserver: 'CLASS [work=US,US,…]\n"
	"[sleep=US,…] [calls=N,…] [size=BYTES,…] [sends=N,…] [gap=US,…] [parallel=1,…] [body=N]',\n"
	"one value for each tier. {A-B} in it becomes a random number.\n"
	"Prints JSON. The exit status is 1 if any answer was wrong.\n"
	"example: load --to 9001 --connections 4 --requests 500 --ask 'home work=200,100 calls=2'\n";

enum { OPT_TO = 256, OPT_PROTO, OPT_MIX, OPT_ASK, OPT_IN_ORDER, OPT_CONNECTIONS,
       OPT_RECONNECT, OPT_REQUESTS, OPT_SECONDS, OPT_THINK, OPT_THINK_EXP, OPT_BURST,
       OPT_GAP, OPT_SEED, OPT_MIN_BYTES, OPT_TAIL, OPT_CSV, OPT_HELP };

static const struct option longs[] = {
	{ "to", required_argument, NULL, OPT_TO },
	{ "proto", required_argument, NULL, OPT_PROTO },
	{ "mix", required_argument, NULL, OPT_MIX },
	{ "ask", required_argument, NULL, OPT_ASK },
	{ "in-order", no_argument, NULL, OPT_IN_ORDER },
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
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};
/* clang-format on */

static struct load_run run = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static void __attribute__((noreturn)) usage(const char *what, const char *value)
{
	fprintf(stderr, "load: %s '%s'; see load --help\n", what, value);
	exit(2);
}

static uint64_t number(const char *text, uint64_t min, uint64_t max)
{
	char *end;
	unsigned long long v = strtoull(text, &end, 10);

	if (end == text || *end || *text == '-' || v < min || v > max)
		usage("out of range or not a number:", text);
	return v;
}

static double real(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= 0 && v <= 86400))
		usage("out of range or not a number:", text);
	return v;
}

static load_ask_fn *find_proto(const char *name)
{
	if (!strcmp(name, "frame"))
		return load_ask_frame;
	if (!strcmp(name, "http"))
		return load_ask_http;
	usage("no such protocol:", name);
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
		usage("not a target:", text);
}

static void set_target_option(struct load_options *o, int opt, const char *value)
{
	int err;

	switch (opt) {
	case OPT_TO:
		if (addr_parse(&o->to, value))
			usage("not PORT, HOST:PORT, [V6]:PORT or unix:PATH:", value);
		break;
	case OPT_PROTO:
		o->ask = find_proto(value);
		break;
	case OPT_MIX:
		err = load_mix_read(&o->mix, value);
		if (err)
			usage(strerror(-err), value);
		break;
	case OPT_ASK:
		add_ask(&o->mix, value);
		break;
	case OPT_TAIL:
		if (strlen(value) > 64)
			usage("too long:", value);
		o->check.tail = value;
		break;
	case OPT_HELP:
		fputs(help, stdout);
		exit(0);
	default:
		exit(2);
	}
}

static void set_option(struct load_options *o, int opt, const char *value)
{
	switch (opt) {
	case OPT_IN_ORDER:
		o->in_order = true;
		break;
	case OPT_CONNECTIONS:
		o->connections = number(value, 1, 512);
		break;
	case OPT_RECONNECT:
		o->reconnect_every = number(value, 0, UINT32_MAX);
		break;
	case OPT_REQUESTS:
		o->requests = number(value, 1, 10000000);
		break;
	case OPT_SECONDS:
		o->seconds = real(value);
		break;
	case OPT_THINK:
		o->think_s = real(value) / 1e3;
		break;
	case OPT_THINK_EXP:
		o->think_exponential = true;
		break;
	case OPT_BURST:
		o->burst = number(value, 0, UINT32_MAX);
		break;
	case OPT_GAP:
		o->gap_ms = number(value, 0, 600000);
		break;
	case OPT_SEED:
		o->seed = number(value, 0, UINT64_MAX);
		break;
	case OPT_MIN_BYTES:
		o->check.min_bytes = number(value, 0, UINT32_MAX);
		break;
	case OPT_CSV:
		o->csv = value;
		break;
	default:
		set_target_option(o, opt, value);
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
					.seed = 1};
	static sigset_t set;
	pthread_t watcher;
	int opt, err;

	while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1)
		set_option(&o, opt, optarg);
	if (optind < argc)
		usage("what is", argv[optind]);
	if (!o.to.len || !o.mix.n || o.mix.weights <= 0)
		usage("needed:", "--to and --mix or --ask");
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
