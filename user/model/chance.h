/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_CHANCE_H
#define TL_MODEL_CHANCE_H

#include <stdbool.h>
#include <stddef.h>

struct tl_estimate;

/* Of the variance of the load, what counting alone may make for its level to be told. */
#define TL_CHANCE_MAX 0.1

/**
 * struct tl_chance_in - A regression on counts, done
 * @windows: how many
 * @classes: how many
 * @count: [windows][classes] requests completed
 * @seconds: [windows] lengths
 * @target: [windows] what was explained, per second
 * @residual: [windows] what is left of it
 */
struct tl_chance_in {
	size_t windows, classes;
	const double *count, *seconds, *target, *residual;
};

bool tl_chance_judge(const struct tl_chance_in *in, struct tl_estimate *coefficient);

#endif
