/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the other events, and the intervals beside, say of an event. */
#ifndef TL_MODEL_PMU_FORETELL_H
#define TL_MODEL_PMU_FORETELL_H

#include "knn.h"
#include "pmu-trust.h"

#include <stdbool.h>
#include <stddef.h>

struct tl_pmu_in;

#define TL_FORETELL_TRIALS 720
#define TL_FORETELL_PEAKS 2000
#define TL_FORETELL_REACHES 5
#define TL_FORETELL_WAYS 2 /* of seeing which samples are near */

/**
 * struct tl_foretell_state - What is believed of a record at a time
 * @value: [intervals][events] logarithms of rates
 * @variance: [intervals][events] of @value; infinite where nothing is known
 */
struct tl_foretell_state {
	size_t intervals;
	double *value, *variance;
};

/**
 * struct tl_foretell - What is known of a program
 * @intervals: of the record
 * @features: five for an event: of the interval before, the same, the one behind, and means of
 *            four farther off to each side
 * @x: [@samples][@features] logarithms of rates
 * @use: [events][@samples] whether the event is in that run
 * @run: [@samples] which run
 * @offset: [events] added to rates, so that zero has a logarithm
 * @sd: [@features] of @x
 * @weight: [events][TL_FORETELL_WAYS][@features] what each says of an event
 * @k: [events][TL_FORETELL_WAYS] neighbours
 * @plane: [events][TL_FORETELL_WAYS] the part that a plane through the nearest has in what is foretold
 * @off: [events][TL_FORETELL_TRIALS] how far the truth was off what was foretold, in units of
 *       how far the nearest are apart, rising
 * @trials: [events] of them
 * @ways: [events] of how many ways the mean is foretold, 1 to %TL_FORETELL_WAYS; the caller's
 * @variance: [events] of @off
 * @trust: [events] how it depends on how far the nearest are apart
 * @seen: [@intervals][@features] of the record, as it is believed to be
 * @unsure: [@intervals][@features] variances
 */
struct tl_foretell {
	size_t events, intervals, features, samples, runs;
	double *seen, *unsure, *x, *offset, *sd, *weight, *off, *variance, *plane;
	bool *use;
	size_t *run, *first, *k, *trials, *ways;
	struct tl_trust *trust;
};

/**
 * struct tl_foretold - What is said of an event in an interval
 * @value: logarithm of its rate
 * @by: the same as the mean of the first way, of the first two
 * @spread: how far the nearest samples are apart, a deviation
 * @variance: of the truth about @value, by trials of which the nearest were as far apart
 * @even: the same by all trials, in units of how far the nearest were apart
 * @least: of the nearest samples
 * @most: of them
 * @step: half the mean square of how the nearest change from interval to interval
 */
struct tl_foretold {
	double value, by[TL_FORETELL_WAYS], spread, variance, even, least, most, step;
};

int tl_foretell_init(struct tl_foretell *f, const struct tl_pmu_in *in);
void tl_foretell_free(struct tl_foretell *f);
void tl_foretell_look(struct tl_foretell *f, const struct tl_foretell_state *state);
int tl_foretell_try(struct tl_foretell *f, const struct tl_foretell_state *state);
bool tl_foretell(const struct tl_foretell *f, size_t interval, size_t event,
		 struct tl_foretold *told);
void tl_foretell_widen(struct tl_foretell *f, size_t event, double factor);
double tl_foretell_above(const struct tl_foretell *f, size_t event, double few, double value,
			 double most);
int tl_foretell_peaks(struct tl_foretell *f, size_t event, double few, double *above, size_t *n);
double tl_foretell_off(const struct tl_foretell *f, size_t event, double part);

#endif
