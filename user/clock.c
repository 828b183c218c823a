// SPDX-License-Identifier: GPL-2.0-or-later
/* What time it is. */
#include "clock.h"

/**
 * tl_clock_ns() - What a clock says
 * @clock: CLOCK_MONOTONIC, CLOCK_REALTIME ...
 *
 * Return: ns.
 */
u64 tl_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

/**
 * tl_clock_s() - What a clock says
 * @clock: CLOCK_MONOTONIC, CLOCK_REALTIME ...
 *
 * Return: seconds.
 */
double tl_clock_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
