// SPDX-License-Identifier: GPL-2.0-or-later
/* Things of a layered queueing network by their names, and the nearest to a wrong one. */
#include "lqn-names.h"

#include "error.h"
#include "hist.h"
#include "model/lqn.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAREST 3
#define LEN_MAX 60 /* of names that are compared letter by letter */

static const struct {
	enum tl_lqn_thing thing;
	const char *word;
} things_words[] = {
	{ TL_LQN_A_PROCESSOR, "processor" }, { TL_LQN_A_TASK, "task" },
	{ TL_LQN_CUSTOMERS, "reference task" }, { TL_LQN_AN_ENTRY, "entry" },
	{ TL_LQN_ARRIVALS, "entry with arrivals" },
};

struct near {
	const char *name;
	size_t distance;
};

struct search {
	const struct tl_lqn *lqn;
	const char *name;
	unsigned int things;
	struct near near[NEAREST];
};

/* Letters to be changed, added or left out, whatever their case (V. Levenshtein, 1966). */
static size_t distance(const char *a, const char *b)
{
	size_t row[LEN_MAX + 1], n = strnlen(b, LEN_MAX), i, k, before, least;

	for (k = 0; k <= n; k++)
		row[k] = k;
	for (i = 0; i < LEN_MAX && a[i]; i++) {
		before = row[0];
		row[0] = i + 1;
		for (k = 0; k < n; k++) {
			least = before + (tolower((unsigned char)a[i]) !=
					  tolower((unsigned char)b[k]));
			before = row[k + 1];
			least = least < before + 1 ? least : before + 1;
			row[k + 1] = least < row[k] + 1 ? least : row[k] + 1;
		}
	}
	return row[n];
}

/* Keep it if it is nearer than one of those that are kept. */
static void near_see(struct search *s, const char *name)
{
	struct near this = { name, distance(s->name, name) }, other;
	size_t i;

	for (i = 0; i < NEAREST; i++) {
		if (s->near[i].name && !strcmp(s->near[i].name, this.name))
			return;
		if (s->near[i].name && s->near[i].distance <= this.distance)
			continue;
		other = s->near[i];
		s->near[i] = this;
		this = other;
		if (!this.name)
			return;
	}
}

/* Return: whether it is that name. */
static bool see(struct search *s, const char *name)
{
	near_see(s, name);
	return !strcmp(s->name, name);
}

static unsigned int task_things(const struct tl_lqn_task *task)
{
	return task->reference ? TL_LQN_CUSTOMERS : TL_LQN_A_TASK;
}

static unsigned int entry_things(const struct tl_lqn_entry *entry)
{
	return TL_LQN_AN_ENTRY | (entry->arrivals_per_s > 0 ? TL_LQN_ARRIVALS : 0);
}

static int unknown(const struct search *s, struct tl_error *err)
{
	char words[160] = "", nearest[400] = "";
	size_t i, n = 0, len = 0;

	for (i = 0; i < ARRAY_SIZE(things_words); i++)
		if (s->things & things_words[i].thing)
			len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%s",
						n++ ? " or " : "", things_words[i].word);
	for (len = 0, i = 0; i < NEAREST && s->near[i].name; i++)
		len += (size_t)snprintf(nearest + len, sizeof(nearest) - len, "%s\"%.60s\"",
					i ? ", " : "", s->near[i].name);
	if (!len)
		return tl_error_set(err, -ENOENT, "no %s has the name \"%.100s\": the model has none",
				    words, s->name);
	return tl_error_set(err, -ENOENT, "no %s has the name \"%.100s\": give one that has, the "
			    "nearest %s %s", words, s->name, s->near[1].name ? "are" : "is", nearest);
}

/**
 * tl_lqn_find() - Find what has a name
 * @lqn: network
 * @name: name
 * @things: what it may be of
 * @named: filled in
 * @err: the sentence if there is none, with the nearest names
 *
 * Return: 0 or -ENOENT.
 */
int tl_lqn_find(const struct tl_lqn *lqn, const char *name, unsigned int things,
		struct tl_lqn_named *named, struct tl_error *err)
{
	struct search s = { .lqn = lqn, .name = name, .things = things };
	size_t i;

	*named = (struct tl_lqn_named){ TL_LQN_NONE, TL_LQN_NONE, TL_LQN_NONE };
	for (i = 0; (things & TL_LQN_A_PROCESSOR) && i < lqn->processors; i++)
		if (see(&s, lqn->processor[i].name))
			named->processor = i;
	for (i = 0; i < lqn->tasks; i++)
		if ((things & task_things(&lqn->task[i])) && see(&s, lqn->task[i].name))
			named->task = i;
	for (i = 0; i < lqn->entries; i++)
		if ((things & entry_things(&lqn->entry[i])) && see(&s, lqn->entry[i].name))
			named->entry = i;
	if (named->processor == TL_LQN_NONE && named->task == TL_LQN_NONE &&
	    named->entry == TL_LQN_NONE)
		return unknown(&s, err);
	return 0;
}
