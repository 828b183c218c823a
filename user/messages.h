/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MESSAGES_H
#define TL_MESSAGES_H

#include "hist.h"
#include "model/ids.h"

#include <stddef.h>

struct tl_error;

/**
 * struct tl_messages - What messages of some paths took, as in a file
 * @head: [@columns] names of its columns
 * @field: [@n][@columns] as they stand there
 * @size: [@n] bytes, @time_ms: [@n]
 * @path: [@n] number of each one's path, whose names are @paths; one without a name if there are none
 */
struct tl_messages {
	char **head, **field;
	double *size, *time_ms;
	u32 *path;
	struct tl_ids paths;
	size_t columns, n;
};

int tl_messages_read(struct tl_messages *messages, const char *file, struct tl_error *err);
void tl_messages_free(struct tl_messages *messages);

#endif
