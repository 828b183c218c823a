// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens capacity: how much load a layered queueing network bears. */
#include "capacity-out.h"
#include "child.h"
#include "cmd.h"
#include "error.h"
#include "lqn-draft.h"
#include "lqn-names.h"
#include "lqn-out.h"
#include "lqn-use.h"
#include "model/capacity.h"
#include "model/lqn-solve.h"
#include "out.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 1000

/* A limit as it was written: its numbers are read before the model is, its name after. */
struct wish {
	struct tl_limit limit;
	char *name;
};

struct args {
	const struct tl_cmd *cmd;
	const char *file, *output;
	bool json, verify;
	struct wish wish[TL_LIMITS_MAX];
	size_t wishes;
	const char *vary[NAMES_MAX];
	size_t varies;
	struct tl_lqn_what_if what_if;
	double timeout_s, until, trusted;
	u64 seed, steps;
};

/* ---- what is asked ------------------------------------------------------------------ */

/* An entry for which others wait, or that customers and arrivals ask for. */
static int limit_name(const struct tl_lqn *lqn, const struct wish *wish, struct tl_limit *limit,
		      struct tl_error *err)
{
	unsigned int things = limit->what == TL_LIMIT_UTILISATION ?
			      TL_LQN_A_PROCESSOR | TL_LQN_A_TASK : TL_LQN_AN_ENTRY;
	struct tl_lqn_named named;
	int code;

	limit->entry = limit->processor = limit->task = TL_LQN_NONE;
	if (!wish->name)
		return 0;
	code = tl_lqn_find(lqn, wish->name, things, &named, err);
	if (code)
		return code;
	limit->entry = named.entry;
	limit->processor = named.processor;
	limit->task = named.processor == TL_LQN_NONE ? named.task : TL_LQN_NONE;
	if (named.entry != TL_LQN_NONE && lqn->task[lqn->entry[named.entry].task].reference)
		return tl_error_set(err, -EINVAL, "nobody asks entry \"%.100s\" of a reference task: limit "
				    "the response without a name, or that of an entry that it calls",
				    wish->name);
	return 0;
}

static bool asked_from_outside(const struct tl_lqn *lqn)
{
	size_t e, p, k;

	for (e = 0; e < lqn->entries; e++) {
		const struct tl_lqn_entry *entry = &lqn->entry[e];

		if (entry->arrivals_per_s > 0)
			return true;
		for (p = 0; p < TL_LQN_PHASES && lqn->task[entry->task].reference; p++)
			for (k = entry->phase[p].first_call;
			     k < entry->phase[p].first_call + entry->phase[p].calls; k++)
				if (lqn->call[k].kind == TL_LQN_SYNC)
					return true;
	}
	return false;
}

static int limits_fill(const struct args *args, const struct tl_lqn *lqn, struct tl_limit *limit,
		       struct tl_error *err)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < args->wishes; i++) {
		limit[i] = args->wish[i].limit;
		limit[i].timeout_s = args->timeout_s;
		code = limit_name(lqn, &args->wish[i], &limit[i], err);
		if (!code && tl_limit_is_simulated(&limit[i]) && limit[i].entry == TL_LQN_NONE &&
		    !asked_from_outside(lqn))
			code = tl_error_set(err, -EINVAL, "%s: customers wait for nobody, there are no "
					    "requests to take percentiles of: limit the mean",
					    args->file);
	}
	return code;
}

/* Without names all customers; without customers all arrivals. */
static int vary_all(struct tl_capacity_in *in, bool *vary)
{
	const struct tl_lqn *lqn = in->lqn;
	size_t i;

	in->arrivals = true;
	for (i = 0; i < lqn->tasks; i++)
		in->arrivals = in->arrivals && !lqn->task[i].reference;
	for (i = 0; i < (in->arrivals ? lqn->entries : lqn->tasks); i++)
		vary[i] = in->arrivals ? lqn->entry[i].arrivals_per_s > 0 : lqn->task[i].reference;
	return 0;
}

static int vary_fill(const struct args *args, struct tl_capacity_in *in, bool *vary,
		     struct tl_error *err)
{
	struct tl_lqn_named named;
	size_t i;
	int code;

