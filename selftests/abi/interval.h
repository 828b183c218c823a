/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the messages of a dump of intervals together and prints them as JSON lines. */
#ifndef ABI_INTERVAL_H
#define ABI_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "fields.h"
#include "json.h"
#include "tl.h"

enum interval_list { LIST_CELLS, LIST_EDGES, LIST_PATHS, LIST_USAGE,
		     LIST_COUNTS, LIST_CALLS, INTERVAL_LISTS };

/* A text that grows by the parts. */
struct interval_text {
	struct json json;
	char *text;
	size_t size;
};

/* What cells and nodes of paths both sum up. */
struct interval_sums {
	uint64_t count, response_ns, own_ns, cpu_ns;
};

/* What an entry is told by: a cell by tier and class, a path by its node. */
struct interval_key {
	uint32_t a, b;
	uint32_t parent; /* of a node; 0: none */
};

struct interval_keys {
	struct interval_key *key;
	unsigned int n, room;
};

struct interval_reader {
	FILE *out;
	bool show_parts;
	bool lossy;	     /* some sums have found no cell: they need not agree */
	uint32_t processors; /* 0: not known */
	uint64_t generation; /* of the interval that is open, or was last */
	uint64_t printed;    /* intervals */
	const char *wrong;   /* why -EPROTO */
	char told[160];	     /* of what is wrong, if it has figures */
	/* while an interval is open */
	bool open;
	unsigned int parts;
	uint64_t start_ns, length_ns;
	uint64_t cpu_ns, request_cpu_ns; /* of all tiers, used in elapsed_ns */
	uint64_t elapsed_ns;
	struct interval_text head, lists[INTERVAL_LISTS];
	struct interval_sums cells, paths;
	struct interval_keys keys[INTERVAL_LISTS];
};

int interval_part(const struct nlmsghdr *nlh, void *reader);
void interval_free(struct interval_reader *reader);

extern const struct fields interval_events;
extern const struct fields interval_losses, interval_cost;

#endif
