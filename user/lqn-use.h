/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_USE_H
#define TL_LQN_USE_H

#include <stdbool.h>
#include <stddef.h>

#define TL_LQN_CHANGES_MAX 1000

struct tl_cmd;
struct tl_faults;
struct tl_lqn;

/**
 * struct tl_lqn_what_if - Changes of a network, as --set has them
 * @change: [n]
 */
struct tl_lqn_what_if {
	const char *change[TL_LQN_CHANGES_MAX];
	size_t n;
};

int tl_lqn_what_if_add(struct tl_lqn_what_if *what_if, const struct tl_cmd *cmd,
		       const char *change);
int tl_lqn_use(const char *file, const struct tl_lqn_what_if *what_if, bool json,
	       int (*use)(const void *arg, struct tl_lqn *lqn, const struct tl_faults *faults),
	       const void *arg);

#endif
