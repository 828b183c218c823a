// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens level: how much is seen of each tier. */
#include "choose-args.h"
#include "cmd.h"
#include "ctl.h"
#include "error.h"
#include "level-functions.h"
#include "out.h"
#include "tiers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* @tier: NULL for the list, or the default. @level: TL_AT_UNKNOWN for "auto". */
struct args {
	const char *tier, *default_to;
	enum tl_at level;
	double lease_s;
	struct tl_choose_options choose;
	u64 functions;
	bool json, chooses; /* chooses: it is said which functions */
};

#define FUNCTIONS 64 /* if nobody says how many */

struct list {
	struct tl_module module;
	struct tl_tier_info *tiers;
	struct tl_function_info *functions;
	size_t n_tiers, n_functions;
};

static int list_read(struct list *l, struct tl_ctl *ctl, struct tl_error *err)
{
	int code = tl_ctl_module(ctl, &l->module, err);

	code = code ? code : tl_ctl_tiers(ctl, &l->tiers, &l->n_tiers, err);
	return code ? code : tl_ctl_functions(ctl, &l->functions, &l->n_functions, err);
}

static json_t *list_json(const struct list *l)
{
	json_t *tiers = json_array(), *functions = json_array();
	size_t i;

	for (i = 0; i < l->n_tiers; i++) {
		const struct tl_tier_info *t = &l->tiers[i];

		json_array_append_new(tiers, json_pack(
			"{s:s, s:s, s:b, s:o}", "tier", t->name, "level", tl_at_name(t->level), "own",
			(int)t->own_level, "lease_s", t->leased ? json_real(t->lease_ms / 1e3) : json_null()));
	}
	for (i = 0; i < l->n_functions; i++) {
		const struct tl_function_info *f = &l->functions[i];

		json_array_append_new(functions, json_pack(
			"{s:I, s:s, s:s, s:s, s:I, s:I}", "id", (json_int_t)f->id, "tier", f->tier, "name", f->name,
			"state", tl_function_state_name(f->state), "hits", (json_int_t)f->hits, "lost",
			(json_int_t)f->lost));
	}
	return json_pack("{s:s, s:o, s:o, s:o}", "default", tl_at_name(l->module.level), "default_lease_s",
			 l->module.lease_ms ? json_real(l->module.lease_ms / 1e3) : json_null(), "tiers", tiers,
			 "functions", functions);
}

static void functions_print(const struct list *l)
{
	static const char *const became[] = {
		[TIERLENS_FUNCTION_STATE_PROBED] = "probed",
		[TIERLENS_FUNCTION_STATE_HOT] = "dropped: called too often",
		[TIERLENS_FUNCTION_STATE_STACKS] = "dropped: the program has coroutines or a shadow stack",
		[TIERLENS_FUNCTION_STATE_LEAVING] = "leaving: a program holds its probe up until it ends",
	};
	struct tl_grid *grid = tl_grid_new("tier|function|state|>calls|>lost");
	size_t i;

	for (i = 0; i < l->n_functions; i++) {
		const struct tl_function_info *f = &l->functions[i];

		tl_grid_add(grid, "%s", f->tier);
		tl_grid_add(grid, "%s", f->name);
		tl_grid_add(grid, "%s", f->state < ARRAY_SIZE(became) ? became[f->state] : "dropped");
		tl_grid_add(grid, "%" PRIu64, f->hits);
		tl_grid_add(grid, "%" PRIu64, f->lost);
	}
	putchar('\n');
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}

static void list_print(const struct list *l)
{
	struct tl_grid *grid = tl_grid_new("tier|level");
	char level[64];
	size_t i;

	for (i = 0; i < l->n_tiers; i++) {
		tl_tiers_level(level, sizeof(level), &l->tiers[i]);
		tl_grid_add(grid, "%s", l->tiers[i].name);
		tl_grid_add(grid, "%s", level);
	}
	tl_grid_add(grid, "(all others)");
	if (l->module.lease_ms)
		tl_grid_add(grid, "%s, %.1f s left, then %s", tl_at_name(l->module.level), l->module.lease_ms / 1e3,
			    tl_at_name(l->module.leased_from));
	else
		tl_grid_add(grid, "%s", tl_at_name(l->module.level));
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
	if (l->n_functions)
		functions_print(l);
}

