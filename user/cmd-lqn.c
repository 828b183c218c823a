// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens lqn: layered queueing networks from files. */
#include "cmd.h"
#include "error.h"
#include "lqn-out.h"
#include "lqn-read.h"
#include "lqn-use.h"
#include "model/lqn-simulate.h"
#include "model/lqn-solve.h"
#include "out.h"

#include <errno.h>
#include <string.h>

struct args {
	const struct tl_cmd *cmd;
	const char *file;
	bool json, how, verify; /* @how: something was said about how to simulate */
	struct tl_lqn_simulate_in simulate;
	struct tl_lqn_what_if what_if;
};

static int check(const struct args *args)
{
	struct tl_faults faults = { 0 };
	struct tl_lqn lqn = { 0 };
	struct tl_error err;
	int status;
	int code = tl_lqn_read(&lqn, args->file, &faults, &err);

	if (code && !faults.faults)
		status = tl_out_failed(&err);
	else if (args->json)
		status = tl_out_json(tl_lqn_check_json(&lqn, &faults));
	else
		status = tl_lqn_check_print(&lqn, &faults, stdout);
	if (faults.faults)
		status = TL_EXIT_FAILED;
	tl_faults_free(&faults);
	tl_lqn_free(&lqn);
	return status;
}

static void progress(void *arg, double half_width, double done)
{
	(void)arg;
	if (half_width > 0)
		tl_out_progress("intervals ± %.2g %%, %.0f %% of the time that there is",
				100 * half_width, 100 * done);
	else
		tl_out_progress("%.0f %% of the time that there is", 100 * done);
}

static json_t *simulate_json(const struct tl_lqn *lqn, const struct tl_lqn_simulate_in *in,
			     const struct tl_lqn_simulate_out *out,
			     const struct tl_faults *faults)
{
	json_t *object = tl_lqn_solution_json(lqn, &out->solution, faults);

	if (!object)
		return NULL;
	json_object_set_new(object, "ci95", tl_lqn_half95_json(lqn, &out->solution));
	json_object_set_new(object, "run",
			    json_pack("{s:I, s:f, s:f, s:f, s:f, s:I, s:I}", "seed",
				      (json_int_t)in->seed, "precision", in->precision,
				      "confidence", in->confidence, "time_s", out->time_s,
				      "warm_up_s", out->warm_s, "batches",
				      (json_int_t)out->batches, "steps",
				      (json_int_t)out->steps));
	return object;
}

static int simulate_failed(const struct args *args, int code)
{
	struct tl_error err;

	if (code == -ENOMEM)
		tl_error_no_memory(&err);
	else
		tl_error_set(&err, code, "%s: more customers than a simulation holds (%u): give "
			     "less of them", args->file, TL_LQN_CUSTOMERS_MAX);
	return tl_out_failed(&err);
}

static int simulate_run(const void *arg, struct tl_lqn *lqn, const struct tl_faults *faults)
{
	const struct args *args = arg;
	struct tl_lqn_simulate_in in = args->simulate;
	struct tl_lqn_simulate_out out;
	int status = TL_EXIT_OK, code;

	in.lqn = lqn;
	in.progress = progress;
	code = tl_lqn_simulate(&in, &out);
	tl_out_progress_end();
	if (code)
		status = simulate_failed(args, code);
	else if (args->json)
		status = tl_out_json(simulate_json(lqn, &in, &out, faults));
	else
		tl_lqn_solution_print(lqn, &out.solution, out.factor, stdout);
	tl_lqn_simulated_free(&out);
	return status;
}

static json_t *solve_json(const struct tl_lqn *lqn, const struct tl_lqn_solve_out *out,
			  const struct tl_faults *faults)
{
	json_t *object = tl_lqn_solution_json(lqn, &out->solution, faults);

	if (!object)
		return NULL;
	json_object_set_new(object, "exact", json_boolean(out->exact));
	json_object_set_new(object, "iterations", json_integer(out->iterations));
	return object;
}

