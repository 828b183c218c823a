// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Higher tasks: what comes again and again in the causal graphs of jobs (paper 002, 2.4)
 *
 * In each round all connected pieces of the graphs, up to a size, are counted by their
 * canonical codes, as often as jobs have them. Then, from the code that saves most nodes
 * on (members less one, times its count), pieces that have no node in common with one before
 * become one node each, if enough of them are left; what they are is a higher task.
 * Rounds go on in the graphs that this makes, until nothing new is found: higher tasks
 * have higher tasks as members. Each round that finds something makes graphs smaller, so it
 * ends; @effort bounds how many pieces are looked at until then.
 */
#include "tasks-pieces.h"

#include "canon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PIECES_MAX 3000000 /* of a round: 120 MB */

/* A pattern of this round: its pieces are those from @begin. */
struct pattern {
	uint32_t pattern;
	size_t begin, n, size;
	uint64_t count;
};

struct miner {
	const struct tl_tasks *tasks;
	const struct tl_task_mining *mining;
	struct tl_task_mined *mined;
	struct tl_task_shapes shapes;
	struct tl_task_pieces pieces;
	uint32_t *higher_of; /* [patterns] the higher task that it is, or TL_TASK_NONE */
	size_t known;
	uint32_t *group; /* [nodes] the group that one becomes part of, or TL_TASK_NONE */
	uint32_t *number; /* [groups] the task that it becomes */
	size_t groups;
	uint32_t *origin; /* [nodes] what a node was at first: the first of its leaves */
	uint32_t *within; /* [nodes] the occurrence that it is, or TL_TASK_NONE */
};

/* ---- a new higher task --------------------------------------------------------------- */

static const struct tl_task_higher *higher_at(const struct miner *m, uint32_t number)
{
	return number < m->tasks->classes ? NULL : &m->mined->higher[number - m->tasks->classes];
}

static int room_make(struct tl_task_mined *mined, size_t members, size_t links)
{
	size_t room = mined->higher_room ? 2 * mined->higher_room : 32;
	size_t member_room = 2 * mined->member_room + TL_TASK_SIZE_MAX;
	size_t link_room = 2 * mined->link_room + TL_TASK_SIZE_MAX * TL_TASK_SIZE_MAX;
	struct tl_task_higher *higher;
	struct tl_task_link *link;
	uint32_t *member;

	if (mined->n == mined->higher_room) {
		higher = reallocarray(mined->higher, room, sizeof(*higher));
		if (!higher)
			return -ENOMEM;
		mined->higher = higher;
		mined->higher_room = room;
	}
	if (mined->members + members > mined->member_room) {
		member = reallocarray(mined->member, member_room, sizeof(*member));
		if (!member)
			return -ENOMEM;
		mined->member = member;
		mined->member_room = member_room;
	}
	if (mined->links + links > mined->link_room) {
		link = reallocarray(mined->link, link_room, sizeof(*link));
		if (!link)
			return -ENOMEM;
		mined->link = link;
		mined->link_room = link_room;
	}
	return 0;
}

/* The first member that no link comes from within goes to; or, from, goes from. */
static size_t first_without(const uint32_t *code, size_t words, bool from)
{
	bool has[TL_TASK_SIZE_MAX] = { false };
	size_t n = code[0], i;

	for (i = 1 + n; i + 1 < words; i += 2)
		has[from ? code[i] / TL_CANON_MAX : code[i] % TL_CANON_MAX] = true;
	for (i = 0; i < n && has[i]; i++)
		;
	return i < n ? i : 0;
}

static uint32_t level_of(const struct miner *m, uint32_t number)
{
	const struct tl_task_higher *higher = higher_at(m, number);

	return higher ? higher->level : 0;
}

static uint32_t entry_of(const struct miner *m, uint32_t number)
{
	const struct tl_task_higher *higher = higher_at(m, number);

	return higher ? higher->entry : number;
}

static uint32_t exit_of(const struct miner *m, uint32_t number)
{
	const struct tl_task_higher *higher = higher_at(m, number);

	return higher ? higher->exit : number;
}

