/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_SDL_H
#define TL_MODEL_SDL_H

#include "model/estimate.h"

/**
 * struct tl_sdl_in - A resource, and what tells who used it
 * @windows: how many
 * @classes: how many
 * @count: [windows][classes] requests completed
 * @time_s: [windows][classes] Σ of the time by which the resource is shared out: their
 *          residence, or processor time where it was measured
 * @seconds: [windows] lengths
 * @busy: [windows] utilisation of the resource, 0 … 1
 * @background: [windows] measured part of it that is charged to no request, for want of
 *              something better; NULL if it was not measured
 */
struct tl_sdl_in {
	size_t windows, classes;
	const double *count, *time_s, *seconds, *busy, *background;
};

/**
 * struct tl_sdl_out - Demands
 * @demand: [classes] the caller's; seconds of the whole resource per request
 * @background: utilisation without requests
 * @background_known: it was measured or estimated; else what there is of it is in the demands
 * @residual: [windows] the caller's; utilisation less what the demands make of it
 * @r2: part of the utilisation's variance that is explained
 * @residual_sd: standard deviation of the residuals
 * @degrees: of freedom
 */
struct tl_sdl_out {
	struct tl_estimate *demand, background;
	double *residual, r2, residual_sd, degrees;
	bool background_known;
};

int tl_sdl(const struct tl_sdl_in *in, struct tl_sdl_out *out);

#endif
