// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A layered queueing network while it is read
 *
 * What both file formats have in common: names that stand for one thing each, numbers
 * that are given once, calls to entries that come later in the file. A fault is kept
 * and reading goes on, with something harmless in its place.
 */
#include "lqn-draft.h"

#include "text.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 200
#define THINGS_MAX 1000000 /* processors, tasks, entries; calls ten times as many */
#define NUMBER_MAX 1e12

struct name {
	char *text;
	size_t index;
};

static int names_compare(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void *no_memory(struct tl_draft *draft)
{
	draft->faults->no_memory = true;
	return NULL;
}

/* An array grows when its number of elements is a power of two. */
static void *grown(struct tl_draft *draft, void *array, size_t n, size_t size)
{
	void *new = array;

	if (!(n & (n - 1)))
		new = reallocarray(array, n ? 2 * n : 1, size);
	return new ? new : no_memory(draft);
}

static size_t find(void *const *names, const char *name)
{
	struct name key = { (char *)name, 0 };
	struct name *const *found = tfind(&key, names, names_compare);

	return found ? (*found)->index : TL_LQN_NONE;
}

/* A copy of the name under which @index is found from now on. */
static char *name_new(struct tl_draft *draft, void **names, const char *text, size_t index)
{
	struct name *name = malloc(sizeof(*name));
	char *copy = strdup(text);

	if (!name || !copy)
		goto fail;
	*name = (struct name){ copy, index };
	if (tsearch(name, names, names_compare))
		return copy;
fail:
	free(name);
	free(copy);
	return no_memory(draft);
}

/* Return: whether there may be a new thing of that name. */
static bool name_good(struct tl_draft *draft, void *const *names, const char *kind,
		      const char *name, size_t n, size_t line)
{
	char *utf8 = tl_text_utf8(name, strlen(name));
	const char *wrong = NULL;

	if (!utf8)
		return no_memory(draft);
	if (!*name)
		wrong = "is no name: give one";
	else if (strlen(name) > NAME_BYTES_MAX)
		wrong = "has a name of more than 200 bytes: give it a shorter one";
	else if (strcmp(utf8, name))
		wrong = "has a name that is not UTF-8: write it in UTF-8";
	else if (find(names, name) != TL_LQN_NONE)
		wrong = "is there twice: give each a name of its own";
	else if (n >= THINGS_MAX)
		wrong = "is one too many, 1000000 can be: leave some out";
	if (wrong)
		tl_faults_add(draft->faults, line, "%s \"%.40s\" %s", kind, utf8, wrong);
	free(utf8);
	return !wrong;
}

/**
 * tl_draft_processor() - Add a processor
 * @draft: network
 * @name: its name
 * @line: of the file
 *
 * Return: its index; TL_LQN_NONE after a fault. The same for tasks and entries.
 */
size_t tl_draft_processor(struct tl_draft *draft, const char *name, size_t line)
{
	struct tl_lqn *lqn = draft->lqn;
	size_t n = lqn->processors;
	struct tl_lqn_processor *new;

	if (!name_good(draft, &draft->processors, "processor", name, n, line))
		return TL_LQN_NONE;
	new = grown(draft, lqn->processor, n, sizeof(*new));
	if (!new)
		return TL_LQN_NONE;
	lqn->processor = new;
	new[n] = (struct tl_lqn_processor){ .servers = 1, .speed = 1, .line = line };
	new[n].name = name_new(draft, &draft->processors, name, n);
	lqn->processors += new[n].name != NULL;
	return new[n].name ? n : TL_LQN_NONE;
}

/**
 * tl_draft_task() - Add a task
 * @draft: network
 * @name: its name
 * @line: of the file
 *
 * Return: its index, or TL_LQN_NONE.
 */
size_t tl_draft_task(struct tl_draft *draft, const char *name, size_t line)
{
	struct tl_lqn *lqn = draft->lqn;
	struct tl_lqn_task *new;
	size_t n = lqn->tasks;
	char **runs_on;

	if (!name_good(draft, &draft->tasks, "task", name, n, line))
		return TL_LQN_NONE;
	runs_on = grown(draft, draft->runs_on, n, sizeof(*runs_on));
	if (runs_on)
		draft->runs_on = runs_on;
	new = grown(draft, lqn->task, n, sizeof(*new));
	if (new)
		lqn->task = new;
	if (!new || !runs_on)
		return TL_LQN_NONE;
	runs_on[n] = NULL;
	new[n] = (struct tl_lqn_task){ .threads = 1, .processor = TL_LQN_NONE,
				       .first_entry = lqn->entries, .line = line };
	new[n].name = name_new(draft, &draft->tasks, name, n);
	lqn->tasks += new[n].name != NULL;
	return new[n].name ? n : TL_LQN_NONE;
}

/**
 * tl_draft_runs_on() - Say which processor executes a task
 * @draft: network
 * @task: index
 * @processor: its name, known or not yet
 */
void tl_draft_runs_on(struct tl_draft *draft, size_t task, const char *processor)
{
	free(draft->runs_on[task]);
	draft->runs_on[task] = strdup(processor);
	if (!draft->runs_on[task])
		no_memory(draft);
}

/**
 * tl_draft_entry() - Add an entry to the task that was added last
 * @draft: network
 * @task: index of that task
 * @name: name of the entry
 * @line: of the file
 *
 * Return: its index, or TL_LQN_NONE.
 */
size_t tl_draft_entry(struct tl_draft *draft, size_t task, const char *name, size_t line)
{
	struct tl_lqn *lqn = draft->lqn;
	struct tl_lqn_entry *new;
	size_t n = lqn->entries;
	unsigned int *given;

	if (!name_good(draft, &draft->entries, "entry", name, n, line))
		return TL_LQN_NONE;
	given = grown(draft, draft->given, n, sizeof(*given));
	if (given)
		draft->given = given;
	new = grown(draft, lqn->entry, n, sizeof(*new));
	if (new)
		lqn->entry = new;
	if (!new || !given)
		return TL_LQN_NONE;
	given[n] = 0;
	new[n] = (struct tl_lqn_entry){ .task = task, .line = line,
					.phase = { { .cv2 = 1 }, { .cv2 = 1 } } };
	new[n].name = name_new(draft, &draft->entries, name, n);
	lqn->task[task].entries += new[n].name != NULL;
	lqn->entries += new[n].name != NULL;
	return new[n].name ? n : TL_LQN_NONE;
}

/**
 * tl_draft_find_entry() - Index of an entry that must be known
 * @draft: network
 * @name: its name
 * @line: of the file
 *
 * Return: its index; TL_LQN_NONE after a fault.
 */
size_t tl_draft_find_entry(struct tl_draft *draft, const char *name, size_t line)
{
	size_t entry = find(&draft->entries, name);

	if (entry == TL_LQN_NONE)
		tl_faults_add(draft->faults, line,
			      "there is no entry \"%.200s\": add it to the entries of a task, or "
			      "mend the name", name);
	return entry;
}

static bool number_good(struct tl_draft *draft, const char *what, double value,
			size_t line)
{
	if (value >= 0 && value <= NUMBER_MAX)
		return true;
	tl_faults_add(draft->faults, line, "%s is %g: give a number from 0 to %g", what,
		      value, NUMBER_MAX);
	return false;
}

/**
 * tl_draft_number() - Set a number of a phase
 * @draft: network
 * @what: which of its numbers
 * @entry: index
 * @phase: 0 or 1
 * @value: the number
 * @line: of the file
 */
void tl_draft_number(struct tl_draft *draft, enum tl_draft_number what, size_t entry,
		     size_t phase, double value, size_t line)
{
	static const char *const names[TL_DRAFT_NUMBERS] = {
		"demand", "squared coefficient of variation", "think time", "order of calls",
	};
	struct tl_lqn_phase *p = &draft->lqn->entry[entry].phase[phase];
	unsigned int bit = 1U << (phase * TL_DRAFT_NUMBERS + what);

	if (draft->given[entry] & bit)
		tl_faults_add(draft->faults, line, "the %s of entry \"%s\" is given twice: "
			      "leave one out", names[what], draft->lqn->entry[entry].name);
	draft->given[entry] |= bit;
	if (!number_good(draft, names[what], value, line))
		return;
	if (what == TL_DRAFT_DEMAND)
		p->demand_s = value;
	else if (what == TL_DRAFT_CV2)
		p->cv2 = value;
	else if (what == TL_DRAFT_THINK)
		p->think_s = value;
	else if (value == 0 || value == 1)
		p->exact = value == 1;
	else
		tl_faults_add(draft->faults, line, "the order of calls is %g: give 0 for calls by "
			      "chance, 1 for exactly so many", value);
}

/**
 * tl_draft_arrivals() - Set the open arrivals of an entry
 * @draft: network
 * @entry: index
 * @per_s: arrivals a second
 * @line: of the file
 */
void tl_draft_arrivals(struct tl_draft *draft, size_t entry, double per_s, size_t line)
{
	struct tl_lqn_entry *e = &draft->lqn->entry[entry];

	if (!number_good(draft, "open arrival rate", per_s, line))
		return;
	if (e->arrivals_per_s > 0)
		tl_faults_add(draft->faults, line, "the arrivals at entry \"%s\" are given twice: "
			      "leave one out", e->name);
	e->arrivals_per_s = per_s;
}

/**
 * tl_draft_call() - Add calls of a phase, or a forwarded one
 * @draft: network
 * @call: the call; its name is copied. One that is never made is let pass
 */
void tl_draft_call(struct tl_draft *draft, const struct tl_draft_call *call)
{
	bool forward = call->kind == TL_LQN_FORWARD;
	struct tl_draft_call *new;
	char *to;

	if (!number_good(draft, forward ? "probability" : "number of calls", call->mean,
			 call->line) || (!forward && call->mean == 0))
		return;
	if (draft->calls >= 10 * THINGS_MAX) {
		tl_faults_add(draft->faults, call->line, "this call is one too many, 10000000 can "
			      "be: leave some out");
		return;
	}
	new = grown(draft, draft->call, draft->calls, sizeof(*new));
	if (!new)
		return;
	draft->call = new;
	to = strdup(call->to);
	if (!to) {
		no_memory(draft);
		return;
	}
	new[draft->calls] = *call;
	new[draft->calls++].to = to;
}

/**
 * tl_draft_measured() - What the file says of the loads that it was measured with
 * @draft: network that is being read
 * @range: LOW:HIGH, cycles of customers and arrivals per second
 * @line: of the file
 */
void tl_draft_measured(struct tl_draft *draft, const char *range, size_t line)
{
	const char *colon = strchr(range, ':');
	char *low = colon ? strndup(range, (size_t)(colon - range)) : NULL;
	double value[2];

	if (colon && !low)
		no_memory(draft);
	else if (colon && tl_draft_decimal(low, &value[0]) &&
		 tl_draft_decimal(colon + 1, &value[1]) && value[0] >= 0 && value[1] > 0 &&
		 value[0] <= value[1])
		memcpy(draft->lqn->measured_per_s, value, sizeof(value));
	else
		tl_faults_add(draft->faults, line, TL_DRAFT_MEASURED " is \"%.60s\": give the least "
			      "and the largest throughput it was measured with, such as 12.5:80",
			      range);
	free(low);
}

/**
 * tl_draft_decimal() - Read a decimal number
 * @text: the whole of it
 * @value: set to the number
 *
 * Return: whether it is one, and neither too large nor too near to zero to be calculated with.
 */
bool tl_draft_decimal(const char *text, double *value)
{
	char *end;

	/* strtod() takes nan, infinity and hexadecimal too. */
	if (!*text || strspn(text, "-+0123456789.eE") != strlen(text))
		return false;
	*value = strtod(text, &end);
	return !*end && (!*value || isnormal(*value));
}

/**
 * tl_draft_count() - Read how many of something there are
 * @text: the whole of it
 * @value: set to the number
 *
 * Return: whether it is a whole number from 1 to 1000000000, or the formats' word for
 * no limit.
 */
bool tl_draft_count(const char *text, uint32_t *value)
{
	double number;

	if (!strcmp(text, "@infinity")) {
		*value = TL_LQN_UNLIMITED;
		return true;
	}
	if (!tl_draft_decimal(text, &number) || number < 1 || number > 1e9 ||
	    number != floor(number))
		return false;
	*value = (uint32_t)number;
	return true;
}

/* Slots of calls by entry: phase 1, phase 2, forwarded. */
static size_t slot_of(const struct tl_draft_call *call)
{
	return 3 * call->from + (call->kind == TL_LQN_FORWARD ? 2 : call->phase);
}

static void calls_place(struct tl_draft *draft, size_t *begin)
{
	struct tl_lqn *lqn = draft->lqn;
	size_t i;

	for (i = 0; i < draft->calls; i++) {
		const struct tl_draft_call *call = &draft->call[i];
		size_t to = tl_draft_find_entry(draft, call->to, call->line);

		lqn->call[begin[slot_of(call)]++] =
			(struct tl_lqn_call){ call->kind, to, call->mean, call->line };
		if (call->kind != TL_LQN_FORWARD)
			lqn->entry[call->from].phase[call->phase].calls_mean += call->mean;
	}
}

static void calls_number(struct tl_lqn *lqn, const size_t *begin)
{
	size_t e, p;

	for (e = 0; e < lqn->entries; e++) {
		struct tl_lqn_entry *entry = &lqn->entry[e];

		for (p = 0; p < TL_LQN_PHASES; p++) {
			struct tl_lqn_phase *phase = &entry->phase[p];

			phase->first_call = begin[3 * e + p];
			phase->calls = begin[3 * e + p + 1] - phase->first_call;
		}
		entry->first_forward = begin[3 * e + 2];
		entry->forwards = begin[3 * e + 3] - entry->first_forward;
	}
}

/* Calls in the order of their slots, and of the file within each. */
static void calls_end(struct tl_draft *draft)
{
	size_t slots = 3 * draft->lqn->entries, i, sum = 0, n;
	size_t *begin = calloc(slots + 1, sizeof(*begin));

	draft->lqn->call = calloc(draft->calls + 1, sizeof(*draft->lqn->call));
	if (!begin || !draft->lqn->call) {
		no_memory(draft);
		free(begin);
		return;
	}
	draft->lqn->calls = draft->calls;
	for (i = 0; i < draft->calls; i++)
		begin[slot_of(&draft->call[i])]++;
	for (i = 0; i <= slots; i++) {
		n = begin[i];
		begin[i] = sum;
		sum += n;
	}
	calls_number(draft->lqn, begin);
	calls_place(draft, begin);
	free(begin);
}

static void processors_end(struct tl_draft *draft)
{
	struct tl_lqn *lqn = draft->lqn;
	size_t i;

	for (i = 0; i < lqn->tasks; i++) {
		const char *name = draft->runs_on[i];

		if (name)
			lqn->task[i].processor = find(&draft->processors, name);
		if (!name && !draft->faults->faults)
			tl_faults_add(draft->faults, lqn->task[i].line,
				      "task \"%.200s\" has no processor: give it one",
				      lqn->task[i].name);
		if (name && lqn->task[i].processor == TL_LQN_NONE)
			tl_faults_add(draft->faults, lqn->task[i].line,
				      "there is no processor \"%.200s\": add it, or mend the name",
				      name);
	}
}

/**
 * tl_draft_end() - After the last line: put names together
 * @draft: network
 *
 * Return: 0, or -EINVAL if something is missing and indexes are not to be used.
 */
int tl_draft_end(struct tl_draft *draft)
{
	processors_end(draft);
	calls_end(draft);
	return draft->faults->faults || draft->faults->no_memory ? -EINVAL : 0;
}

static void name_free(void *name)
{
	free(name); /* its text belongs to the thing */
}

/**
 * tl_draft_free() - Free what is needed for reading only
 * @draft: network, of which @lqn is left alone
 */
void tl_draft_free(struct tl_draft *draft)
{
	size_t i;

	tdestroy(draft->processors, name_free);
	tdestroy(draft->tasks, name_free);
	tdestroy(draft->entries, name_free);
	for (i = 0; draft->runs_on && i < draft->lqn->tasks; i++)
		free(draft->runs_on[i]);
	for (i = 0; i < draft->calls; i++)
		free(draft->call[i].to);
	free(draft->runs_on);
	free(draft->given);
	free(draft->call);
}
