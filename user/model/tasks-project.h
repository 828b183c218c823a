/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_PROJECT_H
#define TL_MODEL_TASKS_PROJECT_H

#include "tasks-match.h"
#include "tasks-mend.h"

int tl_tasks_project(const struct tl_tasks *whole, const struct tl_task_mended *mended,
		     struct tl_tasks *tasks);

#endif