	if (!args->varies)
		return vary_all(in, vary);
	for (i = 0; i < args->varies; i++) {
		code = tl_lqn_find(in->lqn, args->vary[i], TL_LQN_CUSTOMERS | TL_LQN_ARRIVALS, &named,
				   err);
		if (code)
			return code;
		if (i && in->arrivals != (named.task == TL_LQN_NONE))
			return tl_error_set(err, -EINVAL, "--vary takes reference tasks or entries with "
					    "arrivals, not both: give the others fixed");
		in->arrivals = named.task == TL_LQN_NONE;
		vary[in->arrivals ? named.entry : named.task] = true;
	}
	return 0;
}

/* ---- answer ------------------------------------------------------------------------- */

static void progress(void *arg, double n, bool simulated)
{
	const struct tl_capacity_in *in = arg;

	tl_out_progress("%s with %.6g %s", simulated ? "simulating" : "solving", n,
			tl_capacity_unit(in));
}

/* The quantiles of a second simulation beside those that the answer goes by. */
static json_t *quantiles_json(const struct tl_capacity_in *in,
			      const struct tl_capacity_point *point,
			      const struct tl_lqn_simulate_out *simulated,
			      const struct tl_capacity_watches *watches)
{
	json_t *object = json_object();
	char name[300];
	size_t i;

	for (i = 0; i < watches->n; i++) {
		const struct tl_lqn_watched *w = &simulated->watched[i];
		size_t limit = watches->limit[i];
		bool errors = in->limit[limit].what == TL_LIMIT_ERRORS;
		double value = errors && w->count ?
			       tl_lqn_watch_above(w->count, in->limit[limit].timeout_s) :
			       w->quantile_s;

		tl_limit_name(in, &in->limit[limit], name, sizeof(name));
		json_object_set_new(object, name,
				    json_pack("{s:f, s:f}", "answer", point->value[limit],
					      "simulated", value));
	}
	return object;
}

struct verified {
	struct tl_lqn lqn; /* with the answer's load */
	struct tl_lqn_solve_out solved;
	struct tl_lqn_simulate_out simulated;
	struct tl_capacity_watches watches;
};

/* By other chances than those that the answer was found with. */
static int verify(const struct args *args, const struct tl_capacity_in *in, double n,
		  struct verified *v, struct tl_error *err)
{
	struct tl_lqn_simulate_in how = { .lqn = &v->lqn, .seed = args->seed + 1,
					  .confidence = 0.95, .precision = 0.01,
					  .steps_max = 4 * args->steps,
					  .watch = v->watches.watch };
	int code;

	if (tl_capacity_watches(in, &v->watches) || tl_lqn_copy(&v->lqn, in->lqn))
		return tl_error_no_memory(err);
	how.watches = v->watches.n;
	tl_capacity_load(in, n, &v->lqn);
	code = tl_lqn_solve(&v->lqn, &v->solved);
	code = code ? code : tl_lqn_simulate(&how, &v->simulated);
	if (code == -ENOMEM)
		return tl_error_no_memory(err);
	return code ? tl_error_set(err, code, "%s: the answer cannot be simulated: leave out --verify",
				   args->file) : 0;
}

static void verified_free(struct verified *v)
{
	tl_lqn_solution_free(&v->solved.solution);
	tl_lqn_simulated_free(&v->simulated);
	tl_lqn_free(&v->lqn);
	tl_capacity_watches_free(&v->watches);
}

static json_t *verify_json(const struct tl_capacity_in *in, const struct tl_capacity_point *point,
			   const struct verified *v)
{
	json_t *object = tl_lqn_verify_json(&v->lqn, &v->solved.solution,
					    &v->simulated.solution);

	if (object && tl_lqn_has_figures(&v->simulated.solution))
		json_object_set_new(object, "limits",
				    quantiles_json(in, point, &v->simulated, &v->watches));
	return object;
}

