// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What can only be found out while the recorded processes are there: what they have mapped,
 * and what their threads call themselves. Looked at when they are first seen, when they run
 * code that nobody has seen yet, and at the end, as threads are named after they have begun.
 */
#include "sync-watch.h"

#include "clock.h"
#include "frame.h"
#include "sync-feed.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Code that comes and goes must not make us look all the time. */
#define LOOK_PAUSE_NS 50000000

static void comm_read(struct tl_sync_thread *thread)
{
	char path[64], comm[TL_SYNC_COMM + 1];
	size_t got;
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", thread->process, thread->thread);
	from = fopen(path, "re");
	if (!from)
		return;
	got = fread(comm, 1, sizeof(comm) - 1, from);
	fclose(from);
	comm[got] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	if (*comm)
		snprintf(thread->comm, sizeof(thread->comm), "%.15s", comm);
}

static int thread_seen(struct tl_sync_watch *w, u32 process, u32 number)
{
	struct tl_sync_thread *thread, key = { process, number, "" };
	u32 id;

	if (tl_ids_of(&w->threads, &key, 2 * sizeof(u32), &id))
		return -ENOMEM;
	if (id < w->n)
		return 0;
	thread = tl_array_append((void **)&w->thread, &w->n, sizeof(*thread));
	if (!thread)
		return -ENOMEM;
	*thread = key;
	comm_read(thread);
	return 0;
}

/**
 * tl_sync_watch_process() - Begin with a process
 * @watch: gets it
 * @pid: its number
 *
 * Return: 0; -ENOMEM; another negative errno if it is not there.
 */
int tl_sync_watch_process(struct tl_sync_watch *watch, u32 pid)
{
	u32 id;

	if (tl_ids_of(&watch->processes, &pid, sizeof(pid), &id))
		return -ENOMEM;
	return tl_maps_look(&watch->maps, pid, NULL);
}

/* Who made a thread says so before the thread does anything. */
static int made_note(struct tl_sync_watch *w, const struct tierlens_sync_record *record)
{
	u32 made[2] = { (u32)record->object, record->process }, id;

	if (record->op != TIERLENS_SYNC_SIGNAL || record->kind != TIERLENS_SYNC_THREAD)
		return 0;
	return tl_ids_of(&w->made, made, sizeof(made), &id);
}

/*
 * A process that is first seen now was made by one that is known: what that one had mapped is
 * right for all that it does before it runs another program, which it may have begun already.
 */
static int process_seen(struct tl_sync_watch *w, u32 pid)
{
	u32 made[2], id, i;

	for (i = (u32)w->made.n; i--;) {
		memcpy(made, tl_ids_key(&w->made, i, NULL), sizeof(made));
		if (made[0] == pid && made[1] != pid && !tl_maps_fork(&w->maps, made[1], pid))
			return tl_ids_of(&w->processes, &pid, sizeof(pid), &id);
	}
	return tl_sync_watch_process(w, pid);
}

static bool code_known(const struct tl_map_process *process, const struct tierlens_sync_record *record)
{
	const struct tl_machine *machine = tl_machine_of(record->registers);

	return !machine || tl_maps_find(process, tl_sync_registers(record)[machine->pc] & machine->address);
}

/**
 * tl_sync_watch_record() - Find out what a record needs
 * @watch: gets it
 * @record: as it has just come
 */
void tl_sync_watch_record(void *watch, const struct tierlens_sync_record *record)
{
	struct tl_sync_watch *w = watch;
	struct tl_map_process *process = tl_maps_process(&w->maps, record->process);
	int code = made_note(w, record);

	if (!process)
		code = process_seen(w, record->process);
	else if (record->op == TIERLENS_SYNC_EXEC)
		process->gone = true; /* what is mapped from now on is another program's */
	else if (!process->gone && !code_known(process, record) && tl_clock_ns(CLOCK_MONOTONIC) - process->looked_ns > LOOK_PAUSE_NS)
		code = tl_maps_look(&w->maps, record->process, NULL);
	w->no_memory |= code == -ENOMEM || thread_seen(w, record->process, record->thread);
}

/**
 * tl_sync_watch_end() - Look a last time
 * @watch: gets it
 */
void tl_sync_watch_end(struct tl_sync_watch *watch)
{
	size_t i;

	for (i = 0; i < watch->maps.processes; i++)
		if (!watch->maps.process[i].gone)
			watch->no_memory |= tl_maps_look(&watch->maps, watch->maps.process[i].pid, NULL) == -ENOMEM;
	for (i = 0; i < watch->n; i++)
		comm_read(&watch->thread[i]);
}

/**
 * tl_sync_watch_thread() - What is known of a thread
 * @watch: has it
 * @process: its process's number
 * @thread: its number
 *
 * Return: it, until the next one is seen; NULL if it was not.
 */
const struct tl_sync_thread *tl_sync_watch_thread(struct tl_sync_watch *watch, u32 process, u32 thread)
{
	struct tl_sync_thread key = { process, thread, "" };
	u32 id;

	if (tl_ids_of(&watch->threads, &key, 2 * sizeof(u32), &id) || id >= watch->n)
		return NULL;
	return &watch->thread[id];
}

/**
 * tl_sync_watch_free() - Free it
 * @watch: it
 */
void tl_sync_watch_free(struct tl_sync_watch *watch)
{
	tl_maps_free(&watch->maps);
	tl_ids_free(&watch->threads);
	tl_ids_free(&watch->processes);
	tl_ids_free(&watch->made);
	free(watch->thread);
	*watch = (struct tl_sync_watch){ 0 };
}
