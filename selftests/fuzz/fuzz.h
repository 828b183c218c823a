/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the targets have in common. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *fuzz_file(const uint8_t *data, size_t size);
void *fuzz_copy(const uint8_t *data, size_t size);
char *fuzz_text(const uint8_t **data, size_t *size);
void fuzz_must(int good, const char *what);

/* Whoever refuses says why. */
static inline int fuzz_said(int code, const struct tl_error *err)
{
	fuzz_must(!code || *err->text, "a refusal without a sentence");
	return code;
}

/* A target whose parser reads a file. @read: 0, or a negative errno and a sentence; frees what it has read. */
#define FUZZ_READS(read)                                                                                 \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                     \
	{                                                                                                \
		struct tl_error err = { "" };                                                            \
                                                                                                         \
		fuzz_said(read(fuzz_file(data, size), &err), &err);                                      \
		return 0;                                                                                \
	}

#endif
