/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_TASKS_PIECES_H
#define TL_MODEL_TASKS_PIECES_H

#include "ids.h"
#include "tasks-mine.h"
#include "tasks-shapes.h"

#define TL_TASK_CODE_BYTES ((size_t)128 << 20) /* that codes and looks may take, each */

/* Some nodes of a shape that hang together; those of equal ones have equal patterns. */
struct tl_task_piece {
	uint32_t pattern, shape, n, node[TL_TASK_SIZE_MAX];
};

/**
 * struct tl_task_pieces - Pieces, and the codes that there have ever been
 * @size: nodes that they have at most
 * @most: how many there may be
 * @work: done so far: pieces, and neighbours that were looked at beside them
 * @effort: how much of it there may be
 * @cut: there were more
 * @codes: canonical ones; their numbers are patterns
 * @pattern: [@looks.n] of pieces as they grew
 */
struct tl_task_pieces {
	struct tl_task_piece *piece;
	size_t n, room, size, most;
	uint64_t work, effort;
	bool cut;
	struct tl_ids codes, looks;
	uint32_t *pattern;
	size_t looks_room, looks_known;
};

int tl_task_pieces_find(struct tl_task_pieces *pieces, const struct tl_task_shape *shape,
			uint32_t index);
void tl_task_pieces_free(struct tl_task_pieces *pieces);

#endif
