// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What if: changes of a layered queueing network in words, NAME.WHAT=VALUE or
 * NAME.WHAT*=FACTOR
 *
 * A name may have dots: the last one is before WHAT. The value has no =, a name may.
 */
#include "lqn-set.h"

#include "error.h"
#include "hist.h"
#include "lqn-draft.h"
#include "lqn-names.h"
#include "lqn-read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct change - One change, taken apart
 * @text: the whole of it
 * @name: of the thing
 * @what: of it
 * @value: as it is written
 * @factor: whether it is one, else the new value
 * @number: the value
 * @unlimited: the value is "inf"
 */
struct change {
	const char *text;
	char *name, *what, *value;
	bool factor, unlimited;
	double number;
	struct tl_lqn_named named;
};

static int out_of_range(const struct change *c, const char *remedy, struct tl_error *err)
{
	return tl_error_set(err, -ERANGE, "--set %.200s: %s", c->text, remedy);
}

/* How many of something: whole, and without limit perhaps. */
static int set_count(const struct change *c, uint32_t *count, bool limitless,
		     struct tl_error *err)
{
	double n = c->factor ? round(*count * c->number) : c->number;

	if (c->unlimited && limitless) {
		*count = TL_LQN_UNLIMITED;
		return 0;
	}
	if (c->factor && *count == TL_LQN_UNLIMITED)
		return out_of_range(c, "there is no limit to multiply: give a number", err);
	if (c->unlimited || !(n >= 1 && n <= 1e9) || n != floor(n))
		return out_of_range(c, limitless ? "give a whole number from 1 to 1e9, or inf" :
						   "give a whole number from 1 to 1e9", err);
	*count = (uint32_t)n;
	return 0;
}

static int set_number(const struct change *c, double *number, double low, double high,
		      struct tl_error *err)
{
	double value = c->factor ? *number * c->number : c->number;
	char remedy[80];

	if (!c->unlimited && value >= low && value <= high) {
		*number = value;
		return 0;
	}
	snprintf(remedy, sizeof(remedy), "it would not be from %g to %g, give another", low, high);
	return out_of_range(c, remedy, err);
}

static int set_threads(struct tl_lqn *lqn, const struct change *c, struct tl_error *err)
{
	return set_count(c, &lqn->task[c->named.task].threads, true, err);
}

static int set_users(struct tl_lqn *lqn, const struct change *c, struct tl_error *err)
{
	return set_count(c, &lqn->task[c->named.task].threads, false, err);
}

static int set_think(struct tl_lqn *lqn, const struct change *c, struct tl_error *err)
{
	return set_number(c, &lqn->task[c->named.task].think_s, 0, 1e12, err);
}

/* A delay that gets a limit is shared from then on. */
static int set_servers(struct tl_lqn *lqn, const struct change *c, struct tl_error *err)
{
	struct tl_lqn_processor *p = &lqn->processor[c->named.processor];
	int code = set_count(c, &p->servers, true, err);

	if (p->servers == TL_LQN_UNLIMITED)
		p->discipline = TL_LQN_DELAY;
	else if (p->discipline == TL_LQN_DELAY)
		p->discipline = TL_LQN_PS;
	return code;
}

static int set_speed(struct tl_lqn *lqn, const struct change *c, struct tl_error *err)
{
	return set_number(c, &lqn->processor[c->named.processor].speed, 1e-9, 1e9, err);
}

static int set_arrivals(struct tl_lqn *lqn, const struct change *c, struct tl_error *err)
{
	return set_number(c, &lqn->entry[c->named.entry].arrivals_per_s, 1e-9, 1e9, err);
}

static bool of_thing(const struct tl_lqn *lqn, size_t e, const struct tl_lqn_named *named)
{
	size_t task = lqn->entry[e].task;

	if (named->entry != TL_LQN_NONE)
		return e == named->entry;
	if (named->task != TL_LQN_NONE)
		return task == named->task;
	return lqn->task[task].processor == named->processor;
}

/* A new value is shared out to the phases as the old one is. */
static int entry_demand(struct tl_lqn_entry *entry, const struct change *c,
			struct tl_error *err)
{
	double old = entry->phase[0].demand_s + entry->phase[1].demand_s, new = old;
	int code = set_number(c, &new, 0, 1e12, err);

	if (!code && old > 0) {
		entry->phase[0].demand_s *= new / old;
		entry->phase[1].demand_s *= new / old;
	} else if (!code) {
		entry->phase[0].demand_s = new;
	}
	return code;
}

static size_t entries_of(const struct tl_lqn *lqn, const struct tl_lqn_named *named)
{
	size_t e, n = 0;

	for (e = 0; e < lqn->entries; e++)
		n += of_thing(lqn, e, named);
	return n;
}

