// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What sync points were done to: names that are the same wherever the object is, and places
 * in streams
 *
 * Of TCP the kernel tells the sequence number of the first byte, which begins anew after
 * 2^32; a stream's numbers are never half of that apart. Of UNIX sockets and pipes it tells
 * none: what was sent and what was received is added up, while nothing was lost. What is
 * received before it was sent was in there when the recording began.
 */
#include "sync-object.h"

#include "maps.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/tierlens-sync.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * struct tl_sync_stream - One way of a connection, or a pipe
 * @last: the last position, of TCP
 * @sent: bytes, @received: of them
 * @known: @last is; @unknown: how much was sent or received
 */
struct tl_sync_stream {
	u64 last, sent, received;
	bool known, unknown;
};

static const char *const kinds[TIERLENS_SYNC_KINDS] = {
	[TIERLENS_SYNC_NOTHING] = "nothing",
	[TIERLENS_SYNC_EVENTFD] = "eventfd",
	[TIERLENS_SYNC_PIPE] = "pipe",
	[TIERLENS_SYNC_EPOLL] = "epoll",
	[TIERLENS_SYNC_TCP] = "tcp",
	[TIERLENS_SYNC_UNIX] = "unix",
	[TIERLENS_SYNC_LISTENER] = "listener",
	[TIERLENS_SYNC_THREAD] = "thread",
	[TIERLENS_SYNC_OTHER] = "other",
};

static void memory_name(char *text, size_t room, const struct tl_maps *maps,
			const struct tierlens_sync_record *record)
{
	const struct tl_map_process *process = tl_maps_process(maps, record->process);
	const struct tl_map *map = process ? tl_maps_find(process, record->object) : NULL;
	const struct tl_map_file *file;

	if (!map || !map->shared || map->file == TL_MAPS_NO_FILE) {
		snprintf(text, room, "%u:0x%" PRIx64, record->process, (u64)record->object);
		return;
	}
	file = &maps->file[map->file];
	snprintf(text, room, "%" PRIx64 ":%" PRIx64 ":%" PRIu64 "+0x%" PRIx64, file->dev >> 32,
		 file->dev & UINT32_MAX, file->inode, (u64)record->object - map->start + map->offset);
}

/**
 * tl_sync_object() - What an event was done to
 * @text: written
 * @room: its size
 * @maps: where shared memory is found
 * @record: the event
 */
void tl_sync_object(char *text, size_t room, const struct tl_maps *maps,
		    const struct tierlens_sync_record *record)
{
	if (record->kind == TIERLENS_SYNC_MEMORY)
		memory_name(text, room, maps, record);
	else
		snprintf(text, room, "%s:%" PRIu64, kinds[record->kind], (u64)record->object);
}

/* ---- streams --------------------------------------------------------------------------------- */

static bool sends(const struct tierlens_sync_record *record)
{
	return record->op == TIERLENS_SYNC_SEND;
}

/**
 * tl_sync_has_ends() - Is it something that is sent through one end of something?
 * @record: an event
 *
 * Return: whether it is.
 */
bool tl_sync_has_ends(const struct tierlens_sync_record *record)
{
	return (sends(record) || record->op == TIERLENS_SYNC_RECV) &&
	       (record->kind == TIERLENS_SYNC_TCP || record->kind == TIERLENS_SYNC_UNIX ||
		record->kind == TIERLENS_SYNC_PIPE);
}

static struct tl_sync_stream *stream_of(struct tl_sync_streams *streams, const struct tierlens_sync_record *record)
{
	/* By who sends; a pipe has one way only. */
	u64 way = record->kind == TIERLENS_SYNC_PIPE ? 0 : sends(record) ? record->end : !record->end;
	u64 key[3] = { record->kind, record->object, way };
	u32 id;

	if (tl_ids_of(&streams->ids, key, sizeof(key), &id))
		return NULL;
	if (id == streams->n && !tl_array_append((void **)&streams->stream, &streams->n, sizeof(*streams->stream)))
		return NULL;
	return &streams->stream[id];
}

/* What began before the first is not below zero. */
static u64 unwrap(struct tl_sync_stream *stream, u64 position)
{
	if (!stream->known)
		stream->last = (1ULL << 32) + (position & UINT32_MAX);
	else
		stream->last += (u64)(s64)(int32_t)((uint32_t)position - (uint32_t)stream->last);
	stream->known = true;
	return stream->last;
}

static u64 add_up(struct tl_sync_stream *stream, const struct tierlens_sync_record *record)
{
	u64 *sum = sends(record) ? &stream->sent : &stream->received, at;

	stream->unknown |= record->bytes == TIERLENS_SYNC_UNKNOWN;
	if (stream->unknown)
		return TIERLENS_SYNC_UNKNOWN;
	at = *sum;
	*sum += record->bytes;
	if (stream->received <= stream->sent)
		return at;
	stream->received = stream->sent;
	return stream->sent < record->bytes ? TIERLENS_SYNC_UNKNOWN : stream->sent - record->bytes;
}

/**
 * tl_sync_position() - Where in its stream the first byte of an event is
 * @streams: all of them
 * @record: the event; they come in order
 * @position: set to it, or to TIERLENS_SYNC_UNKNOWN
 *
 * Return: 0 or -ENOMEM.
 */
int tl_sync_position(struct tl_sync_streams *streams, const struct tierlens_sync_record *record, u64 *position)
{
	struct tl_sync_stream *stream;

	*position = TIERLENS_SYNC_UNKNOWN;
	if (!tl_sync_has_ends(record))
		return 0;
	stream = stream_of(streams, record);
	if (!stream)
		return -ENOMEM;
	if (record->kind != TIERLENS_SYNC_TCP)
		*position = add_up(stream, record);
	else if (record->position != TIERLENS_SYNC_UNKNOWN)
		*position = unwrap(stream, record->position);
	if (streams->lost && record->kind != TIERLENS_SYNC_TCP)
		*position = TIERLENS_SYNC_UNKNOWN;
	return 0;
}

/**
 * tl_sync_streams_free() - Free them
 * @streams: streams
 */
void tl_sync_streams_free(struct tl_sync_streams *streams)
{
	tl_ids_free(&streams->ids);
	free(streams->stream);
	*streams = (struct tl_sync_streams){ 0 };
}
