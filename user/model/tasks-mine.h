/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_MINE_H
#define TL_MODEL_TASKS_MINE_H

#include "tasks-shapes.h"

#define TL_TASK_SIZE_MAX 6 /* members of a higher task, more take too long */

/**
 * struct tl_task_mining - What is a higher task, and how far to look
 * @support: it occurs so often at least, 1 or more
 * @size: and has so many members at most, 2 to TL_TASK_SIZE_MAX
 * @effort: pieces of graphs that may be looked at in all; neighbours beside them count, too
 */
struct tl_task_mining {
	uint64_t support;
	size_t size;
	uint64_t effort;
};

/**
 * struct tl_task_higher - A task that is made of others
 * @level: above the highest of its members
 * @support: how often it occurs, as whole ones beside each other
 * @member: of all members' numbers, where its own begin: numbers below the classes' are
 *          leaves of that class, others higher tasks
 * @members: how many
 * @link: of all links between members, where its own begin: they are from a place among its
 *        members to another one
 * @links: how many
 * @entry: class of the leaf that it begins with
 * @exit: class of the one that it ends with
 * @figures: Σ of its leaves'; its count is @support
 */
struct tl_task_higher {
	uint32_t level;
	uint64_t support;
	size_t member, members, link, links;
	uint32_t entry, exit;
	struct tl_task_figures figures;
};

/**
 * struct tl_task_occurrence - A higher task in the graph that some jobs have
 * @number: of the task
 * @up: index of the occurrence that it is a member of, or TL_TASK_NONE
 */
struct tl_task_occurrence {
	uint32_t number, up;
};

/**
 * struct tl_task_mined - Higher tasks
 * @higher: [@n] number of classes + index is their number
 * @member: [@members] numbers of tasks
 * @link: [@links] between members
 * @occurrence: [@occurrences] members before what they are part of
 * @node: [leaves] what each is among the nodes of all different graphs, or TL_TASK_NONE
 * @inside: [@nodes] the occurrence that each of them is a member of, or TL_TASK_NONE
 * @shapes: different graphs of jobs, that were looked at
 * @left_out: jobs whose graphs were not, as there are too many different ones
 * @by_time: jobs whose graphs are told apart by the order of time, too
 * @looked_at: pieces of graphs
 * @cut: whether effort ended before all pieces had been looked at
 */
struct tl_task_mined {
	struct tl_task_higher *higher;
	uint32_t *member;
	struct tl_task_link *link;
	struct tl_task_occurrence *occurrence;
	uint32_t *node, *inside;
	size_t n, members, links, higher_room, member_room, link_room, shapes, nodes, occurrences;
	uint64_t left_out, by_time, looked_at;
	bool cut;
};

int tl_tasks_mine(const struct tl_tasks *tasks, const struct tl_task_mining *mining,
		  struct tl_task_mined *mined);
void tl_tasks_mined_free(struct tl_task_mined *mined);

#endif
