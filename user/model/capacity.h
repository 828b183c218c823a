/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_CAPACITY_H
#define TL_MODEL_CAPACITY_H

#include "lqn-simulate.h"

/* TL_LIMIT_RESPONSE: mean. TL_LIMIT_ERRORS: part of the requests that take longer than a
 * timeout. */
enum tl_limit_what { TL_LIMIT_RESPONSE, TL_LIMIT_PERCENTILE, TL_LIMIT_UTILISATION,
		     TL_LIMIT_ERRORS };

/**
 * struct tl_limit - What must not be exceeded
 * @what: of what kind it is
 * @most: seconds, or a part of one
 * @entry: time from a request to it to the reply; TL_LQN_NONE: a mean of a cycle of each
 *         kind of customers, and of the response to arrivals; else of all requests that
 *         come from outside
 * @processor: whose utilisation; TL_LQN_NONE: of every one that has a limit
 * @task: whose threads instead
 * @part: of the requests, of a percentile
 * @timeout_s: after which requests are errors
 */
struct tl_limit {
	enum tl_limit_what what;
	double most;
	size_t entry, processor, task;
	double part, timeout_s;
};

#define TL_LIMITS_MAX TL_LQN_WATCHES_MAX

/* Whether limits hold at a load. TL_POINT_UNKNOWN: the solver has no answer. */
enum tl_point_state { TL_POINT_HOLDS, TL_POINT_BREAKS, TL_POINT_UNSTABLE, TL_POINT_UNKNOWN };

/**
 * struct tl_capacity_point - What becomes of the network with a load
 * @n: load: number of customers, or arrivals per second
 * @verdict: of the solution; without figures if it is not TL_LQN_OK
 * @residual: of the solution
 * @culprit: index of what the verdict is about
 * @throughput_per_s: cycles of the customers that vary, or arrivals
 * @response_s: mean of those
 * @outside_per_s: cycles of all customers, and all arrivals
 * @checks: of the solution
 * @processor: [processors] utilisation, or mean number
 * @task: [tasks] part of the threads that is held, or their mean number
 * @mean_s: [limits] of a limit that a simulation tells: mean of its requests' times
 * @value: [limits] what must not exceed the limit
 * @state: whether limits hold
 * @believed: whether the model is to be believed there
 */
struct tl_capacity_point {
	double n;
	enum tl_lqn_verdict verdict;
	double residual;
	size_t culprit;
	double throughput_per_s, response_s, outside_per_s;
	struct tl_lqn_checks checks;
	double *processor, *task;
	double mean_s[TL_LIMITS_MAX], value[TL_LIMITS_MAX];
	enum tl_point_state state;
	bool believed;
};

/**
 * struct tl_capacity_shape - How times were spread in a simulation
 * @n: with this load
 * @watched: [limits] of those that it tells
 */
struct tl_capacity_shape {
	double n;
	struct tl_lqn_watched watched[TL_LIMITS_MAX];
};

/**
 * struct tl_capacity_in - What is asked
 * @lqn: network
 * @arrivals: whether arrivals vary, else customers
 * @vary: [entries], or [tasks], those that do, in the proportions that they have
 * @limit: [limits]
 * @until: look no further than this load; 0: as far as need be
 * @trusted: utilisation of a processor up to which the model is to be believed
 * @seed: of simulations
 * @steps_max: of each simulation
 * @progress: told about each load that is looked at, and whether it is simulated; or NULL
 * @arg: for @progress
 */
struct tl_capacity_in {
	const struct tl_lqn *lqn;
	bool arrivals;
	const bool *vary;
	const struct tl_limit *limit;
	size_t limits;
	double until, trusted;
	uint64_t seed, steps_max;
	void (*progress)(void *arg, double n, bool simulated);
	void *arg;
};

/* TL_CAPACITY_LEAST: the solver has no answer beyond, it may be more.
 * TL_CAPACITY_NONE: not even the least load.
 * TL_CAPACITY_UNLIMITED: no limit was reached as far as was looked.
 * TL_CAPACITY_UNKNOWN: no solution, or no simulation of what only that tells. */
