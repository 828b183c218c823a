/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_LQN_SOLVE_H
#define TL_MODEL_LQN_SOLVE_H

#include "lqn-figures.h"

/**
 * struct tl_lqn_solve_out - What came of it
 * @solution: figures; the caller frees it
 * @exact: whether they are those of the model, but for rounding
 * @iterations: that it took
 */
struct tl_lqn_solve_out {
	struct tl_lqn_solution solution;
	bool exact;
	unsigned int iterations;
};

int tl_lqn_solve(const struct tl_lqn *lqn, struct tl_lqn_solve_out *out);

#endif
