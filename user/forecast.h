/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FORECAST_H
#define TL_FORECAST_H

#include "predict.h"

#include <jansson.h>
#include <stdio.h>

/**
 * struct tl_forecast - Demands held against windows that may be others
 * @demand: demands; the caller's
 * @windows: table of figures; the caller's
 * @predicted: [windows][targets]
 * @measured: [windows][targets] NAN where it was not
 * @error: [targets] mean relative error over windows that can be used; NAN without any
 * @total: [targets] what the sum over those windows is off, relative to it; NAN without any
 * @busiest: mean over the windows of the utilisation of the busiest resource
 * @unknown: classes of @windows that came and that the demands do not know
 */
struct tl_forecast {
	const struct tl_demand *demand;
	const struct tl_windows *windows;
	struct tl_predicted *predicted;
	double *measured, *error, *total, busiest;
	size_t unknown;
};

int tl_forecast_make(struct tl_forecast *forecast, const struct tl_demand *demand,
		     const struct tl_windows *windows);
void tl_forecast_free(struct tl_forecast *forecast);
json_t *tl_forecast_json(const struct tl_forecast *forecast);
void tl_forecast_print(const struct tl_forecast *forecast, FILE *to);

#endif
