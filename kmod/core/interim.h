/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CORE_INTERIM_H
#define TL_CORE_INTERIM_H

#include "port.h"

#define TL_INTERIM_BYTES 64U /* that are looked at */

bool tl_interim(const u8 *bytes, unsigned int n, u64 total);

#endif
