/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_KERNEL_SYMBOLS_H
#define TL_KERNEL_SYMBOLS_H

#include "port.h"

struct tl_error;

/**
 * struct tl_kernel_symbol - What is known of a name
 * @name: of a function, or of a tracepoint
 * @traced: it is a tracepoint
 * @mapped: it is in the map, as code, or as a tracepoint
 * @exported: modules may use it
 * @declared: a header tells of it
 * @refused: the kernel lets nobody probe it
 * @renamed: the compiler has made another function of it, of that name; "" if not
 * @module: that it belongs to; "" for the kernel itself
 */
struct tl_kernel_symbol {
	const char *name;
	bool traced, mapped, exported, declared, refused;
	u64 address;
	char renamed[96], module[64];
};

int tl_kernel_map_read(struct tl_kernel_symbol *symbols, size_t n, const char *path, struct tl_error *err);
int tl_kernel_exports_read(struct tl_kernel_symbol *symbols, size_t n, const char *path,
			   struct tl_error *err);
int tl_kernel_headers_read(struct tl_kernel_symbol *symbols, size_t n, const char *source,
			   struct tl_error *err);

#endif
