// SPDX-License-Identifier: GPL-2.0-or-later
/* A program that the daemon, as root, looks into: its names, code and unwind tables. */
#include "fuzz.h"

#include "binary.h"

#include <fcntl.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = open(fuzz_file(data, size), O_RDONLY | O_CLOEXEC);
	struct tl_binary *binary = tl_binary_open(fd, NULL);
	struct tl_export *exports = NULL;
	struct tl_code *code = NULL;
	Dwarf_Frame *frame;
	u64 address, start;
	size_t n;

	if (binary) {
		tl_binary_soname(binary);
		tl_binary_is_c(binary);
		tl_binary_is_go(binary);
		tl_binary_is_static(binary);
		if (tl_binary_address(binary, 0x1000, &address))
			tl_binary_name(binary, address, &start);
		if (!tl_binary_frame(binary, 0x1000, &frame))
			free(frame);
		if (!tl_binary_code(binary, &code, &n))
			free(code);
		if (!tl_binary_exports(binary, &exports, &n))
			free(exports);
	}
	tl_binary_close(binary);
	close(fd);
	return 0;
}
