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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "opt.h"

#define ROWS_DEFAULT 200000
#define ROWS_MAX 10000000

static const struct {
	const char *name;
	tier_serve_fn *serve;
	const struct tier_io *io;
} modes[] = {
	{"thread", tier_serve_threads, &tier_io_plain},
	{"executor", tier_serve_executor, &tier_io_plain},
	{"prefork", tier_serve_prefork, &tier_io_plain},
	{"fork", tier_serve_fork, &tier_io_plain},
	{"passfd", tier_serve_passfd, &tier_io_plain},
	{"epoll", tier_serve_epoll, &tier_io_plain},
	{"pool", tier_serve_pool, &tier_io_plain},
	{"pool-eventfd", tier_serve_pool_eventfd, &tier_io_plain},
	{"pool-pipe", tier_serve_pool_pipe, &tier_io_plain},
	{"coroutine", tier_serve_coro, &tier_io_coro},
	{"uring", tier_serve_uring, &tier_io_uring},
	{"uring-sync", tier_serve_threads, &tier_io_uring_sync},
};

static const char *const hows[] = {[TIER_SEND] = "send",
				   [TIER_SENDFILE] = "sendfile",
				   [TIER_SPLICE] = "splice",
				   NULL};
static const char *const answerers[] = {"worker", "io", NULL};
static const char *const orders[] = {[TIER_ORDER_FIFO] = "fifo",
				     [TIER_ORDER_LIFO] = "lifo",
				     [TIER_ORDER_RANDOM] = "random",
				     NULL};

struct options {
	unsigned int mode;
	uint64_t requests;
	const char *log, *csv, *per_class;
	bool rows, range;
};

/* clang-format off */
static const char help[] =
	"usage: tierserver --port PORT [options]\n"
	"  --listen ADDR        instead of --port: HOST:PORT, [V6]:PORT or unix:PATH; port 0: any\n"
	"  --ports N            listen on so many: the ports from that one on, or PATH.00 to PATH.NN;\n"
	"                       what class cNN asks on another than the NN-th is counted (misplaced)\n"
	"  --name NAME          in the log (default: tier-PORT)\n"
	"  --mode MODE          (default thread)\n"
	"    thread             one thread a connection\n"
	"    executor           the same, but --pool others do the work while it waits\n"
	"    prefork            --pool processes that accept and serve a connection at a time\n"
	"    fork               a process forked for each connection\n"
	"    passfd             one process accepts and passes connections to --pool others\n"
	"    epoll              one thread for all; calls wait for one of --pool connections\n"
	"    pool               one thread reads, others serve: the queue is a mutex and a condition\n"
	"    pool-eventfd       the same, but who has nothing to do blocks in read() of an eventfd\n"
	"    pool-pipe          the same, but what is to be done comes through a pipe\n"
	"    coroutine          --pool threads go on with whichever coroutine has got its bytes\n"
	"    uring              one thread and an io_uring for all\n"
	"    uring-sync         one thread a connection, each with an io_uring\n"
	"  --expect BYTES       a call has a body so large, and sends it when it is asked for it;\n"
	"                       not with --parallel, nor in mode epoll or uring\n"
	"  --answer worker|io   pool: who sends the answer (default worker); io: the one that reads\n"
	"  --jobs ORDER         pool: which job is taken first: fifo (default), lifo, random;\n"
	"                       not in mode pool-pipe\n"
	"  --results ORDER      the same of what comes back to the one that reads\n"
	"  --next ADDR          a tier below; may be repeated, calls go to them in turn\n"
	"  --next-per-class ADDR  class cNN calls port + NN, or PATH.NN, and no other\n"
	"  --pool N             epoll: connections to each next tier (default 8);\n"
	"                       others: threads or processes (default 8)\n"
	"  --patience S         how long an answer from below is waited for (default 60); not in mode\n"
	"                       epoll, coroutine, uring or uring-sync\n"
	"  --send send|sendfile|splice  how bodies are sent: from memory, from a file, or from a file\n"
	"                       through a pipe (default send)\n"
	"what a request does here unless it says otherwise itself:\n"
	"  --work-us US --sleep-us US --calls N (default: one to each next) --parallel\n"
	"  --between-ticks      the work is done in pieces that no tick of the kernel falls into, so that who\n"
	"                       reckons processor time by ticks sees none of it\n"
	"  --size BYTES (default 1000) --sends N --gap-us US (not with --answer io)\n"
	"end and log:\n"
	"  --requests N         end after so many (default 200000)\n"
	"  --seconds S          end after so long (default 7200)\n"
	"  --log FILE           the sums, as JSON (default: standard output)\n"
	"  --rows               also each request in the JSON\n"
	"  --csv FILE           each request, as CSV\n"
	"Prints \"listening ADDR\" when it is ready. SIGTERM ends it in good order.\n"
	"example: tierserver --port 9001 --next 9002 --calls 3 --work-us 500 --log front.json\n";

