// SPDX-License-Identifier: GPL-2.0-or-later
/* A tier of a test service that measures itself: options, start and end of a run. */
#include "tier.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define ROWS_DEFAULT 200000
#define ROWS_MAX 10000000

static const struct {
	const char *name;
	tier_serve_fn *serve;
} modes[] = {
	{"thread", tier_serve_threads},
	{"epoll", tier_serve_epoll},
	{"pool", tier_serve_pool},
};

struct options {
	struct tier tier;
	unsigned int mode;
	uint64_t requests;
	const char *log, *csv;
	bool rows;
};

/* clang-format off */
static const char help[] =
	"usage: tierserver --port PORT [options]\n"
	"  --listen ADDR        instead of --port: HOST:PORT, [V6]:PORT or unix:PATH; port 0: any\n"
	"  --name NAME          in the log (default: tier-PORT)\n"
	"  --mode thread|epoll|pool\n"
	"                       thread: one thread a connection; epoll: one thread for all;\n"
	"                       pool: one thread reads, others serve and answer\n"
	"  --next ADDR          a tier below; may be repeated, calls go to them in turn\n"
	"  --pool N             epoll: connections to each next tier (default 8);\n"
	"                       pool: threads (default 8)\n"
	"what a request does here unless it says otherwise itself:\n"
	"  --work-us US --sleep-us US --calls N (default: one to each next) --parallel\n"
	"  --size BYTES (default 1000) --sends N --gap-us US\n"
	"end and log:\n"
	"  --requests N         end after so many (default 200000)\n"
	"  --seconds S          end after so long (default 600)\n"
	"  --log FILE           the sums, as JSON (default: standard output)\n"
	"  --rows               also each request in the JSON\n"
	"  --csv FILE           each request, as CSV\n"
	"Prints \"listening ADDR\" when it is ready. SIGTERM ends it in good order.\n"
	"example: tierserver --port 9001 --next 9002 --calls 3 --work-us 500 --log front.json\n";

enum { OPT_PORT = 256, OPT_LISTEN, OPT_NAME, OPT_MODE, OPT_NEXT, OPT_POOL, OPT_REQUESTS,
       OPT_SECONDS, OPT_LOG, OPT_ROWS, OPT_CSV, OPT_HELP, OPT_KNOB };

static const struct option longs[] = {
	{ "port", required_argument, NULL, OPT_PORT },
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "next", required_argument, NULL, OPT_NEXT },
	{ "pool", required_argument, NULL, OPT_POOL },
	{ "requests", required_argument, NULL, OPT_REQUESTS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "log", required_argument, NULL, OPT_LOG },
	{ "rows", no_argument, NULL, OPT_ROWS },
	{ "csv", required_argument, NULL, OPT_CSV },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "work-us", required_argument, NULL, OPT_KNOB + FRAME_WORK },
	{ "sleep-us", required_argument, NULL, OPT_KNOB + FRAME_SLEEP },
	{ "calls", required_argument, NULL, OPT_KNOB + FRAME_CALLS },
	{ "size", required_argument, NULL, OPT_KNOB + FRAME_SIZE },
	{ "sends", required_argument, NULL, OPT_KNOB + FRAME_SENDS },
	{ "gap-us", required_argument, NULL, OPT_KNOB + FRAME_GAP },
	{ "parallel", no_argument, NULL, OPT_KNOB + FRAME_PARALLEL },
	{ NULL, 0, NULL, 0 },
};
/* clang-format on */

static void __attribute__((noreturn)) usage(const char *what, const char *value)
{
	fprintf(stderr, "tierserver: %s '%s'; see tierserver --help\n", what, value);
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

static void set_addr(struct addr *a, const char *text)
{
	if (addr_parse(a, text))
		usage("not PORT, HOST:PORT, [V6]:PORT or unix:PATH:", text);
}

static unsigned int find_mode(const char *name)
{
	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, name))
			return i;
	usage("no such mode:", name);
}

static void add_next(struct tier *t, const char *text)
{
	if (t->n_next == TIER_NEXT)
		usage("too many --next:", text);
	set_addr(&t->next[t->n_next++], text);
}

