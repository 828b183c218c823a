// SPDX-License-Identifier: GPL-2.0-or-later
/* How much load a network bears, for people; and the verdict, for everybody. */
#include "capacity-out.h"

#include "model/capacity.h"
#include "out.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 10

/**
 * tl_limit_name() - What a limit is called, in JSON and in tables
 * @in: with the network
 * @limit: limit
 * @name: set to it
 * @size: room in @name
 */
void tl_limit_name(const struct tl_capacity_in *in, const struct tl_limit *limit, char *name,
		   size_t size)
{
	const struct tl_lqn *lqn = in->lqn;
	const char *of = limit->entry != TL_LQN_NONE ? lqn->entry[limit->entry].name :
			 limit->processor != TL_LQN_NONE ? lqn->processor[limit->processor].name :
			 limit->task != TL_LQN_NONE ? lqn->task[limit->task].name : NULL;
	const char *colon = of ? ":" : "";

	of = of ? of : "";
	switch (limit->what) {
	case TL_LIMIT_RESPONSE:
		snprintf(name, size, "response_s%s%s", colon, of);
		break;
	case TL_LIMIT_PERCENTILE:
		snprintf(name, size, "p%.10g_s%s%s", 100 * limit->part, colon, of);
		break;
	case TL_LIMIT_UTILISATION:
		snprintf(name, size, "utilisation%s%s", colon, of);
		break;
	case TL_LIMIT_ERRORS:
		snprintf(name, size, "errors%s%s", colon, of);
		break;
	}
}

/**
 * tl_capacity_unit() - What the load is counted in
 * @in: what varies
 *
 * Return: "users" or "arrivals/s".
 */
const char *tl_capacity_unit(const struct tl_capacity_in *in)
{
	return in->arrivals ? "arrivals/s" : "users";
}

/* ---- verdict ---------------------------------------------------------------------- */

static void point_name(const struct tl_capacity_in *in, double n, char *name, size_t size)
{
	snprintf(name, size, "%.6g %s", n, in->arrivals ? "arrivals/s" : n == 1 ? "user" : "users");
}

/* What is wrong at the first point that is too much. */
static void broken_write(const struct tl_capacity_answer *a, FILE *to)
{
	const struct tl_capacity_point *p = &a->out->point[a->out->broken];
	char limit[300], at[60];

	point_name(a->in, p->n, at, sizeof(at));
	if (a->out->limit == a->in->limits) {
		fprintf(to, "with %s there is no steady state", at);
		return;
	}
	tl_limit_name(a->in, &a->in->limit[a->out->limit], limit, sizeof(limit));
	fprintf(to, "with %s %s is %.4g, more than %.4g", at, limit, p->value[a->out->limit],
		a->in->limit[a->out->limit].most);
}

static void doubt_write(const struct tl_capacity_answer *a, FILE *to)
{
	const struct tl_capacity_point *p = &a->out->point[a->out->best];
	const struct tl_lqn *lqn = a->in->lqn;
	size_t i, busiest = TL_LQN_NONE;

	for (i = 0; i < lqn->processors; i++)
		if (lqn->processor[i].servers != TL_LQN_UNLIMITED &&
		    (busiest == TL_LQN_NONE || p->processor[i] > p->processor[busiest]))
			busiest = i;
	fprintf(to, "doubtful: with %.6g ", p->n);
	if (busiest != TL_LQN_NONE && p->processor[busiest] > a->in->trusted)
		fprintf(to, "processor \"%s\" is %.1f %% busy, above %.4g %%",
			lqn->processor[busiest].name, 100 * p->processor[busiest],
			100 * a->in->trusted);
	else
		fprintf(to, "throughput is %.4g/s, measured were %.4g to %.4g", p->outside_per_s,
			lqn->measured_per_s[0], lqn->measured_per_s[1]);
	if (a->out->believed[1] > 0)
		fprintf(to, "; the model is to be believed from %.6g to %.6g",
			a->out->believed[0], a->out->believed[1]);
}

static void found_write(const struct tl_capacity_answer *a, FILE *to)
{
	const struct tl_capacity_out *out = a->out;

	if (!out->point[out->best].believed)
		doubt_write(a, to);
	else
		fputs("ok", to);
	if (out->again > 0)
		fprintf(to, "; limits hold again from %.6g on", out->again);
	if (out->holes)
		fprintf(to, "; %zu smaller loads have no solution", out->holes);
}

