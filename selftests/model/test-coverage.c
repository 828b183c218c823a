// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do 95 % intervals contain the truth in at least 90 of 100 cases?
 *
 * Services are simulated, measured with one point of noise on each utilisation, and
 * their demands estimated by every model from what it may know. What a model says it
 * cannot identify does not count, of what it does not know but can bound its bounds do; classes that really come together always, and only
 * those, must be said to be so. MODEL_REPEATS services of each kind.
 */
#include "tap.h"

#include "sim.h"

#include "model/baseline.h"
#include "model/chance.h"
#include "model/design.h"
#include "model/nnls.h"
#include "model/ols.h"
#include "model/queue.h"
#include "model/residence.h"
#include "model/ridge.h"
#include "model/sdl.h"
#include "model/split.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum model { OLS, NNLS, RIDGE, BASELINE, SDL, RESIDENCE, QUEUE, OWN_OLS, OWN_NNLS,
	     OWN_RIDGE, MODELS };

static const char *const model_names[MODELS] = {
	[OLS] = "ols", [NNLS] = "nnls", [RIDGE] = "ridge", [BASELINE] = "baseline",
	[SDL] = "sdl", [RESIDENCE] = "residence", [QUEUE] = "queue",
	[OWN_OLS] = "ols of own time", [OWN_NNLS] = "nnls of own time",
	[OWN_RIDGE] = "ridge of own time",
};

struct kind {
	const char *name;
	size_t classes;
	enum sim_mixes mixes;
	enum sim_service service;
	double busiest, background;
	unsigned int clients;
	uint32_t models; /* which it is for */
	bool come_and_go; /* the clients */
};

#define BIT(x) (1U << (x))
#define UTILISATION (BIT(OLS) | BIT(NNLS) | BIT(RIDGE) | BIT(BASELINE) | BIT(SDL))
#define ALL (UTILISATION | BIT(RESIDENCE) | BIT(QUEUE))
#define OWN (BIT(OWN_OLS) | BIT(OWN_NNLS) | BIT(OWN_RIDGE))

/* Regressions of own time leave the waiting in, so they are for light load. Residence
 * and queue want requests that arrive by chance. */
static const struct kind kinds[] = {
	{ "varied mixes", 5, SIM_VARIED, SIM_EXPONENTIAL, 0.6, 0, 0,
	  UTILISATION | BIT(RESIDENCE) | BIT(QUEUE), false },
	{ "twelve classes", 12, SIM_VARIED, SIM_EXPONENTIAL, 0.8, 0.02, 0,
	  UTILISATION | BIT(RESIDENCE) | BIT(QUEUE), false },
	{ "collinear mixes", 6, SIM_COLLINEAR, SIM_EXPONENTIAL, 0.6, 0.02, 0,
	  UTILISATION | BIT(RESIDENCE) | BIT(QUEUE), false },
	{ "fixed service times", 6, SIM_VARIED, SIM_FIXED, 0.6, 0.04, 0,
	  UTILISATION | BIT(RESIDENCE), false },
	{ "service times that vary much", 6, SIM_VARIED, SIM_LOGNORMAL, 0.6, 0.04, 0,
	  UTILISATION | BIT(RESIDENCE) | BIT(QUEUE), false },
	{ "light load", 5, SIM_VARIED, SIM_EXPONENTIAL, 0.12, 0.02, 0, UTILISATION | OWN, false },
	{ "mixes that hardly vary", 6, SIM_CONSTANT, SIM_LOGNORMAL, 0.6, 0, 0,
	  BIT(OLS) | BIT(NNLS) | BIT(RIDGE) | BIT(SDL), false },
	{ "clients that wait", 4, SIM_CONSTANT, SIM_EXPONENTIAL, 0.6, 0.02, 20, ALL, false },
	{ "five clients", 4, SIM_CONSTANT, SIM_LOGNORMAL, 0.3, 0, 5, ALL, false },
	{ "clients that wait, mixes vary", 4, SIM_VARIED, SIM_EXPONENTIAL, 0.6, 0.02, 20, ALL, false },
	{ "sixty clients, mixes vary", 4, SIM_VARIED, SIM_LOGNORMAL, 0.3, 0.02, 60, ALL, false },
	{ "clients that come and go", 4, SIM_VARIED, SIM_EXPONENTIAL, 0.6, 0.02, 20, ALL, true },
	{ "clients at light load", 4, SIM_VARIED, SIM_EXPONENTIAL, 0.12, 0.02, 20,
	  OWN | BIT(QUEUE), true },
};

