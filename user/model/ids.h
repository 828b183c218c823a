/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_IDS_H
#define TL_MODEL_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tl_ids - Keys of bytes, numbered as they come; all zero at first
 * @n: how many
 * @key: [@bytes] of all, each with a NUL behind it
 * @at: [@n + 1] where each begins
 * @slot: [@slots] a number and one, 0 for none
 */
struct tl_ids {
	size_t n, room, slots, bytes, bytes_room;
	char *key;
	size_t *at;
	uint32_t *slot;
};

int tl_ids_of(struct tl_ids *ids, const void *key, size_t len, uint32_t *id);
bool tl_ids_find(const struct tl_ids *ids, const void *key, size_t len, uint32_t *id);
const char *tl_ids_key(const struct tl_ids *ids, uint32_t id, size_t *len);
void tl_ids_free(struct tl_ids *ids);

#endif
