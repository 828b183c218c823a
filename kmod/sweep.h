/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SWEEP_H
#define TL_SWEEP_H

#include <linux/types.h>

void tl_sweep(u64 now_ns, u64 quiet_ns);

#endif
