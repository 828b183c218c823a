// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module from tl_track_*() on: what runs at an event, but for the probe that leads there
 *
 * The files of kmod/ are compiled as they are, with the kernel's words of kernel/kernel.h. Not among
 * them is what the kernel itself does: to come from a function to its hook and back, to read a clock,
 * to turn interrupts off. What that costs "tierlens selftest" measures on the machine where it runs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"

#include "bench.h"
#include "class.h"
#include "client.h"
#include "handoff.h"
#include "join.h"
#include "shard.h"
#include "stats.h"
#include "tier.h"
#include "track.h"
#include "usage.h"

#define JOIN_TRIES 16 /* of join.c: nobody is looked for any more */

void bench_percpu_init(unsigned int cpus);
extern unsigned long *bench_param_memory_mib;

/* Two sockets: of a request, and of the call that it makes. */
struct pair {
	struct tcp_sock server, client;
} __aligned(128);

struct cpu {
	struct task_struct tasks[BENCH_UNDER_WAY];
	u64 pair[BENCH_UNDER_WAY];
	u64 random;
	u64 next; /* each pair has its turn once, then chance has it */
} __aligned(64);

static const u8 request_text[] = "GET /07 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: someone/1.0\r\n\r\n";
static const u8 answer_text[] = "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n";
static struct net net = { { 4026531840 } };
static struct signal_struct process = { .live = { 1 } };
static struct pair *pairs;
static u64 pairs_each;
static unsigned int under_way;
static struct cpu *cpus;
static struct tl_grid grid = { .start_ns = NSEC_PER_SEC, .length_ns = 100000 * NSEC_PER_SEC, .first = 16 };

void bench_processor(unsigned int cpu)
{
	bench_this_offset = bench_cpu_offset[cpu];
	bench_now_ns = 2 * NSEC_PER_SEC;
	if (cpus)
		bench_current = &cpus[cpu].tasks[0];
}

static void must(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "bench: the module's tables could not be made: %d\n", ret);
	exit(1);
}

static void task_init(struct task_struct *task, struct signal_struct *signal)
{
	task->signal = signal;
	task->group_leader = task;
	strscpy(task->comm, "bench", sizeof(task->comm));
}

/* The tables, for so many connections and threads; @n processors. */
static void tables_init(u64 connections, u64 threads, unsigned int n)
{
	unsigned int i, k;

	*bench_param_memory_mib = 64 + (connections >> 10) + (threads >> 11);
	bench_percpu_init(n);
	must(tl_tier_init());
	must(tl_conn_init());
	must(tl_join_init());
	must(tl_usage_init());
	must(tl_process_init());
	must(tl_thread_init());
	must(tl_handoff_init());
	must(tl_peer_init());
	must(tl_path_init());
	must(tl_shard_init());
	tl_stats_init();
	tl_shard_start(&grid);
	tl_usage_start();
	cpus = bench_alloc(n * sizeof(*cpus));
	for (i = 0; i < n; i++) {
		cpus[i].random = i;
		for (k = 0; k < BENCH_UNDER_WAY; k++)
			task_init(&cpus[i].tasks[k], &process);
	}
	bench_processor(0);
}

static void sock_init(struct tcp_sock *tp, u16 port, u16 peer)
{
	tp->sk.sk_family = AF_INET;
	tp->sk.sk_num = port;
	tp->sk.sk_dport = __builtin_bswap16(peer);
	tp->sk.sk_state = TCP_ESTABLISHED;
	tp->sk.net = &net;
}

static void pair_open(struct pair *pair, u64 i)
{
	sock_init(&pair->server, 80, 40000);
	sock_init(&pair->client, 40000, 3306);
	/* So that nobody is taken for the other end of somebody else's. */
	pair->server.write_seq = pair->client.copied_seq = pair->client.rcv_nxt = i;
	tl_track_accepted(&pair->server.sk);
	tl_track_connecting(&pair->client.sk);
}

