/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_RECORD_H
#define TL_RECORD_H

#include "hist.h"

#include <stdbool.h>
#include <stdio.h>

struct tl_error;
struct tl_interval;

/**
 * struct tl_record - Closed intervals, written as they come
 * @file: where to write; NULL for standard output
 * @n: stop after so many; 0 for never
 * @seconds: stop after so long; 0 for never
 * @no_hosts: of how busy the host is nothing is wanted
 * @seldom_ms: write what there is so seldom, if intervals are shorter; 0: each as it comes
 * @kept: begin with those that the kernel still keeps
 * @since_ns: leave out those at first that began before, in real time
 * @write: writes one; 0 or a negative errno, -EINTR if it was told to stop
 * @arg: handed to @write
 * @written: how many were
 * @missed: how many were not
 * @begun: it came so far as to write
 */
struct tl_record {
	const char *file;
	u64 n;
	double seconds;
	u32 seldom_ms;
	bool kept, no_hosts;
	u64 since_ns;
	int (*write)(FILE *to, const char *name, const struct tl_interval *interval, void *arg,
		     struct tl_error *err);
	void *arg;
	u64 written, missed;
	bool begun;
};

int tl_record(struct tl_record *record);

#endif