static void verdict_write(const struct tl_capacity_answer *a, FILE *to)
{
	const struct tl_capacity_out *out = a->out;
	char at[60];

	point_name(a->in, out->max, at, sizeof(at));
	switch (out->verdict) {
	case TL_CAPACITY_OK:
		found_write(a, to);
		break;
	case TL_CAPACITY_LEAST:
		fprintf(to, "at least: the solver has no answer for more than %s", at);
		break;
	case TL_CAPACITY_NONE:
		fputs("none: ", to);
		broken_write(a, to);
		break;
	case TL_CAPACITY_UNLIMITED:
		fprintf(to, "not limited: all limits hold with %s, more were not looked at", at);
		break;
	case TL_CAPACITY_NO_LIMITS:
		fputs("no limit was given", to);
		break;
	case TL_CAPACITY_UNKNOWN:
		if (out->simulation != TL_LQN_OK)
			fputs("not converged: simulations do not tell how times are spread, try more "
			      "steps", to);
		else
			fputs("not converged: the solver has no answer", to);
		break;
	}
}

/**
 * tl_capacity_verdict() - Whether the answer is one, in words
 * @answer: answer
 *
 * Return: "ok", or what is to be known of it; to be freed, NULL without memory.
 */
char *tl_capacity_verdict(const struct tl_capacity_answer *answer)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	verdict_write(answer, to);
	return fclose(to) ? NULL : text;
}

/* ---- table ------------------------------------------------------------------------ */

static size_t busiest_of(const struct tl_capacity_in *in, const struct tl_capacity_point *p)
{
	size_t i, most = TL_LQN_NONE;

	for (i = 0; i < in->lqn->processors; i++)
		if (in->lqn->processor[i].servers != TL_LQN_UNLIMITED &&
		    (most == TL_LQN_NONE || p->processor[i] > p->processor[most]))
			most = i;
	return most;
}

static const char *remark(const struct tl_capacity_answer *a, const struct tl_capacity_point *p)
{
	const struct tl_capacity_out *out = a->out;

	if (p->state == TL_POINT_UNSTABLE)
		return "no steady state";
	if (p->state == TL_POINT_UNKNOWN)
		return "no solution";
	if (out->best != TL_LQN_NONE && p == &out->point[out->best] && isfinite(out->max) &&
	    out->broken != TL_LQN_NONE)
		return p->believed ? "most" : "most, doubtful";
	if (p->state == TL_POINT_BREAKS)
		return p->believed ? "too much" : "too much, doubtful";
	return p->believed ? "" : "doubtful";
}

static void row_add(struct tl_grid *grid, const struct tl_capacity_answer *a,
		    const struct tl_capacity_point *p)
{
	size_t busiest = busiest_of(a->in, p), i;
	bool figures = p->verdict == TL_LQN_OK;

	tl_grid_add(grid, "%.6g", p->n);
	tl_grid_add(grid, figures ? "%.4g" : "", p->throughput_per_s);
	tl_grid_add(grid, figures ? "%.4g" : "", p->response_s);
	tl_grid_add(grid, "%s", figures && busiest != TL_LQN_NONE ?
				a->in->lqn->processor[busiest].name : "");
	tl_grid_add(grid, figures && busiest != TL_LQN_NONE ? "%.1f %%" : "",
		    busiest != TL_LQN_NONE ? 100 * p->processor[busiest] : 0);
	for (i = 0; i < a->in->limits; i++)
		tl_grid_add(grid, tl_limit_is_known(a->in, a->out, p, i) ? "%.4g" : "",
			    p->value[i]);
	tl_grid_add(grid, "%s", remark(a, p));
}

/* Whether a step of so many, from one load on, ends between two points. */
static bool step_between(const struct tl_capacity_out *out, size_t i, double from, double until,
			 double steps)
{
	double step = (until - from) / steps;

	return i && step > 0 && out->point[i].n > from && out->point[i].n <= until &&
	       floor((out->point[i].n - from) / step) >
		       floor((out->point[i - 1].n - from) / step);
}

