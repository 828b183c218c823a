/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_CBMG_H
#define TL_MODEL_CBMG_H

#include <stdbool.h>
#include <stddef.h>

#define TL_CBMG_NONE ((size_t)-1)

enum tl_cbmg_verdict {
	TL_CBMG_OK,
	TL_CBMG_ENDLESS, /* sessions have no end: there is a mix, but no visits per session */
	TL_CBMG_TRAP, /* some sessions have no end: from @culprit the exit is out of reach */
	TL_CBMG_SPLIT, /* endless, and the mix is another behind @culprit than behind @other */
	TL_CBMG_NO_START, /* no session was seen to begin */
	TL_CBMG_TINY, /* exits are so rare that visits are beyond numbers */
};

/**
 * struct tl_cbmg_in - A customer behaviour model graph
 * @n: states, with those of the session's start and end
 * @p: [n][n] probability to ask for the one of the column next; rows add up to 1, but
 *     that of the exit, which counts for nothing
 * @start: index of the start, where a session is once; TL_CBMG_NONE only without an exit
 * @exit: index of the end; TL_CBMG_NONE for sessions that never end
 */
struct tl_cbmg_in {
	size_t n;
	const double *p;
	size_t start, exit;
};

/**
 * struct tl_cbmg_out - How often its states are visited
 * @verdict: whether they are
 * @culprit: index of a state that the verdict speaks of
 * @other: of another
 * @visits: [n] the caller's: per session, V; only if the verdict is TL_CBMG_OK
 * @mix: [n] the caller's: part of all requests; 0 at start and end
 * @requests: per session, only with @visits
 * @residual: the largest by which V = V P + v0 is off, as a part of the largest V; that of
 *            the mix without visits
 */
struct tl_cbmg_out {
	enum tl_cbmg_verdict verdict;
	size_t culprit, other;
	double *visits, *mix, requests, residual;
};

int tl_cbmg(const struct tl_cbmg_in *in, struct tl_cbmg_out *out);
bool tl_cbmg_has_mix(enum tl_cbmg_verdict verdict);

#endif
