/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_KERNEL_TREE_H
#define TL_KERNEL_TREE_H

#include <stdbool.h>

struct tl_error;

/**
 * struct tl_kernel_tree - Where things of a kernel are; NULL for what is not there
 * @release: as uname -r tells it
 * @build: the directory that modules are built against
 * @source: the one that has include/linux; the same as @build or, as Debian has it, another
 * @root: what stands before /boot and /usr: "" for this machine
 * @map: its symbols: a System.map or /proc/kallsyms
 * @stub: a System.map that only tells where the real one is
 * @config: its options
 */
struct tl_kernel_tree {
	char *release, *build, *source, *root, *map, *stub, *config;
};

int tl_kernel_tree_find(struct tl_kernel_tree *tree, const char *path, const char *map,
			const char *config, struct tl_error *err);
void tl_kernel_tree_free(struct tl_kernel_tree *tree);
char *tl_kernel_path(const char *directory, const char *name);
bool tl_kernel_map_is_stub(const char *path);

#endif
