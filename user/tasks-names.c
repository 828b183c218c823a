// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of leaf tasks: what their boundaries' stacks end with
 *
 * A boundary is called by as few of its innermost functions as no other boundary's stack
 * ends with. Two stacks that end alike stand beside each other if all are sorted from their
 * ends, so it is enough to look at the neighbours.
 */
#include "tasks-names.h"

#include "tasks-out.h"
#include "tasks-trace.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stack {
	const char *text;
	uint32_t id;
	size_t frames; /* that tell it from the others */
};

static const char *end_of(const char *text)
{
	return text + strlen(text);
}

static const char *frame_of(const char *text, const char *end)
{
	while (end > text && end[-1] != ';')
		end--;
	return end;
}

/* Frames from the end that two stacks have in common. */
static size_t common(const char *a, const char *b)
{
	const char *x = end_of(a), *y = end_of(b), *p, *q;
	size_t n;

	for (n = 0;; n++, x = p - 1, y = q - 1) {
		p = frame_of(a, x);
		q = frame_of(b, y);
		if (x - p != y - q || memcmp(p, q, (size_t)(x - p)))
			return n;
		if (p == a || q == b)
			return n + 1;
	}
}

static int from_end(const void *a, const void *b)
{
	const char *s = ((const struct stack *)a)->text, *t = ((const struct stack *)b)->text;
	const char *x = end_of(s), *y = end_of(t);

	while (x > s && y > t && x[-1] == y[-1]) {
		x--;
		y--;
	}
	if (x == s || y == t)
		return (x > s) - (y > t);
	/* Frames must end alike before letters count: ';' is below all others. */
	if (x[-1] == ';' || y[-1] == ';')
		return x[-1] == ';' ? -1 : 1;
	return (unsigned char)x[-1] < (unsigned char)y[-1] ? -1 : 1;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The innermost frames, or the whole stack if there are not so many. */
static const char *suffix(const char *text, size_t frames)
{
	const char *at = end_of(text);

	while (at > text && (at[-1] != ';' || --frames))
		at--;
	return at;
}

/* Whether the function's name tells what was done: not that of "unlock" for a lock. */
static bool tells(const char *function, enum tl_task_op op)
{
	size_t i;

	for (i = 0; i < TL_TASK_OPS; i++)
		if (i != op && strlen(tl_tasks_ops[i]) > strlen(tl_tasks_ops[op]) &&
		    strcasestr(function, tl_tasks_ops[i]))
			return false;
	return strcasestr(function, tl_tasks_ops[op]);
}

static char *point_name(const char *text, enum tl_task_op op)
{
	const char *last = strrchr(text, ';');
	char *name = NULL, *utf8;
	int len;

	if (tells(last ? last + 1 : text, op))
		return tl_text_utf8(text, strlen(text));
	len = asprintf(&name, "%s%s%s", text, *text ? " " : "", tl_tasks_ops[op]);
	utf8 = len < 0 ? NULL : tl_text_utf8(name, (size_t)len);
	free(len < 0 ? NULL : name);
	return utf8;
}

/* [stacks] frames that tell each from the others; NULL without memory. */
static size_t *frames_find(const struct tl_tasks_found *found)
{
	size_t n = found->trace->stacks.n, i;
	struct stack *stack = calloc(n + 1, sizeof(*stack));
	size_t *frames = calloc(n + 1, sizeof(*frames));

	for (i = 0; i < n && stack; i++)
		stack[i] = (struct stack){ tl_ids_key(&found->trace->stacks, (uint32_t)i, NULL), (uint32_t)i, 1 };
	if (n && stack)
		qsort(stack, n, sizeof(*stack), from_end);
	for (i = 1; i < n && stack; i++) {
		size_t same = 1 + common(stack[i - 1].text, stack[i].text);

		stack[i - 1].frames = most(stack[i - 1].frames, same);
		stack[i].frames = most(stack[i].frames, same);
	}
	for (i = 0; i < n && stack && frames; i++)
		frames[stack[i].id] = stack[i].frames;
	free(stack);
	if (stack)
		return frames;
	free(frames);
	return NULL;
}

/**
 * tl_tasks_names_make() - Name all leaf tasks
 * @names: written; to be freed by tl_tasks_names_free(), also after a failure
 * @found: tasks
 *
 * Names are valid UTF-8, and may be anything else.
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_names_make(struct tl_tasks_names *names, const struct tl_tasks_found *found)
{
	const struct tl_tasks *t = found->tasks;
	size_t *frames = frames_find(found), i;
	bool good;

	*names = (struct tl_tasks_names){ .n = t->classes };
	names->begin = calloc(t->classes + 1, sizeof(*names->begin));
	names->end = calloc(t->classes + 1, sizeof(*names->end));
	good = frames && names->begin && names->end;
	for (i = 0; i < t->classes && good; i++) {
		const struct tl_task_class *c = &t->class[i];
		const char *first = tl_ids_key(&found->trace->stacks, c->first_stack, NULL);
		const char *last = tl_ids_key(&found->trace->stacks, c->last_stack, NULL);

		names->begin[i] = point_name(suffix(first, frames[c->first_stack]), c->first_op);
		names->end[i] = point_name(suffix(last, frames[c->last_stack]), c->last_op);
		good = names->begin[i] && names->end[i];
	}
	free(frames);
	return good ? 0 : -ENOMEM;
}

/**
 * tl_tasks_name() - A task's name on a line
 * @names: names
 * @entry: class of the leaf that it begins with
 * @exit: class of the one that it ends with; the same for a leaf
 *
 * Return: to be freed by the caller; NULL without memory.
 */
char *tl_tasks_name(const struct tl_tasks_names *names, uint32_t entry, uint32_t exit)
{
	char *name;

	return asprintf(&name, "%s \u2192 %s", names->begin[entry], names->end[exit]) < 0 ? NULL : name;
}

/**
 * tl_tasks_name_cut() - A name that is no wider than there is room
 * @name: valid UTF-8
 * @width: characters, 2 or more
 *
 * Return: the name, or its end behind an ellipsis, as what is innermost tells most; to be
 * freed by the caller; NULL without memory.
 */
char *tl_tasks_name_cut(const char *name, size_t width)
{
	size_t drop = tl_text_width(name);
	char *cut;

	if (drop <= width)
		return strdup(name);
	for (drop -= width - 1; drop || ((unsigned char)*name & 0xc0) == 0x80; name++)
		drop -= ((unsigned char)*name & 0xc0) != 0x80;
	return asprintf(&cut, "\u2026%s", name) < 0 ? NULL : cut;
}

/**
 * tl_tasks_names_free() - Free names
 * @names: names
 */
void tl_tasks_names_free(struct tl_tasks_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++) {
		free(names->begin ? names->begin[i] : NULL);
		free(names->end ? names->end[i] : NULL);
	}
	free(names->begin);
	free(names->end);
	*names = (struct tl_tasks_names){ 0 };
}