struct tally {
	double inside, all;
};

struct measured {
	const struct sim *sim;
	size_t n, p;
	double *count, *seconds, *target, *time, *busy, *residual;
	struct tl_design_out with, without;
	struct tally *tally;
};

static void count(struct tally *tally, const struct tl_estimate *e, double truth)
{
	if (e->verdict == TL_VERDICT_INSEPARABLE || e->verdict == TL_VERDICT_ABSENT)
		return;
	tally->all++;
	tally->inside += e->low95 <= truth * (1 + 1e-9) && truth <= e->high95 * (1 + 1e-9);
}

static bool usable(const struct sim *sim, size_t w)
{
	size_t k;

	for (k = 0; k < sim->stations; k++)
		if (sim->busy[w][k] > 0.95)
			return false;
	return true;
}

/* Windows that are not saturated move to the front. */
static void measure(struct measured *m, struct sim *sim, struct tally *tally)
{
	size_t w, p = sim->classes;
	struct tl_design_in in;

	*m = (struct measured){ .sim = sim, .p = p, .tally = tally };
	for (w = 0; w < sim->windows; w++) {
		if (!usable(sim, w))
			continue;
		memmove(sim->count[m->n], sim->count[w], sizeof(sim->count[w]));
		memmove(sim->own_s[m->n], sim->own_s[w], sizeof(sim->own_s[w]));
		memmove(sim->busy[m->n], sim->busy[w], sizeof(sim->busy[w]));
		m->n++;
	}
	m->count = calloc(m->n * p, sizeof(double));
	m->time = calloc(m->n * p, sizeof(double));
	m->busy = calloc(m->n * SIM_STATIONS, sizeof(double));
	m->seconds = calloc(m->n, sizeof(double));
	m->target = calloc(m->n, sizeof(double));
	m->residual = calloc(m->n, sizeof(double));
	for (w = 0; w < m->n; w++) {
		m->seconds[w] = sim->seconds;
		memcpy(m->count + w * p, sim->count[w], p * sizeof(double));
	}
	in = (struct tl_design_in){ m->n, p, m->count, m->seconds, true };
	tl_design(&in, &m->with);
	in.background = false;
	tl_design(&in, &m->without);
}

static void measured_free(struct measured *m)
{
	tl_design_free(&m->with);
	tl_design_free(&m->without);
	free(m->count);
	free(m->time);
	free(m->busy);
	free(m->seconds);
	free(m->target);
	free(m->residual);
}

/* Σ over the windows, per request of the class. */
static double mean_of(const struct measured *m, const double *time, size_t class)
{
	double sum = 0, requests = 0;
	size_t w;

	for (w = 0; w < m->n; w++) {
		sum += time[w * m->p + class];
		requests += m->count[w * m->p + class];
	}
	return requests > 0 ? sum / requests : 0;
}

static int (*const linear[])(const struct tl_ols_in *, struct tl_ols_out *) = {
	[OLS] = tl_ols, [NNLS] = tl_nnls_regression, [RIDGE] = tl_ridge,
	[BASELINE] = tl_baseline,
};

/* What the command does with what a regression says. */
static void judge(struct measured *m, struct tl_estimate *coefficient)
{
	struct tl_chance_in in = { m->n, m->p, m->count, m->seconds, m->target, m->residual };

	tl_chance_judge(&in, coefficient);
}

static void regress(struct measured *m, enum model model, const struct tl_design_out *design,
		    enum model by, const double *truth)
{
	struct tl_estimate coefficient[SIM_CLASSES + 1];
	struct tl_ols_in in = { design, m->target, false };
	struct tl_ols_out out = { .coefficient = coefficient, .residual = m->residual };
	size_t i;

	if (linear[by](&in, &out))
		return;
	judge(m, coefficient);
	for (i = 0; i < (by == BASELINE ? 1 : m->p); i++)
		count(&m->tally[model], &coefficient[i], truth[i]);
}

