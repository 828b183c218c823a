// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens demand: what each kind of request costs, and how sure that is. */
#include "child.h"
#include "cmd.h"
#include "compare.h"
#include "demand-model.h"
#include "demand-out.h"
#include "error.h"
#include "forecast.h"
#include "out.h"

#include <stdlib.h>
#include <string.h>

struct args {
	char **files;
	int n_files;
	const char *output;
	enum tl_method method;
	bool json, method_given;
};

static int read_windows(struct tl_windows *windows, const char *file, struct tl_error *err)
{
	int code = tl_windows_read(windows, file, err);

	if (!code && *windows->note)
		tl_out_error("%s", windows->note);
	return code;
}

/* The answer and the model in one object: either serves as the other. */
static json_t *fit_json(const struct tl_demand *demand)
{
	json_t *object = tl_demand_json(demand);

	if (object)
		json_object_set_new(object, "model", tl_model_json(demand));
	return object;
}

static int write_model(const struct tl_demand *demand, const char *output,
		       struct tl_error *err)
{
	json_t *object = fit_json(demand);
	struct tl_bytes text = { 0 };
	int code;

	text.data = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) :
			     NULL;
	json_decref(object);
	if (!text.data)
		return tl_error_no_memory(err);
	text.len = strlen(text.data);
	code = tl_out_file(output, &text, err);
	free(text.data);
	return code;
}

static int fit(const struct args *args)
{
	struct tl_windows windows = { 0 };
	struct tl_demand demand = { 0 };
	int status = TL_EXIT_OK;
	struct tl_error err;
	int code;

	code = read_windows(&windows, args->files[0], &err);
	code = code ? code : tl_demand_fit(&demand, &windows, args->method, &err);
	if (!code && args->output)
		code = write_model(&demand, args->output, &err);
	if (code)
		status = tl_out_failed(&err);
	else if (args->json)
		status = tl_out_json(fit_json(&demand));
	else
		tl_demand_print(&demand, stdout);
	tl_demand_free(&demand);
	tl_windows_free(&windows);
	return status;
}

static int predict(const struct args *args)
{
	struct tl_forecast forecast = { 0 };
	struct tl_windows windows = { 0 };
	struct tl_model model = { 0 };
	int status = TL_EXIT_OK;
	struct tl_error err;
	int code;

	code = tl_model_read(&model, args->files[0], &err);
	code = code ? code : read_windows(&windows, args->files[1], &err);
	if (!code && tl_forecast_make(&forecast, &model.demand, &windows))
		code = tl_error_no_memory(&err);
	if (code)
		status = tl_out_failed(&err);
	else if (args->json)
		status = tl_out_json(tl_forecast_json(&forecast));
	else
		tl_forecast_print(&forecast, stdout);
	tl_forecast_free(&forecast);
	tl_windows_free(&windows);
	tl_model_free(&model);
	return status;
}

static int compare_with(struct tl_comparison *c, const char *file, struct tl_error *err)
{
	struct tl_windows windows = { 0 };
	int code = read_windows(&windows, file, err);

	code = code ? code : tl_comparison_add(c, &windows, err);
	tl_windows_free(&windows);
	return code;
}

static int compare(const struct args *args)
{
	struct tl_comparison comparison = { 0 };
	struct tl_windows windows = { 0 };
	int status = TL_EXIT_OK, i;
	struct tl_error err;
	int code;

	code = read_windows(&windows, args->files[0], &err);
	code = code ? code : tl_comparison_make(&comparison, &windows, &err);
	if (!code && args->n_files == 1)
		code = tl_comparison_cross(&comparison, &err);
	for (i = 1; i < args->n_files && !code; i++)
		code = compare_with(&comparison, args->files[i], &err);
	if (code)
		status = tl_out_failed(&err);
	else if (args->json)
		status = tl_out_json(tl_comparison_json(&comparison));
	else
		tl_comparison_print(&comparison, stdout);
	tl_comparison_free(&comparison);
	tl_windows_free(&windows);
	return status;
}

static const struct {
	const char *name, *needs;
	int least, most;
	int (*run)(const struct args *args);
} words[] = {
	{ "fit", "a recording or a table of figures", 1, 1, fit },
	{ "predict", "a model and a recording or a table of figures", 2, 2, predict },
	{ "compare", "recordings or tables of figures", 1, 1000, compare },
};

static int method_read(const struct tl_cmd *cmd, const char *name, struct args *args)
{
	int i;

	args->method_given = true;
	for (i = 0; i < TL_METHODS; i++)
		if (!strcmp(name, tl_method_names[i])) {
			args->method = (enum tl_method)i;
			return TL_EXIT_OK;
		}
	return tl_args_usage(cmd, "unknown method \"%s\"", name);
}

static int run_word(const struct tl_cmd *cmd, struct args *args)
{
	size_t i;

	if (!args->n_files)
		return tl_args_usage(cmd, "demand needs fit, predict or compare");
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(args->files[0], words[i].name))
			break;
	if (i == ARRAY_SIZE(words))
		return tl_args_usage(cmd, "demand has no \"%s\"", args->files[0]);
	args->files++;
	args->n_files--;
	if (args->n_files < words[i].least)
		return tl_args_usage(cmd, "demand %s needs %s", words[i].name, words[i].needs);
	if (args->n_files > words[i].most)
		return tl_args_usage(cmd, "unexpected argument \"%s\"",
				     args->files[words[i].most]);
	if (i && (args->output || args->method_given))
		return tl_args_usage(cmd, "demand %s takes neither --method nor --output",
				     words[i].name);
	return words[i].run(args);
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "method", required_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		TL_WHILE_OPTIONS,
		TL_COMMON_OPTIONS
	};
	struct args args = { 0 };
	int option;

	while ((option = tl_args_next(cmd, argc, argv, "m:o:", options)) >= 0) {
		if (option == 'J')
			args.json = true;
		else if (option == 'o')
			args.output = optarg;
		else if (method_read(cmd, optarg, &args))
			return TL_EXIT_USAGE;
	}
	if (option != TL_ARGS_END)
		return tl_args_status(option);
	args.files = argv + optind;
	args.n_files = argc - optind;
	return run_word(cmd, &args);
}

const struct tl_cmd tl_cmd_demand = {
	.name = "demand",
	.args = "fit FILE [--method M] [-o MODEL] | predict MODEL FILE | compare FILE...  "
		"[--json]",
	.summary = "What each class of requests costs at each tier and resource",
	.help = "  -m, --method M    auto (the default), baseline, ols, nnls, ridge, queue,\n"
		"                    residence or sdl\n"
		"  -o, --output MODEL\n"
		"                    write what predict needs\n"
		TL_WHILE_HELP
		TL_COMMON_HELP
		"FILE is a recording, or a table of figures whose name ends with .csv.\n"
		"compare fits all methods to the first FILE and holds them against the others;\n"
		"against parts of it that were left out if there is no other.\n"
		"\nExample:\n"
		"  tierlens demand fit evening.jsonl -o shop.json\n"
		"  tierlens demand predict shop.json sale.jsonl\n",
	.run = run,
};