enum tl_capacity_verdict { TL_CAPACITY_OK, TL_CAPACITY_LEAST, TL_CAPACITY_NONE,
			   TL_CAPACITY_UNLIMITED, TL_CAPACITY_NO_LIMITS, TL_CAPACITY_UNKNOWN };

/**
 * struct tl_capacity_asymptote - Where lines of light load and of saturation cross
 * @n: load; INFINITY if nothing is ever saturated
 * @throughput_per_s: there, which is the most that there can be
 * @pool: whether threads of a task are saturated first, else a processor
 * @of: index of it
 */
struct tl_capacity_asymptote {
	double n, throughput_per_s;
	bool pool;
	size_t of;
};

/**
 * struct tl_capacity_out - What came of it
 * @point: [points] by load, all that were looked at
 * @max: largest load up to which all limits hold
 * @max95: the same at both ends of the interval that simulations leave
 * @best: point of @max, or TL_LQN_NONE
 * @broken: first point where they do not hold, or TL_LQN_NONE
 * @limit: the one that does not hold there; @limits if there is no steady state
 * @again: load from which on they hold again, 0 if they do not
 * @holes: how many loads below @max have no solution
 * @saturation: of the asymptotes
 * @believed: least and largest load that is to be believed; both 0 if none is
 * @shape: [shapes] by load
 * @simulation: verdict of the last simulation
 * @steady: simulations have a steady state where the solver says that there is none
 */
struct tl_capacity_out {
	struct tl_capacity_point *point;
	size_t points;
	enum tl_capacity_verdict verdict;
	double max, max95[2];
	size_t best, broken, limit;
	double again;
	size_t holes;
	struct tl_capacity_asymptote saturation;
	double believed[2];
	struct tl_capacity_shape *shape;
	size_t shapes;
	enum tl_lqn_verdict simulation;
	bool steady;
};

/**
 * struct tl_capacity_watches - The requests that limits are about, for the simulator
 * @watch: [n]
 * @limit: [n] the limit of each
 * @n: how many
 * @entry: what @watch points into
 */
struct tl_capacity_watches {
	struct tl_lqn_watch watch[TL_LIMITS_MAX];
	size_t limit[TL_LIMITS_MAX], n;
	bool *entry;
};

int tl_capacity(const struct tl_capacity_in *in, struct tl_capacity_out *out);
void tl_capacity_free(struct tl_capacity_out *out);

/* capacity-load.c */
double tl_capacity_load_least(const struct tl_capacity_in *in);
void tl_capacity_load(const struct tl_capacity_in *in, double n, struct tl_lqn *lqn);
int tl_capacity_asymptote(const struct tl_capacity_in *in, struct tl_capacity_asymptote *at);

/* capacity-shape.c */
int tl_capacity_watches(const struct tl_capacity_in *in, struct tl_capacity_watches *watches);
void tl_capacity_watches_free(struct tl_capacity_watches *watches);
int tl_capacity_simulate(const struct tl_capacity_in *in, struct tl_lqn *work, double n,
			 struct tl_capacity_out *out);
int tl_capacity_steady(const struct tl_capacity_in *in, struct tl_lqn *work, double n,
		       bool *steady);

/* capacity-point.c */
bool tl_limit_is_simulated(const struct tl_limit *limit);
bool tl_limit_is_known(const struct tl_capacity_in *in, const struct tl_capacity_out *out,
		       const struct tl_capacity_point *point, size_t limit);
double tl_limit_part(const struct tl_limit *limit);
int tl_capacity_solve(const struct tl_capacity_in *in, struct tl_lqn *work, double n,
		      struct tl_capacity_point *point);
void tl_capacity_judge(const struct tl_capacity_in *in, const struct tl_capacity_out *out,
		       int tilt, struct tl_capacity_point *point);

#endif
