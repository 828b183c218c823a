// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What jobs look like: their causal graphs, equal ones once
 *
 * Most jobs of a type have one of a few graphs, so what is looked for in graphs is looked for
 * in these, and counted as often as there are jobs. Graphs are equal if their canonical
 * codes are; those of more leaves than canon.c takes, or that are many and so regular that it
 * takes too long, if they are equal in the order of time.
 */
#include "tasks-shapes.h"

#include "canon.h"
#include "ids.h"

#include <errno.h>
#include <stdlib.h>

#define EFFORT 2000000000 /* pairs of leaves that canon.c may look at in all: some seconds */

struct words {
	uint32_t *word;
	size_t n, room;
};

struct shaper {
	const struct tl_tasks *tasks;
	struct tl_task_shapes *shapes;
	struct tl_ids codes;
	uint32_t *sorted; /* [leaves] by job */
	size_t *begin; /* [jobs + 1] in sorted */
	uint32_t *place; /* [leaves] in the job's graph */
	struct tl_task_link *link; /* of the job in hand */
	size_t links, link_room;
	struct words code;
	uint64_t effort; /* left */
};

static int word_add(struct words *words, uint32_t word)
{
	size_t room = words->room ? 2 * words->room : 256;
	uint32_t *grown;

	if (words->n == words->room) {
		grown = reallocarray(words->word, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		words->word = grown;
		words->room = room;
	}
	words->word[words->n++] = word;
	return 0;
}

/* ---- the graph of a job -------------------------------------------------------------- */

static int link_add(struct shaper *s, uint32_t from, uint32_t to, uint32_t kind)
{
	size_t room = s->link_room ? 2 * s->link_room : 256;
	const struct tl_task_leaf *leaf = s->tasks->leaf;
	struct tl_task_link *grown;

	if (from == TL_TASK_NONE || to == TL_TASK_NONE || leaf[from].job != leaf[to].job)
		return 0;
	if (s->links == s->link_room) {
		grown = reallocarray(s->link, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->link = grown;
		s->link_room = room;
	}
	s->link[s->links++] = (struct tl_task_link){ s->place[from], s->place[to], kind };
	return 0;
}

static int link_compare(const void *a, const void *b)
{
	const struct tl_task_link *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/**
 * tl_task_links_join() - Put links in order, and those of a pair together
 * @link: links
 * @n: how many
 *
 * Return: how many are left.
 */
size_t tl_task_links_join(struct tl_task_link *link, size_t n)
{
	size_t i, kept = 0;

	if (n)
		qsort(link, n, sizeof(*link), link_compare);
	for (i = 0; i < n; i++) {
		if (kept && !link_compare(&link[kept - 1], &link[i]))
			link[kept - 1].kinds |= link[i].kinds;
		else
			link[kept++] = link[i];
	}
	return kept;
}

static int links_find(struct shaper *s, const uint32_t *leaf, size_t n)
{
	const struct tl_tasks *t = s->tasks;
	int code = 0;
	size_t i, k;

	s->links = 0;
	for (i = 0; i < n; i++)
		s->place[leaf[i]] = (uint32_t)i;
	for (i = 0; i < n && !code; i++) {
		uint32_t first = t->leaf[leaf[i]].first;

		code = link_add(s, leaf[i], t->leaf[leaf[i]].next, TL_TASK_LINK_THREAD);
		for (k = t->giver[first]; k < t->handoffs && t->handoff[k].to == first && !code; k++)
			code = link_add(s, t->ends[t->handoff[k].from], leaf[i],
					TL_TASK_LINK_HANDOFF);
	}
	s->links = tl_task_links_join(s->link, s->links);
	return code;
}

/* ---- its code ------------------------------------------------------------------------ */

/* Return: whether canon.c had an answer, within what is left of its time. */
static bool canonical(struct shaper *s, const struct tl_canon_in *in, struct tl_canon_out *out)
{
	uint64_t pairs = in->n * in->n, used;
	bool good = s->effort / pairs > 1 && !tl_canon(in, out);

	used = s->effort / pairs > 1 ? pairs * (1 + out->steps) : 0;
	s->effort -= used < s->effort ? used : s->effort;
	return good;
}

/* Give the leaves their canonical places; or leave them in the order of time. */
static bool places_canonical(struct shaper *s, uint32_t *leaf, size_t n)
{
	uint32_t node[TL_CANON_MAX], edge[TL_CANON_MAX * TL_CANON_MAX] = { 0 };
	const struct tl_canon_in in = { .n = n, .node = node, .edge = edge };
	struct tl_canon_out out = { .steps = 0 };
	size_t i;

	for (i = 0; i < n; i++)
		node[i] = s->tasks->leaf[leaf[i]].class;
	for (i = 0; i < s->links; i++)
		edge[s->link[i].from * n + s->link[i].to] = s->link[i].kinds;
	if (!canonical(s, &in, &out))
		return false;
	for (i = 0; i < n; i++)
		node[i] = leaf[out.order[i]];
	for (i = 0; i < n; i++)
		leaf[i] = node[i];
	return true;
}

static int code_write(struct shaper *s, const uint32_t *leaf, size_t n)
{
	int code = 0;
	size_t i;

	s->code.n = 0;
	code = word_add(&s->code, (uint32_t)n);
	for (i = 0; i < n && !code; i++)
		code = word_add(&s->code, s->tasks->leaf[leaf[i]].class);
	for (i = 0; i < s->links && !code; i++) {
		code = word_add(&s->code, s->link[i].from);
		code = code ? code : word_add(&s->code, s->link[i].to);
		code = code ? code : word_add(&s->code, s->link[i].kinds);
	}
	return code;
}

/* ---- shapes -------------------------------------------------------------------------- */

static int shape_add(struct shaper *s, const uint32_t *leaf, size_t n)
{
	struct tl_task_shapes *shapes = s->shapes;
	size_t room = shapes->room ? 2 * shapes->room : 64, i;
	struct tl_task_shape *shape;

	if (shapes->n == shapes->room) {
		shape = reallocarray(shapes->shape, room, sizeof(*shape));
		if (!shape)
			return -ENOMEM;
		shapes->shape = shape;
		shapes->room = room;
	}
	shape = &shapes->shape[shapes->n++];
	*shape = (struct tl_task_shape){ .first = shapes->nodes, .n = n, .links = s->links };
	shape->label = calloc(n + 1, sizeof(*shape->label));
	shape->sum = calloc(n + 1, sizeof(*shape->sum));
	shape->link = calloc(s->links + 1, sizeof(*shape->link));
	if (!shape->label || !shape->sum || !shape->link)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		shape->label[i] = s->tasks->leaf[leaf[i]].class;
	for (i = 0; i < s->links; i++)
		shape->link[i] = s->link[i];
	shapes->nodes += n;
	return 0;
}

static int job_add(struct shaper *s, uint32_t *leaf, size_t n)
{
	struct tl_task_shapes *shapes = s->shapes;
	int code = links_find(s, leaf, n);
	uint32_t id;
	size_t i;

	if (!code && n <= TL_CANON_MAX && places_canonical(s, leaf, n))
		code = links_find(s, leaf, n);
	else
		shapes->by_time++;
	code = code ? code : code_write(s, leaf, n);
	if (code)
		return code;
	/* All shapes have a code, but not all codes a shape once there are too many. */
	code = tl_ids_of(&s->codes, s->code.word, s->code.n * sizeof(*s->code.word), &id);
	if (!code && id == shapes->n && shapes->nodes + n <= TL_TASK_SHAPE_NODES)
		code = shape_add(s, leaf, n);
	if (code)
		return code;
	if (id >= shapes->n) {
		shapes->left_out++;
		return 0;
	}
	shapes->shape[id].jobs++;
	for (i = 0; i < n; i++) {
		tl_task_figures_add(s->tasks, &s->tasks->leaf[leaf[i]], &shapes->shape[id].sum[i]);
		shapes->node[leaf[i]] = (uint32_t)(shapes->shape[id].first + i);
	}
	return 0;
}

static int jobs_add(struct shaper *s)
{
	const struct tl_tasks *t = s->tasks;
	int code = 0;
	size_t i;

	tl_tasks_by_job(t, s->sorted, s->begin);
	for (i = 0; i < t->jobs && !code; i++)
		code = job_add(s, s->sorted + s->begin[i], s->begin[i + 1] - s->begin[i]);
	return code;
}

/**
 * tl_task_shapes_find() - Find what jobs look like
 * @tasks: all of them
 * @shapes: written; to be freed by tl_task_shapes_free(), also after a failure
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_shapes_find(const struct tl_tasks *tasks, struct tl_task_shapes *shapes)
{
	struct shaper s = { .tasks = tasks, .shapes = shapes, .effort = EFFORT };
	int code = -ENOMEM;
	size_t i;

	*shapes = (struct tl_task_shapes){ 0 };
	s.sorted = calloc(tasks->leaves + 1, sizeof(*s.sorted));
	s.begin = calloc(tasks->jobs + 2, sizeof(*s.begin));
	s.place = calloc(tasks->leaves + 1, sizeof(*s.place));
	shapes->node = calloc(tasks->leaves + 1, sizeof(*shapes->node));
	for (i = 0; i < tasks->leaves && shapes->node; i++)
		shapes->node[i] = TL_TASK_NONE;
	if (s.sorted && s.begin && s.place && shapes->node)
		code = jobs_add(&s);
	tl_ids_free(&s.codes);
	free(s.sorted);
	free(s.begin);
	free(s.place);
	free(s.link);
	free(s.code.word);
	return code;
}

/**
 * tl_task_shape_free() - Free a shape
 * @shape: shape
 */
void tl_task_shape_free(struct tl_task_shape *shape)
{
	free(shape->label);
	free(shape->sum);
	free(shape->link);
	*shape = (struct tl_task_shape){ 0 };
}

/**
 * tl_task_shapes_free() - Free shapes
 * @shapes: shapes
 */
void tl_task_shapes_free(struct tl_task_shapes *shapes)
{
	size_t i;

	for (i = 0; i < shapes->n; i++)
		tl_task_shape_free(&shapes->shape[i]);
	free(shapes->shape);
	free(shapes->node);
	*shapes = (struct tl_task_shapes){ 0 };
}
