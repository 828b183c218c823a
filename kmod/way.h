/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_WAY_H
#define TL_WAY_H

#include "cost.h"

int tl_way_init(void);
u32 tl_way_ns(enum tl_cost_kind kind);
u32 tl_way_floor_ns(enum tl_cost_kind kind);

#endif
