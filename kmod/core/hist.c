// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bounds of the log-linear histogram
 *
 * Every power of two between 2^TL_HIST_FIRST_EXP and 2^TL_HIST_LAST_EXP is cut
 * into 2^TL_HIST_SUB_BITS equal buckets, so a bucket is at most 1/8 of its lower
 * bound wide and a value read back from its middle is off by at most 6.25 %.
 * One bucket below and one above take the rest: nothing is ever left out.
 *
 * This is the only definition of the bounds; kernel, command line, tests and
 * benchmarks all compile this file.
 */
#include "hist.h"

/**
 * tl_hist_bucket() - The bucket that a time belongs to
 * @ns: time in nanoseconds, any value
 *
 * Return: 0 … TL_HIST_BUCKETS - 1.
 */
u32 tl_hist_bucket(u64 ns)
{
	int exp = fls64(ns) - 1;
	u32 octave, sub;

	if (exp < TL_HIST_FIRST_EXP)
		return 0;
	if (exp >= TL_HIST_LAST_EXP)
		return TL_HIST_BUCKETS - 1;
	octave = exp - TL_HIST_FIRST_EXP;
	/* The bits just below the leading one select the part of the octave. */
	sub = (ns >> (exp - TL_HIST_SUB_BITS)) & ((1U << TL_HIST_SUB_BITS) - 1);
	return 1 + (octave << TL_HIST_SUB_BITS) + sub;
}

/**
 * tl_hist_low_ns() - Lower bound of a bucket
 * @bucket: 0 … TL_HIST_BUCKETS - 1; larger ones answer as the last
 *
 * The upper bound of a bucket is the lower bound of the next; the last has none.
 *
 * Return: the smallest time in nanoseconds that tl_hist_bucket() puts there.
 */
u64 tl_hist_low_ns(u32 bucket)
{
	u32 octave, sub;

	if (bucket == 0)
		return 0;
	if (bucket >= TL_HIST_BUCKETS - 1)
		return 1ULL << TL_HIST_LAST_EXP;
	octave = (bucket - 1) >> TL_HIST_SUB_BITS;
	sub = (bucket - 1) & ((1U << TL_HIST_SUB_BITS) - 1);
	return ((1ULL << TL_HIST_SUB_BITS) + sub)
	       << (octave + TL_HIST_FIRST_EXP - TL_HIST_SUB_BITS);
}
