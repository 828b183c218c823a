/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_FOLLOW_H
#define TL_FOLLOW_H

#include "demand.h"
#include "model/track.h"

#include <jansson.h>
#include <stdio.h>

struct tl_bytes;

enum tl_follow_method {
	TL_FOLLOW_FILTER,
	TL_FOLLOW_PAPER,
	TL_FOLLOW_SDL,
	TL_FOLLOW_NNLS,
	TL_FOLLOW_METHODS
};

#define TL_FOLLOW_PERIOD_S 1800 /* that nnls takes together, as paper 001 does */

extern const char *const tl_follow_names[TL_FOLLOW_METHODS];

/**
 * struct tl_followed - A resource whose demands are followed
 * @target: index of it
 * @by: what told who used it, NULL if it was counts
 * @unfit: why it is not followed, NULL if it is
 * @demand: [lines][classes]
 * @why: [lines] why there is none of that period, NULL if there is; NULL of filters
 * @step: [lines] of the filters; NULL of the other methods
 * @change: [changes]
 */
struct tl_followed {
	size_t target;
	const char *by, *unfit, **why;
	struct tl_estimate *demand;
	struct tl_track_step *step;
	struct tl_track_change *change;
	size_t changes, restarts;
};

/**
 * struct tl_follow - Demands over time
 * @windows: what it was computed from; the caller's
 * @demand: counts and targets of the windows that are used
 * @lines: how many times there are demands of: windows, or periods of them
 * @t_s: [lines] when each begins
 * @seconds: [lines] how long each is
 * @resource: [resources]
 */
struct tl_follow {
	const struct tl_windows *windows;
	enum tl_follow_method method;
	struct tl_demand demand;
	size_t lines, resources;
	double *t_s, *seconds;
	struct tl_followed *resource;
};

int tl_follow_make(struct tl_follow *follow, const struct tl_windows *windows,
		   enum tl_follow_method method, struct tl_error *err);
void tl_follow_free(struct tl_follow *follow);
const char *tl_follow_resource(const struct tl_follow *follow, size_t resource);
bool tl_follow_known(const struct tl_follow *follow, const struct tl_estimate *e);

/* follow-out.c: texts are to be freed by the caller, NULL without memory */
char *tl_follow_verdict(const struct tl_follow *follow, size_t line);
int tl_follow_json(const struct tl_follow *follow, size_t points);
void tl_follow_print(const struct tl_follow *follow, FILE *to);

/* follow-plot.c */
int tl_follow_plot(const struct tl_follow *follow, struct tl_bytes *svg, struct tl_error *err);

#endif
