/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_USE_H
#define TL_LQN_USE_H

#include <stdbool.h>

struct tl_faults;
struct tl_lqn;

int tl_lqn_use(const char *file, bool json,
	       int (*use)(const void *arg, struct tl_lqn *lqn, const struct tl_faults *faults),
	       const void *arg);

#endif