static int solved_print(const struct args *args, const struct tl_lqn *lqn,
			const struct tl_lqn_solve_out *out,
			const struct tl_lqn_simulate_out *simulated,
			const struct tl_faults *faults)
{
	json_t *object;

	if (!args->json) {
		tl_lqn_solution_print(lqn, &out->solution, 0, stdout);
		if (simulated)
			tl_lqn_verify_print(lqn, &out->solution, &simulated->solution,
					    simulated->factor, stdout);
		return TL_EXIT_OK;
	}
	object = solve_json(lqn, out, faults);
	if (object && simulated)
		json_object_set_new(object, "verify",
				    tl_lqn_verify_json(lqn, &out->solution,
						       &simulated->solution));
	return tl_out_json(object);
}

static int verify_run(const struct args *args, const struct tl_lqn *lqn,
		      const struct tl_lqn_solve_out *out, const struct tl_faults *faults)
{
	struct tl_lqn_simulate_in in = args->simulate;
	struct tl_lqn_simulate_out simulated;
	int status, code;

	in.lqn = lqn;
	in.progress = progress;
	code = tl_lqn_simulate(&in, &simulated);
	tl_out_progress_end();
	status = code ? simulate_failed(args, code) :
			solved_print(args, lqn, out, &simulated, faults);
	tl_lqn_simulated_free(&simulated);
	return status;
}

static int solve_run(const void *arg, struct tl_lqn *lqn, const struct tl_faults *faults)
{
	const struct args *args = arg;
	struct tl_lqn_solve_out out;
	struct tl_error err;
	int status, code = tl_lqn_solve(lqn, &out);

	if (code) {
		if (code == -ENOMEM)
			tl_error_no_memory(&err);
		else
			tl_error_set(&err, code, "%s: numbers out of range: give less customers, "
				     "or simulate", args->file);
		status = tl_out_failed(&err);
	} else if (args->verify) {
		status = verify_run(args, lqn, &out, faults);
	} else {
		status = solved_print(args, lqn, &out, NULL, faults);
	}
	tl_lqn_solution_free(&out.solution);
	return status;
}

static int simulate(const struct args *args)
{
	return tl_lqn_use(args->file, &args->what_if, args->json, simulate_run, args);
}

static int solve(const struct args *args)
{
	return tl_lqn_use(args->file, &args->what_if, args->json, solve_run, args);
}

static const struct {
	const char *name;
	int (*run)(const struct args *args);
	bool simulates, solves;
} words[] = {
	{ "check", check, false, false },
	{ "simulate", simulate, true, false },
	{ "solve", solve, false, true },
};

static int run_word(struct args *args, int argc, char **argv)
{
	size_t i;

	if (!argc)
		return tl_args_usage(args->cmd, "lqn needs build, check, simulate or solve");
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(argv[0], words[i].name))
			break;
	if (i == ARRAY_SIZE(words))
		return tl_args_usage(args->cmd, "lqn has no \"%s\"", argv[0]);
	if (argc < 2)
		return tl_args_usage(args->cmd, "lqn %s needs a model", argv[0]);
	if (argc > 2)
		return tl_args_usage(args->cmd, "unexpected argument \"%s\"", argv[2]);
	if (args->verify && !words[i].solves)
		return tl_args_usage(args->cmd, "only lqn solve takes --verify");
	if (args->how && !words[i].simulates && !args->verify)
		return tl_args_usage(args->cmd, "only lqn simulate, and lqn solve --verify, take "
				     "--seed, --confidence, --precision, --time and --steps");
	if (args->what_if.n && !words[i].simulates && !words[i].solves)
		return tl_args_usage(args->cmd, "only lqn solve and simulate take --set");
	args->file = argv[1];
	return words[i].run(args);
}

