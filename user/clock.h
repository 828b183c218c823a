/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CLOCK_H
#define TL_CLOCK_H

#include "port.h"

#include <time.h>

u64 tl_clock_ns(clockid_t clock);
double tl_clock_s(clockid_t clock);

#endif
