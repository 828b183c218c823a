/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_PATH_H
#define TL_PATH_H

#include <linux/types.h>

#define TL_PATH_MORE 1 /* the node of all that find no place */

/* A place in the tree of paths: a tier and class, called from another place. */
struct tl_path_node {
	u32 parent; /* 0: a front tier's */
	u32 tier;
	u32 class;
	u32 next; /* in the hash chain */
};

int tl_path_init(void);
void tl_path_exit(void);
u32 tl_path_find(u32 parent, u32 tier, u32 class);
bool tl_path_get(u32 id, struct tl_path_node *copy);
unsigned int tl_path_count(void);
void tl_path_forget_all(void);

#endif
