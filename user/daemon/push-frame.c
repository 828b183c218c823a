// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames in a file: a length and what zstd made of some bytes, with a checksum
 *
 * What is damaged, or was written half, is no frame.
 */
#include "daemon/push-frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EFFORT 1
#define KEPT_BYTES (256U << 10)
#define PLAIN_MOST (1U << 30)

static int room_for(u8 **bytes, size_t *room, size_t n)
{
	u8 *grown;

	if (n <= *room)
		return 0;
	grown = realloc(*bytes, n);
	if (!grown)
		return -ENOMEM;
	*bytes = grown;
	*room = n;
	return 0;
}

/**
 * tl_frame_write() - Write all of some bytes
 * @fd: file
 * @bytes: [@n] bytes
 * @n: how many
 * @at: where in the file
 *
 * Return: 0 or a negative errno: then some may be written.
 */
int tl_frame_write(int fd, const u8 *bytes, size_t n, u64 at)
{
	ssize_t done;

	for (; n; n -= (size_t)done, bytes += done, at += (u64)done) {
		done = pwrite(fd, bytes, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			return done ? -errno : -EIO;
	}
	return 0;
}

/**
 * tl_frame_read() - Read all of some bytes
 * @fd: file
 * @bytes: [@n], filled with those that there are
 * @n: how many
 * @at: where in the file
 *
 * Return: 0, -ENODATA if there are less, or another negative errno.
 */
int tl_frame_read(int fd, u8 *bytes, size_t n, u64 at)
{
	ssize_t done;

	for (; n; n -= (size_t)done, bytes += done, at += (u64)done) {
		done = pread(fd, bytes, n, (off_t)at);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			return done ? -errno : -ENODATA;
	}
	return 0;
}

/* ---- writing ------------------------------------------------------------- */

/**
 * tl_pen_begin() - Begin
 * @pen: all zero, to be given to tl_pen_end()
 *
 * Return: whether there was memory.
 */
bool tl_pen_begin(struct tl_pen *pen)
{
	pen->to = ZSTD_createCCtx();
	return pen->to && !ZSTD_isError(ZSTD_CCtx_setParameter(pen->to, ZSTD_c_checksumFlag, 1)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(pen->to, ZSTD_c_compressionLevel, EFFORT));
}

/**
 * tl_pen_end() - Free what it has
 * @pen: pen
 */
void tl_pen_end(struct tl_pen *pen)
{
	ZSTD_freeCCtx(pen->to);
	free(pen->frame);
	*pen = (struct tl_pen){ NULL };
}

/**
 * tl_pen_renew() - Give back what long frames needed, which are seldom
 * @pen: pen
 * @n: bytes that the last one was made of
 *
 * Return: 0 or -ENOMEM.
 */
int tl_pen_renew(struct tl_pen *pen, size_t n)
{
	if (n <= KEPT_BYTES)
		return 0;
	tl_pen_end(pen);
	return tl_pen_begin(pen) ? 0 : -ENOMEM;
}

/**
 * tl_frame_make() - Make a frame
 * @pen: pen; the frame is in @pen->frame, behind those that are there
 * @before: bytes of those
 * @byte: [@n] what is to be in it
 * @n: how many
 *
 * Return: @before and its own bytes, or a negative errno.
 */
int tl_frame_make(struct tl_pen *pen, size_t before, const void *byte, size_t n)
{
	size_t room = sizeof(u32) + ZSTD_compressBound(n), done;
	u32 len;

	/* One that could not be begun anew. */
	if (!pen->to && !tl_pen_begin(pen))
		return -ENOMEM;
	if (n > PLAIN_MOST || room_for(&pen->frame, &pen->room, before + room))
		return -ENOMEM;
	done = ZSTD_compress2(pen->to, pen->frame + before + sizeof(len), room - sizeof(len), byte, n);
	if (ZSTD_isError(done) || done > INT32_MAX - sizeof(len) - before)
		return -ENOMEM;
	len = (u32)done;
	memcpy(pen->frame + before, &len, sizeof(len));
	return (int)(before + done + sizeof(len));
}

/* ---- reading ------------------------------------------------------------- */

/**
 * tl_frames_begin() - Begin
 * @frames: filled in, to be given to tl_frames_end()
 * @fd: file to read
 *
 * Return: 0 or -ENOMEM.
 */
int tl_frames_begin(struct tl_frames *frames, int fd)
{
	*frames = (struct tl_frames){ .fd = fd, .from = ZSTD_createDCtx() };
	return frames->from ? 0 : -ENOMEM;
}

/**
 * tl_frames_end() - Free what it has
 * @frames: frames; all zero is well
 */
void tl_frames_end(struct tl_frames *frames)
{
	ZSTD_freeDCtx(frames->from);
	free(frames->in);
	free(frames->plain);
}

/**
 * tl_frame_take() - Read a frame
 * @frames: frames; what was in it is in @frames->plain until the next one is read
 * @at: where in the file
 * @most: more bytes it cannot have
 * @n: set to the bytes that were in it
 *
 * Return: its bytes, 0 if there is none, or -ENOMEM.
 */
int tl_frame_take(struct tl_frames *frames, u64 at, u32 most, size_t *n)
{
	unsigned long long size;
	u32 len;

	if (most < sizeof(len) || tl_frame_read(frames->fd, (u8 *)&len, sizeof(len), at) || !len ||
	    len > most - sizeof(len))
		return 0;
	if (room_for(&frames->in, &frames->in_room, len))
		return -ENOMEM;
	if (tl_frame_read(frames->fd, frames->in, len, at + sizeof(len)))
		return 0;
	size = ZSTD_getFrameContentSize(frames->in, len);
	if (size > PLAIN_MOST)
		return 0;
	/* Series are many times as long as values, and seldom. */
	if (frames->plain_room > KEPT_BYTES && size <= KEPT_BYTES) {
		free(frames->plain);
		frames->plain = NULL;
		frames->plain_room = 0;
	}
	if (room_for(&frames->plain, &frames->plain_room, size))
		return -ENOMEM;
	*n = ZSTD_decompressDCtx(frames->from, frames->plain, size, frames->in, len);
	return ZSTD_isError(*n) || *n != size ? 0 : (int)(len + sizeof(len));
}
