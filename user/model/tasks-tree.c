// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hierarchy of tasks, from types of jobs down to leaves (paper 002, figures 1 and 4)
 *
 * The same task may be within several others: it has a node in each, with what it took there.
 * Two occurrences of a task within one node, as of a loop, share a node that counts both.
 *
 * What a thread waits for when it is done with a job is no part of that job, though the
 * leaf that ends with it began there: a leaf that ends with a wait, a taking out or a receiving, and after
 * which the thread goes on with another job, is idle for as long as it slept. Where that is
 * not known, a wait is idle from the sync point before it, as one that comes back was one;
 * of the others nothing is, as threads work before they take out.
 */
#include "tasks-tree.h"

#include "tasks-match.h"

#include <errno.h>
#include <stdlib.h>

struct builder {
	struct tl_task_tree *tree;
	const struct tl_tasks *tasks;
	const struct tl_task_mined *mined;
	struct tl_ids nodes, ways; /* by { up, task }, by { from, to, kind } */
	uint32_t *of_occurrence; /* [occurrences] its node, or TL_TASK_NONE */
	size_t room, way_room;
};

static int64_t at_least_0(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/**
 * tl_task_idle_ns() - For how long of a leaf its thread waited for another job
 * @tasks: has jobs
 * @leaf: leaf
 *
 * Return: ns, never more than the leaf took.
 */
int64_t tl_task_idle_ns(const struct tl_tasks *tasks, const struct tl_task_leaf *leaf)
{
	const struct tl_task_event *first = &tasks->trace->event[leaf->first];
	const struct tl_task_event *last = &tasks->trace->event[leaf->last];
	int64_t ns = at_least_0(last->time_ns - first->time_ns);

	if (leaf->job == TL_TASK_NONE || leaf->next == TL_TASK_NONE || !tl_task_takes(last->op) ||
	    tasks->leaf[leaf->next].job == leaf->job)
		return 0;
	if (last->wait_ns >= 0)
		return last->wait_ns < ns ? last->wait_ns : ns;
	return last->op == TL_TASK_WAIT ? ns : 0;
}

/* ---- nodes --------------------------------------------------------------------------- */

/* Return: the node, found or added; TL_TASK_NONE without memory. */
static uint32_t node_of(struct builder *b, uint32_t up, uint32_t task)
{
	struct tl_task_tree *tree = b->tree;
	const uint32_t key[2] = { up, task };
	size_t room = b->room ? 2 * b->room : 64;
	struct tl_task_node *grown;
	uint32_t id;

	if (tl_ids_of(&b->nodes, key, sizeof(key), &id))
		return TL_TASK_NONE;
	if (id < tree->n)
		return id;
	if (tree->n == b->room) {
		grown = reallocarray(tree->node, room, sizeof(*grown));
		if (!grown)
			return TL_TASK_NONE;
		tree->node = grown;
		b->room = room;
	}
	tree->node[tree->n++] = (struct tl_task_node){
		.up = up, .task = task, .type = up == TL_TASK_NONE ? task : tree->node[up].type };
	return id;
}

/* All jobs that have an occurrence are of one type, as they have the same graph. */
static uint32_t occurrence_node(struct builder *b, uint32_t occurrence, uint32_t root)
{
	const struct tl_task_occurrence *o = &b->mined->occurrence[occurrence];
	uint32_t up = root;

	if (b->of_occurrence[occurrence] != TL_TASK_NONE)
		return b->of_occurrence[occurrence];
	if (o->up != TL_TASK_NONE)
		up = occurrence_node(b, o->up, root); /* as deep as there are levels */
	if (up != TL_TASK_NONE)
		b->of_occurrence[occurrence] = node_of(b, up, o->number);
	return b->of_occurrence[occurrence];
}

static uint32_t leaf_node(struct builder *b, size_t leaf)
{
	const struct tl_task_leaf *l = &b->tasks->leaf[leaf];
	uint32_t type = l->job == TL_TASK_NONE ? (uint32_t)b->tasks->types :
						 b->tasks->job[l->job].type;
	uint32_t up = node_of(b, TL_TASK_NONE, type), node = b->mined->node[leaf];

	if (up != TL_TASK_NONE && node != TL_TASK_NONE && b->mined->inside[node] != TL_TASK_NONE)
		up = occurrence_node(b, b->mined->inside[node], up);
	return up == TL_TASK_NONE ? up : node_of(b, up, l->class);
}

static int nodes_make(struct builder *b)
{
	size_t i;

	for (i = 0; i < b->mined->occurrences; i++)
		b->of_occurrence[i] = TL_TASK_NONE;
	for (i = 0; i < b->tasks->leaves; i++) {
		b->tree->at[i] = leaf_node(b, i);
		if (b->tree->at[i] == TL_TASK_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- ways ---------------------------------------------------------------------------- */

static int way_add(struct builder *b, uint32_t from, uint32_t to, uint32_t kind)
{
	const struct tl_task_leaf *leaf = b->tasks->leaf;
	struct tl_task_tree *tree = b->tree;
	size_t room = b->way_room ? 2 * b->way_room : 64;
	struct tl_task_way *grown;
	uint32_t key[3], id;

	if (from == TL_TASK_NONE || to == TL_TASK_NONE || leaf[from].job == TL_TASK_NONE ||
	    leaf[from].job != leaf[to].job)
		return 0;
	key[0] = tree->at[from];
	key[1] = tree->at[to];
	key[2] = kind;
	if (tl_ids_of(&b->ways, key, sizeof(key), &id))
		return -ENOMEM;
	if (id == tree->ways && tree->ways == b->way_room) {
		grown = reallocarray(tree->way, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		tree->way = grown;
		b->way_room = room;
	}
	if (id == tree->ways)
		tree->way[tree->ways++] = (struct tl_task_way){ key[0], key[1], kind, 0 };
	tree->way[id].count++;
	return 0;
}

static int ways_make(struct builder *b)
{
	const struct tl_tasks *t = b->tasks;
	int code = 0;
	size_t i;

	for (i = 0; i < t->leaves && !code; i++)
		code = way_add(b, (uint32_t)i, t->leaf[i].next, TL_TASK_LINK_THREAD);
	for (i = 0; i < t->handoffs && !code; i++)
		code = way_add(b, t->ends[t->handoff[i].from], t->begins[t->handoff[i].to],
			       TL_TASK_LINK_HANDOFF);
	return code;
}

/* ---- visits -------------------------------------------------------------------------- */

struct walk {
	const struct tl_task_tree *tree;
	const struct tl_task_mined *mined;
	uint32_t *last; /* [occurrences] the job that had it last */
	tl_task_visit_fn *visit;
	void *arg;
};

/* @begun: the job has had leaves before. */
static void leaf_visit(struct walk *w, uint32_t leaf, uint32_t job, uint64_t of_type, bool begun)
{
	uint32_t node = w->mined->node[leaf], at = w->tree->at[leaf];
	uint32_t o = node == TL_TASK_NONE ? node : w->mined->inside[node];

	w->visit(w->arg, at, leaf, of_type, true);
	for (at = w->tree->node[at].up; at != TL_TASK_NONE; at = w->tree->node[at].up) {
		bool begins = o == TL_TASK_NONE ? !begun : w->last[o] != job;

		w->visit(w->arg, at, leaf, of_type, begins);
		if (o == TL_TASK_NONE)
			continue;
		w->last[o] = job;
		o = w->mined->occurrence[o].up;
	}
}

static void jobs_visit(struct walk *w, const struct tl_tasks *tasks, const uint32_t *sorted,
		       const size_t *begin, uint64_t *jobs)
{
	size_t i, k;

	for (i = 0; i < w->mined->occurrences; i++)
		w->last[i] = TL_TASK_NONE;
	for (i = 0; i < tasks->jobs; i++) {
		for (k = begin[i]; k < begin[i + 1]; k++)
			leaf_visit(w, sorted[k], (uint32_t)i, jobs[tasks->job[i].type], k > begin[i]);
		jobs[tasks->job[i].type]++;
	}
	for (i = 0, k = 0; i < tasks->leaves; i++)
		if (tasks->leaf[i].job == TL_TASK_NONE)
			leaf_visit(w, (uint32_t)i, TL_TASK_NONE, k++, false);
}

/**
 * tl_task_tree_visit() - Visit all leaves, job by job, and the nodes that they are within
 * @tree: made
 * @tasks: what it was made of
 * @mined: the same
 * @visit: called for a leaf's node and each one above it
 * @arg: given to @visit
 *
 * Leaves that are part of no job come last; each is a job of its own there.
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_tree_visit(const struct tl_task_tree *tree, const struct tl_tasks *tasks,
		       const struct tl_task_mined *mined, tl_task_visit_fn *visit, void *arg)
{
	struct walk w = { .tree = tree, .mined = mined, .visit = visit, .arg = arg };
	uint32_t *sorted = calloc(tasks->leaves + 1, sizeof(*sorted));
	size_t *begin = calloc(tasks->jobs + 2, sizeof(*begin));
	uint64_t *jobs = calloc(tasks->types + 1, sizeof(*jobs));
	bool good;

	w.last = calloc(mined->occurrences + 1, sizeof(*w.last));
	good = sorted && begin && jobs && w.last;
	if (good) {
		tl_tasks_by_job(tasks, sorted, begin);
		jobs_visit(&w, tasks, sorted, begin, jobs);
	}
	free(sorted);
	free(begin);
	free(jobs);
	free(w.last);
	return good ? 0 : -ENOMEM;
}

/* ---- sums ---------------------------------------------------------------------------- */

static void bytes_add(struct tl_task_sums *sums, const struct tl_task_event *last)
{
	if (last->bytes < 0)
		return;
	if (last->op == TL_TASK_SEND) {
		sums->sent++;
		sums->sent_bytes += last->bytes;
	} else if (last->op == TL_TASK_RECV) {
		sums->received++;
		sums->received_bytes += last->bytes;
	}
}

static void sums_add(void *arg, uint32_t node, uint32_t leaf, uint64_t job, bool begins)
{
	const struct builder *b = arg;
	const struct tl_task_leaf *l = &b->tasks->leaf[leaf];
	struct tl_task_sums *sums = &b->tree->node[node].sums;
	uint64_t count = sums->figures.count;

	(void)job;
	tl_task_figures_add(b->tasks, l, &sums->figures);
	sums->figures.count = count + begins;
	sums->idle_ns += tl_task_idle_ns(b->tasks, l);
	bytes_add(sums, &b->tasks->trace->event[l->last]);
}

/**
 * tl_task_tree_make() - Make the hierarchy
 * @tree: written; to be freed by tl_task_tree_free(), also after a failure
 * @tasks: has jobs
 * @mined: their higher tasks
 *
 * Return: 0 or -ENOMEM.
 */
int tl_task_tree_make(struct tl_task_tree *tree, const struct tl_tasks *tasks,
		      const struct tl_task_mined *mined)
{
	struct builder b = { .tree = tree, .tasks = tasks, .mined = mined };
	int code = -ENOMEM;

	*tree = (struct tl_task_tree){ 0 };
	tree->at = calloc(tasks->leaves + 1, sizeof(*tree->at));
	b.of_occurrence = calloc(mined->occurrences + 1, sizeof(*b.of_occurrence));
	if (tree->at && b.of_occurrence)
		code = nodes_make(&b);
	code = code ? code : ways_make(&b);
	code = code ? code : tl_task_tree_visit(tree, tasks, mined, sums_add, &b);
	tl_ids_free(&b.nodes);
	tl_ids_free(&b.ways);
	free(b.of_occurrence);
	return code;
}

/**
 * tl_task_tree_free() - Free a hierarchy
 * @tree: hierarchy
 */
void tl_task_tree_free(struct tl_task_tree *tree)
{
	free(tree->node);
	free(tree->way);
	free(tree->at);
	*tree = (struct tl_task_tree){ 0 };
}