/* A task and its processor may have the same name, and mean the same entries. */
static int ambiguous(const struct tl_lqn *lqn, const struct change *c, struct tl_error *err)
{
	struct tl_lqn_named task = { TL_LQN_NONE, c->named.task, TL_LQN_NONE };
	struct tl_lqn_named processor = { c->named.processor, TL_LQN_NONE, TL_LQN_NONE };
	struct tl_lqn_named entry = { TL_LQN_NONE, TL_LQN_NONE, c->named.entry };
	size_t most = 0, n = 0;

	if (task.task != TL_LQN_NONE)
		most = entries_of(lqn, &task);
	if (processor.processor != TL_LQN_NONE) {
		n = entries_of(lqn, &processor);
		if (most && most != n)
			return out_of_range(c, "a task and a processor with other tasks have that "
					    "name: give the task's entries one by one", err);
		most = n;
	}
	if (entry.entry != TL_LQN_NONE && most > 1)
		return out_of_range(c, "an entry and something with more entries have that name: "
				    "give the entries one by one, by other names", err);
	return 0;
}

static int set_demand(struct tl_lqn *lqn, const struct change *c, struct tl_error *err)
{
	int code = ambiguous(lqn, c, err);
	size_t e;

	if (!code && !c->factor && entries_of(lqn, &c->named) != 1)
		code = out_of_range(c, "it has several entries, or none: scale them (*=0.7), or give "
				    "the demand of an entry", err);
	for (e = 0; !code && e < lqn->entries; e++)
		if (of_thing(lqn, e, &c->named))
			code = entry_demand(&lqn->entry[e], c, err);
	return code;
}

static const struct {
	const char *what;
	unsigned int things;
	int (*set)(struct tl_lqn *lqn, const struct change *c, struct tl_error *err);
} changes[] = {
	{ "threads", TL_LQN_A_TASK, set_threads },
	{ "users", TL_LQN_CUSTOMERS, set_users },
	{ "think", TL_LQN_CUSTOMERS, set_think },
	{ "servers", TL_LQN_A_PROCESSOR, set_servers },
	{ "speed", TL_LQN_A_PROCESSOR, set_speed },
	{ "arrivals", TL_LQN_ARRIVALS, set_arrivals },
	{ "demand", TL_LQN_A_PROCESSOR | TL_LQN_A_TASK | TL_LQN_CUSTOMERS | TL_LQN_AN_ENTRY,
	  set_demand },
};

/* @c->name is a copy of the text, which is cut. */
static int take_apart(struct change *c, struct tl_error *err)
{
	char *equals = strrchr(c->name, '='), *dot;

	if (equals && equals > c->name) {
		c->factor = equals[-1] == '*';
		c->value = equals + 1;
		equals[c->factor ? -1 : 0] = '\0';
	}
	dot = c->value ? strrchr(c->name, '.') : NULL;
	if (!dot || dot == c->name)
		return tl_error_set(err, -EINVAL, "--set \"%.200s\" is no change: give NAME.WHAT=VALUE or "
				    "NAME.WHAT*=FACTOR, such as App.threads=20 or db.demand*=0.7",
				    c->text);
	*dot = '\0';
	c->what = dot + 1;
	c->unlimited = !c->factor && !strcmp(c->value, "inf");
	if (c->unlimited || (tl_draft_decimal(c->value, &c->number) && c->number >= 0))
		return 0;
	return tl_error_set(err, -EINVAL, "--set %.200s: \"%.60s\" is not a number from 0 on: give one "
			    "such as 20 or 0.7", c->text, c->value);
}

static int apply(struct tl_lqn *lqn, struct change *c, struct tl_error *err)
{
	struct tl_error why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes) && strcmp(changes[i].what, c->what); i++)
		;
	if (i == ARRAY_SIZE(changes))
		return tl_error_set(err, -EINVAL, "--set %.200s: nothing has \"%.60s\": give threads of "
				    "a task, users or think of a reference task, servers or speed of "
				    "a processor, arrivals of an entry, or the demand of any",
				    c->text, c->what);
	if (tl_lqn_find(lqn, c->name, changes[i].things, &c->named, &why))
		return tl_error_set(err, -ENOENT, "--set %.120s: %.440s", c->text, why.text);
	return changes[i].set(lqn, c, err);
}

/* The changed network must be as sound as one from a file. */
static int check(struct tl_lqn *lqn, const char *file, struct tl_error *err)
{
	struct tl_faults faults = { .file = file };
	int code;

	tl_lqn_check(lqn, &faults);
	code = tl_faults_error(&faults, err);
	tl_faults_free(&faults);
	return code;
}

/**
 * tl_lqn_set() - Change a network
 * @lqn: network; of no use if it fails
 * @file: that it came from
 * @change: [n] NAME.WHAT=VALUE or NAME.WHAT*=FACTOR, done one after the other
 * @n: how many
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_lqn_set(struct tl_lqn *lqn, const char *file, const char *const *change, size_t n,
	       struct tl_error *err)
{
	int code = 0;
	size_t i;

	for (i = 0; !code && i < n; i++) {
		struct change c = { .text = change[i], .name = strdup(change[i]) };

		code = c.name ? take_apart(&c, err) : tl_error_no_memory(err);
		code = code ? code : apply(lqn, &c, err);
		free(c.name);
	}
	return code || !n ? code : check(lqn, file, err);
}
