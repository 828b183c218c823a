// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks as one HTML page: the way down to the slowest part, the hierarchy that unfolds, the
 * picture, tables, and what was lost. Of two recordings the second, and what differs.
 */
#include "tasks-diff.h"

#include "child.h"
#include "dot.h"
#include "error.h"
#include "html.h"
#include "lqn-faults.h"
#include "report.h"
#include "tasks-out.h"
#include "tasks-page.h"
#include "tasks-trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define NODES_MAX 3000 /* that unfold */
#define CHILDREN_MAX 60 /* of a node */

struct page {
	const struct tl_tasks_view *view;
	const struct tl_tasks_diff *diff;
	bool *path; /* [tree.n] */
	struct tl_bytes picture[TL_TASKS_TYPES_MAX]; /* of the first types */
	size_t printed, pictures;
	FILE *to;
};

/* ---- head ---------------------------------------------------------------------------- */

static void warn(FILE *to, const char *sentence)
{
	fputs("<p class=\"warn\">", to);
	tl_html_text(to, sentence);
	fputs("</p>\n", to);
}

static void lost_print(const struct tl_tasks_found *found, FILE *to)
{
	const struct tl_faults *notes = &found->trace->notes;
	size_t i;

	for (i = 0; i < tl_faults_kept(notes->notes); i++)
		warn(to, notes->note[i]);
	if (found->tasks->lost)
		fprintf(to, "<p class=\"warn\">%" PRIu64 " events were lost: leaf tasks around them are joined, and "
			"jobs may be cut in two.</p>\n", found->tasks->lost);
	if (found->mined->left_out)
		fprintf(to, "<p class=\"warn\">%" PRIu64 " jobs were not looked at for higher tasks: there are too many "
			"different ones. Their leaf tasks stand by themselves.</p>\n", found->mined->left_out);
	if (found->mined->cut)
		fprintf(to, "<p class=\"warn\">Only the first %" PRIu64 " pieces of jobs\u2019 graphs were looked at for "
			"higher tasks: a smaller <code>--size</code> sees all.</p>\n", found->mined->looked_at);
}

static void summary_print(const struct tl_tasks_found *found, const char *which, FILE *to)
{
	const struct tl_tasks *t = found->tasks;
	int64_t ns = t->trace->n ? t->trace->event[t->trace->n - 1].time_ns - t->trace->event[0].time_ns : 0;

	fprintf(to, "<p class=\"soft\">%s", which);
	tl_html_text(to, found->trace->notes.file);
	fprintf(to, ": %.4g s, %zu sync points of %zu threads; %zu leaf tasks of %zu kinds, %zu hand-offs, %zu jobs "
		"of %zu types, %zu higher tasks.</p>\n", (double)ns / 1e9, t->trace->n, t->trace->threads, t->leaves,
		t->classes, t->handoffs, t->jobs, t->types, found->mined->n);
	lost_print(found, to);
}

static void ms_print(FILE *to, int64_t ns, uint64_t count)
{
	tl_dot_time(to, count ? (double)ns / (double)count / 1e9 : 0);
}

/* ---- the way down -------------------------------------------------------------------- */

static void step_print(const struct page *p, size_t step)
{
	const struct tl_task_node *n = &p->view->tree.node[p->view->path[step]];
	char *name = tl_tasks_node_name(p->view, p->view->path[step]);

	fputs("<li><b>", p->to);
	tl_html_text(p->to, name ? name : "");
	fputs("</b>", p->to);
	if (step)
		fprintf(p->to, " <span class=\"soft\">(%s %" PRIu32 ")</span>",
			tl_tasks_is_leaf(p->view, p->view->path[step]) ? "leaf task" : "task", n->task);
	fprintf(p->to, ": %" PRIu64 " times, ", n->sums.figures.count);
	ms_print(p->to, tl_task_busy_ns(&n->sums), n->sums.figures.count);
	fputs(" each, ", p->to);
	tl_tasks_percent(p->to, tl_tasks_share(p->view, &n->sums));
	fputs("&nbsp;% of all jobs\u2019 time</li>\n", p->to);
	free(name);
}

/* The leaf task that took most time of its type, in whatever it is within. */
static const struct tl_tasks_box *most_of(const struct tl_tasks_view *view, uint32_t type)
{
	const struct tl_tasks_box *most = NULL;
	size_t i;

	for (i = 0; i < view->boxes; i++)
		if (view->box[i].type == type &&
		    (!most || tl_task_busy_ns(&view->box[i].sums) > tl_task_busy_ns(&most->sums)))
			most = &view->box[i];
	return most;
}

