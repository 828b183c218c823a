/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_SYNC_OBJECT_H
#define TL_SYNC_OBJECT_H

#include "hist.h"
#include "model/ids.h"

#include <stdbool.h>

struct tierlens_sync_record;
struct tl_maps;
struct tl_sync_stream;

/**
 * struct tl_sync_streams - Positions in all that bytes flow through; all zero at first
 * @ids: of each way of each
 * @stream: [@n]
 * @lost: events were, so what is only known by adding up is known no more
 */
struct tl_sync_streams {
	struct tl_ids ids;
	struct tl_sync_stream *stream;
	size_t n;
	bool lost;
};

int tl_sync_position(struct tl_sync_streams *streams, const struct tierlens_sync_record *record,
		     u64 *position);
void tl_sync_streams_free(struct tl_sync_streams *streams);
void tl_sync_object(char *text, size_t room, const struct tl_maps *maps,
		    const struct tierlens_sync_record *record);
bool tl_sync_has_ends(const struct tierlens_sync_record *record);

#endif