/* Rows up to the answer, some behind it, and those around it. */
static bool shown(const struct tl_capacity_out *out, size_t i)
{
	double last = out->point[out->points - 1].n;
	double end = out->broken == TL_LQN_NONE ? last : out->point[out->broken].n;

	return !i || i + 1 == out->points || i == out->best || i == out->broken ||
	       step_between(out, i, out->point[0].n, end, ROWS) ||
	       step_between(out, i, end, last, ROWS / 2);
}

static void table_print(const struct tl_capacity_answer *a, FILE *to)
{
	char *heads = NULL, name[300];
	struct tl_grid *grid;
	size_t len, i;
	FILE *head = open_memstream(&heads, &len);

	if (!head)
		return;
	fprintf(head, ">%s|>throughput/s|>response s|busiest|>utilisation",
		tl_capacity_unit(a->in));
	for (i = 0; i < a->in->limits; i++) {
		char *bar;

		tl_limit_name(a->in, &a->in->limit[i], name, sizeof(name));
		while ((bar = strchr(name, '|'))) /* which would be another column */
			*bar = '!';
		fprintf(head, "|>%s", name);
	}
	fputs("|", head);
	if (!fclose(head)) {
		grid = tl_grid_new(heads);
		for (i = 0; i < a->out->points; i++)
			if (shown(a->out, i))
				row_add(grid, a, &a->out->point[i]);
		tl_grid_print(grid, to, 0, 0);
		tl_grid_free(grid);
	}
	free(heads);
	fputc('\n', to);
}

/* The worst of all solutions. */
static void checks_print(const struct tl_capacity_out *out, FILE *to)
{
	struct tl_lqn_checks most = { 0 };
	size_t i;

	for (i = 0; i < out->points; i++) {
		const struct tl_lqn_checks *c = &out->point[i].checks;

		most.little = fmax(most.little, c->little);
		most.utilisation = fmax(most.utilisation, c->utilisation);
		most.flow = fmax(most.flow, c->flow);
	}
	fprintf(to, "off by at most: Little's law %.2g, utilisation law %.2g, flow %.2g\n",
		most.little, most.utilisation, most.flow);
}

static void saturation_write(const struct tl_capacity_answer *a, FILE *to)
{
	const struct tl_capacity_asymptote *s = &a->out->saturation;
	const struct tl_lqn *lqn = a->in->lqn;

	if (!isfinite(s->n))
		return;
	fprintf(to, "saturated with %.6g %s (asymptotes): %s \"%s\" allows %.4g/s at most\n", s->n,
		tl_capacity_unit(a->in), s->pool ? "the threads of" : "processor",
		s->pool ? lqn->task[s->of].name : lqn->processor[s->of].name,
		s->throughput_per_s);
	if (a->out->believed[1] > 0)
		fprintf(to, "to be believed from %.6g to %.6g %s\n", a->out->believed[0],
			a->out->believed[1], tl_capacity_unit(a->in));
	else
		fputs("nowhere to be believed\n", to);
}

static bool is_answer(const struct tl_capacity_out *out)
{
	return out->verdict == TL_CAPACITY_OK || out->verdict == TL_CAPACITY_LEAST ||
	       out->verdict == TL_CAPACITY_NONE;
}

static void answer_write(const struct tl_capacity_answer *a, FILE *to)
{
	const struct tl_capacity_out *out = a->out;

	if (!is_answer(out))
		return;
	fprintf(to, "%s: %.6g %s", out->verdict == TL_CAPACITY_LEAST ? "at least" : "at most",
		out->max, tl_capacity_unit(a->in));
	if (out->shapes && out->max > 0)
		fprintf(to, " (%.6g to %.6g, by how sure simulated times are)", out->max95[0],
			out->max95[1]);
	if (out->broken != TL_LQN_NONE) {
		fputs("; ", to);
		broken_write(a, to);
	}
	fputc('\n', to);
}

/**
 * tl_capacity_print() - The answer for people
 * @answer: answer
 * @to: where it goes
 */
void tl_capacity_print(const struct tl_capacity_answer *answer, FILE *to)
{
	char *verdict = tl_capacity_verdict(answer), *text = NULL;
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	table_print(answer, to);
	if (lines) {
		saturation_write(answer, lines);
		answer_write(answer, lines);
		checks_print(answer->out, lines);
		fputs(verdict ? verdict : "out of memory", lines);
		if (!fclose(lines))
			tl_text_lines(to, text);
	}
	free(text);
	free(verdict);
}
