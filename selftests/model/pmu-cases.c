// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmu-cases.h"

#include "sim.h"

#include "model/dtw.h"
#include "model/median.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_S 0.004

/* What the program does with bursts, in all of which counters are not concerned. */
static double *truth_of(const struct pmu_series *series, const struct pmu_case *how,
			struct sim *random)
{
	size_t cells = series->slices * series->events, i, e, lasts = how->lasts ? how->lasts : 1;
	double *truth = malloc(cells * sizeof(*truth)), times = 1;
	size_t left = 0;

	for (e = 0; truth && e < series->events; e++, left = 0)
		for (i = e; i < cells; i += series->events) {
			if (!left && e + 1 < series->events && how->bursts > 0 &&
			    sim_uniform(random) < how->bursts / (double)lasts) {
				left = lasts;
				times = 4 + 26 * sim_uniform(random);
			}
			truth[i] = series->value[i] * (left ? times : 1);
			left -= left > 0;
		}
	return truth;
}

/* Whose turn it is: the kernel moves the first in the row to its end after each tick. */
static bool counts(const struct pmu_case *how, size_t events, size_t event, size_t tick)
{
	size_t waiting = events - 1;

	if (!how->counters || event == events - 1)
		return true;
	return (event + waiting - tick % waiting) % waiting < how->counters;
}

static void fault(struct pmu_made *made, size_t cell, const struct pmu_case *how,
		  struct sim *random)
{
	double chance = sim_uniform(random);

	if (made->count[cell] <= 0)
		return;
	made->hit[cell] = chance < how->zeros + how->peaks;
	if (chance < how->zeros)
		made->count[cell] = 0;
	else if (chance < how->zeros + how->peaks)
		made->count[cell] *= 4 + 26 * sim_uniform(random);
	else if (how->noise > 0)
		made->count[cell] *= fmax(1 + how->noise * sim_normal(random), 0);
}

static void record_fill(struct pmu_made *made, const struct pmu_case *how, const double *slice,
			struct sim *random)
{
	size_t events = made->record.events, t, e, tick;

	for (t = 0; t < made->record.intervals; t++)
		for (e = 0; e < events; e++) {
			size_t cell = t * events + e;

			for (tick = t * how->ticks; tick < (t + 1) * how->ticks; tick++) {
				made->truth[cell] += slice[tick * events + e];
				made->enabled_s[cell] += TICK_S;
				if (!counts(how, events, e, tick))
					continue;
				made->running_s[cell] += TICK_S;
				made->count[cell] += slice[tick * events + e];
			}
			fault(made, cell, how, random);
		}
}

/* The record that a PMU gives of a series. */
int pmu_made_init(struct pmu_made *made, const struct pmu_series *series,
		  const struct pmu_case *how, struct sim *random)
{
	size_t intervals = series->slices / how->ticks, cells = intervals * series->events;
	double *slice = truth_of(series, how, random), *memory = calloc(4 * cells, sizeof(*memory));

	*made = (struct pmu_made){ .truth = memory, .count = memory + cells };
	made->hit = calloc(cells, sizeof(*made->hit));
	if (!slice || !memory || !made->hit) {
		free(slice);
		pmu_made_free(made);
		return -ENOMEM;
	}
	made->enabled_s = memory + 2 * cells;
	made->running_s = memory + 3 * cells;
	made->record = (struct tl_pmu_record){ intervals, series->events, made->count,
					       made->enabled_s, made->running_s };
	record_fill(made, how, slice, random);
	free(slice);
	return 0;
}

void pmu_made_free(struct pmu_made *made)
{
	free(made->truth);
	free(made->hit);
	*made = (struct pmu_made){ 0 };
}

/* What is learned of a run when few events are counted at a time: nothing is missed. */
int pmu_known(const struct pmu_series *series, const struct pmu_case *how, struct sim *random,
	      struct tl_pmu_run *run)
{
	struct pmu_case plain = { .ticks = how->ticks, .bursts = how->bursts,
				  .lasts = how->lasts };
	struct pmu_made made;
	bool *has = malloc(series->events);
	size_t i;

	if (!has || pmu_made_init(&made, series, &plain, random)) {
		free(has);
		return -ENOMEM;
	}
	memset(has, true, series->events);
	for (i = 0; i < made.record.intervals * series->events; i++)
		made.truth[i] /= made.enabled_s[i];
	*run = (struct tl_pmu_run){ made.record.intervals, made.truth, has };
	free(made.hit);
	return 0;
}