static void pairs_prepare(u64 connections, unsigned int n)
{
	struct tl_conn *conn;
	u64 i;

	tables_init(connections, 0, n);
	pairs_each = connections / 2 / n;
	under_way = min(pairs_each, (u64)BENCH_UNDER_WAY);
	pairs = bench_alloc(pairs_each * n * sizeof(*pairs));
	for (i = 0; i < pairs_each * n; i++) {
		pair_open(&pairs[i], i);
		conn = tl_conn_peek(&pairs[i].client.sk);
		if (!conn || !tl_conn_peek(&pairs[i].server.sk))
			must(-ENOSPC);
		tl_client(conn)->join_tries = JOIN_TRIES;
	}
}

static void rules_prepare(u64 size, unsigned int n)
{
	struct netlink_ext_ack extack;
	char name[32], prefix[32];
	unsigned int i;

	pairs_prepare(10000, n);
	for (i = 0; i < size; i++) {
		snprintf(name, sizeof(name), "class%u", i);
		snprintf(prefix, sizeof(prefix), "GET /%02u ", i);
		must(tl_class_add(name, prefix, strlen(prefix), "", &extack));
	}
}

/* ---- requests ------------------------------------------------------------------------- */

/* It was there already, as it is for an event loop. */
static void receive(struct tcp_sock *tp, const u8 *text, u32 bytes)
{
	tp->rcv_nxt += bytes;
	tl_track_receiving(&tp->sk, false, text, 64);
	tp->copied_seq = tp->rcv_nxt;
	tl_track_received(&tp->sk, bytes);
}

static void transmit(struct tcp_sock *tp, const u8 *text, u32 bytes)
{
	const struct tl_class_bytes first = { .user = text, .n = 40 };

	/* As the probe has it. */
	tl_track_sent(&tp->sk, bytes, tl_class_reads() ? &first : NULL);
	tp->write_seq += bytes;
}

static void step(struct pair *pair, unsigned int i)
{
	switch (i) {
	case 0:
		receive(&pair->server, request_text, 200);
		break;
	case 1:
		transmit(&pair->client, request_text, 100);
		break;
	case 2:
		receive(&pair->client, answer_text, 300);
		break;
	default:
		transmit(&pair->server, answer_text, 500);
	}
}

/* Speed means nothing if events are not taken for what they are. @ignored: of a hundred, those that are nobody's business */
static void all_attributed(unsigned int ignored)
{
	const struct tl_stats *stats = this_cpu_ptr(&tl_stats);
	unsigned int i;
	u64 lost = 0;

	for (i = 0; i < TL_LOSS_KINDS; i++)
		lost += stats->loss[i];
	if (!lost && stats->events.seen && stats->events.became[TL_IGNORED] == stats->events.seen * ignored / 100 &&
	    stats->events.seen == stats->events.became[TL_ATTRIBUTED] + stats->events.became[TL_IGNORED])
		return;
	fprintf(stderr, "bench: of %llu events %llu were attributed, %llu ignored, and %llu losses counted\n",
		(unsigned long long)stats->events.seen, (unsigned long long)stats->events.became[TL_ATTRIBUTED],
		(unsigned long long)stats->events.became[TL_IGNORED], (unsigned long long)lost);
	exit(1);
}

static u64 pick(struct cpu *cpu, unsigned int k)
{
	if (cpu->next + k < pairs_each)
		return cpu->next + k;
	return bench_pair(&cpu->random, pairs_each, under_way, k);
}

