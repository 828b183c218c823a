/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PROBE_H
#define TL_PROBE_H

#include <linux/types.h>

#include "cost.h"

/* What a hook shows of itself. */
struct tl_hook_view {
	const char *name;
	const char *symbol;
	u32 state; /* enum tierlens_hook_state */
	bool required;
	struct tl_hook_hits of;
	u32 floor_ns; /* of a hit whose handler does nothing; 0: not measured */
	u64 missed;
};

int tl_probe_init(void);
void tl_probe_exit(void);
int tl_probe_arm(u8 level);
void tl_probe_disarm(u8 level);
u64 tl_probe_missed(void);
bool tl_probe_get(unsigned int i, struct tl_hook_view *view);

#endif
