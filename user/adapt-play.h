/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ADAPT_PLAY_H
#define TL_ADAPT_PLAY_H

#include "adapt-feed.h"

#include <jansson.h>

struct tl_interval;

/* Takes a reference to a decision or finding; NULL without memory. */
typedef void tl_adapt_tell_fn(json_t *row, void *arg);

/**
 * struct tl_adapt_play - A recording played through the adaptor
 * @options: what it goes by
 * @learn: processors of the host are learnt from the recording, else they are known
 * @tell: called for each decision and finding with @arg
 * @intervals: played; @changes of levels and @findings that came of them
 * @known: intervals in which it is known what probes cost, @over: in which that was more than the budget; @most: part of
 *         the processors
 */
struct tl_adapt_play {
	struct tl_adapt_options options;
	struct tl_adapt *adapt;
	struct tl_adapt_feed feed;
	bool learn;
	tl_adapt_tell_fn *tell;
	void *arg;
	u64 intervals, changes, findings, known, over;
	double most;
};

int tl_adapt_play_begin(struct tl_adapt_play *play, const struct tl_adapt_options *options, u64 processors,
			tl_adapt_tell_fn *tell, void *arg);
int tl_adapt_play_add(struct tl_adapt_play *play, const struct tl_interval *interval);
void tl_adapt_play_end(struct tl_adapt_play *play);

#endif
