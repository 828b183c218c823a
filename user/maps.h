/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MAPS_H
#define TL_MAPS_H

#include "hist.h"

#include <stdbool.h>

#define TL_MAPS_NO_FILE UINT32_MAX

/**
 * struct tl_map - A part of a process's memory that holds code, or is shared
 * @offset: of its first byte in the file
 * @file: index, TL_MAPS_NO_FILE for none
 */
struct tl_map {
	u64 start, end, offset;
	u32 file;
	bool code, shared;
};

/**
 * struct tl_map_file - What is mapped somewhere
 * @dev: device as in maps, major and minor; with @inode it says which file it is
 * @path: as the process sees it, or "[vdso]" and the like
 * @fd: open for reading if it holds code; negative if that failed
 */
struct tl_map_file {
	u64 dev, inode;
	char *path;
	int fd;
};

/**
 * struct tl_map_process - Where what was mapped, in all looks at it together
 * @map: by address; a later one replaces what it covers
 * @looked_ns: when it was last looked at
 * @gone: it runs another program or none
 */
struct tl_map_process {
	u32 pid;
	struct tl_map *map;
	size_t n;
	u64 looked_ns;
	bool gone;
};

struct tl_maps {
	struct tl_map_process *process;
	struct tl_map_file *file;
	size_t processes, files;
};

int tl_maps_look(struct tl_maps *maps, u32 pid, size_t *process);
int tl_maps_fork(struct tl_maps *maps, u32 parent, u32 child);
struct tl_map_process *tl_maps_process(const struct tl_maps *maps, u32 pid);
const struct tl_map *tl_maps_find(const struct tl_map_process *process, u64 address);
void tl_maps_free(struct tl_maps *maps);

#endif
