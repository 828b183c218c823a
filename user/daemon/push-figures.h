/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_FIGURES_H
#define TL_DAEMON_PUSH_FIGURES_H

#include "hist.h"

/* Why samples will never be there. */
enum tl_push_loss { TL_PUSH_REFUSED, TL_PUSH_NO_ROOM, TL_PUSH_DAMAGED, TL_PUSH_UNWRITTEN, TL_PUSH_CLOCK, TL_PUSH_LOSSES };

/* What became of a request. */
enum tl_push_outcome { TL_PUSH_ACCEPTED, TL_PUSH_REFUSES, TL_PUSH_RETRIED, TL_PUSH_OUTCOMES };

extern const char *const tl_push_loss_names[TL_PUSH_LOSSES], *const tl_push_outcome_names[TL_PUSH_OUTCOMES];

/**
 * struct tl_push_figures - How remote write is
 * @sent: samples that the receiver has taken, @repeated: that it seems to have had already
 * @lost: samples, by why; @lost_intervals: of all kinds but refused
 * @requests: by outcome
 * @waiting: intervals in the queue, which take @bytes of @size
 * @sent_ms: last time of which the receiver knows
 * @up: the last request was answered well
 */
struct tl_push_figures {
	u64 sent, repeated, lost[TL_PUSH_LOSSES], lost_intervals, requests[TL_PUSH_OUTCOMES];
	u64 waiting, bytes, size, sent_ms;
	bool up;
};

#endif