static void verify_print(const struct tl_capacity_in *in, const struct tl_capacity_point *point,
			 const struct verified *v)
{
	json_t *quantiles, *value;
	const char *name;
	char *line = NULL;

	tl_lqn_verify_print(&v->lqn, &v->solved.solution, &v->simulated.solution,
			    v->simulated.factor, stdout);
	if (!tl_lqn_has_figures(&v->simulated.solution))
		return;
	quantiles = quantiles_json(in, point, &v->simulated, &v->watches);
	json_object_foreach(quantiles, name, value) {
		if (asprintf(&line, "%s: %.4g, simulated %.4g", name,
			     json_real_value(json_object_get(value, "answer")),
			     json_real_value(json_object_get(value, "simulated"))) < 0)
			break;
		tl_text_lines(stdout, line);
		free(line);
	}
	json_decref(quantiles);
}

static int answer_print(const struct args *args, const struct tl_capacity_answer *answer,
			const struct verified *v)
{
	const struct tl_capacity_point *best = v ? &answer->out->point[answer->out->best] : NULL;
	json_t *object;

	if (!args->json) {
		tl_capacity_print(answer, stdout);
		if (v)
			verify_print(answer->in, best, v);
		return TL_EXIT_OK;
	}
	object = tl_capacity_json(answer);
	if (object && v)
		json_object_set_new(object, "verify", verify_json(answer->in, best, v));
	return tl_out_json(object);
}

static int page_write(const struct args *args, const struct tl_capacity_answer *answer,
		      struct tl_error *err)
{
	struct tl_bytes page;
	int code = tl_capacity_page(answer, &page, err);

	code = code ? code : tl_out_file(args->output, &page, err);
	free(page.data);
	return code;
}

static int answer(const struct args *args, const struct tl_capacity_answer *a)
{
	bool verified = args->verify && a->out->best != TL_LQN_NONE;
	struct verified v = { 0 };
	struct tl_error err;
	int status, code = verified ? verify(args, a->in, a->out->max, &v, &err) : 0;

	code = code ? code : args->output ? page_write(args, a, &err) : 0;
	tl_out_progress_end();
	status = code ? tl_out_failed(&err) : answer_print(args, a, verified ? &v : NULL);
	verified_free(&v);
	return status;
}

static int find(const void *arg, struct tl_lqn *lqn, const struct tl_faults *faults)
{
	const struct args *args = arg;
	struct tl_limit limit[TL_LIMITS_MAX];
	bool *vary = calloc(lqn->tasks + lqn->entries + 1, sizeof(*vary));
	struct tl_capacity_in in = { .lqn = lqn, .vary = vary, .limit = limit,
				     .limits = args->wishes, .until = args->until,
				     .trusted = args->trusted, .seed = args->seed,
				     .steps_max = args->steps, .progress = progress };
	struct tl_capacity_out out = { 0 };
	struct tl_capacity_answer a = { &in, &out, faults };
	struct tl_error err;
	int status, code = vary ? 0 : tl_error_no_memory(&err);

	in.arg = &in;
	code = code ? code : vary_fill(args, &in, vary, &err);
	code = code ? code : limits_fill(args, lqn, limit, &err);
	if (!code && in.until > 0 && in.until < tl_capacity_load_least(&in))
		code = tl_error_set(&err, -EINVAL, "--until %g is less than one of each kind of "
				    "customers: give more", in.until);
	if (!code && tl_capacity(&in, &out))
		code = tl_error_no_memory(&err);
	tl_out_progress_end();
	status = code ? tl_out_failed(&err) : answer(args, &a);
	tl_capacity_free(&out);
	free(vary);
	return status;
}

/* ---- command line --------------------------------------------------------------------- */

static int positive(const struct args *args, const char *what, const char *text, double most,
		    double *value)
{
	if (tl_draft_decimal(text, value) && *value > 0 && *value <= most)
		return TL_EXIT_OK;
	return tl_args_usage(args->cmd, "%s \"%.100s\" is not a number above 0 and up to %g", what,
			     text, most);
}

/* [NAME=]VALUE. The value has no =, a name may. */
static int wish_read(struct args *args, const char *what, const char *text, double most,
		     const struct tl_limit *limit)
{
	struct wish *wish = &args->wish[args->wishes];
	const char *equals = strrchr(text, '=');

	if (args->wishes == TL_LIMITS_MAX)
		return tl_args_usage(args->cmd, "more than %d limits", TL_LIMITS_MAX);
	wish->limit = *limit;
	if (positive(args, what, equals ? equals + 1 : text, most, &wish->limit.most))
		return TL_EXIT_USAGE;
	if (equals) {
		wish->name = strndup(text, (size_t)(equals - text));
		if (!wish->name) {
			tl_out_error("out of memory: free some and try again");
			return TL_EXIT_USAGE;
		}
	}
	args->wishes++;
	return TL_EXIT_OK;
}