static int higher_new(struct miner *m, uint32_t pattern)
{
	uint32_t code[1 + TL_TASK_SIZE_MAX + 2 * TL_TASK_SIZE_MAX * TL_TASK_SIZE_MAX];
	struct tl_task_mined *mined = m->mined;
	struct tl_task_higher *higher;
	const char *key;
	size_t len, i, n;

	key = tl_ids_key(&m->pieces.codes, pattern, &len);
	memcpy(code, key, len);
	n = code[0];
	len /= sizeof(*code);
	if (room_make(mined, n, (len - 1 - n) / 2))
		return -ENOMEM;
	higher = &mined->higher[mined->n];
	*higher = (struct tl_task_higher){ .member = mined->members, .members = n,
					   .link = mined->links, .links = (len - 1 - n) / 2 };
	for (i = 0; i < n; i++) {
		uint32_t level = 1 + level_of(m, code[1 + i]);

		higher->level = level > higher->level ? level : higher->level;
		mined->member[mined->members++] = code[1 + i];
	}
	for (i = 1 + n; i + 1 < len; i += 2)
		mined->link[mined->links++] = (struct tl_task_link){
			code[i] / TL_CANON_MAX, code[i] % TL_CANON_MAX, code[i + 1] };
	higher->entry = entry_of(m, code[1 + first_without(code, len, false)]);
	higher->exit = exit_of(m, code[1 + first_without(code, len, true)]);
	m->higher_of[pattern] = (uint32_t)mined->n++;
	return 0;
}

/* ---- a round ------------------------------------------------------------------------- */

static int pieces_find(struct miner *m)
{
	uint32_t *grown;
	uint32_t i;
	int code = 0;

	m->pieces.n = 0;
	for (i = 0; i < m->shapes.n && !code; i++)
		code = tl_task_pieces_find(&m->pieces, &m->shapes.shape[i], i);
	m->mined->looked_at += m->pieces.n;
	m->mined->cut |= m->pieces.cut;
	m->pieces.cut = false;
	grown = code ? NULL : reallocarray(m->higher_of, m->pieces.codes.n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	m->higher_of = grown;
	for (; m->known < m->pieces.codes.n; m->known++)
		m->higher_of[m->known] = TL_TASK_NONE;
	return 0;
}

static int gain_compare(const void *a, const void *b)
{
	const struct pattern *x = a, *y = b;
	double p = (double)(x->size - 1) * (double)x->count, q = (double)(y->size - 1) * (double)y->count;

	if (p > q || p < q)
		return p > q ? -1 : 1;
	return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

static bool untouched(const struct miner *m, const struct tl_task_piece *piece)
{
	uint32_t i;

	for (i = 0; i < piece->n; i++)
		if (m->group[m->shapes.shape[piece->shape].first + piece->node[i]] != TL_TASK_NONE)
			return false;
	return true;
}

static void group_set(struct miner *m, const struct tl_task_piece *piece, uint32_t group)
{
	uint32_t i;

	for (i = 0; i < piece->n; i++)
		m->group[m->shapes.shape[piece->shape].first + piece->node[i]] = group;
}

/* Make groups of a pattern's pieces that have no node in common; how often jobs have them. */
static uint64_t groups_make(struct miner *m, const uint32_t *piece, size_t n)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct tl_task_piece *p = &m->pieces.piece[piece[i]];

		if (!untouched(m, p))
			continue;
		group_set(m, p, (uint32_t)m->groups++);
		count += m->shapes.shape[p->shape].jobs;
	}
	return count;
}

static void figures_add(struct miner *m, struct tl_task_higher *higher,
			const struct tl_task_piece *piece)
{
	uint32_t i;

	for (i = 0; i < piece->n; i++)
		tl_task_figures_sum(&higher->figures, &m->shapes.shape[piece->shape].sum[piece->node[i]]);
}

/* The group that is a piece, of those from the first on; TL_TASK_NONE if none is. */
static uint32_t group_of(const struct miner *m, const struct tl_task_piece *piece, size_t first)
{
	const uint32_t *group = m->group + m->shapes.shape[piece->shape].first;
	uint32_t i, is = group[piece->node[0]];

	for (i = 1; i < piece->n; i++)
		if (group[piece->node[i]] != is)
			return TL_TASK_NONE;
	return is >= first ? is : TL_TASK_NONE;
}

static void groups_drop(struct miner *m, const uint32_t *piece, size_t n, size_t first)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (group_of(m, &m->pieces.piece[piece[i]], first) != TL_TASK_NONE)
			group_set(m, &m->pieces.piece[piece[i]], TL_TASK_NONE);
	m->groups = first;
}

static void groups_keep(struct miner *m, const uint32_t *piece, size_t n, size_t first,
			uint32_t index)
{
	uint32_t group;
	size_t i;

	for (i = 0; i < n; i++) {
		group = group_of(m, &m->pieces.piece[piece[i]], first);
		if (group == TL_TASK_NONE)
			continue;
		m->number[group] = (uint32_t)m->tasks->classes + index;
		figures_add(m, &m->mined->higher[index], &m->pieces.piece[piece[i]]);
	}
}