static void times_take(struct measured *m, size_t tier)
{
	size_t w;

	for (w = 0; w < m->n; w++)
		memcpy(m->time + w * m->p, m->sim->own_s[w][tier], m->p * sizeof(double));
}

/* Stations of the first two tiers are alone there. */
static void by_times(struct measured *m, size_t station, uint32_t models)
{
	struct tl_estimate demand[SIM_CLASSES];
	struct tl_sdl_in shared = { m->n, m->p, m->count, m->time, m->seconds, m->target,
				    NULL };
	struct tl_sdl_out shared_out = { .demand = demand, .residual = m->residual };
	struct tl_residence_in in = { m->n, m->p, 1, m->count, m->time, m->seconds,
				      m->target };
	struct tl_residence_out out = { .service = demand };
	const double *truth = m->sim->station[station].demand_s;
	size_t i;

	times_take(m, m->sim->station[station].tier);
	if (models & BIT(SDL) && !tl_sdl(&shared, &shared_out))
		for (i = 0; i < m->p; i++)
			count(&m->tally[SDL], &demand[i], truth[i]);
	if (models & BIT(RESIDENCE) && !tl_residence(&in, &out))
		for (i = 0; i < m->p; i++)
			count(&m->tally[RESIDENCE], &demand[i], truth[i]);
}

static void resources(struct measured *m, uint32_t models)
{
	double requests = 0, mean;
	size_t k, w, i;
	enum model model;

	for (w = 0; w < m->n * m->p; w++)
		requests += m->count[w];
	for (k = 0; k < m->sim->stations; k++) {
		const double *truth = m->sim->station[k].demand_s;

		for (w = 0, mean = 0; w < m->n; w++) {
			m->target[w] = m->sim->busy[w][k];
			for (i = 0; i < m->p; i++)
				mean += m->count[w * m->p + i] * truth[i] / requests;
		}
		for (model = OLS; model <= BASELINE; model++)
			if (models & BIT(model))
				regress(m, model, &m->with, model,
					model == BASELINE ? &mean : truth);
		if (k < 2)
			by_times(m, k, models);
	}
}

static void queue(struct measured *m, size_t tier)
{
	struct tl_estimate coefficient[SIM_CLASSES + 1], factor[SIM_STATIONS];
	struct tl_queue_in in = { { &m->without, m->target, false }, &m->with, 0, m->busy };
	struct tl_queue_out out = { { .coefficient = coefficient, .residual = m->residual },
				    factor };
	double truth[SIM_CLASSES] = { 0 };
	size_t k, w, i;

	for (k = 0; k < m->sim->stations; k++) {
		if (m->sim->station[k].tier != tier)
			continue;
		in.resources++;
		for (i = 0; i < m->p; i++)
			truth[i] += m->sim->station[k].demand_s[i];
	}
	for (w = 0; w < m->n; w++)
		for (k = 0, i = 0; k < m->sim->stations; k++)
			if (m->sim->station[k].tier == tier)
				m->busy[w * in.resources + i++] = m->sim->busy[w][k];
	if (tl_queue(&in, &out))
		return;
	judge(m, coefficient);
	for (i = 0; i < m->p; i++)
		count(&m->tally[QUEUE], &coefficient[i], truth[i]);
}

static void own_times(struct measured *m, uint32_t models)
{
	double mean[SIM_CLASSES];
	size_t t, w, i;
	int model;

	for (t = 0; t < m->sim->tiers; t++) {
		times_take(m, t);
		for (w = 0; w < m->n; w++)
			for (i = 0, m->target[w] = 0; i < m->p; i++)
				m->target[w] += m->time[w * m->p + i] / m->seconds[w];
		for (i = 0; i < m->p; i++)
			mean[i] = mean_of(m, m->time, i);
		for (model = OLS; model <= RIDGE; model++)
			if (models & BIT(OWN_OLS + model))
				regress(m, (enum model)(OWN_OLS + model), &m->without,
					(enum model)model, mean);
		if (models & BIT(QUEUE))
			queue(m, t);
	}
}

/* Return: whether exactly those classes are inseparable that are. */
static bool sets_right(const struct measured *m, const struct kind *kind)
{
	enum sim_mixes mixes = kind->mixes;
	size_t i;

	if (mixes == SIM_CONSTANT || (kind->clients && !kind->come_and_go))
		return true; /* there chance decides */
	for (i = 0; i < m->p; i++)
		if (!m->with.set[i] != !(mixes == SIM_COLLINEAR && i < 2))
			return false;
	return m->with.sets == (mixes == SIM_COLLINEAR);
}

