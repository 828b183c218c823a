// SPDX-License-Identifier: GPL-2.0-or-later
/* From a file of sync points to the tasks that are in it, for all who show them. */
#include "tasks-found.h"

#include "cmd.h"
#include "error.h"

#include <errno.h>
#include <stdlib.h>

/* What is asked for, or else each hundredth job, and three at least. */
static uint64_t support_of(const struct tl_tasks *tasks, uint64_t asked)
{
	uint64_t part = tasks->jobs / 100;

	return asked ? asked : part > 3 ? part : 3;
}

static int find(struct tl_tasks_model *model)
{
	int code;

	if (tl_tasks_infer(&model->trace.trace, &model->tasks))
		return -ENOMEM;
	model->figures = calloc(model->tasks.classes + 1, sizeof(*model->figures));
	model->path = calloc(model->tasks.types + 1, sizeof(*model->path));
	if (!model->figures || !model->path)
		return -ENOMEM;
	tl_tasks_figures(&model->tasks, model->figures);
	model->mining.support = support_of(&model->tasks, model->mining.support);
	code = tl_tasks_mine(&model->tasks, &model->mining, &model->mined);
	code = code ? code : tl_tasks_waits(&model->tasks, &model->waits);
	return code ? code : tl_tasks_paths(&model->tasks, &model->waits, model->path);
}

/**
 * tl_tasks_model_make() - Read sync points and find their tasks
 * @model: written; to be freed by tl_tasks_model_free(), also after a failure
 * @file: its name
 * @mining: what is a higher task; a support of 0 is set by the number of jobs
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_tasks_model_make(struct tl_tasks_model *model, const char *file,
			const struct tl_task_mining *mining, struct tl_error *err)
{
	int code;

	*model = (struct tl_tasks_model){ .mining = *mining };
	code = tl_tasks_trace_read(&model->trace, file, err);
	if (!code && find(model))
		code = tl_error_no_memory(err);
	model->found = (struct tl_tasks_found){ &model->trace, &model->tasks, model->figures,
						&model->mining, &model->mined, &model->waits,
						model->path };
	return code;
}

/**
 * tl_tasks_model_free() - Free what was found
 * @model: it
 */
void tl_tasks_model_free(struct tl_tasks_model *model)
{
	tl_tasks_mined_free(&model->mined);
	tl_tasks_waits_free(&model->waits);
	free(model->figures);
	free(model->path);
	tl_tasks_free(&model->tasks);
	tl_tasks_trace_free(&model->trace);
	*model = (struct tl_tasks_model){ 0 };
}

/**
 * tl_tasks_option() - Take one of TL_TASKS_OPTIONS
 * @option: its character, the value in optarg
 * @mining: written
 *
 * Return: the exit status.
 */
int tl_tasks_option(int option, struct tl_task_mining *mining)
{
	u64 size = mining->size;
	int status;

	if (option == 's')
		return tl_args_u64("--support", optarg, 1, UINT32_MAX, &mining->support);
	if (option == 'e')
		return tl_args_u64("--effort", optarg, 1, UINT32_MAX, &mining->effort);
	status = tl_args_u64("--size", optarg, 2, TL_TASK_SIZE_MAX, &size);
	mining->size = size;
	return status;
}
