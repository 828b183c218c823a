/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_WEBLOG_STATES_H
#define TL_WEBLOG_STATES_H

#include <stdbool.h>
#include <stddef.h>

struct tl_error;

#define TL_WEBLOG_STATES_MAX 200

/* Requests that are no state. */
enum { TL_WEBLOG_EMBEDDED = -1, TL_WEBLOG_LEFT_OUT = -2, TL_WEBLOG_NO_REQUEST = -3 };

/**
 * struct tl_weblog_rule - Requests that begin so are of that state
 * @name: of the state; "-" for none
 * @prefix: bytes; begins with '/' for any method
 */
struct tl_weblog_rule {
	char *name, *prefix;
	size_t len;
};

/**
 * struct tl_weblog_states - Which requests are which states
 * @rule: [rules] the longest prefix decides
 * @ruled: some of them say what is a state, not only what is none
 * @depth: components of the path that make a state where no rule does
 * @embedded: pictures, style sheets and the like are states, too
 * @name: [n] of the states, as they came; behind those that every graph has
 * @n: how many
 * @other: index of the state of all that there is no room for, or 0
 * @crowded: there were too many, and @other has the rest
 */
struct tl_weblog_states {
	struct tl_weblog_rule *rule;
	size_t rules, depth;
	bool ruled, embedded;
	char **name;
	size_t n, other;
	bool crowded;
};

int tl_weblog_rule_add(struct tl_weblog_states *states, const char *name, const char *prefix,
		       struct tl_error *err);
int tl_weblog_rules_read(struct tl_weblog_states *states, const char *file,
			 struct tl_error *err);
int tl_weblog_state(struct tl_weblog_states *states, const char *request, const char *method,
		    const char *url, int *state);
void tl_weblog_states_free(struct tl_weblog_states *states);

#endif
