// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers for keys: names, pairs and codes that come again and again. */
#include "ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(const unsigned char *key, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	while (len--)
		h = (h ^ *key++) * 0x100000001b3ULL;
	return h ^ (h >> 29);
}

/* Where a key is, or has its place. */
static size_t place_of(const struct tl_ids *ids, const void *key, size_t len)
{
	size_t place = hash(key, len) & (ids->slots - 1), other_len;
	const char *other;

	while (ids->slot[place]) {
		other = tl_ids_key(ids, ids->slot[place] - 1, &other_len);
		if (len == other_len && !memcmp(key, other, len))
			break;
		place = (place + 1) & (ids->slots - 1);
	}
	return place;
}

static int slots_grow(struct tl_ids *ids)
{
	struct tl_ids grown = *ids;
	uint32_t i;

	grown.slots = ids->slots ? 2 * ids->slots : 64;
	grown.slot = calloc(grown.slots, sizeof(*grown.slot));
	if (!grown.slot)
		return -ENOMEM;
	for (i = 0; i < ids->n; i++) {
		size_t len;
		const char *key = tl_ids_key(ids, i, &len);

		grown.slot[place_of(&grown, key, len)] = i + 1;
	}
	free(ids->slot);
	*ids = grown;
	return 0;
}

static int room_grow(struct tl_ids *ids, size_t len)
{
	size_t bytes = ids->bytes_room, room = ids->room;
	size_t *at;
	char *key;

	while (ids->bytes + len + 1 > bytes)
		bytes = bytes ? 2 * bytes : 1024;
	key = bytes == ids->bytes_room ? ids->key : realloc(ids->key, bytes);
	if (!key)
		return -ENOMEM;
	ids->key = key;
	ids->bytes_room = bytes;
	if (ids->n + 2 > room)
		room = room ? 2 * room : 64;
	at = room == ids->room ? ids->at : reallocarray(ids->at, room, sizeof(*at));
	if (!at)
		return -ENOMEM;
	ids->at = at;
	ids->room = room;
	return 0;
}

/**
 * tl_ids_of() - The number of a key
 * @ids: the keys; gets it if it is new
 * @key: the key
 * @len: its bytes
 * @id: set to its number
 *
 * Return: 0; -ENOMEM; -E2BIG for more than 2³² − 2 keys.
 */
int tl_ids_of(struct tl_ids *ids, const void *key, size_t len, uint32_t *id)
{
	size_t place;

	if (ids->n >= UINT32_MAX - 1)
		return -E2BIG;
	if (2 * ids->n >= ids->slots && slots_grow(ids))
		return -ENOMEM;
	place = place_of(ids, key, len);
	if (!ids->slot[place]) {
		if (room_grow(ids, len))
			return -ENOMEM;
		ids->at[ids->n] = ids->bytes;
		memcpy(ids->key + ids->bytes, key, len);
		ids->key[ids->bytes + len] = '\0';
		ids->bytes += len + 1;
		ids->at[++ids->n] = ids->bytes;
		ids->slot[place] = (uint32_t)ids->n;
	}
	*id = ids->slot[place] - 1;
	return 0;
}

/**
 * tl_ids_find() - Look for a key
 * @ids: the keys
 * @key: the key
 * @len: its bytes
 * @id: set to its number, if it is there
 *
 * Return: whether it is.
 */
bool tl_ids_find(const struct tl_ids *ids, const void *key, size_t len, uint32_t *id)
{
	size_t place = ids->slots ? place_of(ids, key, len) : 0;

	if (!ids->slots || !ids->slot[place])
		return false;
	*id = ids->slot[place] - 1;
	return true;
}

/**
 * tl_ids_key() - The key of a number
 * @ids: the keys
 * @id: a number
 * @len: set to its bytes, if not NULL
 *
 * Return: the key, with a NUL behind it; it moves when keys are added.
 */
const char *tl_ids_key(const struct tl_ids *ids, uint32_t id, size_t *len)
{
	if (len)
		*len = ids->at[id + 1] - ids->at[id] - 1;
	return ids->key + ids->at[id];
}

/**
 * tl_ids_free() - Free keys
 * @ids: the keys
 */
void tl_ids_free(struct tl_ids *ids)
{
	free(ids->key);
	free(ids->at);
	free(ids->slot);
	*ids = (struct tl_ids){ 0 };
}
