// SPDX-License-Identifier: GPL-2.0-or-later
/* Not all tracepoints are exported, but each can be found. */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoint.h"

struct search {
	const char *name;
	struct tracepoint *found;
};

static void look_at(struct tracepoint *tracepoint, void *arg)
{
	struct search *search = arg;

	if (!strcmp(tracepoint->name, search->name))
		search->found = tracepoint;
}

/**
 * tl_tracepoint_find() - One of the kernel's own tracepoints
 * @name: its name
 *
 * Context: process.
 * Return: NULL if this kernel has none of that name.
 */
struct tracepoint *tl_tracepoint_find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(look_at, &search);
	return search.found;
}
