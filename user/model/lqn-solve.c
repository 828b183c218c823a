// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layered queueing networks, solved without simulation
 *
 * With customers of one kind, without arrivals and with exponential services, one
 * solution of the networks within networks is all there is. Else what they are solved
 * with depends on what comes out, and they are solved again until that stays as it is:
 * how often customers of several kinds come, how long threads are held for whom, how
 * many works of others are at a shared station.
 */
#include "lqn-solve.h"

#include "lqn-nest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS_MAX 500
#define ITERATIONS_FEW 150 /* after which what is good enough is enough */
#define CHANGE_MAX 1e-5 /* relative, of an iteration */
#define IDLE_MAX 1e-3 /* chance that all threads are in use, for them to be no limit */
#define CHECK_MAX 0.01 /* off from a law by more, it is no solution */
#define BUSY_FIRST 0.9 /* of a processor, to begin with */
#define TRIES_MAX 12
#define DAMPING_MIN 0.25
#define DAMPING_MAX 1.5
#define THERE_MIN 1e-3 /* of others' works, that are elsewhere at least */
#define RESIDUAL_MAX 1e-4 /* with which figures are figures */

/* What all contexts ask of a processor or a task, and how many closed works may ask for it. */
struct shared {
	double asked[NEST_PARTS], works;
};

struct iteration {
	struct nest nest;
	struct shared *others; /* [processors + tasks] */
	bool shared;
	double *last; /* [uses] relative changes */
	double change, damping;
};

static double cycle_s(const struct nest *nest, size_t task)
{
	size_t u = nest_use_find(nest, nest->lqn->task[task].first_entry, NEST_TOP, NEST_SYNC,
				 nest_chain_of(nest, task));

	return nest->lqn->task[task].think_s + nest->use[u].service_s[0] +
	       nest->use[u].service_s[1];
}

static void cycles_update(struct iteration *it, double damping)
{
	struct nest *nest = &it->nest;
	size_t t;

	for (t = 0; t < nest->lqn->tasks; t++) {
		double old = nest->cycles_per_s[t], new;

		if (!nest->lqn->task[t].reference)
			continue;
		new = nest->lqn->task[t].threads / cycle_s(nest, t);
		if (old > 0) {
			it->change = fmax(it->change, fabs(new / old - 1));
			new = old * pow(new / old, damping);
		}
		nest->cycles_per_s[t] = new;
	}
}

/*
 * Relative changes of the uses' times, and whether they go on in the direction of the
 * last ones or turn around: λ = Σ d d' / Σ d'². Of a step of damping ω, 1 - λ = ω (1 - λ')
 * with λ' that of a whole step, and what makes it none is ω / (1 - λ) (B. M. Irons,
 * R. C. Tuck, 1969).
 */
static void changes_take(struct iteration *it, const double *before)
{
	const struct nest *nest = &it->nest;
	double along = 0, square = 0;
	size_t u;

	for (u = 0; u < nest->uses; u++) {
		double now = nest->use[u].reply_s, most = fmax(now, before[u]);
		double change = most > 0 ? (now - before[u]) / most : 0;

		it->change = fmax(it->change, fabs(change));
		along += change * it->last[u];
		square += it->last[u] * it->last[u];
		it->last[u] = change;
	}
	if (square > 0)
		it->damping = fmin(fmax(it->damping / fmax(1 - along / square, 0.5), DAMPING_MIN),
				   DAMPING_MAX);
}

static struct nest_station *next_station(struct nest *nest, size_t *c, size_t *s)
{
	while (*c < nest->contexts && *s >= nest->context[*c].stations) {
		++*c;
		*s = 0;
	}
	return *c < nest->contexts ? &nest->context[*c].station[(*s)++] : NULL;
}

static double asked_of(const struct nest_station *station)
{
	return station->demand[NEST_SYNC] + station->demand[NEST_ASYNC] +
	       station->demand[NEST_OPEN];
}

/* What is asked of a station, closed or open; within threads all is closed. */
static double part_of(size_t context, const struct nest_station *station, size_t part)
{
	return part == NEST_CLOSED || context == NEST_TOP ?
	       nest_asked(context, station->demand, part) : 0;
}

static struct shared *shared_of(struct iteration *it, const struct nest_station *station)
{
	return &it->others[station->of + (station->pool ? it->nest.lqn->processors : 0)];
}

static double works_of(const struct nest *nest, size_t context)
{
	const struct nest_context *c = &nest->context[context];

	return fmax(context == NEST_TOP ? nest->customers : (double)c->limit,
		    (double)c->net.customers);
}

