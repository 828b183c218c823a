/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_TASKS_NAMES_H
#define TL_TASKS_NAMES_H

#include <stdint.h>
#include <stddef.h>

struct tl_tasks_found;

/**
 * struct tl_tasks_names - Names that tell leaf tasks apart, as short as may be
 * @begin: [@n classes] where each begins, as @end
 */
struct tl_tasks_names {
	size_t n;
	char **begin, **end;
};

int tl_tasks_names_make(struct tl_tasks_names *names, const struct tl_tasks_found *found);
char *tl_tasks_name(const struct tl_tasks_names *names, uint32_t entry, uint32_t exit);
char *tl_tasks_name_cut(const char *name, size_t width);
void tl_tasks_names_free(struct tl_tasks_names *names);

#endif