/* Return: 1 if its pieces become one node each, 0 if too few are left, or -ENOMEM. */
static int pattern_take(struct miner *m, const struct pattern *pattern, const uint32_t *piece)
{
	uint32_t *higher = &m->higher_of[pattern->pattern];
	size_t first = m->groups;
	uint64_t count = groups_make(m, piece, pattern->n);

	if (!count || (*higher == TL_TASK_NONE && count < m->mining->support)) {
		groups_drop(m, piece, pattern->n, first);
		return 0;
	}
	if (*higher == TL_TASK_NONE && higher_new(m, pattern->pattern))
		return -ENOMEM;
	m->mined->higher[*higher].support += count;
	groups_keep(m, piece, pattern->n, first, *higher);
	return 1;
}

/* ---- the graphs that it makes -------------------------------------------------------- */

/* What becomes one node is an occurrence: its members learn of it. */
static int occurrences_add(struct miner *m)
{
	struct tl_task_mined *mined = m->mined;
	size_t first = mined->occurrences, i;
	struct tl_task_occurrence *grown = reallocarray(mined->occurrence, first + m->groups + 1,
							sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	mined->occurrence = grown;
	for (i = 0; i < m->groups; i++)
		grown[first + i] = (struct tl_task_occurrence){ m->number[i], TL_TASK_NONE };
	for (i = 0; i < m->shapes.nodes; i++) {
		if (m->group[i] == TL_TASK_NONE)
			continue;
		if (m->within[i] == TL_TASK_NONE)
			mined->inside[m->origin[i]] = (uint32_t)first + m->group[i];
		else
			grown[m->within[i]].up = (uint32_t)first + m->group[i];
	}
	mined->occurrences = first + m->groups;
	return 0;
}

/* @to: written: where each node is then. Return: how many are left. */
static size_t nodes_join(struct miner *m, struct tl_task_shape *shape, const uint32_t *group,
			 uint32_t *to, uint32_t *node_of)
{
	size_t n = 0, at = shape->first, i;

	for (i = 0; i < shape->n; i++) {
		uint32_t *node = group[i] == TL_TASK_NONE ? NULL : &node_of[group[i]];

		if (node && *node != TL_TASK_NONE) {
			to[i] = *node;
			tl_task_figures_sum(&shape->sum[*node], &shape->sum[i]);
			continue;
		}
		if (node)
			*node = (uint32_t)n;
		to[i] = (uint32_t)n;
		m->origin[at + n] = m->origin[at + i];
		m->within[at + n] = node ? (uint32_t)(m->mined->occurrences - m->groups) + group[i] :
					   m->within[at + i];
		shape->sum[n] = shape->sum[i];
		shape->label[n++] = node ? m->number[group[i]] : shape->label[i];
	}
	return n;
}

static void contract(struct miner *m, struct tl_task_shape *shape, const uint32_t *group,
		     uint32_t *to, uint32_t *node_of)
{
	size_t n = nodes_join(m, shape, group, to, node_of), i, kept = 0;

	for (i = 0; i < shape->links; i++) {
		struct tl_task_link link = shape->link[i];

		link.from = to[link.from];
		link.to = to[link.to];
		if (link.from != link.to)
			shape->link[kept++] = link;
	}
	shape->links = tl_task_links_join(shape->link, kept);
	shape->n = n;
}

static int contract_all(struct miner *m)
{
	uint32_t *to = calloc(m->shapes.nodes + 1, sizeof(*to));
	uint32_t *node_of = calloc(m->groups + 1, sizeof(*node_of));
	int code = -ENOMEM;
	size_t i;

	for (i = 0; i < m->groups && node_of; i++)
		node_of[i] = TL_TASK_NONE;
	if (to && node_of)
		code = occurrences_add(m);
	for (i = 0; i < m->shapes.n && !code; i++)
		contract(m, &m->shapes.shape[i], m->group + m->shapes.shape[i].first, to, node_of);
	free(to);
	free(node_of);
	return code;
}

/* ---- rounds -------------------------------------------------------------------------- */

/* Patterns that occur often enough, best first, and all pieces by pattern. */
static size_t patterns_sort(struct miner *m, struct pattern *pattern, uint32_t *by_pattern)
{
	size_t n = m->pieces.codes.n, i, kept = 0, begin = 0;

	for (i = 0; i < m->pieces.n; i++) {
		struct pattern *p = &pattern[m->pieces.piece[i].pattern];

		p->n++;
		p->size = m->pieces.piece[i].n;
		p->count += m->shapes.shape[m->pieces.piece[i].shape].jobs;
	}
	for (i = 0; i < n; i++) {
		pattern[i].pattern = (uint32_t)i;
		pattern[i].begin = begin;
		begin += pattern[i].n;
	}
	for (i = 0; i < m->pieces.n; i++)
		by_pattern[pattern[m->pieces.piece[i].pattern].begin++] = (uint32_t)i;
	for (i = 0; i < n; i++)
		pattern[i].begin -= pattern[i].n;
	for (i = 0; i < n; i++)
		if (pattern[i].n && (pattern[i].count >= m->mining->support ||
				     m->higher_of[pattern[i].pattern] != TL_TASK_NONE))
			pattern[kept++] = pattern[i];
	if (kept)
		qsort(pattern, kept, sizeof(*pattern), gain_compare);
	return kept;
}

/* Return: how many patterns were taken, or -ENOMEM. */
static int patterns_take(struct miner *m)
{
	struct pattern *pattern = calloc(m->pieces.codes.n + 1, sizeof(*pattern));
	uint32_t *by_pattern = calloc(m->pieces.n + 1, sizeof(*by_pattern));
	int taken = 0, one = pattern && by_pattern ? 0 : -ENOMEM;
	size_t n = one ? 0 : patterns_sort(m, pattern, by_pattern), i;

	for (i = 0; i < n && one >= 0; i++) {
		one = pattern_take(m, &pattern[i], by_pattern + pattern[i].begin);
		taken += one > 0;
	}
	free(pattern);
	free(by_pattern);
	return one < 0 ? one : taken;
}

/* Return: 1 if something was found, 0 if not, or -ENOMEM. */
static int round_do(struct miner *m)
{
	size_t i;
	int taken;

	for (i = 0; i < m->shapes.nodes; i++)
		m->group[i] = m->number[i] = TL_TASK_NONE;
	m->groups = 0;
	if (pieces_find(m))
		return -ENOMEM;
	taken = patterns_take(m);
	if (taken <= 0)
		return taken;
	return contract_all(m) ? -ENOMEM : 1;
}

static int rounds(struct miner *m)
{
	size_t n = m->shapes.nodes, i;
	int found = 1;

	m->group = calloc(n + 1, sizeof(*m->group));
	m->number = calloc(n + 1, sizeof(*m->number));
	m->origin = calloc(n + 1, sizeof(*m->origin));
	m->within = calloc(n + 1, sizeof(*m->within));
	m->mined->inside = calloc(n + 1, sizeof(*m->mined->inside));
	if (!m->group || !m->number || !m->origin || !m->within || !m->mined->inside)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		m->origin[i] = (uint32_t)i;
		m->within[i] = m->mined->inside[i] = TL_TASK_NONE;
	}
	while (found > 0 && m->pieces.work < m->mining->effort)
		found = round_do(m);
	for (i = 0; i < m->mined->n; i++)
		m->mined->higher[i].figures.count = m->mined->higher[i].support;
	return found < 0 ? found : 0;
}

