/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SELFTEST_JUDGE_H
#define TL_SELFTEST_JUDGE_H

#include "hist.h"

struct tl_interval;
struct tl_trial;

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
void tl_judge_bounds(u64 part, u64 all, double *low, double *high);

#endif
