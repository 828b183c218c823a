/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A socket to the family, and what the kernel answers on it. */
#ifndef ABI_TL_H
#define ABI_TL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/tierlens.h>

#define TL_BUFFER_BYTES 32768 /* the kernel never makes larger messages */
#define TL_REQUEST_BYTES 1024

struct tl {
	struct mnl_socket *socket;
	uint32_t seq;
	uint32_t group; /* of the notifications */
	uint16_t family;
	size_t buffer_bytes;
	char *buffer;
	char sentence[256]; /* the kernel's, about its last refusal; empty if none */
	unsigned int fail;  /* so many allocations after the next request begins one fails; 0: none */
	int fail_fd;	    /* where that is said */
};

/* What came back. */
struct tl_answer {
	unsigned int messages; /* of the family */
	bool ended; /* an acknowledgement, an error or the end of a dump was there */
	int error;  /* positive errno, 0 if there was none */
};

typedef int tl_message_fn(const struct nlmsghdr *nlh, void *arg);

int tl_open(struct tl *tl, size_t buffer_bytes, int rcvbuf_bytes);
void tl_close(struct tl *tl);
struct nlmsghdr *tl_request(struct tl *tl, char *buffer, uint8_t cmd, uint16_t flags);
int tl_fail(struct tl *tl, unsigned int n);
bool tl_has_failed(struct tl *tl);
int tl_send(struct tl *tl, const void *bytes, size_t length);
int tl_receive(struct tl *tl, int flags, tl_message_fn *message, void *arg,
	       struct tl_answer *answer);
int tl_ask(struct tl *tl, const struct nlmsghdr *nlh, tl_message_fn *message, void *arg);

#endif
