// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a filter that follows demands was as sure as it may be
 *
 * Normalised squared innovations are independent and χ² with as many degrees as there are
 * observations, if state and noise are what the filter takes them for. So their sum is χ²
 * too (Y. Bar-Shalom, X. R. Li, T. Kirubarajan, Estimation with Applications to Tracking
 * and Navigation, 2001, 5.4.2). Windows in which a demand changes are not what it takes
 * them for, and it has said so: they are not counted.
 */
#include "track.h"

#include <gsl/gsl_cdf.h>

/**
 * tl_track_consistency() - Hold a filter's innovations against what it said of them
 * @step: [n] successive windows
 * @n: how many
 * @nis: set; all 0 but @doubted if no window can be looked at
 */
void tl_track_consistency(const struct tl_track_step *step, size_t n, struct tl_track_nis *nis)
{
	double sum = 0;
	size_t i;

	*nis = (struct tl_track_nis){ 0 };
	for (i = 0; i < n; i++) {
		if (!step[i].degrees)
			continue;
		if (step[i].doubted || step[i].changed) {
			nis->doubted++;
			continue;
		}
		nis->windows++;
		nis->degrees += (double)step[i].degrees;
		sum += step[i].nis;
	}
	if (!nis->windows)
		return;
	nis->ratio = sum / nis->degrees;
	nis->low95 = gsl_cdf_chisq_Pinv(0.025, nis->degrees) / nis->degrees;
	nis->high95 = gsl_cdf_chisq_Pinv(0.975, nis->degrees) / nis->degrees;
}