enum { OPT_PORT = 256, OPT_LISTEN, OPT_NAME, OPT_MODE, OPT_NEXT, OPT_POOL, OPT_PORTS, OPT_PER_CLASS, OPT_ANSWER, OPT_JOBS, OPT_RESULTS, OPT_SEND, OPT_EXPECT, OPT_PATIENCE, OPT_REQUESTS,
       OPT_SECONDS, OPT_LOG, OPT_ROWS, OPT_CSV, OPT_TICKS, OPT_HELP, OPT_KNOB };

static const struct option longs[] = {
	{ "port", required_argument, NULL, OPT_PORT },
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "next", required_argument, NULL, OPT_NEXT },
	{ "pool", required_argument, NULL, OPT_POOL },
	{ "ports", required_argument, NULL, OPT_PORTS },
	{ "next-per-class", required_argument, NULL, OPT_PER_CLASS },
	{ "answer", required_argument, NULL, OPT_ANSWER },
	{ "jobs", required_argument, NULL, OPT_JOBS },
	{ "results", required_argument, NULL, OPT_RESULTS },
	{ "send", required_argument, NULL, OPT_SEND },
	{ "expect", required_argument, NULL, OPT_EXPECT },
	{ "patience", required_argument, NULL, OPT_PATIENCE },
	{ "requests", required_argument, NULL, OPT_REQUESTS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "log", required_argument, NULL, OPT_LOG },
	{ "rows", no_argument, NULL, OPT_ROWS },
	{ "csv", required_argument, NULL, OPT_CSV },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "between-ticks", no_argument, NULL, OPT_TICKS },
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

static unsigned int find_mode(const char *name)
{
	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, name))
			return i;
	opt_usage("no such mode:", name);
}

static void add_next(struct tier *t, const char *text)
{
	if (t->n_next == TIER_NEXT)
		opt_usage("too many --next:", text);
	opt_addr(&t->next[t->n_next++], text);
}

/* As many as there are: above the last port there is no class. */
static void add_per_class(struct tier *t, const char *text)
{
	struct addr base;

	opt_addr(&base, text);
	t->per_class = true;
	t->n_next = 0;
	while (t->n_next < TIER_NEXT && !addr_nth(&t->next[t->n_next], &base, t->n_next))
		t->n_next++;
	if (!t->n_next)
		opt_usage("too long:", text);
}

static void set_shape(struct tier *t, struct options *o, int opt, const char *value)
{
	switch (opt) {
	case OPT_MODE:
		o->mode = find_mode(value);
		break;
	case OPT_NEXT:
		add_next(t, value);
		break;
	case OPT_PER_CLASS:
		o->per_class = value;
		break;
	case OPT_POOL:
		t->pool = opt_number(value, 1, 1024);
		break;
	case OPT_PORTS:
		t->n_listen = opt_number(value, 1, TIER_PORTS);
		o->range = true;
		break;
	case OPT_ANSWER:
		t->answer_io = opt_word(value, answerers);
		break;
	case OPT_JOBS:
		t->jobs = opt_word(value, orders);
		break;
	case OPT_RESULTS:
		t->results = opt_word(value, orders);
		break;
	case OPT_SEND:
		t->how = opt_word(value, hows);
		break;
	case OPT_EXPECT:
		t->expect = opt_number(value, 1, FRAME_SIZE_MAX);
		break;
	case OPT_TICKS:
		t->between_ticks = true;
		break;
	case OPT_KNOB + FRAME_PARALLEL:
		t->knob[FRAME_PARALLEL] = 1;
		break;
	default:
		if (opt < OPT_KNOB)
			exit(2);
		t->knob[opt - OPT_KNOB] =
			opt_number(value, 0, frame_knob_max(opt - OPT_KNOB));
	}
}

