// SPDX-License-Identifier: GPL-2.0-or-later
/* Demands for people. */
#include "demand-out.h"

#include "out.h"

#include <inttypes.h>
#include <stdlib.h>

#define LEFT_OUT_MAX 8

static void row_print(const struct tl_demand *demand, const struct tl_target *target,
		      struct tl_grid *grid, size_t class)
{
	const struct tl_estimate *e = &target->coefficient[class];
	const struct tl_windows *windows = demand->windows;
	char *verdict = tl_estimate_verdict(demand, target, class);
	bool known = tl_estimate_known(e);

	tl_grid_add(grid, "%s", target->tier == TL_NOWHERE ?
				"-" : windows->tiers.name[target->tier]);
	tl_grid_add(grid, "%s", tl_target_name(windows, target));
	tl_grid_add(grid, "%s", windows->classes.name[class]);
	tl_grid_add(grid, known ? "%.4g" : "-", 1e3 * e->value);
	if (tl_estimate_bounded(e)) {
		tl_grid_add(grid, "%.3g", 1e3 * e->error);
		tl_grid_add(grid, "%.4g ... %.4g", 1e3 * e->low95, 1e3 * e->high95);
	} else {
		tl_grid_add(grid, "-");
		tl_grid_add(grid, "-");
	}
	tl_grid_add(grid, known && e->error > 0 ? "%.1f" : "-", e->value / e->error);
	tl_grid_add(grid, "%s", verdict ? verdict : "");
	free(verdict);
}

static void left_out_print(const struct tl_windows *windows, FILE *to)
{
	size_t i, n = 0;

	for (i = 0; i < windows->n; i++)
		if (windows->left_out[i] && n++ < LEFT_OUT_MAX)
			fprintf(to, "left out: window at %.3f s: %s\n", windows->t_s[i],
				windows->left_out[i]);
	if (n > LEFT_OUT_MAX)
		fprintf(to, "left out: %zu more windows, all in --json\n", n - LEFT_OUT_MAX);
}

static void head_print(const struct tl_demand *demand, FILE *to)
{
	const struct tl_windows *windows = demand->windows;
	char *set, *remedy;
	size_t i;

	fprintf(to, "%zu of %zu windows, %zu classes (at least %zu windows are wanted); "
		"condition of the counts %.3g, rank %zu of %zu\n", demand->n_used, windows->n,
		windows->classes.n, 2 * windows->classes.n, demand->counts.condition,
		demand->counts.rank, demand->counts.columns);
	left_out_print(windows, to);
	for (i = 1; i <= demand->counts.sets; i++) {
		set = tl_demand_set_text(demand, i);
		remedy = tl_demand_remedy(demand, i);
		fprintf(to, "their counts do not tell apart: %s: %s\n", set ? set : "",
			remedy ? remedy : "");
		free(remedy);
		free(set);
	}
	if (*demand->why)
		fprintf(to, "method: %s\n", demand->why);
}

static void target_print(const struct tl_demand *demand, const struct tl_target *target,
			 struct tl_grid *grid)
{
	const struct tl_estimate *b = &target->coefficient[demand->windows->classes.n];
	char key[300], *check;

	tl_target_key(demand->windows, target, key, sizeof(key));
	tl_grid_add(grid, "%s", key);
	if (target->unfit) {
		tl_grid_add(grid, "-");
		tl_grid_add(grid, "-");
		tl_grid_add(grid, "-");
		tl_grid_add(grid, "-");
		tl_grid_add(grid, "%s", target->unfit);
		return;
	}
	check = tl_target_check(demand, target);
	tl_grid_add(grid, "%s%s%s", tl_method_names[target->method],
		    target->by ? " by " : "", target->by ? target->by : "");
	tl_grid_add(grid, "%.3f", target->r2);
	tl_grid_add(grid, "%.1f", 100 * target->explained);
	if (target->background && b->verdict != TL_VERDICT_INSEPARABLE)
		tl_grid_add(grid, "%.4f +- %.4f", b->value, b->error);
	else
		tl_grid_add(grid, "-");
	tl_grid_add(grid, "%s", check ? check : "");
	free(check);
}

/**
 * tl_demand_print() - Demands for people
 * @demand: demands
 * @to: where
 */
void tl_demand_print(const struct tl_demand *demand, FILE *to)
{
	struct tl_grid *demands = tl_grid_new(
		"tier|resource|class|>demand ms|>error|>95 %|>t|verdict");
	struct tl_grid *targets = tl_grid_new(
		"of|method|>R2|>explained %|>without requests|remark");
	size_t i, k;
	char *verdict;

	head_print(demand, to);
	for (i = 0; i < demand->n_targets; i++) {
		target_print(demand, &demand->target[i], targets);
		for (k = 0; !demand->target[i].unfit && k < demand->windows->classes.n; k++)
			row_print(demand, &demand->target[i], demands, k);
	}
	fputc('\n', to);
	tl_grid_print(demands, to, 0, 0);
	fputc('\n', to);
	tl_grid_print(targets, to, 0, 0);
	tl_grid_free(demands);
	tl_grid_free(targets);
	verdict = tl_demand_verdict(demand);
	fprintf(to, "\nverdict: %s\n", verdict ? verdict : "");
	free(verdict);
}