static int list(struct tl_ctl *ctl, const struct args *args, struct tl_error *err)
{
	struct list l = { 0 };
	int status = TL_EXIT_OK;

	if (list_read(&l, ctl, err))
		status = tl_out_failed(err);
	else if (args->json)
		status = tl_out_json(list_json(&l));
	else
		list_print(&l);
	free(l.tiers);
	free(l.functions);
	return status;
}

static void probed_print(const struct tl_probed *probed)
{
	printf("%zu of %zu functions are probed\n", probed->n, probed->known);
	if (probed->refused)
		tl_out_error("%zu were refused, the last one: %s", probed->refused, probed->why);
	if (*probed->note)
		tl_out_error("%s", probed->note);
}

/* It may have been at method before: what is asked for now is all that is probed. */
static int functions_go(struct tl_ctl *ctl, const char *tier, struct tl_error *err)
{
	int code = tl_ctl_function_del(ctl, tier, 0, err);

	return code == -ENOENT ? 0 : code;
}

/* A note has paths in it, which may be any bytes, and be cut within a character. */
static json_t *set_json(const struct args *args, const struct tl_probed *probed)
{
	json_t *object = json_pack("{s:o, s:s}", "tier", args->tier ? tl_out_name(args->tier) : json_null(), "level",
				   args->level ? tl_at_name(args->level) : "auto");
	json_t *more;

	if (!probed)
		return object;
	more = json_pack("{s:I, s:I, s:I, s:o, s:o}", "probed", (json_int_t)probed->n, "known",
			 (json_int_t)probed->known, "refused", (json_int_t)probed->refused, "why",
			 tl_out_name(probed->why), "note", tl_out_name(probed->note));
	if (!json_object_update_new(object, more))
		return object;
	json_decref(object);
	return NULL;
}

/* A program may hold up what is asked for; it is done all the same, but for that. */
static void leaving_print(struct tl_ctl *ctl, const char *tier)
{
	struct tl_function_info *functions;
	size_t i, n, leaving = 0;
	struct tl_error err;

	if (tl_ctl_functions(ctl, &functions, &n, &err))
		return;
	for (i = 0; i < n; i++)
		leaving += functions[i].state == TIERLENS_FUNCTION_STATE_LEAVING &&
			   (!tier || !strcmp(functions[i].tier, tier));
	free(functions);
	if (leaving)
		tl_out_error("%zu functions have not left yet, for a program holds their probes up: tierlens level list shows them, end that program",
			     leaving);
}

static int set(struct tl_ctl *ctl, const struct args *args, struct tl_error *err)
{
	bool probes = args->level == TL_AT_METHOD && args->functions;
	struct tl_probed probed;

	if (tl_ctl_level_set(ctl, args->tier, args->level, (u32)(1e3 * args->lease_s + 0.5), err) ||
	    (args->level == TL_AT_METHOD && functions_go(ctl, args->tier, err)))
		return tl_out_failed(err);
	if (probes && tl_level_functions(ctl, &args->choose, args->tier, args->functions, &probed, err)) {
		tl_out_failed(err);
		tl_out_error("the tier is at method all the same: tierlens level %s auto takes that back", args->tier);
		return TL_EXIT_FAILED;
	}
	leaving_print(ctl, args->tier);
	if (!args->json) {
		if (probes)
			probed_print(&probed);
		return TL_EXIT_OK;
	}
	return tl_out_json(set_json(args, probes ? &probed : NULL));
}

static int level(const struct args *args)
{
	struct tl_error err;
	struct tl_ctl *ctl;
	int status;

	if (tl_ctl_open(&ctl, &err))
		return tl_out_failed(&err);
	status = args->tier || args->default_to ? set(ctl, args, &err) : list(ctl, args, &err);
	tl_ctl_close(ctl);
	return status;
}

/* ---- arguments --------------------------------------------------------------------------- */

static int level_read(const struct tl_cmd *cmd, const char *word, struct args *args)
{
	args->level = tl_at_read(word);
	if (args->level || (args->tier && !strcmp(word, "auto")))
		return TL_EXIT_OK;
	return tl_args_usage(cmd, "level \"%s\" is none of off, trace, server, method%s", word,
			     args->tier ? ", auto" : "");
}

