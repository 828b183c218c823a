/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the messages of a dump of intervals together and prints them as JSON lines. */
#ifndef ABI_INTERVAL_H
#define ABI_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "json.h"
#include "tl.h"

/* A list of cells or edges that grows by the parts. */
struct interval_list {
	struct json json;
	char *text;
	size_t size;
};

struct interval_reader {
	FILE *out;
	bool show_parts;
	uint64_t generation; /* of the interval that is open, or was last */
	uint64_t printed;    /* intervals */
	const char *wrong;   /* why -EPROTO */
	/* while an interval is open */
	bool open;
	unsigned int parts;
	uint64_t start_ns, length_ns;
	struct interval_list head, cells, edges;
};

int interval_part(const struct nlmsghdr *nlh, void *reader);
void interval_attributes(struct json *json, const struct nlattr *nest,
			 const char *const *names, unsigned int n);

extern const char *const interval_event_names[];
extern const char *const interval_loss_names[];

#endif
