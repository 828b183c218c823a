// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run of the self test: trials one after the other, then the cost
 *
 * Measuring is switched on once for all trials: nobody shall say that it works because
 * it has just begun. While they run, the kernel's intervals are added up. At the end it
 * is switched off, which closes the last one, when no server runs any more.
 */
#include "selftest/session.h"

#include "clock.h"
#include "error.h"
#include "out.h"
#include "selftest/judge.h"
#include "signals.h"

#include <errno.h>
#include <stdlib.h>

#define INTERVAL_MS 1000
#define QUIET_MS 250
#define CALLS_MAX 3 /* of a request */
#define TURNS_MAX 200 /* about a second */
#define SHARE_S 0.5 /* of a trial's load, at least */

static int refuse(struct tl_session *s, struct tl_error *err)
{
	int code = tl_ctl_module(s->ctl, &s->before, err);

	if (!code && s->before.enabled)
		code = tl_error_set(err, -EBUSY, "measuring is on, and the self test has to "
				    "switch it: tierlens disable first, and enable again "
				    "afterwards");
	return code ? code : tl_keep_refuse(s->ctl, err);
}

/* Reads and adds up what was closed since. */
static int collect(struct tl_session *s, struct tl_error *err)
{
	struct tl_intervals list;
	int code = tl_ctl_intervals(s->ctl, TL_WHICH_SINCE, s->last, &list, err);
	size_t i;

	for (i = 0; !code && i < list.n; i++) {
		tl_gap_look(&s->gap, list.interval[i]);
		s->missed += s->gap.missed;
		s->last = list.interval[i]->generation;
		if (tl_interval_add(s->all, list.interval[i]))
			code = tl_error_no_memory(err);
	}
	tl_intervals_free(&list);
	return code;
}

/* Without it there is no use in going on. */
static int back_look(struct tl_session *s, struct tl_error *err)
{
	int status;

	return tl_program_ended(&s->back, &status) ?
	       tl_program_failed(&s->back, status, err) : 0;
}

static int turn(struct tl_trial_run *run, struct tl_error *err)
{
	struct tl_session *s = (struct tl_session *)run;
	int code = back_look(s, err);

	if (tl_signals_stopped())
		return tl_error_set(err, -ECANCELED, "interrupted");
	if (code)
		return code;
	/* On a hint that an interval was closed, and now and then without. */
	if (tl_ctl_wait(s->ctl, 0, err) > 0 || ++s->turns % TURNS_MAX == 0)
		return collect(s, err);
	return 0;
}

static int trials_make(struct tl_session *s, struct tl_error *err)
{
	const struct tl_session_options *o = s->options;
	size_t i, k;

	s->trials = calloc(o->n_shapes * o->n_connections + 1, sizeof(*s->trials));
	s->all = tl_interval_new();
	if (!s->trials || !s->all)
		return tl_error_no_memory(err);
	for (i = 0; i < o->n_shapes; i++)
		for (k = 0; k < o->n_connections; k++)
			s->trials[s->n_trials++] = (struct tl_trial){
				.shape = o->shapes[i],
				.connections = (unsigned int)o->connections[k],
			};
	s->run = (struct tl_trial_run){ .ctl = s->ctl, .programs = &s->programs, .turn = turn,
					.requests = o->requests };
	return 0;
}

/*
 * A trial's share of what is left for loads: who is done before leaves his time to the others, so
 * that a fast machine does all requests, and a slow one comes to an end. A warm-up has its own.
 */
static double share_s(const struct tl_session *s, double begin)
{
	double left = TL_SESSION_S - (tl_clock_s(CLOCK_MONOTONIC) - begin), shares = 0;
	double beside = s->now ? s->beside_s / (double)s->now : 0;
	size_t i;

	for (i = s->now; i < s->n_trials; i++)
		shares += tl_shape_warm_up(s->trials[i].shape, s->trials[i].connections) ? 2 : 1;
	left -= beside * (double)(s->n_trials - s->now);
	return max(left / shares, SHARE_S);
}

static int trial_run(struct tl_session *s, double session_begin, struct tl_error *err)
{
	struct tl_trial *trial = &s->trials[s->now];
	double begin = tl_clock_s(CLOCK_MONOTONIC);
	int code;

	tl_out_progress("%zu of %zu: %s, %u connections", s->now + 1, s->n_trials,
			trial->shape->name, trial->connections);
	s->run.seconds = s->options->seconds;
	if (s->run.seconds <= 0)
		s->run.seconds = share_s(s, session_begin);
	code = tl_trial_run(&s->run, trial, err);
	s->beside_s += tl_clock_s(CLOCK_MONOTONIC) - begin - trial->seconds;
	return code;
}