void pmu_known_free(struct tl_pmu_run *run)
{
	free((double *)run->rate);
	free((bool *)run->has);
}

static int room_for(struct pmu_score *s, size_t more)
{
	size_t room = 2 * s->room + more;
	double *grown;

	if (s->n + more <= s->room)
		return 0;
	grown = realloc(s->relative, room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->relative = grown;
	s->room = room;
	return 0;
}

static void cell_add(struct pmu_score *s, const struct pmu_made *made,
		     const struct tl_pmu_out *out, size_t cell, double mean)
{
	double truth = made->truth[cell], value = out->count[cell];

	s->cells++;
	s->off += fabs(value - truth) / mean;
	if (made->running_s[cell] > 0 && made->running_s[cell] < 0.99 * made->enabled_s[cell])
		s->partly += fabs(value - truth) / mean;
	if (truth >= PMU_SOME)
		s->relative[s->n++] = fabs(value / truth - 1);
	if (truth <= 0 && made->running_s[cell] > 0) {
		s->zeros++;
		s->zeros_filled += out->action[cell] == TL_PMU_ZERO;
	}
	if (out->action[cell] >= TL_PMU_CORRECTED && out->action[cell] < TL_PMU_ABSENT) {
		s->changed++;
		s->within += truth >= out->low95[cell] * (1 - 1e-9) - 1e-6 &&
			     truth <= out->high95[cell] * (1 + 1e-9) + 1e-6;
	}
}

static int warp_add(struct pmu_score *s, const struct pmu_made *made,
		    const struct tl_pmu_out *out, size_t event, double mean)
{
	size_t n = made->record.intervals, events = made->record.events, t;
	double *series = malloc(3 * n * sizeof(*series));
	struct tl_dtw_in in = { series, series + n, n, n, n / 10, 0 };
	struct tl_dtw_in least = { series + 2 * n, series + n, n, n, n / 10, 0 };
	struct tl_dtw_out warped, left;
	int code = -ENOMEM;

	for (t = 0; series && t < n; t++) {
		series[t] = out->count[t * events + event] / mean;
		series[n + t] = made->truth[t * events + event] / mean;
		series[2 * n + t] = made->hit[t * events + event] ? series[n + t] :
				    made->count[t * events + event] / mean;
	}
	if (series)
		code = tl_dtw(&in, &warped);
	code = code ? code : tl_dtw(&least, &left);
	if (!code) {
		s->warped += warped.distance / (double)n;
		s->noise += left.distance / (double)n;
	}
	free(series);
	return code;
}

/* The last event, which has a counter of its own, is not judged. */
int pmu_score_add(struct pmu_score *score, const struct pmu_made *made,
		  const struct tl_pmu_out *out)
{
	size_t events = made->record.events, n = made->record.intervals, e, t;

	if (room_for(score, n * events))
		return -ENOMEM;
	for (e = 0; e + 1 < events; e++) {
		double mean = 0, sum = 0;

		for (t = 0; t < n; t++) {
			mean += made->truth[t * events + e] / (double)n;
			sum += out->count[t * events + e] / (double)n;
		}
		if (mean <= 0)
			continue;
		for (t = 0; t < n; t++)
			cell_add(score, made, out, t * events + e, mean);
		if (warp_add(score, made, out, e, mean))
			return -ENOMEM;
		score->total += fabs(sum / mean - 1);
		score->unlike += out->event[e].unlike;
		score->series++;
	}
	return 0;
}

/* Each way's own. */
int pmu_scores_sum(struct pmu_score *sum, const struct pmu_score *score, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct pmu_score *to = &sum[i];
		const struct pmu_score *s = &score[i];

		if (room_for(to, s->n))
			return -ENOMEM;
		if (s->n)
			memcpy(to->relative + to->n, s->relative, s->n * sizeof(*s->relative));
		to->n += s->n;
		to->warped += s->warped;
		to->noise += s->noise;
		to->off += s->off;
		to->partly += s->partly;
		to->total += s->total;
		to->cells += s->cells;
		to->zeros += s->zeros;
		to->zeros_filled += s->zeros_filled;
		to->changed += s->changed;
		to->within += s->within;
		to->series += s->series;
		to->unlike += s->unlike;
	}
	return 0;
}

double pmu_score_median(const struct pmu_score *score)
{
	return tl_median(score->relative, score->n);
}

double pmu_score_mean(const struct pmu_score *score)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < score->n; i++)
		sum += score->relative[i];
	return score->n ? sum / (double)score->n : 0;
}

