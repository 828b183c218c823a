// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is shown of tasks, of tables that were damaged: the hierarchy has each leaf once, what is
 * within a task adds up, links are between leaves, names tell leaves apart, and the picture of
 * two of them is printed. TASKS_MUTANTS: how many (600).
 */
#include "damage.h"
#include "tap.h"

#include "error.h"
#include "hist.h"
#include "tasks-diff.h"
#include "tasks-found.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const pieces[] = {
	"\"", ",", ";", "\n", "0", "-1", "99999999999999999999", "\xc3", "lock", "wait", "signal", "enq", "deq", "send",
	"recv", "exit", "a;b", "\n77,7,t,deq,q,f\n", "\n78,8,u,enq,q,f\n",
};

struct counts {
	size_t shown, wrong;
};

/* Jobs of two kinds, which go to one of two workers. */
static char *table_make(void)
{
	char *table = NULL;
	size_t len, seq = 0;
	FILE *to = open_memstream(&table, &len);
	int i;

	fputs("seq,time_us,thread,op,object,stack\n", to);
	for (i = 0; i < 12; i++) {
		fprintf(to, "%zu,%d,a,lock,m,main;put;lock\n%zu,%d,a,enq,q,main;put\n", seq + 1, 20 * i, seq + 2, 20 * i + 1);
		fprintf(to, "%zu,%d,a,unlock,m,main;put;unlock\n%zu,%d,w%d,deq,q,run\n", seq + 3, 20 * i + 2, seq + 4,
			20 * i + 3, i % 2);
		fprintf(to, "%zu,%d,w%d,lock,n,run;f%d;lock\n%zu,%d,w%d,unlock,n,run;f%d;unlock\n", seq + 5, 20 * i + 9,
			i % 2, i % 3 / 2, seq + 6, 20 * i + 11, i % 2, i % 3 / 2);
		seq += 6;
	}
	fclose(to);
	return table;
}

static bool sums_right(const struct tl_tasks_view *view)
{
	const struct tl_task_tree *tree = &view->tree;
	int64_t *within = calloc(tree->n + 1, sizeof(*within)), all = 0, leaves = 0;
	size_t i, count = 0;
	bool good = true;

	for (i = 0; i < tree->n; i++) {
		const struct tl_task_node *n = &tree->node[i];

		good &= n->up == TL_TASK_NONE || n->up < i;
		good &= n->sums.idle_ns >= 0 && n->sums.idle_ns <= n->sums.figures.time_ns;
		if (n->up != TL_TASK_NONE)
			within[n->up] += n->sums.figures.time_ns;
		if (tl_tasks_is_leaf(view, (uint32_t)i))
			count += n->sums.figures.count;
	}
	for (i = 0; i < tree->n; i++) {
		good &= tl_tasks_is_leaf(view, (uint32_t)i) || within[i] == tree->node[i].sums.figures.time_ns;
		all += tree->node[i].up == TL_TASK_NONE ? tree->node[i].sums.figures.time_ns : 0;
	}
	for (i = 0; i < view->found->tasks->classes; i++)
		leaves += view->found->figures[i].time_ns;
	free(within);
	return good && count == view->found->tasks->leaves && all == leaves;
}

static bool names_differ(const struct tl_tasks_view *view)
{
	const struct tl_tasks_names *names = &view->names;
	size_t i, k;

	for (i = 0; i < names->n; i++)
		for (k = 0; k < i; k++)
			if (!strcmp(names->begin[i], names->begin[k]) && !strcmp(names->end[i], names->end[k]))
				return false;
	return true;
}

static bool links_right(const struct tl_tasks_view *view)
{
	size_t i;

	for (i = 0; i < view->tree.ways; i++)
		if (!tl_tasks_is_leaf(view, view->tree.way[i].from) || !tl_tasks_is_leaf(view, view->tree.way[i].to) ||
		    view->tree.node[view->tree.way[i].from].type != view->tree.node[view->tree.way[i].to].type)
			return false;
	for (i = 0; i < view->tree.n; i++)
		if (tl_tasks_is_leaf(view, (uint32_t)i) != (view->box_of[i] != TL_TASK_NONE))
			return false;
	return true;
}

static bool changes_right(const struct tl_tasks_diff *diff)
{
	size_t i, q;

	for (i = 0; i < diff->rows; i++)
		for (q = 0; q < TL_TASK_QUANTITIES; q++)
			if (isnan(diff->row[i].change[q].low) || isnan(diff->row[i].change[q].high))
				return false;
	return true;
}

static bool drawn(const struct tl_tasks_view *before, const struct tl_tasks_view *after)
{
	struct tl_tasks_diff diff;
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	bool good = !tl_tasks_diff_make(&diff, before, after) && changes_right(&diff);

	tl_tasks_dot(after, &diff, TL_TASK_NONE, to);
	tl_tasks_diff_print(&diff, to);
	tl_tasks_view_print(after, to);
	json_decref(tl_tasks_diff_json(&diff));
	json_decref(tl_tasks_view_json(after));
	fclose(to);
	good &= strstr(text, "}\n") != NULL;
	free(text);
	tl_tasks_diff_free(&diff);
	return good;
}

static int view_make(struct tl_tasks_model *model, struct tl_tasks_view *view, const char *file)
{
	static const struct tl_task_mining mining = TL_TASKS_MINING;
	struct tl_error err;

	*view = (struct tl_tasks_view){ 0 };
	if (tl_tasks_model_make(model, file, &mining, &err))
		return -1;
	return tl_tasks_view_make(view, &model->found);
}

static void check(const char *file, const struct tl_tasks_view *sound, struct counts *counts)
{
	struct tl_tasks_model model;
	struct tl_tasks_view view;

	if (!view_make(&model, &view, file)) {
		bool good = sums_right(&view) && links_right(&view) && names_differ(&view) && drawn(sound, &view) &&
			    drawn(&view, sound);

		counts->shown++;
		counts->wrong += !good;
	}
	tl_tasks_view_free(&view);
	tl_tasks_model_free(&model);
}

static void file_write(const char *file, const char *text, size_t len)
{
	FILE *to = fopen(file, "we");

	fwrite(text, 1, len, to);
	fclose(to);
}

int main(void)
{
	const char *given = getenv("TASKS_MUTANTS");
	unsigned int all = given ? (unsigned int)atoi(given) : 600, n;
	char file[64], *table = table_make();
	size_t size = strlen(table), len, i;
	char *work = malloc(2 * size);
	struct counts counts = { 0 };
	struct tl_tasks_model model;
	struct tl_tasks_view sound;

	alarm(60 + all / 10); /* who never comes back has failed */
	snprintf(file, sizeof(file), "/tmp/test-user-tasks-draw.%d.csv", (int)getpid());
	file_write(file, table, size);
	ok(!view_make(&model, &sound, file) && sound.found->tasks->jobs == 12 && sums_right(&sound) &&
	   links_right(&sound) && names_differ(&sound) && sound.steps > 1 && drawn(&sound, &sound), "sound");
	for (n = 0; n < all; n++) {
		len = size;
		memcpy(work, table, len);
		for (i = damage_below(4) + 1; i > 0; i--)
			len = damage(work, len, 2 * size, pieces, ARRAY_SIZE(pieces));
		file_write(file, work, len);
		check(file, &sound, &counts);
	}
	ok(counts.shown > all / 50 && !counts.wrong, "%u damaged files: %zu are shown, %zu of them wrong", all,
	   counts.shown, counts.wrong);
	tl_tasks_view_free(&sound);
	tl_tasks_model_free(&model);
	unlink(file);
	free(table);
	free(work);
	return done();
}
