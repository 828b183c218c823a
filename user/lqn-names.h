/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_NAMES_H
#define TL_LQN_NAMES_H

#include <stddef.h>

struct tl_error;
struct tl_lqn;

/* What a name may be of; any of them, or'ed. */
enum tl_lqn_thing { TL_LQN_A_PROCESSOR = 1, TL_LQN_A_TASK = 2, TL_LQN_CUSTOMERS = 4,
		    TL_LQN_AN_ENTRY = 8, TL_LQN_ARRIVALS = 16 };

/**
 * struct tl_lqn_named - What has a name: indexes, TL_LQN_NONE each that it is not
 */
struct tl_lqn_named {
	size_t processor, task, entry;
};

int tl_lqn_find(const struct tl_lqn *lqn, const char *name, unsigned int things,
		struct tl_lqn_named *named, struct tl_error *err);

#endif
