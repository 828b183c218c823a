/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's side of the core's seam: where its types and helpers come from. */
#ifndef TL_PORT_H
#define TL_PORT_H

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

/* Of what is called from one place of what runs at an event, see events.c. */
#define tl_inline __always_inline
#define tl_noinline noinline

#endif