/* P:[NAME=]VALUE */
static int percentile_read(struct args *args, const char *text)
{
	struct tl_limit limit = { .what = TL_LIMIT_PERCENTILE };
	const char *colon = strchr(text, ':');
	char part[40];

	if (!colon || (size_t)(colon - text) >= sizeof(part))
		return tl_args_usage(args->cmd, "--max-percentile \"%.100s\" is not P:S, as in 95:0.5",
				     text);
	memcpy(part, text, (size_t)(colon - text));
	part[colon - text] = '\0';
	if (!tl_draft_decimal(part, &limit.part) || !(limit.part > 0 && limit.part <= 99.999))
		return tl_args_usage(args->cmd, "the percentile \"%.100s\" is not above 0 and up to "
				     "99.999", part);
	limit.part /= 100;
	return wish_read(args, "--max-percentile", colon + 1, 1e9, &limit);
}

static int vary_add(struct args *args, const char *name)
{
	if (args->varies == NAMES_MAX)
		return tl_args_usage(args->cmd, "--vary: more than %d of them", NAMES_MAX);
	args->vary[args->varies++] = name;
	return TL_EXIT_OK;
}

enum capacity_option { MAX_RESPONSE = 1000, MAX_PERCENTILE, MAX_UTILISATION, MAX_ERRORS, TIMEOUT, VARY,
	      UNTIL, TRUST, SET, VERIFY, SEED, STEPS };

static int option_read(struct args *args, int option)
{
	switch (option) {
	case MAX_RESPONSE:
		return wish_read(args, "--max-response", optarg, 1e9,
				 &(struct tl_limit){ .what = TL_LIMIT_RESPONSE });
	case MAX_PERCENTILE:
		return percentile_read(args, optarg);
	case MAX_UTILISATION:
		return wish_read(args, "--max-utilisation", optarg, 1,
				 &(struct tl_limit){ .what = TL_LIMIT_UTILISATION });
	case MAX_ERRORS:
		return wish_read(args, "--max-errors", optarg, 0.99,
				 &(struct tl_limit){ .what = TL_LIMIT_ERRORS });
	case TIMEOUT:
		return positive(args, "--timeout", optarg, 1e9, &args->timeout_s);
	case UNTIL:
		return positive(args, "--until", optarg, 1e9, &args->until);
	case TRUST:
		return positive(args, "--trust", optarg, 1, &args->trusted);
	case VARY:
		return vary_add(args, optarg);
	case SET:
		return tl_lqn_what_if_add(&args->what_if, args->cmd, optarg);
	case SEED:
		return tl_args_u64("--seed", optarg, 0, UINT32_MAX, &args->seed);
	default:
		return tl_args_u64("--steps", optarg, 1000, 1000000000000ULL, &args->steps);
	}
}

static int wishes_check(const struct args *args)
{
	bool errors = false;
	size_t i;

	for (i = 0; i < args->wishes; i++)
		errors = errors || args->wish[i].limit.what == TL_LIMIT_ERRORS;
	if (errors && !(args->timeout_s > 0))
		return tl_args_usage(args->cmd, "--max-errors needs --timeout: a model has no other errors "
				     "than requests that take too long");
	if (!errors && args->timeout_s > 0)
		return tl_args_usage(args->cmd, "--timeout is of --max-errors, which is not there");
	return TL_EXIT_OK;
}

