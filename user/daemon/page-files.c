// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page, within the program
 *
 * tools/page has made its files, and a list of them, when this was built; where npm was not to be had the list is
 * empty. The assembler takes the files in as they are, for whatever machine.
 */
#include "daemon/page.h"

#include <string.h>

#define EMBED(symbol, place) \
	__asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" place "\"\n" #symbol "_end:\n.popsection\n"); \
	extern const char symbol[], symbol##_end[]

#define FILE(symbol, path, type, tag, place) \
	EMBED(tl_page_##symbol, place); \
	EMBED(tl_page_##symbol##_gz, place ".gz");
#include "page/files.inc"
#undef FILE

static const struct tl_page_file files[] = {
#define FILE(symbol, path, type, tag, place) \
	{ path, type, tag, { tl_page_##symbol, tl_page_##symbol##_end }, \
	  { tl_page_##symbol##_gz, tl_page_##symbol##_gz_end } },
#include "page/files.inc"
	{ NULL, NULL, NULL, { NULL, NULL }, { NULL, NULL } },
};

/**
 * tl_page_find() - The file at a path
 * @path: as it was sent
 *
 * Return: the file; NULL if there is none.
 */
const struct tl_page_file *tl_page_find(const char *path)
{
	const struct tl_page_file *file;

	for (file = files; file->path; file++)
		if (!strcmp(file->path, path))
			return file;
	return NULL;
}
