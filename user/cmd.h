/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CMD_H
#define TL_CMD_H

#include "hist.h"

#include <getopt.h>
#include <stdbool.h>

/* TL_GO_ON: no exit status yet. */
enum tl_exit { TL_GO_ON = -1, TL_EXIT_OK, TL_EXIT_FAILED, TL_EXIT_USAGE };

/**
 * struct tl_cmd - A subcommand
 * @name: what it is called by
 * @args: its arguments, for the usage line
 * @summary: what it does, for the list of commands
 * @help: options and an example, each line ended
 * @alone: it is a program by itself, not one of tierlens
 * @run: does it; argv[0] is the name. Returns the exit status
 */
struct tl_cmd {
	const char *name, *args, *summary, *help;
	bool alone;
	int (*run)(const struct tl_cmd *cmd, int argc, char **argv);
};

extern const struct tl_cmd tl_cmd_top, tl_cmd_status, tl_cmd_enable, tl_cmd_disable;
extern const struct tl_cmd tl_cmd_tier, tl_cmd_class, tl_cmd_level, tl_cmd_show, tl_cmd_record, tl_cmd_replay;
extern const struct tl_cmd tl_cmd_graph, tl_cmd_report, tl_cmd_demand, tl_cmd_selftest;
extern const struct tl_cmd tl_cmd_lqn, tl_cmd_lqn_build, tl_cmd_track, tl_cmd_cbmg, tl_cmd_execgraph;
extern const struct tl_cmd tl_cmd_capacity, tl_cmd_bottleneck, tl_cmd_anomaly, tl_cmd_adapt, tl_cmd_check_kernel;
extern const struct tl_cmd tl_cmd_fleet;
extern const struct tl_cmd tl_cmd_origin, tl_cmd_origin_train, tl_cmd_origin_classify, tl_cmd_origin_explain;
extern const struct tl_cmd tl_cmd_pmu, tl_cmd_pmu_list, tl_cmd_pmu_record, tl_cmd_pmu_learn;
extern const struct tl_cmd tl_cmd_pmu_clean, tl_cmd_pmu_compare;
extern const struct tl_cmd tl_cmd_tasks, tl_cmd_tasks_record, tl_cmd_tasks_infer,
	tl_cmd_tasks_draw;

/* Options that every command has. */
#define TL_COMMON_OPTIONS \
	{ "json", no_argument, NULL, 'J' }, { "help", no_argument, NULL, 'h' }, { 0 }
#define TL_COMMON_HELP \
	"  --json            print JSON for programs\n" \
	"  --help            print this\n"

/* Options of those that read recordings; tl_args_next() takes them itself. */
#define TL_ARGS_FROM (1 << 20) /* beyond what commands have of their own */
#define TL_ARGS_TO (TL_ARGS_FROM + 1)
#define TL_ARGS_STEP (TL_ARGS_FROM + 2)
#define TL_ARGS_SELECTOR (TL_ARGS_FROM + 3)
#define TL_ARGS_TOKEN (TL_ARGS_FROM + 4)
#define TL_ARGS_CA (TL_ARGS_FROM + 5)
#define TL_ARGS_HOST_LABEL (TL_ARGS_FROM + 6)
#define TL_ARGS_PROMETHEUS (TL_ARGS_FROM + 7)
#define TL_WHILE_OPTIONS \
	{ "from", required_argument, NULL, TL_ARGS_FROM }, { "to", required_argument, NULL, TL_ARGS_TO }, \
	{ "prometheus", required_argument, NULL, TL_ARGS_PROMETHEUS }, { "step", required_argument, NULL, TL_ARGS_STEP }, \
	{ "selector", required_argument, NULL, TL_ARGS_SELECTOR }, { "token-file", required_argument, NULL, TL_ARGS_TOKEN }, \
	{ "ca", required_argument, NULL, TL_ARGS_CA }, { "host-label", required_argument, NULL, TL_ARGS_HOST_LABEL }
#define TL_WHILE_HELP \
	"      --from TIME   only what begins from then on: \"2026-05-01 18:00\", 18:00, or -2h, -30m, -7d from now\n" \
	"      --to TIME     only what begins before\n" \
	"      --prometheus URL\n" \
	"                    instead of a FILE: all hosts whose metrics are there; for its options\n" \
	"                    see tierlens fleet --help\n"

/* Beside option characters, what tl_args_next() returns. */
enum tl_args { TL_ARGS_END = -1, TL_ARGS_HELP = -2, TL_ARGS_BAD = -3 };

int tl_args_next(const struct tl_cmd *cmd, int argc, char **argv, const char *shorts,
		 const struct option *options);
int tl_args_status(int end);
int tl_args_usage(const struct tl_cmd *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int tl_args_end(const struct tl_cmd *cmd, int option, int argc, char **argv);
int tl_args_recording(const struct tl_cmd *cmd, int option, int argc, char **argv,
		      const char **file);
int tl_args_json(const struct tl_cmd *cmd, int argc, char **argv, bool *json);
int tl_args_u64(const char *what, const char *text, u64 low, u64 high, u64 *value);
int tl_args_number(const char *what, const char *text, double low, double *value);
int tl_args_time(const char *what, const char *text, u64 *ns);
int tl_args_part(const struct tl_cmd *cmd, const char *what, const char *text, double *value);

#endif