static void set_option(struct tier *t, struct options *o, int opt, const char *value)
{
	switch (opt) {
	case OPT_PORT:
	case OPT_LISTEN:
		opt_addr(&t->listen, value);
		break;
	case OPT_NAME:
		t->name = value;
		break;
	case OPT_PATIENCE:
		t->patience = opt_number(value, 1, 86400);
		break;
	case OPT_REQUESTS:
		o->requests = opt_number(value, 1, ROWS_MAX);
		break;
	case OPT_SECONDS:
		t->max_seconds = opt_number(value, 1, 86400);
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
	default:
		set_shape(t, o, opt, value);
	}
}

static void parse_options(struct tier *t, struct options *o, int argc, char **argv)
{
	int opt;

	o->requests = ROWS_DEFAULT;
	t->n_listen = 1;
	t->pool = 8;
	t->max_seconds = 7200;
	t->patience = 60;
	t->knob[FRAME_CALLS] = FRAME_UNSET;
	t->knob[FRAME_SIZE] = 1000;
	t->knob[FRAME_SENDS] = 1;
	while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1)
		set_option(t, o, opt, optarg);
	if (optind < argc)
		opt_usage("what is", argv[optind]);
	if (!t->listen.len)
		opt_usage("needed:", "--port");
	if (o->per_class && t->n_next)
		opt_usage("not with --next:", "--next-per-class");
	if (o->per_class)
		add_per_class(t, o->per_class);
	t->io = modes[o->mode].io;
	if (!t->io->recv)
		opt_usage("built without liburing, so no mode", modes[o->mode].name);
	if (t->expect && (t->knob[FRAME_PARALLEL] || modes[o->mode].serve == tier_serve_epoll ||
			  t->io->recv == tier_io_uring.recv))
		opt_usage("not with --parallel, nor in mode epoll or uring:", "--expect");
	if (t->jobs && modes[o->mode].serve == tier_serve_pool_pipe)
		opt_usage("not in mode pool-pipe:", "--jobs");
	if (t->io->recv == tier_io_uring.recv && t->how != TIER_SEND)
		opt_usage("not in mode", modes[o->mode].name);
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

static int write_file(struct tier *t, const struct options *o, const char *path,
		      const char *ended)
{
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

static int start_listening(struct tier *t, const struct options *o)
{
	int ret;

	if (o->range) {
		ret = addr_listen_range(&t->listen, t->n_listen, t->listen_fd);
	} else {
		t->listen_fd[0] = addr_listen(&t->listen);
		ret = t->listen_fd[0] < 0 ? t->listen_fd[0] : 0;
	}
	if (ret)
		fprintf(stderr, "tierserver: cannot listen on %s: %s\n", t->listen.text,
			strerror(-ret));
	return ret;
}

/* As many descriptors as the system grants, and no death from a client that has gone. */
static int start_serving(struct tier *t, const struct options *o)
{
	struct rlimit files;
	int ret;

	signal(SIGPIPE, SIG_IGN);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	t->body_fd = tier_body_open();
	ret = t->body_fd < 0 ? t->body_fd : truth_init(&t->truth, o->requests);
	if (!ret)
		ret = open_ends(t);
	if (ret)
		fprintf(stderr, "tierserver: cannot start: %s\n", strerror(-ret));
	return ret;
}

int main(int argc, char **argv)
{
	struct tier *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct options o = {0};
	const char *ended;
	int ret;

	if (t == MAP_FAILED)
		return 1;
	parse_options(t, &o, argc, argv);
	if (start_listening(t, &o))
		return 1;
	name_tier(t);
	if (start_serving(t, &o))
		return 1;
	printf("listening %s\n", t->listen.text);
	fflush(stdout);
	ended = modes[o.mode].serve(t);
	ret = write_file(t, &o, o.log, ended);
	if (!ret && o.csv)
		ret = write_file(t, &o, o.csv, NULL);
	if (ret)
		fprintf(stderr, "tierserver: cannot write the log: %s\n", strerror(-ret));
	truth_free(&t->truth);
	return !!ret;
}
