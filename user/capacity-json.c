// SPDX-License-Identifier: GPL-2.0-or-later
/* How much load a network bears, for programs. */
#include "capacity-out.h"

#include "lqn-faults.h"
#include "lqn-out.h"
#include "model/capacity.h"
#include "out.h"

#include <math.h>
#include <stdlib.h>

static json_t *most_json(const struct tl_capacity_in *in)
{
	json_t *object = json_object();
	char name[300];
	size_t i;

	for (i = 0; i < in->limits; i++) {
		tl_limit_name(in, &in->limit[i], name, sizeof(name));
		json_object_set_new(object, name, json_real(in->limit[i].most));
	}
	return object;
}

static json_t *limits_json(const struct tl_capacity_answer *a, const struct tl_capacity_point *p)
{
	const struct tl_capacity_in *in = a->in;
	json_t *object = json_object();
	char name[300];
	size_t i;

	for (i = 0; i < in->limits; i++) {
		tl_limit_name(in, &in->limit[i], name, sizeof(name));
		json_object_set_new(object, name, tl_limit_is_known(in, a->out, p, i) ?
				    tl_out_real(p->value[i]) : json_null());
	}
	return object;
}

static json_t *utilisation_json(const struct tl_lqn *lqn, const struct tl_capacity_point *p)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < lqn->processors; i++)
		if (lqn->processor[i].servers != TL_LQN_UNLIMITED)
			json_object_set_new(object, lqn->processor[i].name, tl_out_real(p->processor[i]));
	return object;
}

static json_t *threads_json(const struct tl_lqn *lqn, const struct tl_capacity_point *p)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < lqn->tasks; i++)
		if (!lqn->task[i].reference && lqn->task[i].threads != TL_LQN_UNLIMITED)
			json_object_set_new(object, lqn->task[i].name, tl_out_real(p->task[i]));
	return object;
}

static const char *state_name(const struct tl_capacity_point *p)
{
	static const char *const names[] = {
		[TL_POINT_HOLDS] = "holds", [TL_POINT_BREAKS] = "breaks",
		[TL_POINT_UNSTABLE] = "unstable", [TL_POINT_UNKNOWN] = "not converged",
	};

	return names[p->state];
}

/* Figures are null if there is no more than a verdict. */
static json_t *point_json(const struct tl_capacity_answer *a, const struct tl_capacity_point *p)
{
	json_t *object = json_pack("{s:f, s:s, s:b, s:n, s:n, s:n, s:n, s:n, s:n}", "n", p->n,
				   "limits_hold", state_name(p), "believed", (int)p->believed,
				   "throughput", "response_s", "utilisation", "threads", "limits",
				   "checks");

	if (!object || p->verdict != TL_LQN_OK)
		return object;
	json_object_set_new(object, "throughput", tl_out_real(p->throughput_per_s));
	json_object_set_new(object, "response_s", tl_out_real(p->response_s));
	json_object_set_new(object, "utilisation", utilisation_json(a->in->lqn, p));
	json_object_set_new(object, "threads", threads_json(a->in->lqn, p));
	json_object_set_new(object, "limits", limits_json(a, p));
	json_object_set_new(object, "checks",
			    json_pack("{s:f, s:f, s:f}", "little", p->checks.little, "utilisation",
				      p->checks.utilisation, "flow", p->checks.flow));
	return object;
}

static json_t *curve_json(const struct tl_capacity_answer *a)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < a->out->points; i++)
		json_array_append_new(array, point_json(a, &a->out->point[i]));
	return array;
}

static json_t *varies_json(const struct tl_capacity_in *in)
{
	const struct tl_lqn *lqn = in->lqn;
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < (in->arrivals ? lqn->entries : lqn->tasks); i++)
		if (in->vary[i])
			json_array_append_new(array, json_string(in->arrivals ?
					      lqn->entry[i].name : lqn->task[i].name));
	return array;
}

static json_t *saturation_json(const struct tl_capacity_answer *a)
{
	const struct tl_capacity_asymptote *s = &a->out->saturation;
	const struct tl_lqn *lqn = a->in->lqn;

	if (!isfinite(s->n))
		return json_null();
	return json_pack("{s:f, s:f, s:s, s:s}", "n", s->n, "throughput", s->throughput_per_s,
			 "kind", s->pool ? "threads" : "processor", "name",
			 s->pool ? lqn->task[s->of].name : lqn->processor[s->of].name);
}

static json_t *simulated_json(const struct tl_capacity_answer *a)
{
	json_t *array = json_array(), *point;
	char name[300];
	size_t i, k;

	for (i = 0; i < a->out->shapes; i++) {
		const struct tl_capacity_shape *shape = &a->out->shape[i];

		point = json_object();
		json_object_set_new(point, "n", json_real(shape->n));
		for (k = 0; k < a->in->limits; k++) {
			const struct tl_lqn_watched *w = &shape->watched[k];

			if (!w->count)
				continue;
			tl_limit_name(a->in, &a->in->limit[k], name, sizeof(name));
			json_object_set_new(point, name,
					    json_pack("{s:f, s:f, s:f, s:f, s:f}", "requests",
						      w->requests, "mean_s", w->mean_s,
						      "quantile_s", w->quantile_s, "shape",
						      w->shape, "shape_half95",
						      w->shape_half95));
		}
		json_array_append_new(array, point);
	}
	return array;
}

static json_t *limited_by(const struct tl_capacity_answer *a)
{
	char name[300];

	if (a->out->broken == TL_LQN_NONE)
		return json_null();
	if (a->out->limit == a->in->limits)
		return json_string("steady state");
	tl_limit_name(a->in, &a->in->limit[a->out->limit], name, sizeof(name));
	return json_string(name);
}

/* An answer is a number if there is one. */
static json_t *max_json(const struct tl_capacity_out *out)
{
	if (out->verdict == TL_CAPACITY_NONE)
		return json_real(0);
	if (out->verdict == TL_CAPACITY_OK || out->verdict == TL_CAPACITY_LEAST)
		return json_real(out->max);
	return json_null();
}

/**
 * tl_capacity_json() - The answer for programs
 * @answer: answer
 *
 * Return: the object, a new reference; NULL without memory.
 */
json_t *tl_capacity_json(const struct tl_capacity_answer *answer)
{
	const struct tl_capacity_out *out = answer->out;
	const struct tl_faults *faults = answer->faults;
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:n, s:o, s:o, s:n,"
				   " s:o, s:o}",
				   "file", tl_out_name(faults->file),
				   "verdict", tl_out_text(tl_capacity_verdict(answer)),
				   "notes", tl_faults_json(faults->note, faults->notes),
				   "max", max_json(out),
				   "of", answer->in->arrivals ? "arrivals" : "users",
				   "varies", varies_json(answer->in),
				   "limits", most_json(answer->in),
				   "limited_by", limited_by(answer), "max95",
				   "saturation", saturation_json(answer),
				   "simulated", simulated_json(answer), "believed",
				   "at_max", out->best == TL_LQN_NONE ?
					     json_null() :
					     point_json(answer, &out->point[out->best]),
				   "curve", curve_json(answer));

	if (!object)
		return NULL;
	if (out->shapes)
		json_object_set_new(object, "max95", json_pack("[f, f]", out->max95[0],
							       out->max95[1]));
	if (out->believed[1] > 0)
		json_object_set_new(object, "believed",
				    json_pack("{s:f, s:f}", "from", out->believed[0], "to",
					      out->believed[1]));
	return object;
}
