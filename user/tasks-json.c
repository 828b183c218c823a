// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks for programs
 *
 * There are as many leaves as events and more edges: they are written one by one, as all
 * of them as objects would take more memory than everything else.
 */
#include "tasks-out.h"

#include "lqn-out.h"
#include "out.h"
#include "tasks-trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_tasks_uses[TL_TASK_USES] = {
	[TL_TASK_USE_NONE] = "none", [TL_TASK_USE_MUTEX] = "mutex",
	[TL_TASK_USE_CONDITION] = "condition", [TL_TASK_USE_GUARDED] = "guarded queue",
	[TL_TASK_USE_BROADCAST] = "broadcast",
	[TL_TASK_USE_COUNTER] = "counter", [TL_TASK_USE_EVENTS] = "events",
	[TL_TASK_USE_QUEUE] = "queue", [TL_TASK_USE_STREAM] = "stream",
};

static json_t *bytes(int64_t n, uint64_t known)
{
	return known ? json_integer((json_int_t)n) : json_null();
}

static json_t *seconds(int64_t ns, uint64_t known)
{
	return known ? json_real((double)ns / 1e9) : json_null();
}

/* ---- what is few --------------------------------------------------------------------- */

/* @members: its reference is consumed. */
static json_t *task_json(const struct tl_tasks_found *found, size_t number, uint32_t level,
			 char *label, json_t *members, const struct tl_task_figures *f)
{
	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}",
			 "id", (json_int_t)number, "level", (json_int_t)level,
			 "support", (json_int_t)f->count, "label", tl_out_text(label),
			 "members", members, "count", (json_int_t)f->count,
			 "time_s", seconds(f->time_ns, 1), "cpu_s", seconds(f->cpu_ns, f->cpu_count),
			 "wait_s", seconds(f->wait_ns, f->wait_count),
			 "handoff_s", seconds(f->handoff_ns, f->handoff_count),
			 "sent_bytes", bytes(f->sent_bytes, f->sent_count),
			 "received_bytes", bytes(f->received_bytes, f->received_count),
			 "read_bytes", bytes(f->read_bytes, f->storage_count),
			 "written_bytes", bytes(f->written_bytes, f->storage_count),
			 "concurrency", tl_task_concurrency(found->tasks, f));
}

static json_t *members_json(const struct tl_task_mined *mined, const struct tl_task_higher *higher)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < higher->members; i++)
		json_array_append_new(array, json_integer((json_int_t)mined->member[higher->member + i]));
	return array;
}

static json_t *tasks_json(const struct tl_tasks_found *found)
{
	size_t classes = found->tasks->classes, i;
	json_t *array = json_array();

	for (i = 0; i < classes; i++)
		json_array_append_new(array, task_json(found, i, 0, tl_tasks_label(found, (uint32_t)i, (uint32_t)i),
						       json_array(), &found->figures[i]));
	for (i = 0; i < found->mined->n; i++) {
		const struct tl_task_higher *h = &found->mined->higher[i];

		json_array_append_new(array, task_json(found, classes + i, h->level,
						       tl_tasks_label(found, h->entry, h->exit),
						       members_json(found->mined, h), &h->figures));
	}
	return array;
}

static json_t *mining_json(const struct tl_tasks_found *found)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "support", (json_int_t)found->mining->support,
			 "size", (json_int_t)found->mining->size,
			 "effort", (json_int_t)found->mining->effort,
			 "shapes", (json_int_t)found->mined->shapes,
			 "jobs_left_out", (json_int_t)found->mined->left_out,
			 "jobs_by_time", (json_int_t)found->mined->by_time,
			 "pieces", (json_int_t)found->mined->looked_at, "cut", found->mined->cut);
}

