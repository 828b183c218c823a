/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_COUNTER_H
#define TL_COUNTER_H

#include <linux/types.h>

struct perf_event_attr;
struct tl_grid;

int tl_counter_init(void);
void tl_counter_exit(void);
int tl_counter_open(unsigned int cpu, unsigned int place, u32 id, const char *name,
		    struct perf_event_attr *attr, int slot);
void tl_counter_delete(unsigned int cpu, unsigned int place);
u64 tl_counter_generation(void);
bool tl_counter_is_open(unsigned int cpu, unsigned int place);

void tl_counter_start(const struct tl_grid *grid);
void tl_counter_stop(void);
void tl_counter_deposit(u64 generation);

#endif
