/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_JUDGE_H
#define TL_SELFTEST_JUDGE_H

#include "hist.h"

#define TL_KINDS 8

struct tl_bar;
struct tl_interval;
struct tl_trial;

/**
 * struct tl_kind - All trials of a kind of shapes together
 * @bar: the kind's, NULL for none
 * @trials: of it that ran and made calls
 * @calls: that they made
 * @right: of these
 * @wrong: of these
 */
struct tl_kind {
	const struct tl_bar *bar;
	u64 trials, calls, right, wrong;
};

/* What a trial shows. From TL_VERDICT_MISSED on the self test has failed. */
enum tl_verdict {
	TL_VERDICT_MET,
	TL_VERDICT_NOT_YET, /* as good as it is known to be, which is less than wanted */
	TL_VERDICT_ABSENT,
	TL_VERDICT_MISSED,
	TL_VERDICT_LOST, /* times or requests do not add up */
	TL_VERDICT_FAILED
};

extern const char *const tl_verdict_names[];

void tl_judge(struct tl_trial *trial, const struct tl_interval *all);
enum tl_verdict tl_judge_verdict(const struct tl_trial *trial);
double tl_judge_share(u64 part, u64 all);
size_t tl_judge_kinds(struct tl_kind *kinds, const struct tl_trial *trials, size_t n);
enum tl_verdict tl_judge_kind(const struct tl_kind *kind);
u64 tl_judge_needed(double rate);
void tl_judge_bounds(u64 part, u64 all, double *low, double *high);

#endif