/**
 * tl_tasks_mine() - Find the higher tasks of jobs
 * @tasks: has the jobs
 * @mining: what is one
 * @mined: written; to be freed by tl_tasks_mined_free(), also after a failure
 *
 * Return: 0; -EINVAL for a support of 0, or a size that there is not; -ENOMEM.
 */
int tl_tasks_mine(const struct tl_tasks *tasks, const struct tl_task_mining *mining,
		  struct tl_task_mined *mined)
{
	struct miner m = { .tasks = tasks, .mining = mining, .mined = mined };
	int code;

	*mined = (struct tl_task_mined){ 0 };
	if (!mining->support || mining->size < 2 || mining->size > TL_TASK_SIZE_MAX)
		return -EINVAL;
	m.pieces.size = mining->size;
	m.pieces.most = PIECES_MAX;
	m.pieces.effort = mining->effort;
	code = tl_task_shapes_find(tasks, &m.shapes);
	mined->shapes = m.shapes.n;
	mined->left_out = m.shapes.left_out;
	mined->by_time = m.shapes.by_time;
	code = code ? code : rounds(&m);
	mined->nodes = m.shapes.nodes;
	mined->node = m.shapes.node;
	m.shapes.node = NULL;
	tl_task_shapes_free(&m.shapes);
	tl_task_pieces_free(&m.pieces);
	free(m.higher_of);
	free(m.group);
	free(m.number);
	free(m.origin);
	free(m.within);
	return code;
}

/**
 * tl_tasks_mined_free() - Free higher tasks
 * @mined: they
 */
void tl_tasks_mined_free(struct tl_task_mined *mined)
{
	free(mined->higher);
	free(mined->member);
	free(mined->link);
	free(mined->occurrence);
	free(mined->node);
	free(mined->inside);
	*mined = (struct tl_task_mined){ 0 };
}
