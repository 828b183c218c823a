// SPDX-License-Identifier: GPL-2.0-or-later
/* A file of whatever kind as its origin is looked for: ELF, script, jar or class; and its functions. */
#include "fuzz.h"

#include "origin-file.h"

static int each(void *arg, const char *name, uint64_t offset)
{
	size_t *n = arg;

	*n += strlen(name) + (offset & 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *file = fuzz_file(data, size);
	struct tl_error err = { "" };
	struct tl_origin_file facts;
	char name[300];
	size_t n = 0;

	tl_origin_file("", file, &facts);
	tl_origin_main_class("", file, name, sizeof(name));
	fuzz_said(tl_origin_functions("", file, each, &n, &err), &err);
	return 0;
}
