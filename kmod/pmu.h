/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PMU_H
#define TL_PMU_H

#include <linux/types.h>
#include <uapi/linux/tierlens.h>

struct netlink_ext_ack;
struct tl_grid;

/* An event that is counted, and on how many processors it is. */
struct tl_pmu_view {
	u32 id; /* 0: there is none at this place */
	char name[TIERLENS_NAME_MAX + 1];
	u32 type;
	u64 config;
	u64 config1;
	bool charged; /* to requests, too */
	u32 cpus;
};

int tl_pmu_init(void);
void tl_pmu_exit(void);
int tl_pmu_add(const struct tl_pmu_view *event, struct netlink_ext_ack *extack);
int tl_pmu_del(const char *name, struct netlink_ext_ack *extack);
bool tl_pmu_get(unsigned int place, struct tl_pmu_view *event);

void tl_pmu_start(const struct tl_grid *grid);
void tl_pmu_stop(void);
void tl_pmu_over(void);

#endif
