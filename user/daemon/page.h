/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PAGE_H
#define TL_DAEMON_PAGE_H

#include <stddef.h>

/* A file as it is sent, plain or compressed. */
struct tl_page_bytes {
	const char *begin, *end;
};

/**
 * struct tl_page_file - A file of the page
 * @path: where it is served
 * @type: what it is
 * @tag: changes when the file does
 */
struct tl_page_file {
	const char *path, *type, *tag;
	struct tl_page_bytes plain, gzip;
};

const struct tl_page_file *tl_page_find(const char *path);

#endif
