// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The core alone: connections are found by their number, nothing is locked
 *
 * A request is received, makes one call, gets its answer and is answered: four events, each by another
 * thread and for another connection than the one before, since some requests are under way at once.
 * Which connections is chosen at random. Half of them are servers', half clients'. What a request was
 * is added to a cell, an edge and a path when the next one on its connection begins, as in the module.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "cell.h"
#include "classify.h"
#include "link.h"
#include "tally.h"

#define CPUS 64
#define CELLS 16

/* As far apart as the module's entries are, 768 and 256 bytes. */
struct server {
	struct tl_request request;
} __attribute__((aligned(256)));

struct client {
	struct tl_call call;
	struct tl_link link;
} __attribute__((aligned(256)));

struct job {
	struct tl_thread thread;
	u64 pair;
};

/* What a processor has to itself. */
struct cpu {
	struct job jobs[BENCH_UNDER_WAY];
	struct tl_request ended;
	struct tl_cell_sums cells[CELLS];
	struct tl_edge_sums edges[CELLS];
	struct tl_path_sums paths[CELLS];
	u64 loss[TL_LOSS_KINDS];
	u64 now_ns, random;
	u64 next; /* each pair has its turn once, then chance has it */
};

static struct server *servers;
static struct client *clients;
static struct cpu *cpus[CPUS];
static u64 pairs; /* of each processor */
static unsigned int under_way;

static void prepare(u64 connections, unsigned int n)
{
	unsigned int i, k;

	pairs = max(connections / 2 / n, (u64)1);
	under_way = min(pairs, (u64)BENCH_UNDER_WAY);
	servers = bench_alloc(pairs * n * sizeof(*servers));
	clients = bench_alloc(pairs * n * sizeof(*clients));
	for (i = 0; i < pairs * n; i++) {
		servers[i].request.tier = 1 + i % CELLS;
		clients[i].call.peer = 1;
	}
	for (i = 0; i < n; i++) {
		cpus[i] = bench_alloc(sizeof(**cpus));
		cpus[i]->random = i;
		cpus[i]->now_ns = 1000000;
		for (k = 0; k < under_way; k++)
			cpus[i]->jobs[k].thread.process = &cpus[i]->jobs[k].thread;
	}
}

static u64 pick(struct cpu *cpu, unsigned int k)
{
	if (cpu->next + k < pairs)
		return cpu->next + k;
	return bench_pair(&cpu->random, pairs, under_way, k);
}

static void deposit(struct cpu *cpu, const struct tl_request *ended)
{
	unsigned int i, cell = ended->tier % CELLS;

	tl_cell_add(&cpu->cells[cell], ended, 0);
	tl_path_add(&cpu->paths[cell], ended);
	for (i = 0; i < ended->sums_used; i++)
		tl_edge_add(&cpu->edges[cell], &ended->sums[i]);
}

/* What the thread has used since its last event. */
static void charge(struct tl_thread *thread)
{
	struct tl_request_ref *now = &thread->current_request;

	if (!tl_request_alive(now))
		return;
	now->request->used.cpu_ns += 100;
	now->request->used.run_wait_ns += 10;
}

static void receive(struct cpu *cpu, struct job *job)
{
	struct tl_request *request = &servers[job->pair].request;

	charge(&job->thread);
	if (tl_correlate_request_ends(request, cpu->loss))
		deposit(cpu, request);
	tl_correlate_request_received(request, &job->thread, cpu->now_ns, 200);
}

static void call(struct cpu *cpu, struct job *job)
{
	struct client *client = &clients[job->pair];
	struct tl_request *owner;
	struct tl_call_sum stray;
	struct tl_request_ref ref;

	charge(&job->thread);
	tl_correlate_call_done(&client->call, &stray);
	ref = tl_correlate_call_owner(&client->call, &job->thread);
	owner = tl_request_alive(&ref) ? ref.request : NULL;
	tl_correlate_call_sent(&client->call, &job->thread, owner, cpu->now_ns, 100);
	tl_link_called(&client->link, owner, cpu->now_ns);
}

static void reply(struct cpu *cpu, struct job *job)
{
	struct client *client = &clients[job->pair];

	charge(&job->thread);
	tl_correlate_call_received(&client->call, &job->thread,
				   tl_request_alive(&client->call.owner) ? client->call.owner.request : NULL,
				   &client->link, false, cpu->now_ns, 300, cpu->loss);
}

static void answer(struct cpu *cpu, struct job *job)
{
	charge(&job->thread);
	tl_correlate_response_sent(&servers[job->pair].request, cpu->now_ns, 500, false, cpu->loss);
}

static u64 events(unsigned int n, u64 ops)
{
	static void (*const steps[])(struct cpu *cpu, struct job *job) = { receive, call, reply, answer };
	struct cpu *cpu = cpus[n];
	unsigned int i, k;
	u64 done;

	for (done = 0; done < ops; done += ARRAY_SIZE(steps) * under_way) {
		for (k = 0; k < under_way; k++)
			cpu->jobs[k].pair = n * pairs + pick(cpu, k);
		cpu->next += under_way;
		for (i = 0; i < ARRAY_SIZE(steps); i++)
			for (k = 0; k < under_way; k++) {
				cpu->now_ns += 100;
				steps[i](cpu, &cpu->jobs[k]);
			}
	}
	/* Speed means nothing if calls are not taken off own times. */
	if (cpu->loss[TL_LOSS_UNANSWERED] || !cpu->edges[1].by[TL_BY_THREAD] ||
	    cpu->cells[1].own_ns >= cpu->cells[1].response_ns) {
		fputs("bench: requests and calls do not come out as they went in\n", stderr);
		exit(1);
	}
	return done;
}