static int words_read(const struct tl_cmd *cmd, char **words, int n, struct args *args)
{
	if (n == 1 && !strcmp(words[0], "list") && !args->default_to)
		n = 0;
	if (args->default_to)
		return n ? tl_args_usage(cmd, "--default goes without \"%s\"", words[0]) :
			   level_read(cmd, args->default_to, args);
	if (n == 1)
		return tl_args_usage(cmd, "level needs a level for tier %s: off, trace, server, method or auto",
				     words[0]);
	if (n > 2)
		return tl_args_usage(cmd, "unexpected argument \"%s\"", words[2]);
	if (!n)
		return TL_EXIT_OK;
	if (!*words[0] || strlen(words[0]) > TIERLENS_NAME_MAX)
		return tl_args_usage(cmd, "the tier \"%s\" must have 1 to %d bytes", words[0], TIERLENS_NAME_MAX);
	args->tier = words[0];
	return level_read(cmd, words[1], args);
}

static int lease_check(const struct tl_cmd *cmd, const struct args *args)
{
	if (args->lease_s <= 0)
		return TL_EXIT_OK;
	if (!args->level)
		return tl_args_usage(cmd, "--lease goes with a level");
	if (args->lease_s * 1e3 > TIERLENS_LEASE_MS_MAX)
		return tl_args_usage(cmd, "--lease %g is out of range: give 0.1 to %g seconds", args->lease_s,
				     TIERLENS_LEASE_MS_MAX / 1e3);
	return TL_EXIT_OK;
}

static int run_words(const struct tl_cmd *cmd, char **words, int n, struct args *args)
{
	int status = words_read(cmd, words, n, args);

	status = status ? status : lease_check(cmd, args);
	if (!status && args->chooses && (!args->tier || args->level != TL_AT_METHOD))
		status = tl_args_usage(cmd, "which functions goes with a tier and its level method");
	return status ? status : level(args);
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "default", required_argument, NULL, 'd' },
		{ "lease", required_argument, NULL, 'l' },
		{ "functions", required_argument, NULL, 'n' },
		{ "function", required_argument, NULL, 'f' },
		{ "not", required_argument, NULL, 'x' },
		{ "user", required_argument, NULL, 'u' },
		TL_COMMON_OPTIONS
	};
	struct args args = { .functions = FUNCTIONS };
	int option, status = TL_EXIT_OK;

	while ((option = tl_args_next(cmd, argc, argv, "d:l:", options)) >= 0) {
		if (option == 'd')
			args.default_to = optarg;
		else if (option == 'l')
			status = tl_args_number("--lease", optarg, TIERLENS_LEASE_MS_MIN / 1e3, &args.lease_s);
		else if (option == 'n')
			status = tl_args_u64("--functions", optarg, 0, TIERLENS_FUNCTIONS_MAX, &args.functions);
		else if (option == 'J')
			args.json = true;
		else
			status = tl_choose_args(option, &args.choose);
		args.chooses |= option == 'n' || option == 'f' || option == 'x' || option == 'u';
		if (status)
			break;
	}
	if (!status && option != TL_ARGS_END)
		status = tl_args_status(option);
	else if (!status)
		status = run_words(cmd, argv + optind, argc - optind, &args);
	tl_choose_args_free(&args.choose);
	return status;
}

const struct tl_cmd tl_cmd_level = {
	.name = "level",
	.args = "[list | TIER LEVEL [--lease S] [--functions N] [--function GLOB] [--not GLOB]\n"
		"               [--user GLOB] | TIER auto | --default LEVEL [--lease S]] [--json]",
	.summary = "How much is seen of each tier: off, trace, server, method",
	.help = "  -l, --lease S     hold it for S seconds only, 0.1 to 600; then the tier has no level of\n"
		"                    its own, or all others are as before. Until then nobody else can\n"
		"                    lease it: auto ends it\n"
		"  -d, --default LEVEL\n"
		"                    of all tiers that have no level of their own\n"
		"      --functions N   at method, probe so many functions of the tier's own code (64), 0 to 256\n"
		"      --function GLOB  those of that name only; may be given several times\n"
		"      --not GLOB      never those\n"
		"      --user GLOB     also those in files of that path\n"
		TL_COMMON_HELP
		"LEVEL is off: nothing; trace: requests from end to end; server: calls, own time and\n"
		"what requests use, too, which is what it is at first; method: functions, too, as long as\n"
		"it is at that level. A level without --lease holds until it is changed, and tierlensd\n"
		"lets it be; auto gives the tier back.\n"
		"\nExample:\n"
		"  tierlens level app:9000 trace\n",
	.run = run,
};