static int trials_run(struct tl_session *s, struct tl_error *err)
{
	double longest = 2 * max(s->options->seconds, TL_SESSION_S);
	u64 calls = CALLS_MAX * s->n_trials * (s->options->requests + TL_SHAPE_WARM_UP) + 1000;
	u64 seconds = (u64)(longest + 60) * s->n_trials + 60;
	int code = tl_trial_back(&s->run, &s->back, calls, seconds, err);
	double begin = tl_clock_s(CLOCK_MONOTONIC);

	for (s->now = 0; !code && s->now < s->n_trials; s->now++) {
		code = trial_run(s, begin, err);
		if (!code && !s->back.pid)
			code = -EIO; /* seen in a turn, which has said why */
		code = code ? code : back_look(s, err);
		code = code ? code : collect(s, err);
	}
	return code;
}

/* Also the last interval, and requests that have not ended. */
static int close_all(struct tl_session *s, struct tl_error *err)
{
	int code = tl_ctl_module(s->ctl, &s->after, err);

	if (!code && !s->after.enabled)
		code = tl_error_set(err, -EIO, "measuring was switched off while the self test "
				    "ran: run it again, alone");
	code = code ? code : tl_ctl_disable(s->ctl, err);
	code = code ? code : collect(s, err);
	code = code ? code : tl_ctl_module(s->ctl, &s->after, err);
	if (!code && s->missed)
		code = tl_error_set(err, -EIO, "%llu intervals were gone before they could be "
				    "read: the machine is too busy to tell",
				    (unsigned long long)s->missed);
	return code;
}

static int attribution(struct tl_session *s, struct tl_error *err)
{
	struct tl_error other;
	int code = tl_keep_rules_add(s->ctl, err);
	size_t i;

	code = code ? code : tl_ctl_enable(s->ctl, INTERVAL_MS, QUIET_MS, err);
	s->last = s->before.newest;
	code = code ? code : trials_run(s, err);
	tl_program_stop(&s->back, &other);
	code = code ? code : close_all(s, err);
	code = code ? code : tl_keep_rules_del(s->ctl, err);
	for (i = 0; !code && i < s->n_trials; i++)
		if (s->trials[i].state == TL_TRIAL_RUN)
			tl_judge(&s->trials[i], s->all);
	return code;
}

static int session(struct tl_session *s, struct tl_error *err)
{
	int code = tl_programs_open(&s->programs, err);

	code = code ? code : tl_keep_begin(&s->keep, &s->programs, &s->before, err);
	code = code ? code : trials_make(s, err);
	if (!code && s->n_trials)
		code = attribution(s, err);
	if (!code && s->options->cost)
		code = tl_costs_measure(&s->costs, s->ctl, err);
	return code;
}

/**
 * tl_session_run() - Run the self test
 * @s: options are set; the rest is filled in, to be given to tl_session_free()
 * @err: the sentence if it did not come to its end
 *
 * Whatever happens, the module is afterwards as it was before.
 *
 * Return: 0, whatever the trials have shown, or a negative errno.
 */
int tl_session_run(struct tl_session *s, struct tl_error *err)
{
	struct tl_error other;
	int code = tl_ctl_open(&s->ctl, err), end;

	code = code ? code : refuse(s, err);
	if (!code && s->options->n_shapes)
		code = tl_programs_find(&s->programs, s->options->programs, err);
	if (code)
		return code;
	tl_signals_catch();
	code = session(s, err);
	end = tl_keep_end(&s->keep, code ? &other : err);
	tl_programs_close(&s->programs);
	tl_out_progress_end();
	if (tl_signals_stopped())
		return tl_error_set(err, -ECANCELED, "interrupted: %s",
				    end ? other.text : "nothing was judged, and all is as it "
				    "was before");
	return code ? code : end;
}

/**
 * tl_session_free() - Free what a run has left
 * @s: one that was run
 */
void tl_session_free(struct tl_session *s)
{
	tl_interval_free(s->all);
	free(s->trials);
	tl_ctl_close(s->ctl);
}

/**
 * tl_session_events_rest() - What is missing between the kernel's events
 * @s: one whose trials were run
 *
 * Return: seen - attributed - unattributed - ignored, of all its time; 0 if all is well.
 */
s64 tl_session_events_rest(const struct tl_session *s)
{
	u64 rest[2], i;
	const struct tl_module *module[2] = { &s->before, &s->after };

	for (i = 0; i < 2; i++)
		rest[i] = module[i]->events[TL_EVENT_SEEN] -
			  module[i]->events[TL_EVENT_ATTRIBUTED] -
			  module[i]->events[TL_EVENT_UNATTRIBUTED] -
			  module[i]->events[TL_EVENT_IGNORED];
	return (s64)(rest[1] - rest[0]);
}