/* Each connection has had a request, most two. */
static void events_prepare(u64 connections, unsigned int n)
{
	prepare(connections, n);
	while (n--)
		events(n, 8 * pairs);
}

/* ---- what comes of a request ------------------------------------------------------ */

static u64 cell_add(unsigned int n, u64 ops)
{
	struct cpu *cpu = cpus[n];
	u64 i;

	cpu->ended.sums_used = 0;
	for (i = 0; i < ops; i++) {
		cpu->ended.open_ns = i;
		cpu->ended.last_send_ns = i + (bench_random(&cpu->random) & 0xffffff);
		cpu->ended.own_at_send_ns = (cpu->ended.last_send_ns - i) / 2;
		tl_cell_add(&cpu->cells[i % CELLS], &cpu->ended, 0);
	}
	bench_keep(cpu->cells[0].own_ns);
	return ops;
}

static u64 cell_merge(unsigned int n, u64 ops)
{
	struct cpu *cpu = cpus[n];
	u64 i;

	for (i = 0; i < ops; i++)
		tl_cell_merge(&cpu->cells[i % CELLS], &cpu->cells[(i + 1) % CELLS]);
	bench_keep(cpu->cells[0].own_ns);
	return ops;
}

static u64 edge_add(unsigned int n, u64 ops)
{
	struct cpu *cpu = cpus[n];
	const struct tl_call_sum sum = { .peer = 1, .by = { 1 }, .time_ns = 1000, .bytes_in = 300 };
	u64 i;

	for (i = 0; i < ops; i++)
		tl_edge_add(&cpu->edges[i % CELLS], &sum);
	bench_keep(cpu->edges[0].time_ns);
	return ops;
}

static u64 bucket(unsigned int n, u64 ops)
{
	struct cpu *cpu = cpus[n];
	u64 i, sum = 0;

	for (i = 0; i < ops; i++)
		sum += tl_hist_bucket(bench_random(&cpu->random) >> (i % 64));
	bench_keep(sum);
	return ops;
}

/* ---- classes ------------------------------------------------------------------------ */

static struct tl_class_rules rules;
static u64 eligible;

/* "GET /01 " and so on: all agree in five bytes, one to its end. */
static void rules_prepare(u64 size, unsigned int n)
{
	unsigned int i;

	prepare(0, n);
	rules.serial = 1;
	for (i = 0; i < size; i++) {
		struct tl_class_rule *rule = &rules.rule[i];

		rule->class = i + 1;
		rule->len = 8;
		memcpy(rule->prefix, "GET /00 ", 8);
		rule->prefix[5] += i / 10;
		rule->prefix[6] += i % 10;
		eligible |= 1ULL << i;
	}
}

static u64 classify(unsigned int n, u64 ops)
{
	u8 text[] = "GET /00 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: someone/1.0\r\n\r\n";
	struct tl_class_match match;
	u64 i, sum = 0;

	for (i = 0; i < ops; i++) {
		text[6] = '0' + i % 8;
		tl_class_begin(&match, &rules, eligible);
		tl_class_feed(&match, &rules, text, TL_CLASS_PREFIX);
		sum += match.found;
	}
	bench_keep(sum + n);
	return ops;
}

/* ---- results that come back to a thread ----------------------------------------------- */

static struct tl_tally tallies[CPUS];
static unsigned int at_once;

static void tally_prepare(u64 size, unsigned int n)
{
	prepare(0, n);
	at_once = size;
}

/* A turn: so many results are told of, so many answers sent. */
static u64 tally(unsigned int n, u64 ops)
{
	struct tl_tally *one = &tallies[n];
	struct tl_tally_done done;
	u64 did, sum = 0, ns = cpus[n]->now_ns;
	unsigned int i;

	for (did = 0; did < ops; did += at_once) {
		for (i = 0; i < at_once; i++, ns += 100)
			tl_tally_told(one, &(struct tl_order_result){ ns, ns + 20, ns + 30 });
		for (i = 0; i < at_once; i++, ns += 100)
			tl_tally_answered(one, &(struct tl_order_answer){ ns - 200 * at_once, ns }, false);
		tl_tally_settle(one, &done);
		sum += done.n_answers;
	}
	cpus[n]->now_ns = ns;
	bench_keep(sum);
	return did;
}

const struct bench bench_core[] = {
	{ "core.event", "event", "connections", { 100, 1000, 10000, 100000, 1000000 }, 4000000, true, events_prepare,
	  events },
	{ "core.cell-add", "request", NULL, { 0 }, 4000000, false, prepare, cell_add },
	{ "core.cell-merge", "cell", NULL, { 0 }, 400000, false, prepare, cell_merge },
	{ "core.edge-add", "edge", NULL, { 0 }, 8000000, false, prepare, edge_add },
	{ "core.hist-bucket", "time", NULL, { 0 }, 20000000, false, prepare, bucket },
	{ "core.classify", "request", "rules", { 1, 8, 64 }, 400000, false, rules_prepare, classify },
	{ "core.tally", "answer", "answers a turn", { 1, 8, 64 }, 1000000, false, tally_prepare, tally },
	{ NULL },
};
