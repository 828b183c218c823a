/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ABI_SYMBOL_H
#define ABI_SYMBOL_H

#include <stdint.h>

int64_t symbol_offset(const char *path, const char *name);

#endif
