/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of tlmnl, each given its name and its arguments. */
#ifndef ABI_TLMNL_H
#define ABI_TLMNL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "interval.h"
#include "tl.h"

struct client {
	struct tl tl;
	struct interval_reader reader;
	bool stop; /* after the first part of an interval */
};

extern struct client client;

uint64_t to_number(const char *text);

/* Whether SIGTERM has come, from when end_when_told() was called on: it ends nobody any more. */
extern volatile sig_atomic_t told_to_end;
void end_when_told(void);

/* tlmnl-ask.c */
int do_status(int argc, char **argv);
int do_tier_list(int argc, char **argv);
int do_hooks(int argc, char **argv);
int do_pmu_list(int argc, char **argv);
int do_pmu_add(int argc, char **argv);
int do_pmu_del(int argc, char **argv);
int do_enable(int argc, char **argv);
int do_disable(int argc, char **argv);
int do_tier_add(int argc, char **argv);
int do_tier_del(int argc, char **argv);
int do_class_add(int argc, char **argv);
int do_class_del(int argc, char **argv);
int do_class_list(int argc, char **argv);
int do_level(int argc, char **argv);
int do_lease(int argc, char **argv);
int do_function_add(int argc, char **argv);
int do_function_del(int argc, char **argv);
int do_function_list(int argc, char **argv);

/* tlmnl-read.c */
int do_get(int argc, char **argv);
int do_since(int argc, char **argv);
int do_follow(int argc, char **argv);
int do_hold(int argc, char **argv);
int do_listen(int argc, char **argv);

#endif
