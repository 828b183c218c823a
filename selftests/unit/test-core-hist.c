// SPDX-License-Identifier: GPL-2.0-or-later
/* Bounds of the histogram. */
#include "hist.h"
#include "tap.h"

/* The definition again, by search. */
static u32 bucket_by_bounds(u64 ns)
{
	u32 bucket = 0;

	while (bucket + 1 < TL_HIST_BUCKETS && tl_hist_low_ns(bucket + 1) <= ns)
		bucket++;
	return bucket;
}

static bool monotone(void)
{
	u32 b;

	for (b = 0; b + 1 < TL_HIST_BUCKETS; b++)
		if (tl_hist_low_ns(b) >= tl_hist_low_ns(b + 1))
			return false;
	return true;
}

static bool both_ends_inside(void)
{
	u32 b;

	for (b = 0; b < TL_HIST_BUCKETS; b++)
		if (tl_hist_bucket(tl_hist_low_ns(b)) != b)
			return false;
	for (b = 0; b + 1 < TL_HIST_BUCKETS; b++)
		if (tl_hist_bucket(tl_hist_low_ns(b + 1) - 1) != b)
			return false;
	return true;
}

static bool narrow(void)
{
	u32 b;

	for (b = 1; b + 1 < TL_HIST_BUCKETS; b++)
		if ((tl_hist_low_ns(b + 1) - tl_hist_low_ns(b)) * 8 > tl_hist_low_ns(b))
			return false;
	return true;
}

static bool equal_within_octave(void)
{
	u32 b;

	for (b = 1; b + 1 < TL_HIST_BUCKETS; b++) {
		u64 octave_ns = 1ULL << (fls64(tl_hist_low_ns(b)) - 1);

		if (tl_hist_low_ns(b + 1) - tl_hist_low_ns(b) != octave_ns / 8)
			return false;
	}
	return true;
}

/* Every value has one bucket: the one whose bounds it lies between. */
static bool one_bucket_each(void)
{
	u64 ns, x = 88172645463325252ULL;
	unsigned int i;

	for (ns = 0; ns < 200000; ns++)
		if (tl_hist_bucket(ns) != bucket_by_bounds(ns))
			return false;
	for (i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		ns = x >> (i % 64);
		if (tl_hist_bucket(ns) != bucket_by_bounds(ns))
			return false;
	}
	return true;
}

int main(void)
{
	ok(monotone(), "bounds rise");
	ok(both_ends_inside(), "a bucket holds its first and its last value");
	ok(narrow(), "no bucket is wider than 1/8 of its lower bound");
	ok(equal_within_octave(), "eight equal buckets an octave");
	ok(one_bucket_each(), "every value is in the bucket that its bounds say");
	is_u64(tl_hist_bucket(0), 0, "0 is in the first bucket");
	is_u64(tl_hist_bucket(1023), 0, "so is 1.023 us");
	is_u64(tl_hist_bucket(1024), 1, "1.024 us is not");
	is_u64(tl_hist_low_ns(0), 0, "the first bucket begins at 0");
	is_u64(tl_hist_bucket((1ULL << 38) - 1), TL_HIST_BUCKETS - 2,
	       "274.9 s less 1 ns");
	is_u64(tl_hist_bucket(1ULL << 38), TL_HIST_BUCKETS - 1, "274.9 s");
	is_u64(tl_hist_bucket(U64_MAX), TL_HIST_BUCKETS - 1,
	       "the longest time is in the last");
	is_u64(TL_HIST_BUCKETS, 226, "number of buckets, which readers know");
	is_u64(tl_hist_low_ns(TL_HIST_BUCKETS), 1ULL << 38,
	       "beyond the last: as the last");
	is_u64(tl_hist_low_ns(UINT32_MAX), 1ULL << 38, "far beyond: as the last");
	return done();
}
