/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The requests of the ABI, written down a second time: what the spec says, by hand. */
#ifndef ABI_BAD_REQUEST_H
#define ABI_BAD_REQUEST_H

#include "bad-message.h"

enum attr_kind { ATTR_NONE, ATTR_U32, ATTR_U64, ATTR_TEXT, ATTR_BYTES, ATTR_FLAG };

struct request_attr {
	uint16_t type;
	enum attr_kind kind;
	bool required;
	bool many; /* may be given more than once */
	bool alone; /* excludes the others, is not in the valid message */
	uint32_t valid;
	const char *text;  /* valid, of texts and bytes */
	uint32_t min, max; /* 0: no such bound; of lengths for texts and bytes */
};

struct request {
	const char *name;
	uint8_t cmd;
	bool dump;
	struct request_attr attrs[6]; /* ended by ATTR_NONE */
};

#define REQUESTS 19
#define REQUEST_RULE "rule"
#define REQUEST_RULE_PORT 7001
#define REQUEST_NEW "fresh"
#define REQUEST_NEW_PORT 7002
#define REQUEST_NEW_PATH "/run/fresh.sock"
#define REQUEST_CLASS "kept"
#define REQUEST_PREFIX "GET /kept"
#define REQUEST_EVENT "counted"

extern const struct request requests[REQUESTS];

uint16_t request_flags(const struct request *request);
void request_attr(struct message *message, const struct request_attr *attr);
void request_valid(struct message *message, struct tl *tl, const struct request *request);
void request_class(struct message *message, struct tl *tl, uint8_t cmd, const char *name,
		   const char *prefix, const char *tier);
int request_set_up(struct tl *tl);
int request_clean_up(struct tl *tl);
int request_ask(struct tl *tl, const struct message *message);

#endif
