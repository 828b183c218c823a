/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CTL_TALK_H
#define TL_CTL_TALK_H

/* Between the files of ctl; nobody else includes this. */

#include "ctl-read.h"
#include "hist.h"

struct nl_msg;
struct nl_sock;
struct tl_ctl;
struct tl_error;

struct tl_ctl {
	struct nl_sock *requests, *hints;
	int family;
};

/* One request and what came of it. */
struct tl_ctl_exchange {
	tl_ctl_reader *reader;
	void *arg;
	int code;
	bool done, interrupted;
	char sentence[256];
};

struct nl_msg *tl_ctl_request(struct tl_ctl *ctl, int flags, u8 cmd);
int tl_ctl_talk(struct tl_ctl *ctl, struct nl_msg *msg, struct tl_ctl_exchange *ex,
		const char *what, struct tl_error *err);
int tl_ctl_dump(struct tl_ctl *ctl, u8 cmd, tl_ctl_reader *reader,
		struct tl_ctl_rows *rows, const char *what, struct tl_error *err);

#endif
