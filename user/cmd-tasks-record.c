// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens tasks record: what the threads of processes do at their sync points, as a table. */
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "lqn-out.h"
#include "out.h"
#include "signals.h"
#include "sync-choice.h"
#include "sync-feed.h"
#include "sync-library.h"
#include "sync-table.h"
#include "sync-watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACK_BYTES 8192
#define BUFFERS_BYTES ((u64)64 << 20) /* of all processors, unless more is asked for */
#define BUFFER_LEAST ((u64)1 << 20)
#define BUFFER_MOST ((u64)16 << 20)
#define LIMIT_BYTES ((u64)1 << 30)
#define MIB ((u64)1 << 20)

/**
 * struct session - A recording
 * @pids, @comm, @tier: which processes, any of them NULL
 * @file: where the table goes
 * @buffer: bytes per processor
 * @lost: of them, numbers of events
 */
struct session {
	char *pids;
	const char *comm, *tier, *file;
	double seconds;
	u64 stack, buffer;
	bool no_library, json;
	struct tl_ctl *ctl;
	struct tl_sync_request request;
	struct tl_sync_feed feed;
	struct tl_sync_watch watch;
	struct tl_sync_events events;
	struct tl_sync_table table;
};

/* ---- which processes ------------------------------------------------------------------------- */

static int choose_pids(struct session *s, struct tl_error *err)
{
	char *rest = s->pids, *text, *end;
	unsigned long pid;
	int code = 0;

	while (!code && (text = strsep(&rest, ","))) {
		errno = 0;
		pid = strtoul(text, &end, 10);
		if (*text < '0' || *text > '9' || *end || errno || !pid || pid > INT32_MAX)
			return tl_error_set(err, -EINVAL, "--pid \"%s\" is not a process's number: --pid 17,18", text);
		code = tl_sync_choose_pid(&s->request, (u32)pid, err);
	}
	return code;
}

static int choose_tier(struct session *s, struct tl_error *err)
{
	struct tl_tier_info *tiers;
	size_t n;
	int code = tl_ctl_tiers(s->ctl, &tiers, &n, err);

	code = code ? code : tl_sync_choose_tier(&s->request, tiers, n, s->tier, err);
	free(tiers);
	return code;
}

static int choose(struct session *s, struct tl_error *err)
{
	int code = choose_pids(s, err);

	if (!code && s->comm)
		code = tl_sync_choose_comm(&s->request, s->comm, err);
	if (!code && s->tier)
		code = choose_tier(s, err);
	return code;
}

/* ---- recording ------------------------------------------------------------------------------- */

static int watch_begin(struct session *s, struct tl_error *err)
{
	size_t i;
	int code = 0;

	for (i = 0; i < s->request.processes && !code; i++) {
		code = tl_sync_watch_process(&s->watch, s->request.process[i]);
		if (code == -ENOMEM)
			return tl_error_no_memory(err);
		if (code)
			return tl_error_set(err, code, "process %u: what it has mapped cannot be read (%s): %s",
					    s->request.process[i], strerror(-code),
					    code == -EACCES || code == -EPERM ? "run as root" : "it may have ended");
	}
	return code;
}

static int begin(struct session *s, struct tl_error *err)
{
	int code = tl_ctl_open(&s->ctl, err);

	code = code ? code : choose(s, err);
	code = code ? code : watch_begin(s, err);
	if (!code && !s->no_library)
		code = tl_sync_libraries(&s->watch.maps, &s->request, &s->table.notes, err);
	code = code ? code : tl_sync_feed_open(&s->feed, s->file, err);
	if (code)
		return code;
	s->request.ms = (u32)(s->seconds * 1000 + 0.5);
	s->request.stack = (u32)s->stack;
	s->request.buffer = (u32)s->buffer;
	tl_signals_catch();
	return tl_ctl_sync_start(s->ctl, &s->request, &s->feed.fd, err);
}

