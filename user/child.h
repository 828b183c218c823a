/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CHILD_H
#define TL_CHILD_H

#include <stddef.h>

struct tl_error;

/* A block of bytes that grows; a NUL that does not count stands behind them. */
struct tl_bytes {
	char *data;
	size_t len;
};

int tl_child_filter(const char *const *argv, const struct tl_bytes *input,
		    struct tl_bytes *output, const char *remedy, struct tl_error *err);

#endif
