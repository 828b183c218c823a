/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_KEYED_H
#define TL_KEYED_H

#include <linux/compiler.h>
#include <linux/list_nulls.h>

#include "memory.h"

/* First member of what is found by the address of something of the kernel's. */
struct tl_keyed {
	struct tl_pool_item item;
	struct hlist_nulls_node node;
	const void *key; /* NULL: in the pool */
};

struct tl_keyed_bucket {
	struct hlist_nulls_head head;
	raw_spinlock_t lock; /* protects the chain */
};

/* Entries come from pools: their memory stays what it is. */
struct tl_keyed_table {
	struct tl_keyed_bucket *bucket;
	unsigned int bits;
};

int tl_keyed_init(struct tl_keyed_table *table, unsigned int bits);
void tl_keyed_exit(struct tl_keyed_table *table);
struct tl_keyed_bucket *tl_keyed_bucket(const struct tl_keyed_table *table, const void *key);
struct tl_keyed *tl_keyed_find(const struct tl_keyed_table *table, const void *key);
void tl_keyed_link(struct tl_keyed_bucket *bucket, struct tl_keyed *entry, const void *key);
void tl_keyed_unlink(struct tl_keyed_bucket *bucket, struct tl_keyed *entry);

#endif
