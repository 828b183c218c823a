/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LEVEL_H
#define TL_LEVEL_H

/* What is seen of a tier, the least first. */
enum tl_at { TL_AT_UNKNOWN, TL_AT_OFF, TL_AT_TRACE, TL_AT_SERVER, TL_AT_METHOD, TL_ATS };

const char *tl_at_name(enum tl_at level);
enum tl_at tl_at_read(const char *name);

#endif
