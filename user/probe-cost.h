/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PROBE_COST_H
#define TL_PROBE_COST_H

#include <stdbool.h>
#include <stddef.h>

struct perf_event_attr;

/* What is taken where it cannot be measured: generous for machines of today. */
#define TL_HOOK_TRAP_S 4e-7 /* of an entry of a function of the kernel, where the module does not tell */
#define TL_FUNCTION_TRAP_S 1.5e-6 /* of an entry, or a return, of a function of a program */

/**
 * struct tl_probe_cost - What the processor takes to come to a probe and back
 * @entry_s: of a function's entry, @both_s: of entry and return
 * @low_s, @high_s: of all pairs that @both_s is the median of
 * @measured: else the figures are those above, and @why not
 */
struct tl_probe_cost {
	double entry_s, both_s, low_s, high_s;
	bool measured;
	char why[200];
};

void tl_probe_cost_measure(struct tl_probe_cost *cost, const char *devices);
double tl_probe_cost_median(double *with, const double *without, size_t n, double *low, double *high);
bool tl_probe_cost_format(const char *text, unsigned int *bit);

/* perf_event_open(2), of this thread. Tests put their own there. */
extern int (*tl_probe_perf_open)(struct perf_event_attr *attr);

#endif
