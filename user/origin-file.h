/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ORIGIN_FILE_H
#define TL_ORIGIN_FILE_H

#include "origin.h"

#define TL_ORIGIN_NEEDS 4000 /* bytes of names */

/* How an ELF file is linked. */
enum tl_origin_link {
	TL_ORIGIN_LINK_UNKNOWN,
	TL_ORIGIN_LINK_PROGRAM,
	TL_ORIGIN_LINK_LIBRARY, /* has a name for linkers */
	TL_ORIGIN_LINK_PLUGIN, /* has none */
};

/**
 * struct tl_origin_file - What a file says of itself
 * @there: it could be read; else nothing is known
 * @kind: by its first bytes, TL_ORIGIN_KINDS if they do not tell
 * @versions: its functions have versions
 * @symbols: it was not stripped, @debug: nor of what a debugger wants
 * @needs: libraries that it asks the loader for, a line each; those that have room
 * @refused: what of it was too large to be read, to follow its name and a colon; NULL for nothing
 */
struct tl_origin_file {
	bool there, versions, symbols, debug;
	enum tl_origin_kind kind;
	enum tl_origin_link link;
	int64_t mtime, size;
	char needs[TL_ORIGIN_NEEDS];
	const char *refused;
};

void tl_origin_file(const char *root, const char *path, struct tl_origin_file *file);
bool tl_origin_main_class(const char *root, const char *archive, char *name, size_t room);
int tl_origin_open_at(const char *root, const char *path);
int tl_origin_folder_at(const char *root, const char *path);
bool tl_origin_is_at(const char *root, const char *path);

#endif