static void set_option(struct options *o, int opt, const char *value)
{
	struct tier *t = &o->tier;

	switch (opt) {
	case OPT_PORT:
	case OPT_LISTEN:
		set_addr(&t->listen, value);
		break;
	case OPT_NAME:
		t->name = value;
		break;
	case OPT_MODE:
		o->mode = find_mode(value);
		break;
	case OPT_NEXT:
		add_next(t, value);
		break;
	case OPT_POOL:
		t->pool = number(value, 1, TIER_CLIENTS);
		break;
	case OPT_REQUESTS:
		o->requests = number(value, 1, ROWS_MAX);
		break;
	case OPT_SECONDS:
		t->max_seconds = number(value, 1, 86400);
		break;
	case OPT_LOG:
		o->log = value;
		break;
	case OPT_ROWS:
		o->rows = true;
		break;
	case OPT_CSV:
		o->csv = value;
		break;
	case OPT_HELP:
		fputs(help, stdout);
		exit(0);
	case OPT_KNOB + FRAME_PARALLEL:
		t->knob[FRAME_PARALLEL] = 1;
		break;
	default:
		if (opt < OPT_KNOB)
			exit(2);
		t->knob[opt - OPT_KNOB] =
			number(value, 0, frame_knob_max(opt - OPT_KNOB));
	}
}

static void parse_options(struct options *o, int argc, char **argv)
{
	struct tier *t = &o->tier;
	int opt;

	o->requests = ROWS_DEFAULT;
	t->pool = 8;
	t->max_seconds = 600;
	t->knob[FRAME_CALLS] = FRAME_UNSET;
	t->knob[FRAME_SIZE] = 1000;
	t->knob[FRAME_SENDS] = 1;
	while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1)
		set_option(o, opt, optarg);
	if (optind < argc)
		usage("what is", argv[optind]);
	if (!t->listen.len)
		usage("needed:", "--port");
}

/* Signals are blocked before the first thread starts and arrive as readable bytes. */
static int open_ends(struct tier *t)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	t->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	t->full_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->deadline_ns = truth_now_ns() + t->max_seconds * 1000000000ULL;
	return t->signal_fd < 0 || t->full_fd < 0 ? -errno : 0;
}

static void name_tier(struct tier *t)
{
	static char name[160];
	const char *colon = strrchr(t->listen.text, ':');

	if (t->name)
		return;
	snprintf(name, sizeof(name), "tier-%s", colon ? colon + 1 : t->listen.text);
	t->name = name;
}

static int write_file(struct options *o, const char *path, const char *ended)
{
	struct tier *t = &o->tier;
	FILE *f = path ? fopen(path, "w") : stdout;
	int ret;

	if (!f)
		return -errno;
	if (ended)
		ret = truth_write_json(&t->truth, f, t->name, modes[o->mode].name, ended,
				       o->rows);
	else
		ret = truth_write_csv(&t->truth, f);
	if (path && fclose(f))
		ret = -errno;
	return ret;
}

int main(int argc, char **argv)
{
	static struct options o;
	struct tier *t = &o.tier;
	const char *ended;
	int ret;

	parse_options(&o, argc, argv);
	t->listen_fd = addr_listen(&t->listen);
	if (t->listen_fd < 0) {
		fprintf(stderr, "tierserver: cannot listen on %s: %s\n", t->listen.text,
			strerror(-t->listen_fd));
		return 1;
	}
	name_tier(t);
	ret = truth_init(&t->truth, o.requests);
	if (!ret)
		ret = open_ends(t);
	if (ret) {
		fprintf(stderr, "tierserver: cannot start: %s\n", strerror(-ret));
		return 1;
	}
	printf("listening %s\n", t->listen.text);
	fflush(stdout);
	ended = modes[o.mode].serve(t);
	ret = write_file(&o, o.log, ended);
	if (!ret && o.csv)
		ret = write_file(&o, o.csv, NULL);
	if (ret)
		fprintf(stderr, "tierserver: cannot write the log: %s\n", strerror(-ret));
	truth_free(&t->truth);
	return !!ret;
}
