/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between kernels with tracepoints. */
#ifndef TL_COMPAT_TRACEPOINT_H
#define TL_COMPAT_TRACEPOINT_H

#include <linux/rcupdate.h>
#include <linux/srcu.h>
#include <linux/tracepoint.h>

/*
 * Until nobody is in what was hooked to a tracepoint that must not fault. The kernel's own function
 * waits for those that may as well, and with them for whatever programs have others wait for.
 */
static inline void tl_compat_tracepoint_wait(void)
{
#ifdef TL_HAVE_FAULTABLE_TRACEPOINTS
#ifdef TL_HAVE_TRACEPOINT_SRCU
	synchronize_srcu(&tracepoint_srcu);
#endif
	synchronize_rcu();
#else
	tracepoint_synchronize_unregister();
#endif
}

#endif
