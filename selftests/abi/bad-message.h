/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages that need not be right, and whether the module is as it was. */
#ifndef ABI_BAD_MESSAGE_H
#define ABI_BAD_MESSAGE_H

#include "tl.h"

/* What makes up the module's settings, its tiers, rules and events, as one text. */
struct state {
	char text[65536];
	size_t length;
	bool full;
};

struct message {
	char bytes[TL_REQUEST_BYTES];
	size_t length; /* what is sent; nlmsg_len may say something else */
};

void message_begin(struct message *message, struct tl *tl, uint8_t cmd, uint16_t flags);
void message_attr(struct message *message, uint16_t type, const void *payload,
		  uint16_t length);
void message_u32(struct message *message, uint16_t type, uint32_t value);
void message_u64(struct message *message, uint16_t type, uint64_t value);
void message_name(struct message *message, uint16_t type, const char *name);
struct nlmsghdr *message_header(struct message *message);

int message_exchange(struct tl *tl, const struct message *message,
		     struct tl_answer *answer);
int state_take(struct tl *tl, struct state *state);

void tap(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
int tap_end(void);

int bad_cases(struct tl *tl);
int bad_denied(struct tl *tl);
int bad_fuzz(struct tl *tl, unsigned int messages, uint64_t seed);

#endif