static json_t *objects_json(const struct tl_tasks_found *found)
{
	json_t *array = json_array(), *object;
	size_t i;

	for (i = 0; i < found->trace->trace.objects; i++) {
		const struct tl_task_object *o = &found->tasks->object[i];

		if (o->use == TL_TASK_USE_NONE)
			continue;
		object = json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I}",
			"object", tl_out_name(tl_ids_key(&found->trace->objects, (uint32_t)i, NULL)),
			"use", tl_tasks_uses[o->use], "given", (json_int_t)o->given,
			"taken", (json_int_t)o->taken, "matched", (json_int_t)o->matched,
			"unmatched", (json_int_t)(o->taken - o->matched),
			"corrections", (json_int_t)o->corrections);
		tl_tasks_contention_json(found, (uint32_t)i, object);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *head_json(const struct tl_tasks_found *found)
{
	const struct tl_tasks *t = found->tasks;
	const struct tl_faults *notes = &found->trace->notes;

	return json_pack("{s:o, s:o, s:{s:I, s:I, s:I, s:b, s:I, s:I, s:I}, s:o, s:o, s:o, s:o, s:o}",
			 "file", tl_out_name(notes->file),
			 "notes", tl_faults_json(notes->note, notes->notes),
			 "trace", "events", (json_int_t)t->trace->n,
			 "lost", (json_int_t)t->lost, "mended", (json_int_t)t->mended, "mend_cut", t->mend_cut, "threads", (json_int_t)t->trace->threads,
			 "types", (json_int_t)t->types,
			 "leaves_of_no_job", (json_int_t)t->alone,
			 "mining", mining_json(found), "objects", objects_json(found),
			 "in_step", tl_tasks_steps_json(found), "paths", tl_tasks_paths_json(found),
			 "tasks", tasks_json(found));
}

/* ---- what is much -------------------------------------------------------------------- */

static int leaves_write(const struct tl_tasks_found *found, FILE *to)
{
	const struct tl_tasks *t = found->tasks;
	const struct tl_task_event *event = t->trace->event;
	char **name = calloc(found->trace->threads.n + 1, sizeof(*name));
	size_t i;
	bool good = name;

	for (i = 0; i < found->trace->threads.n && good; i++) {
		json_t *text = tl_out_name(tl_ids_key(&found->trace->threads, (uint32_t)i, NULL));

		name[i] = json_dumps(text, JSON_ENCODE_ANY);
		json_decref(text);
		good = name[i];
	}
	for (i = 0; i < t->leaves && good; i++)
		fprintf(to, "%s{\"id\":%zu,\"thread\":%s,\"first_seq\":%" PRIu64 ",\"last_seq\":%" PRIu64
			",\"class\":%" PRIu32 "}", i ? "," : "", i, name[event[t->leaf[i].first].thread],
			event[t->leaf[i].first].seq, event[t->leaf[i].last].seq, t->leaf[i].class);
	for (i = 0; name && i < found->trace->threads.n; i++)
		free(name[i]);
	free(name);
	return good ? 0 : -ENOMEM;
}

static void edge_write(bool *any, uint32_t from, uint32_t to_leaf, const char *kind, FILE *to)
{
	if (from == TL_TASK_NONE || to_leaf == TL_TASK_NONE)
		return;
	fprintf(to, "%s{\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"kind\":\"%s\"}", *any ? "," : "",
		from, to_leaf, kind);
	*any = true;
}

static void edges_write(const struct tl_tasks *t, FILE *to)
{
	bool any = false;
	size_t i;

	for (i = 0; i < t->leaves; i++)
		edge_write(&any, (uint32_t)i, t->leaf[i].next, "thread", to);
	for (i = 0; i < t->handoffs; i++)
		edge_write(&any, t->ends[t->handoff[i].from], t->begins[t->handoff[i].to], "handoff", to);
}

static int jobs_write(const struct tl_tasks *t, FILE *to)
{
	uint32_t *sorted = calloc(t->leaves + 1, sizeof(*sorted));
	size_t *begin = calloc(t->jobs + 2, sizeof(*begin)), i, k;

	if (sorted && begin)
		tl_tasks_by_job(t, sorted, begin);
	for (i = 0; i < t->jobs && sorted && begin; i++) {
		fprintf(to, "%s{\"type\":%" PRIu32 ",\"leaves\":[", i ? "," : "", t->job[i].type);
		for (k = begin[i]; k < begin[i + 1]; k++)
			fprintf(to, "%s%" PRIu32, k > begin[i] ? "," : "", sorted[k]);
		fputs("]}", to);
	}
	free(sorted);
	free(begin);
	return sorted && begin ? 0 : -ENOMEM;
}

/**
 * tl_tasks_json() - Print tasks for programs
 * @found: tasks
 * @to: where
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_json(const struct tl_tasks_found *found, FILE *to)
{
	json_t *head = head_json(found);
	char *text = head ? json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(16)) : NULL;
	int code = text ? 0 : -ENOMEM;

	json_decref(head);
	if (!code) {
		fwrite(text, 1, strlen(text) - 1, to); /* all but the last brace */
		fputs(",\"leaves\":[", to);
		code = leaves_write(found, to);
	}
	free(text);
	if (!code) {
		fputs("],\"edges\":[", to);
		edges_write(found->tasks, to);
		fputs("],\"jobs\":[", to);
		code = jobs_write(found->tasks, to);
		fputs("]}\n", to);
	}
	return code;
}
