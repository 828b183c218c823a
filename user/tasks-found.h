/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TASKS_FOUND_H
#define TL_TASKS_FOUND_H

#include "tasks-out.h"
#include "tasks-trace.h"

struct tl_error;

/* Pieces of graphs that are looked at, if nothing is asked for: half a minute of a slow machine. */
#define TL_TASKS_EFFORT 50000000
#define TL_TASKS_MINING { .size = 4, .effort = TL_TASKS_EFFORT } /* support: by the jobs */

#define TL_TASKS_OPTIONS \
	{ "support", required_argument, NULL, 's' }, { "size", required_argument, NULL, 'k' }, \
	{ "effort", required_argument, NULL, 'e' }
#define TL_TASKS_LETTERS "s:k:e:"
#define TL_TASKS_HELP \
	"  -s, --support N   a higher task is what occurs so often at least (each hundredth job,\n" \
	"                    and three)\n" \
	"  -k, --size N      and has so many members at most (4)\n" \
	"  -e, --effort N    pieces of the jobs' graphs that are looked at for them (50000000)\n"

/**
 * struct tl_tasks_model - A file's sync points, and what was found in them
 * @found: points to all the others
 */
struct tl_tasks_model {
	struct tl_tasks_trace trace;
	struct tl_tasks tasks;
	struct tl_task_figures *figures;
	struct tl_task_mining mining;
	struct tl_task_mined mined;
	struct tl_task_waits waits;
	struct tl_task_path *path;
	struct tl_tasks_found found;
};

int tl_tasks_model_make(struct tl_tasks_model *model, const char *file,
			const struct tl_task_mining *mining, struct tl_error *err);
void tl_tasks_model_free(struct tl_tasks_model *model);
int tl_tasks_option(int option, struct tl_task_mining *mining);

#endif