static int listen_to(struct session *s, struct tl_error *err)
{
	int code;

	s->feed.seen = tl_sync_watch_record;
	s->feed.arg = &s->watch;
	s->feed.seconds = s->seconds;
	code = tl_sync_feed_read(&s->feed, err);
	close(s->feed.fd);
	tl_sync_watch_end(&s->watch);
	if (!code && s->watch.no_memory)
		code = tl_error_no_memory(err);
	return code;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

static void notes_make(struct session *s)
{
	struct tl_faults *notes = &s->table.notes;

	if (s->feed.full)
		tl_faults_note(notes, 0, "the recording ended early: --limit (%" PRIu64 " MiB) was reached: record for a "
			       "shorter time, or with less --stack", s->feed.limit / MIB);
	if (s->events.lost)
		tl_faults_note(notes, 0, "%" PRIu64 " events were lost: give more --buffer or less --stack",
			       s->events.lost);
	if (s->feed.damaged || s->events.doubled || s->table.strange)
		tl_faults_note(notes, 0, "%" PRIu64 " records were not understood: are kernel module and tierlens of one "
			       "version?", s->feed.damaged + s->events.doubled + s->table.strange);
	if (s->table.cut)
		tl_faults_note(notes, 0, "%" PRIu64 " of %" PRIu64 " stacks do not reach to where their threads began: "
			       "give more --stack, or build with unwind tables or frame pointers", s->table.cut,
			       s->table.stacks);
}

static int table_write(struct session *s, struct tl_error *err)
{
	char *part;
	FILE *to = tl_out_begin(s->file, &part, err);
	int code;

	if (!to)
		return -EIO;
	s->table.events = &s->events;
	s->table.watch = &s->watch;
	code = tl_sync_table_write(&s->table, to, err);
	return tl_out_end(to, s->file, part, code, err);
}

static json_t *json_of(const struct session *s)
{
	const struct tl_sync_table *t = &s->table;

	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:b}", "file", tl_out_name(s->file),
			 "notes", tl_faults_json(t->notes.note, t->notes.notes), "events", (json_int_t)t->written,
			 "lost", (json_int_t)s->events.lost, "damaged",
			 (json_int_t)(s->feed.damaged + s->events.doubled + t->strange), "processes",
			 (json_int_t)s->watch.processes.n, "threads", (json_int_t)t->threads, "probes",
			 (json_int_t)s->request.probes, "stacks", (json_int_t)t->stacks, "stacks_cut",
			 (json_int_t)t->cut, "unwind_s", tl_out_real(t->unwind_s), "ended_early", s->feed.full);
}

static int summary(struct session *s)
{
	const struct tl_sync_table *t = &s->table;

	notes_make(s);
	if (s->json)
		return tl_out_json(json_of(s));
	tl_lqn_notes_print(&t->notes);
	printf("%s: %" PRIu64 " events of %zu threads in %zu processes, %" PRIu64 " lost\n", s->file, t->written,
	       t->threads, s->watch.processes.n, s->events.lost);
	if (t->stacks)
		printf("%" PRIu64 " stacks unwound in %.2f s, %.1f µs each; %" PRIu64 " cut\n", t->stacks, t->unwind_s,
		       t->unwind_s / (double)t->stacks * 1e6, t->cut);
	return TL_EXIT_OK;
}

