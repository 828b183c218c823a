// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which tasks of two recordings are the same
 *
 * Leaves are if the operations and stacks of their boundaries are; higher tasks if
 * their graphs over members that are the same have the same canonical code. Members have
 * lower numbers than what they are part of, so going up is enough.
 */
#include "tasks-diff.h"

#include "model/canon.h"
#include "tasks-out.h"
#include "tasks-trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Which kind of key it is keeps those of leaves and of higher tasks apart. */
enum { KEY_LEAF, KEY_HIGHER };

struct matcher {
	const struct tl_tasks_found *found;
	struct tl_ids *texts, *keys;
	uint32_t *id;
};

static int leaf_match(struct matcher *m, uint32_t class)
{
	const struct tl_task_class *c = &m->found->tasks->class[class];
	uint32_t key[5] = { KEY_LEAF, c->first_op, c->last_op };
	const uint32_t stack[2] = { c->first_stack, c->last_stack };
	size_t len, i;

	for (i = 0; i < 2; i++) {
		const char *text = tl_ids_key(&m->found->trace->stacks, stack[i], &len);

		if (tl_ids_of(m->texts, text, len, &key[3 + i]))
			return -ENOMEM;
	}
	return tl_ids_of(m->keys, key, sizeof(key), &m->id[class]);
}

static int higher_match(struct matcher *m, size_t index)
{
	uint32_t code[2 + TL_TASK_SIZE_MAX + 2 * TL_TASK_SIZE_MAX * TL_TASK_SIZE_MAX] = { KEY_HIGHER };
	uint32_t node[TL_TASK_SIZE_MAX], edge[TL_TASK_SIZE_MAX * TL_TASK_SIZE_MAX] = { 0 };
	const struct tl_task_mined *mined = m->found->mined;
	const struct tl_task_higher *h = &mined->higher[index];
	const struct tl_canon_in in = { .n = h->members, .node = node, .edge = edge };
	struct tl_canon_out out;
	size_t i, words;

	for (i = 0; i < h->members; i++)
		node[i] = m->id[mined->member[h->member + i]];
	for (i = 0; i < h->links; i++) {
		const struct tl_task_link *link = &mined->link[h->link + i];

		edge[link->from * h->members + link->to] = link->kinds;
	}
	/* Six nodes are never too hard for it. */
	if (tl_canon(&in, &out))
		return -ENOMEM;
	words = 1 + tl_canon_code(&in, &out, code + 1, sizeof(code) / sizeof(*code) - 1);
	return tl_ids_of(m->keys, code, words * sizeof(*code), &m->id[m->found->tasks->classes + index]);
}

/**
 * tl_tasks_same() - Give tasks that are the same the same number
 * @found: of two recordings
 * @id: [classes + higher tasks] of each; written
 *
 * Return: 0 or -ENOMEM.
 */
int tl_tasks_same(const struct tl_tasks_found *const found[2], uint32_t *const id[2])
{
	struct tl_ids texts = { 0 }, keys = { 0 };
	int code = 0, side;
	size_t i;

	for (side = 0; side < 2 && !code; side++) {
		struct matcher m = { found[side], &texts, &keys, id[side] };

		for (i = 0; i < found[side]->tasks->classes && !code; i++)
			code = leaf_match(&m, (uint32_t)i);
		for (i = 0; i < found[side]->mined->n && !code; i++)
			code = higher_match(&m, i);
	}
	tl_ids_free(&texts);
	tl_ids_free(&keys);
	return code;
}
