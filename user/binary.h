/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_BINARY_H
#define TL_BINARY_H

#include "hist.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Elf Elf;
typedef struct Dwarf_Frame_s Dwarf_Frame;

struct tl_binary;

/**
 * struct tl_function - A function that a program or library has
 * @address: as the file has it, before it is loaded somewhere
 * @size: bytes; 0 if it is not told
 * @name: without a version
 * @rank: of several names for one place the lowest is the best
 */
struct tl_function {
	u64 address, size;
	const char *name;
	u32 rank;
};

/**
 * struct tl_export - A function that others can call
 * @offset: where it begins in the file
 * @old: kept only for programs that were linked long ago
 */
struct tl_export {
	const char *name;
	u64 offset;
	bool old;
};

/**
 * struct tl_code - A function that can be probed
 * @offset: where it begins in the file
 * @size: bytes; 0 if it is not told
 */
struct tl_code {
	const char *name;
	u64 offset, size;
};

struct tl_binary *tl_binary_open(int fd, const char **why);
struct tl_binary *tl_binary_vdso(void);
void tl_binary_close(struct tl_binary *binary);
const char *tl_binary_refused(const struct tl_binary *binary);
const char *tl_binary_soname(struct tl_binary *binary);
bool tl_binary_is_c(struct tl_binary *binary);
bool tl_binary_address(const struct tl_binary *binary, u64 offset, u64 *address);
const char *tl_binary_name(struct tl_binary *binary, u64 address, u64 *start);
int tl_binary_frame(struct tl_binary *binary, u64 address, Dwarf_Frame **frame);
bool tl_binary_is_go(const struct tl_binary *binary);
bool tl_binary_is_static(const struct tl_binary *binary);
int tl_binary_code(struct tl_binary *binary, struct tl_code **code, size_t *n);
int tl_binary_exports(struct tl_binary *binary, struct tl_export **exports, size_t *n);

#endif