static void simulate(struct sim *sim, const struct kind *kind, uint64_t seed)
{
	double rate = 0;
	size_t i, k;

	sim_seed(sim, seed);
	sim->seconds = 10;
	sim->noise = 0.01;
	sim->service = kind->service;
	sim_shape(sim, kind->classes, 60, kind->mixes, kind->busiest);
	for (k = 0; k < sim->stations; k++)
		sim->station[k].background = kind->background;
	for (i = 0; i < sim->classes; i++)
		rate += sim->rate[0][i];
	sim->clients = kind->clients;
	sim->think_s = kind->clients / rate;
	for (i = 0; i < sim->windows; i++)
		sim->active[i] = !kind->come_and_go ? 0 :
			1 + (unsigned int)((kind->clients - 1) * sim_uniform(sim));
}

static void test_kind(struct sim *sim, const struct kind *kind, int repeats)
{
	struct tally tally[MODELS] = { 0 };
	int i, wrong = 0, ran = 0;
	struct measured m;

	for (i = 0; i < repeats; i++) {
		simulate(sim, kind, 7000 + (uint64_t)i);
		if (sim_run(sim))
			continue;
		ran++;
		measure(&m, sim, tally);
		wrong += !sets_right(&m, kind);
		resources(&m, kind->models);
		own_times(&m, kind->models);
		measured_free(&m);
	}
	ok(ran == repeats && !wrong, "%s: inseparable classes are named in %d of %d",
	   kind->name, ran - wrong, repeats);
	for (i = 0; i < MODELS; i++)
		if (kind->models & BIT(i))
			ok(tally[i].all > 0 && tally[i].inside >= 0.9 * tally[i].all,
			   "%s, %s: %.1f %% of %.0f intervals contain the truth", kind->name,
			   model_names[i], 100 * tally[i].inside / tally[i].all, tally[i].all);
}

/* The last tier's processor and disk, of which the times have both. */
static void test_split(struct sim *sim, const struct kind *kind, int repeats)
{
	struct tl_estimate demand[2 * (SIM_CLASSES + 1)];
	struct tally tally[MODELS] = { 0 };
	double factor[2];
	struct measured m;
	size_t w, k;
	int i;

	for (i = 0; i < repeats; i++) {
		struct tl_split_in in;
		struct tl_split_out out = { .demand = demand, .factor = factor };

		simulate(sim, kind, 9000 + (uint64_t)i);
		sim->station[3].discipline = SIM_SHARED;
		if (sim_run(sim))
			continue;
		measure(&m, sim, tally);
		times_take(&m, 2);
		for (w = 0; w < 2 * m.n; w++)
			m.busy[w] = sim->busy[w / 2][2 + w % 2];
		in = (struct tl_split_in){ m.n, m.p, 2, m.count, m.time, m.seconds, m.busy };
		if (!tl_split(&in, &out))
			for (k = 0; k < 2 * m.p; k++)
				count(&tally[k / m.p], &demand[k / m.p * (m.p + 1) + k % m.p],
				      sim->station[2 + k / m.p].demand_s[k % m.p]);
		measured_free(&m);
	}
	for (k = 0; k < 2; k++)
		ok(tally[k].all >= 0.9 * repeats * (double)kind->classes &&
			   tally[k].inside >= 0.9 * tally[k].all,
		   "%s, %s beside another resource: %.1f %% of %.0f intervals contain the truth",
		   kind->name, k ? "disk" : "processor", 100 * tally[k].inside / tally[k].all,
		   tally[k].all);
}

int main(void)
{
	const char *repeats = getenv("MODEL_REPEATS");
	struct sim *sim = calloc(1, sizeof(*sim));
	size_t i;

	gsl_set_error_handler_off();
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		test_kind(sim, &kinds[i], repeats ? atoi(repeats) : 60);
	test_split(sim, &kinds[0], repeats ? atoi(repeats) : 60);
	test_split(sim, &kinds[5], repeats ? atoi(repeats) : 60);
	free(sim);
	return done();
}