/* What was recorded before something went wrong is written all the same. */
static int record(struct session *s)
{
	struct tl_error err, wrong;
	int code, status = TL_EXIT_OK;

	s->feed.spool = -1;
	s->table.notes.file = s->file;
	code = begin(s, &err);
	if (!code) {
		if (listen_to(s, &wrong))
			status = tl_out_failed(&wrong);
		code = tl_sync_events_read(&s->feed, &s->events, &err);
		code = code ? code : table_write(s, &err);
		if (!code)
			status = summary(s) ? TL_EXIT_FAILED : status;
	}
	tl_sync_events_free(&s->events);
	tl_sync_feed_close(&s->feed);
	tl_sync_watch_free(&s->watch);
	tl_faults_free(&s->table.notes);
	tl_ctl_close(s->ctl);
	return code ? tl_out_failed(&err) : status;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int check(const struct tl_cmd *cmd, const struct session *s)
{
	if (!s->pids && !s->comm && !s->tier)
		return tl_args_usage(cmd, "tasks record needs processes: --pid, --comm or --tier");
	if (!s->seconds)
		return tl_args_usage(cmd, "tasks record needs --seconds");
	if (!s->file)
		return tl_args_usage(cmd, "tasks record needs a file: -o sync.csv");
	if (s->seconds * 1000 > TIERLENS_SYNC_MS_MAX)
		return tl_args_usage(cmd, "--seconds %g is too long: at most %d", s->seconds, TIERLENS_SYNC_MS_MAX / 1000);
	if (s->stack % 8)
		return tl_args_usage(cmd, "--stack %" PRIu64 " is not a multiple of 8", s->stack);
	if (s->buffer & (s->buffer - 1))
		return tl_args_usage(cmd, "--buffer %" PRIu64 " is not a power of two", s->buffer);
	return TL_EXIT_OK;
}

/* What a reader may be late by, with 8 KiB of each stack, on a machine of any size. */
static u64 buffer_for(long processors)
{
	u64 bytes = BUFFER_MOST;

	while (bytes > BUFFER_LEAST && bytes * (u64)max(processors, 1L) > BUFFERS_BYTES)
		bytes /= 2;
	return bytes;
}

static int option_read(int option, struct session *s)
{
	u64 mib;
	int status = TL_EXIT_OK;

	if (option == 'p')
		s->pids = optarg;
	else if (option == 'c')
		s->comm = optarg;
	else if (option == 't')
		s->tier = optarg;
	else if (option == 'o')
		s->file = optarg;
	else if (option == 's')
		status = tl_args_number("--seconds", optarg, 1e-3, &s->seconds);
	else if (option == 'S')
		status = tl_args_u64("--stack", optarg, 0, TIERLENS_SYNC_STACK_MAX, &s->stack);
	else if (option == 'b')
		status = tl_args_u64("--buffer", optarg, TIERLENS_SYNC_BUFFER_MIN, TIERLENS_SYNC_BUFFER_MAX, &s->buffer);
	else if (option == 'l') {
		status = tl_args_u64("--limit", optarg, 1, U64_MAX / MIB, &mib);
		s->feed.limit = status ? 0 : mib * MIB;
	} else if (option == 'n')
		s->no_library = true;
	else
		s->json = true;
	return status;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "comm", required_argument, NULL, 'c' },
		{ "tier", required_argument, NULL, 't' },
		{ "seconds", required_argument, NULL, 's' },
		{ "output", required_argument, NULL, 'o' },
		{ "stack", required_argument, NULL, 'S' },
		{ "buffer", required_argument, NULL, 'b' },
		{ "limit", required_argument, NULL, 'l' },
		{ "no-library", no_argument, NULL, 'n' },
		TL_COMMON_OPTIONS
	};
	static struct session session = { .stack = STACK_BYTES, .feed.limit = LIMIT_BYTES };
	int option, status = TL_EXIT_OK;

	session.buffer = buffer_for(sysconf(_SC_NPROCESSORS_CONF));
	while (!status && (option = tl_args_next(cmd, argc, argv, "p:c:t:s:o:b:", options)) >= 0)
		status = option_read(option, &session);
	if (status)
		return status;
	status = tl_args_end(cmd, option, argc, argv);
	if (status != TL_GO_ON)
		return status;
	status = check(cmd, &session);
	return status ? status : record(&session);
}

const struct tl_cmd tl_cmd_tasks_record = {
	.name = "tasks record",
	.args = "--pid N[,N]...|--comm NAME|--tier NAME --seconds S -o FILE.csv [--stack BYTES]\n"
		"       [--buffer BYTES] [--limit MIB] [--no-library] [--json]",
	.summary = "Record what threads do at their sync points, with their call stacks",
	.help = "  -p, --pid N,...   these processes\n"
		"  -c, --comm NAME   all that call themselves so (ps -eo pid,comm)\n"
		"  -t, --tier NAME   all that have a socket of the tier\n"
		"  -s, --seconds S   for how long, up to 600; Ctrl-C ends it early\n"
		"  -o, --output FILE where the table goes, for tasks infer\n"
		"      --stack BYTES how much of a stack is copied for its functions to be found (8192); 0\n"
		"                    for none\n"
		"  -b, --buffer BYTES\n"
		"                    for each processor, a power of two (64 MiB shared by all, 1 to 16 each);\n"
		"                    what does not fit is lost and counted\n"
		"      --limit MIB   of records, beside FILE or in TMPDIR, until it ends early (1024)\n"
		"      --no-library  only system calls: a mutex that is free, or a condition that nobody\n"
		"                    waits for, is not seen then\n"
		TL_COMMON_HELP
		"\nExample:\n"
		"  tierlens tasks record --comm mariadbd --seconds 10 -o sync.csv\n"
		"  tierlens tasks infer sync.csv\n",
	.run = run,
};
