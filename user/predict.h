/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PREDICT_H
#define TL_PREDICT_H

#include "demand.h"

/**
 * struct tl_predicted - A target in one window, as the demands would have it
 * @value: own time per second, or utilisation; NAN if it cannot be told
 * @low95: where the measured value lies
 * @high95: in 95 % of the cases
 */
struct tl_predicted {
	double value, low95, high95;
};

void tl_predict_values(const struct tl_demand *demand, const double *rate,
		       double *predicted);
void tl_predict(const struct tl_demand *demand, const double *rate,
		struct tl_predicted *predicted);

#endif
