// SPDX-License-Identifier: GPL-2.0-or-later
/* Inputs as files in memory, for parsers that open theirs by name. */
#include <err.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
const char *__lsan_default_suppressions(void);

static int told = 2;

/* Before what parsers say is shut off. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	told = dup(2);
	return 0;
}

/* What libraries lose of files that are damaged; of whole ones the unit tests know that nothing is lost. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\nleak:libelf.so\n";
}

/* A path that stays until the next one is asked for. */
const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd >= 0)
		close(fd);
	fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		err(1, "no room for an input");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* Memory that ends where the bytes do, to be freed. */
void *fuzz_copy(const uint8_t *data, size_t size)
{
	void *copy = malloc(size ? size : 1);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

/* The first line, without its end, to be freed; @data and @size go on behind it. */
char *fuzz_text(const uint8_t **data, size_t *size)
{
	const uint8_t *end = memchr(*data, '\n', *size);
	size_t len = end ? (size_t)(end - *data) : *size;
	char *text = strndup((const char *)*data, len);

	*data += len + !!end;
	*size -= len + !!end;
	return text;
}

void fuzz_must(int good, const char *what)
{
	if (good)
		return;
	dprintf(told, "fuzz: %s\n", what);
	abort();
}