static void path_print(const struct page *p)
{
	const struct tl_tasks_view *view = p->view;
	const struct tl_tasks_box *most;
	size_t i;

	fputs("<h2>Down to the slowest part</h2>\n", p->to);
	if (!view->steps) {
		fputs("<p>No job took any time.</p>\n", p->to);
		return;
	}
	fputs("<p>From the type of jobs that takes most time, down to what takes most within it.</p>\n<ol>\n", p->to);
	for (i = 0; i < view->steps; i++)
		step_print(p, i);
	fputs("</ol>\n", p->to);
	most = most_of(view, view->tree.node[view->path[0]].type);
	if (most && !most->path) {
		char *name = tl_tasks_name(&view->names, most->class, most->class);

		fputs("<p>Over all ways that these jobs go, the leaf task ", p->to);
		tl_html_text(p->to, name ? name : "");
		fprintf(p->to, " takes most: %.3g&nbsp;%%.</p>\n", 100 * tl_tasks_share(view, &most->sums));
		free(name);
	}
}

/* ---- the hierarchy ------------------------------------------------------------------- */

static void change_print(const struct page *p, uint32_t node)
{
	const struct tl_tasks_row *row = tl_tasks_diff_row(p->diff, 1, node);
	const struct tl_task_change *c = row ? &row->change[TL_TASK_TIME] : NULL;

	if (row && (row->only == TL_TASK_NEW || row->only == TL_TASK_GONE))
		fprintf(p->to, " <b class=\"only\">%s</b>", tl_task_verdicts[row->only]);
	else if (c && tl_tasks_change_told(c))
		fprintf(p->to, " <b class=\"%s\">%+.3g&nbsp;%% time</b>", c->verdict == TL_TASK_MORE ? "more" : "less",
			100 * (c->mean[1] / c->mean[0] - 1));
}

static void line_print(const struct page *p, uint32_t node)
{
	const struct tl_task_node *n = &p->view->tree.node[node];
	const struct tl_task_figures *f = &n->sums.figures;
	double part = tl_tasks_share(p->view, &n->sums);
	bool alone = n->type == p->view->found->tasks->types;
	char *name = tl_tasks_node_name(p->view, node);

	if (!alone)
		fprintf(p->to, "<span class=\"part\" style=\"--part:%.1f%%\"></span>", 100 * part);
	fputs("<b>", p->to);
	tl_html_text(p->to, name ? name : "");
	fputs("</b> <span class=\"soft\">", p->to);
	if (n->up != TL_TASK_NONE)
		fprintf(p->to, "%" PRIu32 ": ", n->task);
	fprintf(p->to, "%" PRIu64 " \u00d7 ", f->count);
	ms_print(p->to, tl_task_busy_ns(&n->sums), f->count);
	if (!alone) {
		fputs(", ", p->to);
		tl_tasks_percent(p->to, part);
		fputs("&nbsp;%", p->to);
	}
	if (f->cpu_count) {
		fputs(", processor ", p->to);
		ms_print(p->to, f->cpu_ns, f->count);
	}
	if (f->wait_count && f->wait_ns > n->sums.idle_ns) {
		fputs(", asleep ", p->to);
		ms_print(p->to, f->wait_ns - n->sums.idle_ns, f->count);
	}
	if (n->sums.idle_ns > 0) {
		fputs(", idle ", p->to);
		ms_print(p->to, n->sums.idle_ns, f->count);
	}
	fputs("</span>", p->to);
	change_print(p, node);
	free(name);
}

static void node_print(struct page *p, uint32_t node)
{
	const struct tl_tasks_view *view = p->view;
	size_t n = view->begin[node + 1] - view->begin[node], i;
	const char *path = p->path[node] ? " class=\"path\" open" : "";

	p->printed++;
	if (!n) {
		fprintf(p->to, "<div class=\"task-leaf%s\">", p->path[node] ? " path" : "");
		line_print(p, node);
		fputs("</div>\n", p->to);
		return;
	}
	fprintf(p->to, "<details%s><summary>", path);
	line_print(p, node);
	fputs("</summary>\n", p->to);
	for (i = 0; i < n && i < CHILDREN_MAX && p->printed < NODES_MAX; i++)
		node_print(p, view->child[view->begin[node] + i]); /* as deep as levels */
	if (i < n)
		fprintf(p->to, "<div class=\"task-leaf soft\">%zu more, each of less time: <code>--json</code> has all"
			"</div>\n", n - i);
	fputs("</details>\n", p->to);
}

static void hierarchy_print(struct page *p)
{
	size_t i;

	fputs("<h2>Tasks within tasks</h2>\n<p>Bars and percentages are parts of all jobs\u2019 time. Jobs of a type may go "
	      "different ways, so a task may be within several. Red is the way down to the slowest.</p>\n", p->to);
	for (i = 0; i < p->view->roots && i < CHILDREN_MAX && p->printed < NODES_MAX; i++)
		node_print(p, p->view->root[i]);
	if (i < p->view->roots)
		fprintf(p->to, "<p class=\"soft\">%zu more types of jobs: <code>--json</code> has all.</p>\n",
			p->view->roots - i);
}

