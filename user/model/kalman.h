/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_KALMAN_H
#define TL_MODEL_KALMAN_H

#include <stddef.h>

/**
 * struct tl_kalman_in - A resource, window by window
 * @windows: how many, in the order of time
 * @classes: how many
 * @count: [windows][classes] requests completed
 * @time_s: [windows][classes] Σ their response times, in the window in which a class is
 *          seen first
 * @seconds: [windows] lengths
 * @busy: [windows] utilisation of the resource, 0 … 1
 * @noise: variance of what is measured of it; the paper has 0
 */
struct tl_kalman_in {
	size_t windows, classes;
	const double *count, *time_s, *seconds, *busy;
	double noise;
};

/**
 * struct tl_kalman_out - Service times over time
 * @value: [windows][classes] the caller's; after each window, seconds per request; NAN
 *         before the class was seen. They may be negative
 * @error: [windows][classes] the caller's; standard deviations
 * @nis: [windows] the caller's; squared innovation by its variance, negative if a window
 *       was of no use: it told nothing that was not known
 */
struct tl_kalman_out {
	double *value, *error, *nis;
};

int tl_kalman(const struct tl_kalman_in *in, struct tl_kalman_out *out);

#endif