/*
 * What a context sees of the others at a station that they share. So many of their works ask for it
 * that are not there: to get what they ask for in the mean, they must ask for more if none is.
 */
static void others_set(struct iteration *it, size_t context, struct nest_station *station)
{
	const struct shared *all = shared_of(it, station);
	double here = part_of(context, station, NEST_CLOSED) > 0 ? works_of(&it->nest, context) : 0;
	size_t i;

	for (i = 0; i < NEST_PARTS; i++) {
		station->others[i] = all->asked[i] - part_of(context, station, i);
		if (station->others[i] < 1e-12 * (all->asked[0] + all->asked[1]))
			station->others[i] = 0;
		it->shared = it->shared || station->others[i] > 0;
	}
	station->sources = fmax(all->works - here, 1);
	station->strength = station->others[NEST_CLOSED];
	if (station->counted)
		station->strength /= fmax(1 - station->others_there / station->sources, THERE_MIN);
}

static void others_update(struct iteration *it)
{
	struct nest *nest = &it->nest;
	struct nest_station *station;
	size_t c, s, i;

	memset(it->others, 0, (nest->lqn->processors + nest->lqn->tasks) * sizeof(*it->others));
	for (c = s = 0; (station = next_station(nest, &c, &s));) {
		struct shared *all = shared_of(it, station);

		for (i = 0; i < NEST_PARTS; i++)
			all->asked[i] += part_of(c, station, i);
		if (part_of(c, station, NEST_CLOSED) > 0)
			all->works += works_of(nest, c);
	}
	for (c = s = 0; (station = next_station(nest, &c, &s));)
		others_set(it, c, station);
}

static void cycles_lower(struct iteration *it, double factor)
{
	size_t t;

	for (t = 0; t < it->nest.lqn->tasks; t++)
		it->nest.cycles_per_s[t] *= factor;
}

/* If nobody waited, customers might ask for more than processors have: begin with less. */
static double lowest(const struct iteration *it)
{
	double factor = 1;
	size_t p;

	for (p = 0; p < it->nest.lqn->processors; p++) {
		double asked = it->others[p].asked[NEST_CLOSED] + it->others[p].asked[!NEST_CLOSED];

		if (asked > 0)
			factor = fmin(factor, BUSY_FIRST * it->nest.lqn->processor[p].servers / asked);
	}
	return factor;
}

static int begin(struct iteration *it, const struct tl_lqn *lqn, const bool *idle)
{
	struct nest *nest = &it->nest;
	size_t t;
	int code = nest_new(nest, lqn, idle);

	it->others = calloc(lqn->processors + lqn->tasks + 1, sizeof(*it->others));
	it->damping = 1;
	if (code || !it->others)
		return -ENOMEM;
	for (t = 0; t < lqn->tasks; t++)
		nest->cycles_per_s[t] = lqn->task[t].reference ? lqn->task[t].threads : 0;
	code = nest_flow(nest);
	if (code)
		return code;
	nest_times_idle(nest);
	nest_times(nest);
	cycles_update(it, 1);
	code = nest_flow(nest);
	others_update(it);
	cycles_lower(it, lowest(it));
	it->change = 0;
	return code;
}

static int iterate(struct iteration *it, size_t *culprit)
{
	struct nest *nest = &it->nest;
	double *before = calloc(nest->uses + 1, sizeof(*before));
	bool first = false;
	size_t u;
	int code = before ? nest_flow(nest) : -ENOMEM;

	if (!code) {
		others_update(it);
		code = nest_solve(nest, culprit);
	}
	if (!code)
		code = nest_spread(nest);
	for (u = 0; before && u < nest->uses; u++)
		before[u] = nest->use[u].reply_s;
	it->change = 0;
	if (!code) {
		nest_times(nest);
		changes_take(it, before);
		code = nest_general(nest, it->damping, &first);
	}
	if (!code) {
		nest_chains_share(nest, it->damping, &it->change);
		cycles_update(it, it->damping);
	}
	if (first)
		it->change = fmax(it->change, 1);
	free(before);
	return code;
}

static int settle(struct iteration *it, unsigned int *iterations, size_t *culprit)
{
	unsigned int tries = 0;
	int code = 0;

	it->last = calloc(it->nest.uses + 1, sizeof(*it->last));
	if (!it->last)
		return -ENOMEM;
	for (*iterations = 0; !code && *iterations < ITERATIONS_MAX; ++*iterations) {
		code = iterate(it, culprit);
		if ((code == -EDOM || code == -EOVERFLOW) && tries++ < TRIES_MAX) {
			/* Too many cycles for what arrives, perhaps: that is not known yet. */
			cycles_lower(it, 0.8);
			code = 0;
			continue;
		}
		if (!code && it->nest.effort > NEST_EFFORT_MAX)
			code = -ERANGE;
		if (code || it->change < (*iterations < ITERATIONS_FEW ? CHANGE_MAX : RESIDUAL_MAX))
			break;
	}
	return code ? code : nest_flow(&it->nest);
}