/* ---- all ----------------------------------------------------------------------------- */

static const char reading[] =
	"<h2>How to read this</h2>\n<dl>\n"
	"<dt>Leaf task</dt><dd>What a thread did between two successive sync points, where threads wait for, wake or "
	"hand something to each other. It is named by the functions that came to these points, as few as tell it from all "
	"others.</dd>\n"
	"<dt>Higher task</dt><dd>Tasks that came again and again in the same order; named by where it begins and "
	"ends.</dd>\n"
	"<dt>Job</dt><dd>All leaf tasks that one piece of work caused, in whatever threads. Jobs with the same sync points "
	"are of one type.</dd>\n"
	"<dt>Time</dt><dd>Of a higher task and of a job the sum over their leaf tasks, which may have run at the same "
	"time.</dd>\n"
	"<dt>Idle</dt><dd>What a thread waited for its next job; in no other figure.</dd>\n"
	"<dt>Asleep</dt><dd>What threads slept within a job: for locks, answers, conditions.</dd>\n</dl>\n";

static const char reading_diff[] =
	"<dl><dt>Differences</dt><dd>Intervals are for the difference of two means, by batches of jobs, and so wide that all "
	"of them hold together in 95 of 100 cases. No more is said of fewer than five occurrences.</dd></dl>\n";

static void picture_print(struct page *p, size_t at)
{
	fprintf(p->to, "<figure><figcaption>Jobs of type %" PRIu32 "</figcaption><div class=\"wide graph large\">\n",
		p->view->tree.node[p->view->root[at]].type);
	tl_html_svg(p->to, &p->picture[at]);
	fputs("</div></figure>\n", p->to);
}

static void pictures_print(struct page *p)
{
	size_t i;

	fputs("<h2>Pictures</h2>\n<p>Each leaf task once for each type of jobs, within the higher task that takes most of "
	      "the time.</p>\n", p->to);
	for (i = 0; i < p->pictures; i++)
		picture_print(p, i);
}

static void page_print(struct page *p)
{
	tl_page_begin(p->to, p->view->found->trace->notes.file);
	if (p->diff)
		summary_print(p->diff->view[0]->found, "Before: ", p->to);
	summary_print(p->view->found, p->diff ? "After: " : "", p->to);
	if (p->diff)
		tl_tasks_page_changes(p->diff, p->to);
	path_print(p);
	hierarchy_print(p);
	pictures_print(p);
	tl_tasks_page_tables(p->view, p->to);
	fputs(reading, p->to);
	if (p->diff)
		fputs(reading_diff, p->to);
	tl_page_end(p->to, false);
}

static void dot_print(const struct page *p, size_t at, FILE *to)
{
	tl_tasks_dot(p->view, p->diff, p->view->tree.node[p->view->root[at]].type, to);
}

static int picture_draw(struct page *p, size_t at, struct tl_error *err)
{
	static const char *const argv[] = { "dot", "-Tsvg", NULL };
	struct tl_bytes dot = { 0 };
	FILE *to = open_memstream(&dot.data, &dot.len);
	int code;

	if (to)
		dot_print(p, at, to);
	if (!to || fclose(to))
		code = tl_error_no_memory(err);
	else
		code = tl_child_filter(argv, &dot, &p->picture[at], "install graphviz or draw a .dot", err);
	free(dot.data);
	return code;
}

/**
 * tl_tasks_page() - Tasks as an HTML page
 * @view: what is shown; of two recordings the second
 * @diff: how it differs from the first; or NULL
 * @page: set to the page, data to be freed by the caller
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_tasks_page(const struct tl_tasks_view *view, const struct tl_tasks_diff *diff,
		  struct tl_bytes *page, struct tl_error *err)
{
	struct page p = { .view = view, .diff = diff };
	int code = 0;
	size_t i;

	/* What is part of no job is last. */
	for (i = 0; i < view->roots && i < TL_TASKS_TYPES_MAX && !code; i++)
		if (view->tree.node[view->root[i]].type < view->found->tasks->types)
			code = picture_draw(&p, p.pictures++, err);
	p.path = calloc(view->tree.n + 1, sizeof(*p.path));
	for (i = 0; i < view->steps && p.path; i++)
		p.path[view->path[i]] = true;
	p.to = code || !p.path ? NULL : open_memstream(&page->data, &page->len);
	if (p.to)
		page_print(&p);
	if (!code && (!p.to || fclose(p.to)))
		code = tl_error_no_memory(err);
	for (i = 0; i < p.pictures; i++)
		free(p.picture[i].data);
	free(p.path);
	return code;
}
