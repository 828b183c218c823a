/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_KEEP_H
#define TL_SELFTEST_KEEP_H

#include "hist.h"

#include <sys/types.h>

struct tl_ctl;
struct tl_error;
struct tl_module;
struct tl_programs;

#define TL_KEEP_CLASSES 16

/**
 * struct tl_keep - Whoever puts things in order when the test has ended, somehow
 * @pid: the keeper's process; 0 for none
 * @held: ends of pipes that are open as long as the test runs, the second one as long
 *        as any of its servers runs
 * @interval_ms: the settings to go back to
 * @quiet_ms: the settings to go back to
 */
struct tl_keep {
	pid_t pid;
	int held[2];
	u32 interval_ms, quiet_ms;
};

int tl_keep_begin(struct tl_keep *keep, struct tl_programs *programs,
		  const struct tl_module *before, struct tl_error *err);
int tl_keep_end(struct tl_keep *keep, struct tl_error *err);

const char *tl_keep_class(unsigned int i);
int tl_keep_class_number(const char *name);
int tl_keep_refuse(struct tl_ctl *ctl, struct tl_error *err);
int tl_keep_rules_add(struct tl_ctl *ctl, struct tl_error *err);
int tl_keep_rules_del(struct tl_ctl *ctl, struct tl_error *err);

#endif
