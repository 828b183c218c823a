// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sync points in tables that were damaged: each refusal has a sentence, and of what is sound
 * leaves, hand-offs and jobs hang together as they must. TASKS_MUTANTS: how many (1500).
 */
#include "damage.h"
#include "tap.h"

#include "error.h"
#include "hist.h"
#include "model/tasks-path.h"
#include "tasks-trace.h"

#include <math.h>

#include <stdlib.h>
#include <unistd.h>

static const char *const pieces[] = {
	"\"", ",", ";", "\n", "0", "-1", "1e308", "nan", "99999999999999999999", "\xc3", "lock", "unlock", "wait",
	"signal", "enq", "deq", "send", "recv", "start", "exit", "\n7,7,t,deq,q,f,,,,,\n", "\n8,8,u,enq,q,f,,,,,\n",
};

static const char table[] =
	"seq,time_us,thread,op,object,stack,cpu_us,wait_us,bytes,position,end\n"
	"1,1,a,start,,f,0,0,,,\n2,2.5,a,lock,m,f;g,1,0.5,,,\n3,3,a,enq,q,f;g,1,0,,,\n4,4,a,signal,c,f;g,1,0,,,\n"
	"5,5,a,unlock,m,f;g,1,0,,,\n6,6,b,lock,m,h,0,4,,,\n9,7,b,wait,c,h,0,1,,,\n10,7,b,deq,q,h,0,0,,,\n"
	"11,8,b,unlock,m,h,0,0,,,\n12,9,b,send,s,h;i,0,0,10,0,x\n13,9,a,recv,s,f,0,0,5,0,y\n14,10,a,recv,s,f,0,0,5,5,y\n"
	"15,11,b,signal,e,h,0,0,,,\n16,12,b,signal,e,h,0,0,,,\n17,13,a,wait,e,f,0,0,,,\n18,14,b,send,r,h,0,0,,,\n"
	"19,15,a,recv,r,f,0,0,,,\n20,16,a,exit,,f,2,0,,,\n21,17,b,exit,,h,0,0,,,\n";

struct counts {
	size_t sound, silent, wrong;
};

static bool leaves_right(const struct tl_tasks *t)
{
	const struct tl_task_event *event = t->trace->event;
	size_t i;

	if (t->leaves + t->trace->threads != t->trace->n)
		return false;
	for (i = 0; i < t->leaves; i++) {
		const struct tl_task_leaf *leaf = &t->leaf[i];

		if (event[leaf->first].thread != event[leaf->last].thread || leaf->first >= leaf->last ||
		    leaf->class >= t->classes ||
		    (leaf->next != TL_TASK_NONE && t->leaf[leaf->next].first != leaf->last) ||
		    (leaf->job != TL_TASK_NONE && leaf->job >= t->jobs))
			return false;
	}
	return true;
}

static bool handoffs_right(const struct tl_tasks *t)
{
	const struct tl_task_event *event = t->trace->event;
	size_t i;

	for (i = 0; i < t->handoffs; i++) {
		const struct tl_task_handoff *h = &t->handoff[i];

		if (h->from >= h->to || event[h->from].object != event[h->to].object ||
		    event[h->from].op == TL_TASK_LOCK || event[h->from].op == TL_TASK_UNLOCK)
			return false;
	}
	for (i = 0; i < t->trace->objects; i++)
		if (t->object[i].matched > t->object[i].taken)
			return false;
	return true;
}

static bool jobs_right(const struct tl_tasks *t)
{
	uint64_t leaves = t->alone;
	size_t i;

	for (i = 0; i < t->jobs; i++) {
		leaves += t->job[i].leaves;
		if (!t->job[i].leaves || t->job[i].type >= t->types)
			return false;
	}
	return leaves == t->leaves;
}

/* No part is more than all, and nothing is no number. */
static bool waits_right(const struct tl_tasks *t)
{
	struct tl_task_path *path = calloc(t->types + 1, sizeof(*path));
	struct tl_task_waits waits;
	bool right = !tl_tasks_waits(t, &waits) && path && !tl_tasks_paths(t, &waits, path);
	size_t i;

	for (i = 0; i < t->trace->objects && right; i++) {
		const struct tl_task_contention *c = &waits.object[i];

		right = c->wait_ns >= 0 && c->waited_ns >= 0 && c->waited_ns <= c->wait_ns &&
			isfinite(c->held_ns) && c->holder_ns <= c->held_ns && c->threads <= c->waits &&
			(c->holder == TL_TASK_NONE || c->holder < t->classes);
	}
	for (i = 0; i < t->types && right; i++)
		right = path[i].jobs && path[i].slowest_ns >= path[i].held_ns && path[i].held_ns >= 0 &&
			path[i].time_ns >= path[i].handoff_ns &&
			(path[i].slowest == TL_TASK_NONE || path[i].slowest < t->classes);
	for (i = 0; i < waits.steps && right; i++)
		right = isfinite(waits.step[i].together) && waits.step[i].threads >= 2;
	tl_tasks_waits_free(&waits);
	free(path);
	return right;
}

static void try(const char *file, struct counts *counts)
{
	struct tl_tasks_trace trace;
	struct tl_tasks tasks = { 0 };
	struct tl_error err = { "" };

	if (tl_tasks_trace_read(&trace, file, &err)) {
		counts->silent += !*err.text;
	} else {
		counts->sound++;
		counts->wrong += tl_tasks_infer(&trace.trace, &tasks) || !leaves_right(&tasks) ||
				 !handoffs_right(&tasks) || !jobs_right(&tasks) || !waits_right(&tasks);
	}
	tl_tasks_free(&tasks);
	tl_tasks_trace_free(&trace);
}

int main(void)
{
	const char *mutants = getenv("TASKS_MUTANTS");
	unsigned int n, all = mutants ? (unsigned int)atoi(mutants) : 1500;
	size_t room = 3 * sizeof(table), len, i;
	char file[64], *work = malloc(room);
	struct counts counts = { 0 };
	FILE *to;

	alarm(60 + all / 20); /* who never comes back has failed */
	snprintf(file, sizeof(file), "/tmp/test-user-tasks.%d.csv", (int)getpid());
	for (n = 0; n < all; n++) {
		len = sizeof(table) - 1;
		memcpy(work, table, len);
		/* The first one is whole. */
		for (i = n ? damage_below(4) + 1 : 0; i > 0; i--)
			len = damage(work, len, room, pieces, ARRAY_SIZE(pieces));
		to = fopen(file, "we");
		fwrite(work, 1, len, to);
		fclose(to);
		try(file, &counts);
		if (!n)
			ok(counts.sound == 1 && !counts.wrong, "sound");
	}
	unlink(file);
	free(work);
	ok(!counts.silent && !counts.wrong && counts.sound > all / 100 && counts.sound < all,
	   "%u damaged files: %zu still sound, %zu refused without a sentence, %zu of which what is inferred does "
	   "not hang together", all, counts.sound, counts.silent, counts.wrong);
	return done();
}