/* A part of one: 0.01 is what others call one percent. */
static int part_read(const struct args *args, const char *what, double low, double *value)
{
	int status = tl_args_number(what, optarg, low, value);

	if (!status && *value >= 1)
		return tl_args_usage(args->cmd, "%s %s is not below 1, 0.01 is one percent", what,
				     optarg);
	return status;
}

static int option_read(struct args *args, int option)
{
	struct tl_lqn_simulate_in *in = &args->simulate;

	if (option == 'S')
		return tl_lqn_what_if_add(&args->what_if, args->cmd, optarg);
	args->how = true;
	switch (option) {
	case 's':
		return tl_args_u64("--seed", optarg, 0, UINT32_MAX, &in->seed);
	case 'e':
		return tl_args_u64("--steps", optarg, 1000, 1000000000000ULL, &in->steps_max);
	case 't':
		return tl_args_number("--time", optarg, 1e-9, &in->time_s);
	case 'c':
		return part_read(args, "--confidence", 0.5, &in->confidence);
	default:
		return part_read(args, "--precision", 1e-6, &in->precision);
	}
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "confidence", required_argument, NULL, 'c' },
		{ "precision", required_argument, NULL, 'p' },
		{ "time", required_argument, NULL, 't' },
		{ "steps", required_argument, NULL, 'e' },
		{ "verify", no_argument, NULL, 'v' },
		{ "set", required_argument, NULL, 'S' },
		TL_COMMON_OPTIONS
	};
	static struct args args;
	int option;

	args = (struct args){ .cmd = cmd, .simulate = { .seed = 1, .confidence = 0.95,
			      .precision = -1, .steps_max = 200000000 } };
	/* It takes other things than a model. */
	if (argc > 1 && !strcmp(argv[1], "build"))
		return tl_cmd_lqn_build.run(&tl_cmd_lqn_build, argc - 1, argv + 1);
	while ((option = tl_args_next(cmd, argc, argv, "s:p:t:", options)) >= 0) {
		if (option == 'J')
			args.json = true;
		else if (option == 'v')
			args.verify = true;
		else if (option_read(&args, option))
			return TL_EXIT_USAGE;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	/* A time alone is a length; with a precision it is a limit. */
	if (args.simulate.precision < 0)
		args.simulate.precision = args.simulate.time_s > 0 ? 0 : 0.01;
	return run_word(&args, argc - optind, argv + optind);
}

const struct tl_cmd tl_cmd_lqn = {
	.name = "lqn",
	.args = "build RECORDING ... | check FILE | solve FILE [--verify] | simulate FILE [--seed N] "
		"[--precision P] [--confidence C] [--time S] [--steps N]  [--set CHANGE]... [--json]",
	.summary = "Layered queueing networks: from a recording, and what a model says",
	.help = "  -s, --seed N      of chance: the same gives the same (1)\n"
		"  -p, --precision P\n"
		"                    go on until half the intervals of customers' figures and of\n"
		"                    responses to arrivals are P of their values (0.01)\n"
		"  --confidence C    of the intervals that are meant and shown (0.95)\n"
		"  -t, --time S      simulate S seconds, or at most so many with --precision\n"
		"  --steps N         do no more than N steps (200000000); a step is a slice on a\n"
		"                    processor, a call or an end\n"
		"  --verify          simulate, too, and tell how far off the solution is\n"
		"  --set CHANGE      what if: App.threads=20, db.demand*=0.7, as of tierlens capacity\n"
		TL_COMMON_HELP
		"FILE is a model in the LQN text format (.lqn, .in, .xlqn) or in LQNX (.lqnx, .xml).\n"
		"check tells what it is, and all that is wrong with it; solve computes what becomes of\n"
		"it, simulate finds it out event by event. build makes one of what was measured, see\n"
		"tierlens lqn build --help.\n"
		"\nExample:\n"
		"  tierlens lqn check shop.lqn\n"
		"  tierlens lqn solve shop.lqn --set users.users=80 --verify\n"
		"  tierlens lqn simulate shop.lqn --precision 0.005\n",
	.run = run,
};