void pmu_score_free(struct pmu_score *score)
{
	free(score->relative);
	*score = (struct pmu_score){ 0 };
}

/* Phases of a program: what each event does in them, and how it wanders. */
#define PHASES 6
#define EVENTS 64

struct phases {
	double level[PHASES][EVENTS], share[PHASES][EVENTS];
	bool none[PHASES][EVENTS];
};

static void phases_draw(struct phases *p, size_t events, struct sim *random)
{
	size_t phase, e;

	for (phase = 0; phase < PHASES; phase++)
		for (e = 0; e < events; e++) {
			p->level[phase][e] = 7 + 4 * sin(7.0 * (double)e) + 0.8 * sim_normal(random);
			p->share[phase][e] = 0.5 + 0.5 * sim_uniform(random);
			p->none[phase][e] = e + 1 < events && sim_uniform(random) < 0.06;
		}
}

/*
 * A program in phases, of which all runs have the same, in another order and for other times. A
 * common course is behind all events, each follows it as far as its phase has it.
 */
int pmu_program(struct pmu_series *series, size_t slices, size_t events, uint64_t program,
		uint64_t run)
{
	struct sim random = { 0 };
	struct phases p;
	size_t t, e, phase = 0;
	double course = 0;

	sim_seed(&random, program);
	phases_draw(&p, events, &random);
	sim_seed(&random, program * 1000 + run);
	*series = (struct pmu_series){ slices, events, calloc(slices * events, sizeof(double)) };
	for (t = 0; series->value && t < slices; t++) {
		if (sim_uniform(&random) < 0.03)
			phase = (size_t)(sim_uniform(&random) * PHASES);
		course = 0.9 * course + 0.15 * sim_normal(&random);
		for (e = 0; e < events; e++)
			if (!p.none[phase][e])
				series->value[t * events + e] =
					floor(exp(p.level[phase][e] + p.share[phase][e] * course +
						  0.04 * sim_normal(&random)));
	}
	return series->value ? 0 : -ENOMEM;
}

void pmu_series_free(struct pmu_series *series)
{
	free(series->value);
	*series = (struct pmu_series){ 0 };
}

/* The field of a head line that a name is in; -1 if it is in none. */
static int field_of(const char *line, const char *name)
{
	size_t len = strlen(name);
	int field = 0;

	for (; line; line = strchr(line, ','), field++) {
		line += *line == ',';
		if (!strncmp(line, name, len) && strchr(",\n", line[len]))
			return field;
	}
	return -1;
}

static int row_read(struct pmu_series *s, char *line, const int *field, size_t events)
{
	double *grown = realloc(s->value, (s->slices + 1) * events * sizeof(*grown));
	char *save, *word;
	int at = 0;
	size_t e;

	if (!grown)
		return -ENOMEM;
	s->value = grown;
	for (word = strtok_r(line, ",", &save); word; word = strtok_r(NULL, ",", &save), at++)
		for (e = 0; e < events; e++)
			if (field[e] == at)
				grown[s->slices * events + e] = strtod(word, NULL);
	s->slices++;
	return 0;
}

/* All fields in their order, but instructions at the end. */
static int fields_all(const char *line, int *field, size_t *events)
{
	int own = field_of(line, "instructions"), n = 1, at;

	for (; *line; line++)
		n += *line == ',';
	if (own < 0 || n > EVENTS)
		return -ENOENT;
	for (*events = 0, at = 0; at < n; at++)
		if (at != own)
			field[(*events)++] = at;
	field[(*events)++] = own;
	return 0;
}

/* A file of pmu-series.py; NULL for all of its events. */
int pmu_series_read(struct pmu_series *series, const char *file, const char *const *event,
		    size_t events)
{
	FILE *from = fopen(file, "re");
	char *line = NULL;
	int field[EVENTS], code = 0;
	size_t room = 0, e;

	*series = (struct pmu_series){ 0 };
	if (!from)
		return -errno;
	if (getline(&line, &room, from) <= 0)
		code = -ENODATA;
	if (!code && !event)
		code = fields_all(line, field, &events);
	for (e = 0; !code && event && e < events; e++) {
		field[e] = field_of(line, event[e]);
		code = field[e] < 0 ? -ENOMSG : 0;
	}
	series->events = events;
	while (!code && getline(&line, &room, from) > 0)
		code = row_read(series, line, field, events);
	free(line);
	fclose(from);
	return code;
}
