/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_ADAPT_EVIDENCE_H
#define TL_MODEL_ADAPT_EVIDENCE_H

#include "hist.h"

#include <stdbool.h>
#include <stddef.h>

#define TL_EVIDENCE_PAST 60 /* windows that are looked at together, at most */
#define TL_EVIDENCE_LAG 6 /* windows after which one is learnt from */

/**
 * struct tl_evidence_options - When times have changed
 * @effect: part that they must be longer, 0.2 for a fifth
 * @least_s: and by so much
 * @quiet: windows without, after which they have changed back
 * @accept: windows after which they are what is normal now
 * @timeout_s: what takes so long is a timeout; 0: only what is far beyond all that was seen
 */
struct tl_evidence_options {
	double effect, least_s, timeout_s;
	unsigned int quiet, accept;
};

enum tl_evidence_change {
	TL_EVIDENCE_NONE, /* as it was */
	TL_EVIDENCE_BEGAN,
	TL_EVIDENCE_ENDED,
	TL_EVIDENCE_ACCEPTED,
	TL_EVIDENCE_GONE, /* nobody asks any more */
};

/**
 * struct tl_evidence_now - What the times of the last windows are, against those that are normal
 * @z: how surely they are longer, in standard deviations
 * @ratio: how many times as long
 * @requests: that this is known of, in @windows
 * @base_s: mean of what is normal, in which what is far out counts as the end of it
 */
struct tl_evidence_now {
	double z, ratio, requests, base_s;
	unsigned int windows;
};

struct tl_evidence_window {
	double n, score, log, time_s, far;
};

/**
 * struct tl_evidence - Times of one kind, all zero at first
 * @base: what is normal, forgotten slowly; @base_n: requests in it
 * @score: of a time in a bucket: where it would be in a normal distribution
 * @spread, @spread_n: how far windows are apart beyond chance
 * @past: windows since @base, in turn; @pending: those that nothing was learnt of yet
 * @ill: they are longer; @timeout: some are timeouts. Then nothing is learnt
 * @patience: windows without, after which they are not; longer for what comes again and again
 */
struct tl_evidence {
	double base[TL_HIST_BUCKETS], base_n, score[TL_HIST_BUCKETS], base_log, base_s, cap_s, variance;
	double spread, spread_n;
	unsigned int learnt, far;
	struct tl_evidence_window past[TL_EVIDENCE_PAST];
	size_t at, filled;
	float pending[TL_EVIDENCE_LAG][TL_HIST_BUCKETS];
	double pending_score[TL_EVIDENCE_LAG];
	size_t pendings;
	bool ill, timeout;
	struct tl_evidence_now now;
	struct tl_evidence_window sum; /* while it is ill */
	double other[TL_HIST_BUCKETS]; /* what would be normal then */
	unsigned int ill_windows, quiet, patience, calm, empty;
};

enum tl_evidence_change tl_evidence_add(struct tl_evidence *e, const struct tl_evidence_options *options,
					const uint64_t *hist, double excuse);
bool tl_evidence_ready(const struct tl_evidence *e);
double tl_evidence_mid_s(unsigned int bucket);

#endif