static int args_read(struct args *args, int argc, char **argv)
{
	static const struct option options[] = {
		{ "max-response", required_argument, NULL, MAX_RESPONSE },
		{ "max-percentile", required_argument, NULL, MAX_PERCENTILE },
		{ "max-utilisation", required_argument, NULL, MAX_UTILISATION },
		{ "max-errors", required_argument, NULL, MAX_ERRORS },
		{ "timeout", required_argument, NULL, TIMEOUT },
		{ "vary", required_argument, NULL, VARY },
		{ "until", required_argument, NULL, UNTIL },
		{ "trust", required_argument, NULL, TRUST },
		{ "set", required_argument, NULL, SET },
		{ "verify", no_argument, NULL, VERIFY },
		{ "seed", required_argument, NULL, SEED },
		{ "steps", required_argument, NULL, STEPS },
		{ "output", required_argument, NULL, 'o' },
		TL_COMMON_OPTIONS
	};
	int option;

	while ((option = tl_args_next(args->cmd, argc, argv, "o:", options)) >= 0) {
		if (option == 'J')
			args->json = true;
		else if (option == VERIFY)
			args->verify = true;
		else if (option == 'o')
			args->output = optarg;
		else if (option_read(args, option))
			return TL_EXIT_USAGE;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	if (optind >= argc)
		return tl_args_usage(args->cmd, "capacity needs a model");
	if (optind + 1 < argc)
		return tl_args_usage(args->cmd, "unexpected argument \"%s\"", argv[optind + 1]);
	args->file = argv[optind];
	return wishes_check(args) ? TL_EXIT_USAGE : TL_GO_ON;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static struct args args;
	size_t i;
	int status;

	args = (struct args){ .cmd = cmd, .trusted = 0.9, .seed = 1, .steps = 10000000 };
	status = args_read(&args, argc, argv);
	if (status == TL_GO_ON)
		status = tl_lqn_use(args.file, &args.what_if, args.json, find, &args);
	for (i = 0; i < args.wishes; i++)
		free(args.wish[i].name);
	return status;
}

const struct tl_cmd tl_cmd_capacity = {
	.name = "capacity",
	.args = "FILE [--max-response [ENTRY=]S] [--max-percentile P:[ENTRY=]S] "
		"[--max-utilisation [NAME=]U] [--max-errors [ENTRY=]E --timeout S] [--vary NAME]... "
		"[--set CHANGE]... [--until N] [--trust U] [--verify] [--seed N] [--steps N] "
		"[-o FILE.html] [--json]",
	.summary = "How many users, or arrivals, a model bears under limits, and what if",
	.help = "  --max-response [ENTRY=]S\n"
		"                    mean of customers' cycles and of responses to arrivals; or of\n"
		"                    requests to ENTRY\n"
		"  --max-percentile P:[ENTRY=]S\n"
		"                    P percent of requests take no longer; by simulation\n"
		"  --max-utilisation [NAME=]U\n"
		"                    of all processors, or of a processor or a task's threads; 0.8\n"
		"                    is 80 percent\n"
		"  --max-errors [ENTRY=]E\n"
		"                    part of the requests that take longer than the timeout\n"
		"  --timeout S       of --max-errors\n"
		"  --vary NAME       reference task, or entry with arrivals, whose load is asked for;\n"
		"                    several keep their proportions (all customers; if there are\n"
		"                    none, all arrivals)\n"
		"  --set CHANGE      what if: App.threads=20, db.demand*=0.7; threads of a task,\n"
		"                    users or think of a reference task, servers or speed of a\n"
		"                    processor, arrivals of an entry, demand of any\n"
		"  --until N         look no further\n"
		"  --trust U         believe the model while no processor is busier (0.9)\n"
		"  --verify          simulate at the answer, and tell how far off it is\n"
		"  --seed N          of chance, in simulations (1)\n"
		"  --steps N         of each simulation (10000000), four times as many to verify\n"
		"  -o, --output FILE.html\n"
		"                    the curves as a page; \"-\" for standard output; needs gnuplot\n"
		TL_COMMON_HELP
		"FILE is a layered queueing network as of tierlens lqn. Shown are throughput,\n"
		"response and utilisation over the load, where it is saturated, and from where to\n"
		"where the model is to be believed.\n"
		"\nExample:\n"
		"  tierlens capacity shop.lqn --max-response 2\n"
		"  tierlens capacity shop.lqn --max-percentile 95:page=0.5 --set App.threads=20\n"
		"  tierlens capacity shop.lqn --max-errors 0.05 --timeout 3 -o shop.html\n",
	.run = run,
};
