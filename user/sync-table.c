// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recorded sync points as the table that tierlens tasks infer reads
 *
 * A thread is its process's number and its own, and what it calls itself; one that begins
 * with the number of one that has ended is another one. Where a process has begun to run
 * another program nothing is known of what is where in its memory, so that no names are given.
 */
#include "sync-table.h"

#include "binary.h"
#include "clock.h"
#include "error.h"
#include "out.h"
#include "sync-feed.h"
#include "sync-object.h"
#include "sync-watch.h"
#include "tasks-trace.h"
#include "text.h"
#include "unwind.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define PROGRESS_STEP 4096

static const enum tl_task_op ops[TIERLENS_SYNC_EXEC + 1] = {
	[TIERLENS_SYNC_LOCK] = TL_TASK_LOCK, [TIERLENS_SYNC_UNLOCK] = TL_TASK_UNLOCK,
	[TIERLENS_SYNC_SIGNAL] = TL_TASK_SIGNAL, [TIERLENS_SYNC_WAIT] = TL_TASK_WAIT,
	[TIERLENS_SYNC_ENQ] = TL_TASK_ENQ, [TIERLENS_SYNC_DEQ] = TL_TASK_DEQ,
	[TIERLENS_SYNC_SEND] = TL_TASK_SEND, [TIERLENS_SYNC_RECV] = TL_TASK_RECV,
	[TIERLENS_SYNC_START] = TL_TASK_START, [TIERLENS_SYNC_EXIT] = TL_TASK_EXIT,
	[TIERLENS_SYNC_EXEC] = TL_TASK_START,
};

/**
 * struct life - What became of a thread's number
 * @lives: threads that had it; @over: the last one has ended
 * @name: of the one that has it
 */
struct life {
	unsigned int lives;
	bool over;
	char *name;
};

struct writer {
	struct tl_sync_table *table;
	FILE *to;
	struct tl_unwind unwind;
	struct tl_unwind_stack stack;
	struct tl_sync_streams streams;
	struct life *life; /* [watch->n] */
	struct tl_ids other; /* processes that run another program now */
	char *first_other; /* what the first of them called itself */
	u64 last_seq, voids;
};

/* ---- fields ------------------------------------------------------------------------------------ */

static void text_write(FILE *to, const char *text)
{
	if (strpbrk(text, ",\"\r\n"))
		csv_fwrite(to, text, strlen(text));
	else
		fputs(text, to);
}

