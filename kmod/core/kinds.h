/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the figures tell apart, the same in the kernel and in user space. */
#ifndef TL_CORE_KINDS_H
#define TL_CORE_KINDS_H

/* How a call's owner was found. */
enum tl_by {
	TL_BY_THREAD,
	TL_BY_OWNER,
	TL_BY_HANDOFF,
	TL_BY_LOOKBACK,
	TL_BY_ORDER,
	TL_BY_KINDS
};

/* Ways in which a figure can be incomplete. */
enum tl_loss {
	TL_LOSS_CONNECTIONS_FULL,
	TL_LOSS_THREADS_FULL,
	TL_LOSS_CELLS_FULL,
	TL_LOSS_TIERS_FULL,
	TL_LOSS_PEERS_FULL,
	TL_LOSS_CALLS_FULL,
	TL_LOSS_LATE,
	TL_LOSS_QUIET,
	TL_LOSS_UNANSWERED,
	TL_LOSS_PUSH,
	TL_LOSS_AMBIGUOUS,
	TL_LOSS_PATHS_FULL,
	TL_LOSS_HANDOFFS_DROPPED,
	TL_LOSS_KINDS
};

#endif
