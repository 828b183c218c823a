// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The largest load of a layered queueing network under limits
 *
 * Figures need not rise with the load: one kind of customers may drive away another, and
 * solvers have steps and failures. So no bisection: loads are doubled until a limit does not
 * hold, then 64 steps are looked at from the least load to there, and what lies between the
 * first that is too much and the one before it is cut into 64 again, until they are
 * neighbours. What is found is the largest load up to which limits hold at all loads that
 * were looked at; narrower dents than a 64th, a 16th beyond ten thousand users, are not
 * seen. Arrivals go up to where the first resource is saturated, and are told to four digits.
 *
 * If a limit is about how times are spread, that is simulated at the answer, which then
 * is another one, until it stays within a hundredth; and at three smaller loads.
 */
#include "capacity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTS 64
#define PARTS_MANY 16 /* if there are many users: solutions take long */
#define MANY 10000
#define RATE_EXACT 1e-4 /* relative */
#define RATE_LEAST 0.01 /* of the largest: less need not be told apart */
#define CUSTOMERS_MOST 1048576.0
#define SATURATIONS 16 /* times the load that saturates, beyond which nothing changes */
#define SIMULATIONS_MAX 8
#define SIMULATED_EXACT 0.01 /* relative: how near the answer a simulation must be */
#define BEYOND 4 /* times the answer, and 2 saturations, is shown */
#define BEYOND_POINTS 24
#define SOLVABLE_EXACT 0.02 /* relative */
#define SATURATED 1.001 /* times the saturating rate: too much for sure */
#define RATE_MOST 0.98 /* of the saturating one, where the curve ends */

struct search {
	const struct tl_capacity_in *in;
	struct tl_capacity_out *out;
	struct tl_lqn work;
	size_t room;
	double least, most; /* loads */
	int tilt; /* which end of the simulations' intervals is judged by */
	bool (*over)(const struct tl_capacity_point *point); /* what is searched: too much */
};

static bool known(const struct tl_capacity_point *point)
{
	return point->state != TL_POINT_UNKNOWN;
}

static bool broken(const struct tl_capacity_point *point)
{
	return point->state == TL_POINT_BREAKS || point->state == TL_POINT_UNSTABLE;
}

/* ---- points --------------------------------------------------------------------- */

