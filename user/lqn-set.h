/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_SET_H
#define TL_LQN_SET_H

#include <stddef.h>

struct tl_error;
struct tl_lqn;

int tl_lqn_set(struct tl_lqn *lqn, const char *file, const char *const *change, size_t n,
	       struct tl_error *err);

#endif
