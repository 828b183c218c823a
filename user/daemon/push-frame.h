/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_DAEMON_PUSH_FRAME_H
#define TL_DAEMON_PUSH_FRAME_H

#include "port.h"

#include <zstd.h>

/**
 * struct tl_pen - Makes frames; each thread that writes has one
 * @frame: those that were made last
 */
struct tl_pen {
	ZSTD_CCtx *to;
	u8 *frame;
	size_t room;
};

/**
 * struct tl_frames - Takes frames out of a file
 * @fd: file, the caller's
 * @in: frame that was read, @plain: what was in it
 */
struct tl_frames {
	int fd;
	ZSTD_DCtx *from;
	u8 *in, *plain;
	size_t in_room, plain_room;
};

int tl_frame_write(int fd, const u8 *bytes, size_t n, u64 at);
int tl_frame_read(int fd, u8 *bytes, size_t n, u64 at);

bool tl_pen_begin(struct tl_pen *pen);
void tl_pen_end(struct tl_pen *pen);
int tl_pen_renew(struct tl_pen *pen, size_t n);
int tl_frame_make(struct tl_pen *pen, size_t before, const void *byte, size_t n);

int tl_frames_begin(struct tl_frames *frames, int fd);
void tl_frames_end(struct tl_frames *frames);
int tl_frame_take(struct tl_frames *frames, u64 at, u32 most, size_t *n);

#endif