static void us_write(FILE *to, u64 ns)
{
	fprintf(to, ",%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

/* What is not known is empty. */
static void number_write(FILE *to, u64 number)
{
	if (number == TIERLENS_SYNC_UNKNOWN)
		putc(',', to);
	else
		fprintf(to, ",%" PRIu64, number);
}

static char *name_make(const struct tl_sync_thread *thread, unsigned int lives)
{
	char *utf8 = tl_text_utf8(thread->comm, sizeof(thread->comm));
	char *comm = utf8 ? tl_text_printable(utf8) : NULL, again[16] = "", *name = NULL;

	if (lives > 1)
		snprintf(again, sizeof(again), ".%u", lives);
	if (comm && asprintf(&name, "%u/%u%s%s%s", thread->process, thread->thread, again, *comm ? " " : "",
			     comm) < 0)
		name = NULL;
	free(comm);
	free(utf8);
	return name;
}

/* The thread that has a number now. Return: its name, NULL without memory. */
static const char *thread_name(struct writer *w, const struct tierlens_sync_record *record)
{
	const struct tl_sync_thread *thread = tl_sync_watch_thread(w->table->watch, record->process, record->thread);
	struct life *life = thread ? &w->life[thread - w->table->watch->thread] : NULL;

	if (!life)
		return NULL;
	if (!life->lives || (life->over && record->op == TIERLENS_SYNC_START)) {
		life->lives++;
		w->table->threads++;
		free(life->name);
		life->name = name_make(thread, life->lives);
	}
	life->over = record->op == TIERLENS_SYNC_EXIT;
	return life->name;
}

/* ---- stacks ------------------------------------------------------------------------------------ */

static bool runs_other(const struct writer *w, u32 process)
{
	u32 i;

	for (i = 0; i < w->other.n; i++)
		if (!memcmp(tl_ids_key(&w->other, i, NULL), &process, sizeof(process)))
			return true;
	return false;
}

/* Return: the functions, "" for those that nobody knows, NULL without memory. */
static const char *stack_text(struct writer *w, const struct tierlens_sync_record *record)
{
	const struct tl_machine *machine = tl_machine_of(record->registers);
	const u64 *registers = tl_sync_registers(record);
	struct tl_frame_stack copy;
	int code;

	if (!machine || runs_other(w, record->process))
		return "";
	copy = (struct tl_frame_stack){ (const unsigned char *)(registers + record->registers), record->stack,
					registers[machine->sp] };
	code = tl_unwind(&w->unwind, record->process, machine, registers, &copy, &w->stack);
	w->table->stacks++;
	w->table->cut += w->stack.cut;
	return code ? NULL : tl_unwind_text(&w->unwind, &w->stack);
}

static int exec_note(struct writer *w, const struct tierlens_sync_record *record, const char *name)
{
	u32 id;

	if (runs_other(w, record->process))
		return 0;
	if (!w->first_other)
		w->first_other = strdup(name);
	return w->first_other ? tl_ids_of(&w->other, &record->process, sizeof(record->process), &id) : -ENOMEM;
}

/* A script has many: they are told in one sentence. */
static void other_tell(struct writer *w)
{
	if (w->other.n)
		tl_faults_note(&w->table->notes, 0, "%zu of the processes ran another program, the first was %s then: of what "
			       "they did there no functions are known: record it by itself", (size_t)w->other.n, w->first_other);
}

/* ---- lines ------------------------------------------------------------------------------------- */

static bool gives(const struct tierlens_sync_record *record)
{
	switch (record->op) {
	case TIERLENS_SYNC_UNLOCK:
	case TIERLENS_SYNC_SIGNAL:
	case TIERLENS_SYNC_ENQ:
	case TIERLENS_SYNC_SEND:
		return true;
	default:
		return false;
	}
}

static void line_end(struct writer *w, const struct tierlens_sync_record *record, u64 position)
{
	bool flows = record->op == TIERLENS_SYNC_SEND || record->op == TIERLENS_SYNC_RECV;

	us_write(w->to, record->cpu_ns);
	us_write(w->to, record->wait_ns);
	number_write(w->to, flows ? record->bytes : TIERLENS_SYNC_UNKNOWN);
	number_write(w->to, position);
	if (!tl_sync_has_ends(record))
		putc(',', w->to);
	else if (record->flags & TIERLENS_SYNC_ROLES)
		fputs(record->end ? ",server" : ",client", w->to);
	else
		fprintf(w->to, ",%u", record->kind != TIERLENS_SYNC_PIPE ? record->end :
						record->op == TIERLENS_SYNC_RECV);
	number_write(w->to, record->read_bytes);
	number_write(w->to, record->written_bytes);
	if (gives(record))
		us_write(w->to, record->began_ns);
	else
		putc(',', w->to);
	putc('\n', w->to);
}

static int line_write(struct writer *w, const struct tierlens_sync_record *record)
{
	const char *name = thread_name(w, record), *stack = "";
	char object[100] = "";
	double began_s;
	u64 position;

	if (!name || tl_sync_position(&w->streams, record, &position))
		return -ENOMEM;
	if (record->op == TIERLENS_SYNC_EXEC && exec_note(w, record, name))
		return -ENOMEM;
	if (record->kind != TIERLENS_SYNC_NOTHING)
		tl_sync_object(object, sizeof(object), &w->table->watch->maps, record);
	if (record->registers) {
		began_s = tl_clock_s(CLOCK_MONOTONIC);
		stack = stack_text(w, record);
		w->table->unwind_s += tl_clock_s(CLOCK_MONOTONIC) - began_s;
	}
	if (!stack)
		return -ENOMEM;
	/* Whose numbers are missing was lost, so those that came to nothing have none. */
	fprintf(w->to, "%" PRIu64, (u64)record->seq - w->voids);
	us_write(w->to, record->time_ns);
	putc(',', w->to);
	text_write(w->to, name);
	fprintf(w->to, ",%s,%s,", tl_tasks_ops[ops[record->op]], object);
	text_write(w->to, stack);
	line_end(w, record, position);
	w->table->written++;
	return 0;
}

/* Of others nothing can be said. */
static bool understood(const struct tierlens_sync_record *record)
{
	if (record->op > TIERLENS_SYNC_EXEC || record->kind >= TIERLENS_SYNC_KINDS)
		return false;
	return record->kind != TIERLENS_SYNC_NOTHING || ops[record->op] == TL_TASK_START ||
	       record->op == TIERLENS_SYNC_EXIT;
}

static int lines_write(struct writer *w)
{
	const struct tl_sync_events *events = w->table->events;
	size_t i;
	int code = 0;

	fputs("seq,time_us,thread,op,object,stack,cpu_us,wait_us,bytes,position,end,read_bytes,written_bytes,given_us\n", w->to);
	for (i = 0; i < events->n && !code && !ferror(w->to); i++) {
		const struct tl_sync_event *event = &events->event[i];

		w->streams.lost |= event->seq != w->last_seq + 1;
		w->last_seq = event->seq;
		if (!(i % PROGRESS_STEP))
			tl_out_progress("%zu of %zu events named", i, events->n);
		if (event->record->op == TIERLENS_SYNC_VOID)
			w->voids++;
		else if (understood(event->record))
			code = line_write(w, event->record);
		else
			w->table->strange++;
	}
	tl_out_progress_end();
	other_tell(w);
	return code;
}

/* Names that are missing for it are told by their addresses. */
static void refused_tell(struct writer *w)
{
	const struct tl_maps *maps = w->unwind.maps;
	const char *refused;
	size_t i;

	for (i = 0; w->unwind.binary && i < maps->files; i++) {
		refused = w->unwind.binary[i] ? tl_binary_refused(w->unwind.binary[i]) : NULL;
		if (refused)
			tl_faults_note(&w->table->notes, 0, "%s: %s", maps->file[i].path, refused);
	}
}

/**
 * tl_sync_table_write() - Write the table
 * @table: what of; the counts are set
 * @to: where to; whether that went well its owner finds out
 * @err: the sentence if it fails
 *
 * Return: 0 or -ENOMEM.
 */
int tl_sync_table_write(struct tl_sync_table *table, FILE *to, struct tl_error *err)
{
	struct writer *w = calloc(1, sizeof(*w));
	size_t i;
	int code;

	if (!w)
		return tl_error_no_memory(err);
	w->table = table;
	w->to = to;
	w->unwind.maps = &table->watch->maps;
	w->life = calloc(table->watch->n + 1, sizeof(*w->life));
	code = w->life ? lines_write(w) : -ENOMEM;
	for (i = 0; w->life && i < table->watch->n; i++)
		free(w->life[i].name);
	free(w->life);
	refused_tell(w);
	tl_unwind_free(&w->unwind);
	tl_sync_streams_free(&w->streams);
	tl_ids_free(&w->other);
	free(w->first_other);
	free(w);
	return code ? tl_error_no_memory(err) : 0;
}
