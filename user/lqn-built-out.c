// SPDX-License-Identifier: GPL-2.0-or-later
/* A network with the origins of its numbers, as a file in the LQN text format and as JSON. */
#include "lqn-built.h"

#include "lqn-draft.h"
#include "lqn-out.h"
#include "out.h"
#include "tierlens-version.h"

#include <ctype.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------- */

static void name_print(const char *name, FILE *to)
{
	const char *quote = "", *at;

	for (at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.:/>-", *at))
			quote = "\"";
	if (!isalpha((unsigned char)*name))
		quote = "\"";
	fprintf(to, "%s%s%s", quote, name, quote);
}

static void number_print(const struct tl_built_number *number, FILE *to)
{
	if (number->value == TL_LQN_UNLIMITED)
		fprintf(to, "i");
	else
		fprintf(to, "m %.0f", number->value);
}

static void origin_print(const struct tl_built_number *number, FILE *to)
{
	if (number->origin)
		fprintf(to, "  # %s", number->origin);
	fputc('\n', to);
}

/* Of a second number in a line. */
static void more_print(const char *key, const struct tl_built_number *number, FILE *to)
{
	if (number->origin)
		fprintf(to, "#   %s: %s\n", key, number->origin);
}

static void head_print(const struct tl_built *built, FILE *to)
{
	size_t i;

	fprintf(to, "# %s\n# Built by tierlens %s. Seconds; what stands behind # tells where a number comes from.\n",
		built->title, TIERLENS_VERSION);
	fprintf(to, "# verdict: %s\n", built->verdict);
	for (i = 0; i < tl_faults_kept(built->notes.notes); i++)
		fprintf(to, "# note: %s\n", built->notes.note[i]);
	if (built->measured_per_s[1] > 0)
		fprintf(to, "#pragma " TL_DRAFT_MEASURED "=%.6g:%.6g\n", built->measured_per_s[0],
			built->measured_per_s[1]);
	fprintf(to, "\nG \"");
	for (i = 0; built->title[i]; i++)
		fputc(built->title[i] == '"' ? '\'' : built->title[i], to);
	fprintf(to, "\" 1e-6 100 1 0.5 -1\n");
}

static void processors_print(const struct tl_built *built, FILE *to)
{
	size_t i;

	fprintf(to, "\nP 0\n");
	for (i = 0; i < built->processors; i++) {
		const struct tl_built_processor *p = &built->processor[i];

		fprintf(to, "p ");
		name_print(p->name, to);
		fprintf(to, p->servers.value == TL_LQN_UNLIMITED ? " " : " s ");
		number_print(&p->servers, to);
		if (p->speed.value != 1)
			fprintf(to, " R %.9g", p->speed.value);
		origin_print(&p->servers, to);
		more_print("R", &p->speed, to);
	}
	fprintf(to, "-1\n");
}

static void task_print(const struct tl_built *built, size_t task, FILE *to)
{
	const struct tl_built_task *t = &built->task[task];
	size_t i;

	fprintf(to, "t ");
	name_print(t->name, to);
	fprintf(to, t->reference ? " r" : " n");
	for (i = 0; i < built->entries; i++)
		if (built->entry[i].task == task) {
			fputc(' ', to);
			name_print(built->entry[i].name, to);
		}
	fprintf(to, " -1 ");
	name_print(built->processor[t->processor].name, to);
	fputc(' ', to);
	if (t->reference)
		fprintf(to, "z %.9g ", t->think_s.value);
	number_print(&t->threads, to);
	origin_print(&t->threads, to);
	more_print("z", &t->think_s, to);
}

static void record_print(char key, const char *name, const struct tl_built_number *number,
			 FILE *to)
{
	if (!number->origin && !(number->value > 0))
		return;
	fprintf(to, "%c ", key);
	name_print(name, to);
	fprintf(to, " %.9g%s", number->value, key == 'a' ? "" : " -1");
	origin_print(number, to);
}

static void entry_print(const struct tl_built *built, const struct tl_built_entry *entry,
			FILE *to)
{
	size_t i;

	record_print('a', entry->name, &entry->arrivals_per_s, to);
	record_print('s', entry->name, &entry->demand_s, to);
	record_print('Z', entry->name, &entry->pause_s, to);
	for (i = 0; i < entry->calls; i++) {
		const struct tl_built_call *call = &entry->call[i];

		fprintf(to, "%c ", call->async ? 'z' : 'y');
		name_print(entry->name, to);
		fputc(' ', to);
		name_print(built->entry[call->to].name, to);
		fprintf(to, " %.9g -1", call->mean.value);
		origin_print(&call->mean, to);
	}
}

/**
 * tl_built_print() - Write a network in the LQN text format, with comments
 * @built: network
 * @to: where
 */
void tl_built_print(const struct tl_built *built, FILE *to)
{
	size_t i;

	head_print(built, to);
	processors_print(built, to);
	fprintf(to, "\nT 0\n");
	for (i = 0; i < built->tasks; i++)
		task_print(built, i, to);
	fprintf(to, "-1\n\nE 0\n");
	for (i = 0; i < built->entries; i++)
		entry_print(built, &built->entry[i], to);
	fprintf(to, "-1\n");
}

/* ---- JSON ------------------------------------------------------------------------- */

/* The number and its origin, under NAME and NAME_from. */
static void number_json(json_t *object, const char *name, const struct tl_built_number *number)
{
	char from[40];

	snprintf(from, sizeof(from), "%s_from", name);
	json_object_set_new(object, name, number->value == TL_LQN_UNLIMITED ?
			    json_null() : tl_out_real(number->value));
	json_object_set_new(object, from, number->origin ? json_string(number->origin) :
							   json_null());
}

static json_t *processors_json(const struct tl_built *built)
{
	json_t *list = json_array(), *object;
	size_t i;

	for (i = 0; i < built->processors; i++) {
		object = json_pack("{s:s}", "name", built->processor[i].name);
		number_json(object, "servers", &built->processor[i].servers);
		number_json(object, "speed", &built->processor[i].speed);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *tasks_json(const struct tl_built *built)
{
	json_t *list = json_array(), *object;
	size_t i;

	for (i = 0; i < built->tasks; i++) {
		const struct tl_built_task *t = &built->task[i];

		object = json_pack("{s:s, s:s, s:b}", "name", t->name, "processor",
				   built->processor[t->processor].name, "reference",
				   (int)t->reference);
		number_json(object, t->reference ? "customers" : "threads", &t->threads);
		if (t->reference)
			number_json(object, "think_s", &t->think_s);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *calls_json(const struct tl_built *built, const struct tl_built_entry *entry)
{
	json_t *list = json_array(), *object;
	size_t i;

	for (i = 0; i < entry->calls; i++) {
		object = json_pack("{s:s, s:s}", "to", built->entry[entry->call[i].to].name, "kind",
				   entry->call[i].async ? "async" : "sync");
		number_json(object, "mean", &entry->call[i].mean);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *entries_json(const struct tl_built *built)
{
	json_t *list = json_array(), *object;
	size_t i;

	for (i = 0; i < built->entries; i++) {
		const struct tl_built_entry *e = &built->entry[i];

		object = json_pack("{s:s, s:s}", "name", e->name, "task", built->task[e->task].name);
		number_json(object, "demand_s", &e->demand_s);
		json_object_set_new(object, "demand_half95_s", e->half95_s < 0 ?
				    json_null() : tl_out_real(e->half95_s));
		number_json(object, "pause_s", &e->pause_s);
		number_json(object, "arrivals_per_s", &e->arrivals_per_s);
		json_object_set_new(object, "calls", calls_json(built, e));
		json_array_append_new(list, object);
	}
	return list;
}

/**
 * tl_built_json() - Tell programs what a network is made of
 * @built: network
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_built_json(const struct tl_built *built)
{
	return json_pack("{s:s, s:s, s:[f, f], s:o, s:o, s:o, s:o}", "title", built->title,
			 "verdict", built->verdict, "measured_per_s", built->measured_per_s[0],
			 built->measured_per_s[1], "processors", processors_json(built), "tasks",
			 tasks_json(built), "entries", entries_json(built), "notes",
			 tl_faults_json(built->notes.note, built->notes.notes));
}