/* ---- figures -------------------------------------------------------------------- */

static void entry_figures(const struct nest *nest, size_t e, struct tl_lqn_entry_figures *f)
{
	uint32_t threads = nest->lqn->task[nest->lqn->entry[e].task].threads;
	size_t u, p;

	for (u = nest->use_of[e]; u != TL_LQN_NONE; u = nest->use[u].next) {
		const struct nest_use *use = &nest->use[u];

		f->throughput_per_s += use->rate_per_s;
		f->waiting_s += use->rate_per_s * use->waiting_s;
		for (p = 0; p < TL_LQN_PHASES; p++)
			f->service_s[p] += use->rate_per_s * use->service_s[p];
	}
	f->utilisation = (f->service_s[0] + f->service_s[1]) /
			 (threads == TL_LQN_UNLIMITED ? 1 : threads);
	for (p = 0; p < TL_LQN_PHASES; p++)
		f->service_s[p] = f->throughput_per_s > 0 ? f->service_s[p] / f->throughput_per_s : 0;
	f->waiting_s = f->throughput_per_s > 0 ? f->waiting_s / f->throughput_per_s : 0;
}

/* Threads held: where they are a limit the networks tell, apart from what the entries do. */
static void task_figures(const struct nest *nest, size_t t, struct tl_lqn_figures *value)
{
	const struct tl_lqn_task *task = &nest->lqn->task[t];
	const struct nest_context *inside = &nest->context[nest->context_of[t]];
	struct tl_lqn_task_figures *f = &value->task[t];
	size_t e, k;

	for (e = task->first_entry; e < task->first_entry + task->entries; e++) {
		f->throughput_per_s += value->entry[e].throughput_per_s;
		f->utilisation += value->entry[e].utilisation;
	}
	if (task->reference)
		f->response_s = cycle_s(nest, t) - task->think_s;
	if (nest->context_of[t] == NEST_TOP || !inside->chance)
		return;
	for (f->utilisation = 0, k = 1; k <= inside->limit; k++)
		f->utilisation += (double)k * inside->chance[k] / (double)inside->limit;
}

static void processor_figures(const struct nest *nest, struct tl_lqn_figures *value)
{
	const struct tl_lqn *lqn = nest->lqn;
	size_t c, s, i, e;

	for (c = 0; c < nest->contexts; c++)
		for (s = 0; s < nest->context[c].stations; s++) {
			const struct nest_station *st = &nest->context[c].station[s];

			for (i = 0; !st->pool && i < (c == NEST_TOP ? NEST_PARTS : 1); i++)
				value->processor[st->of] +=
					nest_asked(c, st->demand, i) /
					lqn->processor[st->of].servers *
					(i == NEST_CLOSED ? nest->context[c].throughput : 1);
		}
	for (e = 0; e < lqn->entries; e++) {
		i = lqn->task[lqn->entry[e].task].processor;
		if (lqn->processor[i].servers == TL_LQN_UNLIMITED)
			value->processor[i] += value->entry[e].throughput_per_s *
					       (tl_lqn_demand_s(lqn, e, 0) +
						tl_lqn_demand_s(lqn, e, 1));
	}
}

static void figures_fill(const struct nest *nest, struct tl_lqn_figures *value)
{
	size_t i;

	for (i = 0; i < nest->lqn->entries; i++)
		entry_figures(nest, i, &value->entry[i]);
	for (i = 0; i < nest->lqn->tasks; i++)
		task_figures(nest, i, value);
	processor_figures(nest, value);
}

static size_t task_on(const struct tl_lqn *lqn, size_t processor)
{
	size_t t = 0;

	while (t + 1 < lqn->tasks && lqn->task[t].processor != processor)
		t++;
	return t;
}

/*
 * What piles up if there is no solution: of what nobody waits for, if there is any such,
 * the station that is asked for most.
 */
