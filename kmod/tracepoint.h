/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TRACEPOINT_H
#define TL_TRACEPOINT_H

struct tracepoint;

struct tracepoint *tl_tracepoint_find(const char *name);

#endif