/* Each event is on another thread's turn than the one before. */
static u64 events(unsigned int n, u64 ops)
{
	struct cpu *cpu = &cpus[n];
	struct task_struct *before = &cpu->tasks[0];
	unsigned int i, k;
	u64 done;

	for (done = 0; done < ops; done += 4 * under_way) {
		for (k = 0; k < under_way; k++)
			cpu->pair[k] = n * pairs_each + pick(cpu, k);
		cpu->next += under_way;
		for (i = 0; i < 4; i++)
			for (k = 0; k < under_way; k++) {
				bench_now_ns += 100;
				bench_current = &cpu->tasks[k];
				tl_usage_switched(before, bench_current);
				before = bench_current;
				step(&pairs[cpu->pair[k]], i);
				before->se.sum_exec_runtime += 50;
			}
	}
	all_attributed(0);
	return done;
}

/* Each connection has had a request. */
static void events_prepare(u64 connections, unsigned int n)
{
	pairs_prepare(connections, n);
	while (n--) {
		bench_processor(n);
		events(n, 4 * pairs_each);
	}
}

/* Accepted, one request, closed. */
static u64 accepts(unsigned int n, u64 ops)
{
	struct pair *pair = &pairs[n * pairs_each];
	u64 i;

	for (i = 0; i < ops; i++) {
		bench_now_ns += 100;
		tl_track_closed(&pair->server.sk);
		tl_track_accepted(&pair->server.sk);
		step(pair, 0);
		step(pair, 3);
		if (++pair == &pairs[(n + 1) * pairs_each])
			pair = &pairs[n * pairs_each];
	}
	all_attributed(0);
	return ops;
}

/* ---- one server, one load generator --------------------------------------------------- */

static struct signal_struct outside = { .live = { 1 } };

/* Both ends of each connection are here, and each end is an event loop's. */
static void loops_prepare(u64 connections, unsigned int n)
{
	struct tcp_sock *server, *client;
	u64 i;

	tables_init(connections, 0, n);
	task_init(&cpus[0].tasks[1], &outside);
	cpus[0].tasks[1].group_leader = &cpus[0].tasks[1];
	pairs_each = connections;
	pairs = bench_alloc(pairs_each * sizeof(*pairs));
	for (i = 0; i < pairs_each; i++) {
		server = &pairs[i].server;
		client = &pairs[i].client;
		sock_init(server, 80, 40000);
		sock_init(client, 40000, 80);
		client->write_seq = server->copied_seq = server->rcv_nxt = i << 20;
		bench_current = &cpus[0].tasks[0];
		tl_track_accepted(&server->sk);
		bench_current = &cpus[0].tasks[1];
		tl_track_connecting(&client->sk);
	}
}

static void turn_to(struct task_struct *task)
{
	struct task_struct *before = bench_current;

	before->se.sum_exec_runtime += 50;
	bench_current = task;
	tl_usage_switched(before, task);
	tl_track_dispatched(true);
}

/* All ask, all are answered, all take their answer. */
static u64 loops(unsigned int n, u64 ops)
{
	struct task_struct *server = &cpus[n].tasks[0], *client = &cpus[n].tasks[1];
	u64 done, i;

	for (done = 0; done < ops; done += pairs_each) {
		turn_to(client);
		for (i = 0; i < pairs_each; i++, bench_now_ns += 100)
			transmit(&pairs[i].client, request_text, 100);
		turn_to(server);
		for (i = 0; i < pairs_each; i++, bench_now_ns += 100) {
			receive(&pairs[i].server, request_text, 100);
			transmit(&pairs[i].server, answer_text, 200);
		}
		turn_to(client);
		for (i = 0; i < pairs_each; i++, bench_now_ns += 100)
			receive(&pairs[i].client, answer_text, 200);
	}
	all_attributed(50);
	return done;
}

/* ---- tables alone ----------------------------------------------------------------------- */

static u64 conn_find(unsigned int n, u64 ops)
{
	struct cpu *cpu = &cpus[n];
	u64 i, sum = 0;

	for (i = 0; i < ops; i++)
		sum += tl_conn_peek(&pairs[n * pairs_each + bench_random(&cpu->random) % pairs_each].server.sk)->side;
	bench_keep(sum);
	return ops;
}