/* Where a load is among the points, or would be. */
static size_t place_of(const struct tl_capacity_out *out, double n)
{
	size_t low = 0, high = out->points, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (out->point[middle].n < n)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int room_make(struct search *s)
{
	size_t room = s->room ? 2 * s->room : 256;
	struct tl_capacity_point *more;

	if (s->out->points < s->room)
		return 0;
	more = reallocarray(s->out->point, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->out->point = more;
	s->room = room;
	return 0;
}

/* Look at a load, if it has not been looked at. */
static int look(struct search *s, double n)
{
	struct tl_capacity_out *out = s->out;
	size_t at = place_of(out, n);
	struct tl_capacity_point point;
	int code;

	if (at < out->points && out->point[at].n == n)
		return 0;
	if (s->in->progress)
		s->in->progress(s->in->arg, n, false);
	code = tl_capacity_solve(s->in, &s->work, n, &point);
	code = code ? code : room_make(s);
	if (code) {
		free(point.processor);
		free(point.task);
		return code;
	}
	tl_capacity_judge(s->in, out, s->tilt, &point);
	memmove(&out->point[at + 1], &out->point[at], (out->points - at) * sizeof(*out->point));
	out->point[at] = point;
	out->points++;
	return 0;
}

/* A load that there is: customers are whole. */
static double load(const struct search *s, double n)
{
	return s->in->arrivals ? n : round(n);
}

static unsigned int parts(const struct search *s, double high)
{
	return s->in->arrivals || high < MANY ? PARTS : PARTS_MANY;
}

static int look_between(struct search *s, double low, double high, unsigned int n)
{
	unsigned int k;
	int code = 0;

	for (k = 1; !code && k < n; k++)
		code = look(s, load(s, low + (high - low) * k / n));
	return code;
}

/* ---- search ---------------------------------------------------------------------- */

/* The first point that is too much, and the last before it that is not. */
static void bounds(const struct search *s, double *good, double *bad)
{
	const struct tl_capacity_out *out = s->out;
	size_t i;

	*good = 0;
	*bad = INFINITY;
	for (i = 0; i < out->points && isinf(*bad); i++) {
		if (!known(&out->point[i]))
			continue;
		if (s->over(&out->point[i]))
			*bad = out->point[i].n;
		else
			*good = out->point[i].n;
	}
}

/* Cut what is between into parts, until good and bad are neighbours. */
static int refine(struct search *s)
{
	double good, bad, exact;
	size_t before;
	int code = 0;

	do {
		bounds(s, &good, &bad);
		exact = s->in->arrivals ? RATE_EXACT * fmax(bad, RATE_LEAST * s->most) : 1;
		if (isinf(bad) || bad - good <= exact)
			break;
		before = s->out->points;
		code = look_between(s, good, bad, parts(s, bad));
	} while (!code && s->out->points > before);
	return code;
}

static bool out_of_range(const struct search *s, double n)
{
	return isinf(s->out->point[place_of(s->out, n)].residual);
}

/* The largest load that has a solution, nearly, between one that has and one that has none. */
static int solvable_to(struct search *s, double good, double *end)
{
	double middle;
	int code = 0;

	while (!code && *end - good > fmax(1, SOLVABLE_EXACT * good)) {
		middle = load(s, (good + *end) / 2);
		code = look(s, middle);
		if (!code && out_of_range(s, middle))
			*end = middle;
		else
			good = middle;
	}
	return code;
}

/* Double the load until it is too much, or there is no answer any more. */
static int customers_bracket(struct search *s)
{
	double good, bad, n, before = 0;
	int code;

	for (n = fmin(s->least, s->most);; before = n, n = fmin(2 * n, s->most)) {
		code = look(s, n);
		bounds(s, &good, &bad);
		if (code || isfinite(bad) || n >= s->most || out_of_range(s, n))
			break;
	}
	if (!code && out_of_range(s, n))
		code = solvable_to(s, before, &n);
	return code ? code : look_between(s, s->least, n, parts(s, n));
}

/* Of arrivals, the load that saturates is looked at, too. */
static int arrivals_bracket(struct search *s)
{
	int code = look_between(s, 0, s->most, PARTS);

	return code ? code : look(s, s->in->until > 0 ? s->most : SATURATED * s->most);
}

static int bracket(struct search *s)
{
	return s->in->arrivals ? arrivals_bracket(s) : customers_bracket(s);
}

static bool time_limited(const struct tl_capacity_in *in)
{
	size_t i;

	for (i = 0; i < in->limits; i++)
		if (in->limit[i].what != TL_LIMIT_UTILISATION)
			return true;
	return false;
}

/* How far to look if nothing is ever too much. Times rise without end, the rest does not. */
static double farthest(const struct search *s)
{
	double n = s->out->saturation.n;

	if (s->in->arrivals && isinf(n))
		n = 1e3 * s->in->lqn->entries; /* nothing is ever saturated, whatever comes */
	else if (!s->in->arrivals && !s->in->limits)
		n = ceil(2 * n) + 1;
	else if (!s->in->arrivals)
		n = time_limited(s->in) ? CUSTOMERS_MOST :
					  ceil(fmax(SATURATIONS * n, 4 * s->least));
	if (!s->in->arrivals)
		n = fmin(n, CUSTOMERS_MOST);
	return s->in->until > 0 ? fmin(n, s->in->until) : n;
}

/* ---- simulations ------------------------------------------------------------------ */

static void judge_all(struct search *s, int tilt)
{
	size_t i;

	s->tilt = tilt;
	for (i = 0; i < s->out->points; i++)
		tl_capacity_judge(s->in, s->out, tilt, &s->out->point[i]);
}

/* Simulate a load: how times are spread is known then, or nothing is. */
static int simulate(struct search *s, double n)
{
	if (s->in->progress)
		s->in->progress(s->in->arg, n, true);
	return tl_capacity_simulate(s->in, &s->work, n, s->out);
}

static bool simulated_near(const struct search *s, double n)
{
	double exact = s->in->arrivals ? SIMULATED_EXACT * n : fmax(1, SIMULATED_EXACT * n);
	size_t i;

	for (i = 0; i < s->out->shapes; i++)
		if (fabs(s->out->shape[i].n - n) <= exact)
			return true;
	return false;
}

static bool any_simulated(const struct tl_capacity_in *in)
{
	size_t i;

	for (i = 0; i < in->limits; i++)
		if (tl_limit_is_simulated(&in->limit[i]))
			return true;
	return false;
}

/* Where the answer is, by what is known so far: the load to be simulated. */
static double answer_now(const struct search *s)
{
	double good, bad;

	bounds(s, &good, &bad);
	return good > 0 ? good : s->in->arrivals ? s->out->point[0].n : s->least;
}

/* @good: both ends of the interval that the last simulations leave. */
static int tilted(struct search *s, double *good)
{
	double bad;
	int tilt, code = 0;

	for (tilt = 1; !code && tilt >= -1; tilt -= 2) {
		judge_all(s, tilt);
		code = refine(s);
		bounds(s, &good[tilt < 0], &bad);
	}
	judge_all(s, 0);
	return code;
}

/* Simulate a load, if none nearby has been, and search again. Return: whether it was. */
static bool simulate_and_refine(struct search *s, double n, int *code)
{
	n = fmax(load(s, n), s->least);
	if (simulated_near(s, n))
		return false;
	*code = simulate(s, n);
	if (*code || s->out->verdict == TL_CAPACITY_UNKNOWN)
		return false;
	judge_all(s, 0);
	*code = refine(s);
	return !*code;
}

/* At the answer, until it stays; then at parts of it, because limits may be exceeded
 * there already; and again. */
static int simulations(struct search *s)
{
	static const double parts[] = { 0.1, 0.4, 0.7 };
	double answer;
	unsigned int i;
	int code = 0;

	for (i = 0; i < SIMULATIONS_MAX; i++)
		if (!simulate_and_refine(s, answer_now(s), &code))
			break;
	answer = answer_now(s);
	for (i = 0; !code && i < sizeof(parts) / sizeof(*parts); i++)
		if (s->out->verdict != TL_CAPACITY_UNKNOWN)
			simulate_and_refine(s, parts[i] * answer, &code);
	for (i = 0; !code && i < SIMULATIONS_MAX; i++)
		if (s->out->verdict == TL_CAPACITY_UNKNOWN ||
		    !simulate_and_refine(s, answer_now(s), &code))
			break;
	if (!code && s->out->verdict != TL_CAPACITY_UNKNOWN && !simulated_near(s, answer_now(s))) {
		s->out->simulation = TL_LQN_NOT_CONVERGED;
		s->out->verdict = TL_CAPACITY_UNKNOWN;
	}
	return code;
}

/* ---- answer ------------------------------------------------------------------------ */


/* Least and largest load that is to be believed, looked for where it begins and ends. */
static int belief(struct search *s)
{
	struct tl_capacity_out *out = s->out;
	size_t i, first, last;

	for (first = 0; first < out->points && !out->point[first].believed; first++)
		;
	for (last = first; last + 1 < out->points && out->point[last + 1].believed; last++)
		;
	if (first == out->points)
		return 0;
	if (last + 1 < out->points) {
		double low = out->point[last].n, high = out->point[last + 1].n;
		int code = look_between(s, low, high, parts(s, high));

		if (code)
			return code;
		first = place_of(out, out->point[first].n);
		for (i = place_of(out, low); i + 1 < out->points && out->point[i + 1].believed; i++)
			;
		last = i;
	}
	out->believed[0] = out->point[first].n;
	out->believed[1] = out->point[last].n;
	return 0;
}

/* The limit that is exceeded by most. */
static size_t limit_broken(const struct tl_capacity_in *in, const struct tl_capacity_point *point)
{
	size_t i, worst = in->limits;
	double most = 0, ratio;

	if (point->state != TL_POINT_BREAKS)
		return in->limits;
	for (i = 0; i < in->limits; i++) {
		ratio = in->limit[i].most > 0 ? point->value[i] / in->limit[i].most :
						point->value[i] > 0 ? INFINITY : 0;
		if (ratio > most) {
			most = ratio;
			worst = i;
		}
	}
	return worst;
}

static void again_see(struct search *s, double bad)
{
	struct tl_capacity_out *out = s->out;
	size_t i;

	for (i = place_of(out, bad); i < out->points && !out->again; i++)
		if (out->point[i].state == TL_POINT_HOLDS)
			out->again = out->point[i].n;
}

static void conclude(struct search *s, double good, double bad)
{
	struct tl_capacity_out *out = s->out;
	size_t i;

	out->max = good;
	out->best = good > 0 ? place_of(out, good) : TL_LQN_NONE;
	for (i = 0; i < out->points && out->point[i].n < good; i++)
		out->holes += !known(&out->point[i]);
	if (isfinite(bad)) {
		out->broken = place_of(out, bad);
		out->limit = limit_broken(s->in, &out->point[out->broken]);
		again_see(s, bad);
	}
	if (out->verdict == TL_CAPACITY_UNKNOWN)
		return;
	for (i = place_of(out, good) + (good > 0); i < out->points && out->point[i].n < bad; i++)
		if (!known(&out->point[i]))
			out->verdict = TL_CAPACITY_LEAST;
	if (isinf(bad) && out->verdict != TL_CAPACITY_LEAST)
		out->verdict = TL_CAPACITY_UNLIMITED;
	if (!(good > 0))
		out->verdict = out->verdict == TL_CAPACITY_OK ? TL_CAPACITY_NONE :
								TL_CAPACITY_UNKNOWN;
	if (!s->in->limits && out->verdict == TL_CAPACITY_UNLIMITED)
		out->verdict = TL_CAPACITY_NO_LIMITS;
}

/* Some of the curve behind the answer, to see what comes then. */
static int beyond(struct search *s, double bad)
{
	double end = isfinite(bad) ? BEYOND * bad : s->most;

	if (s->in->arrivals)
		end = isfinite(s->out->saturation.n) ? RATE_MOST * s->out->saturation.n : end;
	else if (isfinite(s->out->saturation.n))
		end = fmax(end, fmin(ceil(2 * s->out->saturation.n), CUSTOMERS_MOST));
	if (s->in->until > 0)
		end = fmin(end, s->in->until);
	if (isinf(bad) || end <= bad)
		return 0;
	return look_between(s, bad, end, BEYOND_POINTS + 1);
}

/*
 * That arrivals saturate something is certain; that requests pile up is what a solver
 * says whose iterations end there. A simulation decides.
 */
static int steady_see(struct search *s)
{
	struct tl_capacity_out *out = s->out;
	const struct tl_capacity_point *point;
	double good, bad;
	int code;

	bounds(s, &good, &bad);
	point = isfinite(bad) ? &out->point[place_of(out, bad)] : NULL;
	if (!point || point->verdict != TL_LQN_UNSTABLE)
		return 0;
	if (s->in->progress)
		s->in->progress(s->in->arg, bad, true);
	code = tl_capacity_steady(s->in, &s->work, bad, &out->steady);
	if (code || !out->steady)
		return code;
	judge_all(s, 0);
	return refine(s);
}

static int search(struct search *s)
{
	double good, bad;
	int code;

	s->over = broken;
	s->least = tl_capacity_load_least(s->in);
	s->most = farthest(s);
	code = bracket(s);
	code = code ? code : refine(s);
	code = code ? code : steady_see(s);
	if (!code && any_simulated(s->in))
		code = simulations(s);
	if (code)
		return code;
	bounds(s, &good, &bad);
	code = any_simulated(s->in) && s->out->shapes ? tilted(s, s->out->max95) : 0;
	if (!any_simulated(s->in))
		s->out->max95[0] = s->out->max95[1] = good;
	code = code ? code : beyond(s, bad);
	code = code ? code : belief(s);
	if (!code)
		conclude(s, good, bad);
	return code;
}

/**
 * tl_capacity() - Find the largest load under limits
 * @in: network, what varies, limits
 * @out: filled in, to be given to tl_capacity_free() in any case
 *
 * Return: 0 whatever the verdict; -EINVAL if nothing varies, or more limits are given
 * than there is room for; -ENOMEM.
 */
int tl_capacity(const struct tl_capacity_in *in, struct tl_capacity_out *out)
{
	struct search s = { .in = in, .out = out };
	size_t n = in->arrivals ? in->lqn->entries : in->lqn->tasks, i;
	bool any = false;
	int code;

	*out = (struct tl_capacity_out){ .best = TL_LQN_NONE, .broken = TL_LQN_NONE,
					 .limit = in->limits };
	for (i = 0; i < n; i++)
		any = any || in->vary[i];
	if (!any || in->limits > TL_LIMITS_MAX)
		return -EINVAL;
	code = tl_capacity_asymptote(in, &out->saturation);
	code = code ? code : tl_lqn_copy(&s.work, in->lqn);
	code = code ? code : search(&s);
	tl_lqn_free(&s.work);
	return code;
}

/**
 * tl_capacity_free() - Free what was found
 * @out: result of tl_capacity()
 */
void tl_capacity_free(struct tl_capacity_out *out)
{
	size_t i, k;

	for (i = 0; i < out->points; i++) {
		free(out->point[i].processor);
		free(out->point[i].task);
	}
	for (i = 0; i < out->shapes; i++)
		for (k = 0; k < TL_LIMITS_MAX; k++)
			free(out->shape[i].watched[k].count);
	free(out->point);
	free(out->shape);
}
