/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TRACK_H
#define TL_MODEL_TRACK_H

#include "model/estimate.h"

/* More take a state of that many squared, and long. */
#define TL_TRACK_CLASSES_MAX 128
#define TL_TRACK_ALL ((size_t)-1) /* of a change: all classes, or what works without any */

/**
 * struct tl_track_in - A resource, window by window
 * @windows: how many, in the order of time
 * @classes: how many
 * @count: [windows][classes] requests completed
 * @time_s: [windows][classes] Σ of the time that is proportional to what they used: residence
 *          at the resource, response or processor time
 * @t_s: [windows] beginnings
 * @seconds: [windows] lengths
 * @busy: [windows] utilisation of the resource, 0 … 1
 * @outside: [windows] measured part of it that is charged to no request; NULL if it was not
 *           measured
 */
struct tl_track_in {
	size_t windows, classes;
	const double *count, *time_s, *t_s, *seconds, *busy, *outside;
};

/**
 * struct tl_track_step - What a window said of the filter
 * @nis: normalised innovation squared: how far off the window was from what was foretold
 * @degrees: what @nis is in the mean; 0 if nothing was foretold
 * @doubted: in how many directions the window was not believed
 * @changed: how many changes became certain with it
 * @background: utilisation without requests
 */
struct tl_track_step {
	double nis;
	size_t degrees, doubted, changed;
	struct tl_estimate background;
};

/**
 * struct tl_track_change - A demand that is not what it was
 * @window: in which that was certain
 * @since: the first window of those that say so
 * @class: whose; TL_TRACK_ALL
 * @factor: by what it changed, as far as @window tells; of all: the utilisation, by what was
 *          foretold
 */
struct tl_track_change {
	size_t window, since, class;
	double factor;
};

/**
 * struct tl_track_out - Demands over time
 * @demand: [windows][classes] the caller's; after each window, seconds of the whole resource
 *          per request
 * @step: [windows] the caller's
 * @change: [changes] in the order of @window, to be given to tl_track_free()
 * @restarts: how often the filter had to begin anew because its numbers gave out
 */
struct tl_track_out {
	struct tl_estimate *demand;
	struct tl_track_step *step;
	struct tl_track_change *change;
	size_t changes, restarts;
};

/**
 * struct tl_track_nis - Whether a filter was as sure as it may be
 * @ratio: Σ of the normalised squared innovations by their degrees; 1 in the mean
 * @low95: lower end of where it is by chance, if what the filter supposes is so
 * @high95: upper end
 * @degrees: of freedom in all
 * @windows: that were looked at
 * @doubted: that were not, because something of them was not believed or had changed
 */
struct tl_track_nis {
	double ratio, low95, high95, degrees;
	size_t windows, doubted;
};

void tl_track_consistency(const struct tl_track_step *step, size_t n, struct tl_track_nis *nis);
int tl_track(const struct tl_track_in *in, struct tl_track_out *out);
void tl_track_free(struct tl_track_out *out);

#endif