static struct task_struct *tasks;
static u64 tasks_each;

static void tasks_prepare(u64 threads, unsigned int n)
{
	u64 i;

	tables_init(1000, threads, n);
	tasks_each = threads / n;
	tasks = bench_alloc(threads * sizeof(*tasks));
	for (i = 0; i < threads; i++) {
		task_init(&tasks[i], &process);
		bench_current = &tasks[i];
		if (!tl_thread_get())
			must(-ENOSPC);
	}
}

static u64 thread_find(unsigned int n, u64 ops)
{
	struct cpu *cpu = &cpus[n];
	u64 i, sum = 0;

	for (i = 0; i < ops; i++)
		sum += tl_thread_find(&tasks[n * tasks_each + bench_random(&cpu->random) % tasks_each])->epoch;
	bench_keep(sum);
	return ops;
}

/* ---- sums ------------------------------------------------------------------------------- */

static u64 cells;

static void cells_prepare(u64 size, unsigned int n)
{
	tables_init(1000 + 8 * size, 0, n);
	cells = size;
}

/* Cells are tiers by classes; a path and an edge for each. */
static u64 deposit(unsigned int n, u64 ops)
{
	struct tl_request ended = { .sums_used = 1, .sums = { { .peer = 1, .by = { 1 }, .time_ns = 100 } } };
	u64 i, which;

	for (i = 0; i < ops; i++) {
		which = bench_random(&cpus[n].random) % cells;
		ended.tier = 1 + which / 10;
		ended.class = which % 10;
		ended.node = 2 + which;
		ended.open_ns = bench_now_ns;
		ended.last_send_ns = ended.open_ns + (which << 10);
		ended.own_at_send_ns = which << 9;
		tl_shard_deposit(&ended);
	}
	return ops;
}

static u64 path_find(unsigned int n, u64 ops)
{
	u64 i, which, sum = 0;

	for (i = 0; i < ops; i++) {
		which = bench_random(&cpus[n].random) % cells;
		sum += tl_path_find(0, 1 + which / 10, which % 10);
	}
	bench_keep(sum);
	return ops;
}

/* An interval is closed: each processor's cells are added up, and given back. */
static u64 take(unsigned int n, u64 ops)
{
	struct tl_taken taken;
	u64 generation = tl_grid_generation(&grid, bench_now_ns), done;

	for (done = 0; done < ops; done++) {
		deposit(n, cells);
		tl_shard_take(generation++, &taken);
		tl_shard_give_back(&taken);
		bench_now_ns += grid.length_ns;
	}
	return done;
}

const struct bench bench_module[] = {
	{ "module.event", "event", "connections", { 100, 1000, 10000, 100000, 1000000 }, 2000000, true, events_prepare,
	  events },
	{ "module.event-rules", "event", "rules", { 1, 8, 64 }, 2000000, false, rules_prepare, events },
	{ "module.loop", "request and its client", "connections", { 1, 64 }, 1000000, false, loops_prepare, loops },
	{ "module.accept-close", "connection", "connections", { 10000, 1000000 }, 400000, false, pairs_prepare, accepts },
	{ "module.conn-find", "look-up", "connections", { 100, 1000, 10000, 100000, 1000000 }, 4000000, true,
	  pairs_prepare, conn_find },
	{ "module.thread-find", "look-up", "threads", { 100, 1000, 10000, 100000 }, 2000000, true, tasks_prepare,
	  thread_find },
	{ "module.deposit", "request", "cells", { 10, 100, 1000 }, 2000000, true, cells_prepare, deposit },
	{ "module.path-find", "look-up", "paths", { 10, 100, 1000 }, 4000000, false, cells_prepare, path_find },
	{ "module.close-interval", "interval", "cells", { 10, 100, 1000 }, 200, false, cells_prepare, take },
	{ NULL },
};

const struct bench *const bench_lists[] = { bench_core, bench_module, NULL };