static void piles_up(const struct nest *nest, size_t context, struct tl_lqn_solution *solution)
{
	const struct nest_context *c = &nest->context[context];
	double most = -1, asked;
	size_t s;

	solution->verdict = TL_LQN_UNSTABLE;
	for (s = 0; s < c->stations; s++) {
		const struct nest_station *station = &c->station[s];

		asked = asked_of(station) / nest_own_speed(nest, station, 1e18);
		if (!(station->demand[NEST_ASYNC] + station->demand[NEST_OPEN] > 0))
			asked = 0;
		if (asked <= most)
			continue;
		most = asked;
		solution->culprit = station->pool ? station->of : task_on(nest->lqn, station->of);
	}
}

static int conclude(const struct iteration *it, int code, size_t culprit,
		    struct tl_lqn_solution *solution)
{
	double off;

	if (code == -EDOM || code == -EOVERFLOW) {
		piles_up(&it->nest, culprit, solution);
		return 0;
	}
	if (code)
		return code;
	solution->residual = it->change;
	if (!(it->change < RESIDUAL_MAX))
		solution->verdict = TL_LQN_NOT_CONVERGED;
	figures_fill(&it->nest, &solution->value);
	code = tl_lqn_checks(it->nest.lqn, solution);
	off = fmax(fmax(solution->checks.little, solution->checks.utilisation),
		   solution->checks.flow);
	if (off > CHECK_MAX) {
		solution->verdict = TL_LQN_NOT_CONVERGED;
		solution->residual = fmax(solution->residual, off);
	}
	return code;
}

static void end(struct iteration *it)
{
	nest_free(&it->nest);
	free(it->others);
	free(it->last);
}

/*
 * Tasks that will hardly ever have all threads in use: number in use without limits is
 * taken as geometric, which has a long tail.
 */
static void idle_fill(const struct iteration *it, bool *idle)
{
	const struct tl_lqn *lqn = it->nest.lqn;
	size_t t, e, u;

	for (t = 0; t < lqn->tasks; t++) {
		double held = 0;

		for (e = lqn->task[t].first_entry;
		     e < lqn->task[t].first_entry + lqn->task[t].entries; e++)
			for (u = it->nest.use_of[e]; u != TL_LQN_NONE; u = it->nest.use[u].next)
				held += it->nest.use[u].rate_per_s *
					(it->nest.use[u].service_s[0] + it->nest.use[u].service_s[1]);
		idle[t] = lqn->task[t].threads != TL_LQN_UNLIMITED &&
			  pow(held / (1 + held), lqn->task[t].threads) < IDLE_MAX;
	}
}

/*
 * Where contexts share stations, each sees of the others' works no more than what they
 * ask for. So as many of them as may be are made one: threads that hardly ever are a
 * limit are found by solving the network without any.
 */
static int begin_anew(struct iteration *it, unsigned int *iterations)
{
	const struct tl_lqn *lqn = it->nest.lqn;
	bool *idle = calloc(lqn->tasks + 1, sizeof(*idle));
	size_t t, culprit;
	int code = idle ? 0 : -ENOMEM;

	for (t = 0; idle && t < lqn->tasks; t++)
		idle[t] = true;
	if (!code) {
		end(it);
		*it = (struct iteration){ 0 };
		code = begin(it, lqn, idle);
	}
	if (!code)
		code = settle(it, iterations, &culprit);
	if (!code) {
		idle_fill(it, idle);
		end(it);
		*it = (struct iteration){ 0 };
		code = begin(it, lqn, idle);
	} else if (code != -ENOMEM) {
		end(it);
		*it = (struct iteration){ 0 };
		code = begin(it, lqn, NULL);
	}
	free(idle);
	return code;
}

/**
 * tl_lqn_solve() - Solve a layered queueing network
 * @lqn: network
 * @out: what came of it; the caller frees its solution in any case
 *
 * Return: 0 whatever the verdict, -ENOMEM, or -ERANGE with too many customers, which may be
 * few where contexts that share a station ask for nearly all of it.
 */
int tl_lqn_solve(const struct tl_lqn *lqn, struct tl_lqn_solve_out *out)
{
	struct iteration it = { 0 };
	size_t culprit = NEST_TOP;
	int code;

	*out = (struct tl_lqn_solve_out){ 0 };
	code = tl_lqn_solution_new(&out->solution, lqn);
	if (!code)
		code = tl_lqn_offered(lqn, &out->solution);
	if (code || out->solution.verdict != TL_LQN_OK)
		return code;
	code = begin(&it, lqn, NULL);
	if (!code && it.shared)
		code = begin_anew(&it, &out->iterations);
	if (!code)
		code = nest_chains_exact(&it.nest, &out->exact);
	if (!code && !out->exact)
		code = settle(&it, &out->iterations, &culprit);
	code = conclude(&it, code, culprit, &out->solution);
	end(&it);
	return code;
}
