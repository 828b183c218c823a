/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the single-threaded proxy. */
#ifndef TL_TEST_TIER_EPOLL_H
#define TL_TEST_TIER_EPOLL_H

#include "tier.h"

enum source_kind { SOURCE_LISTEN, SOURCE_TIMER, SOURCE_END, SOURCE_FRONT, SOURCE_UP };

/* What an epoll event points to: the first member of whatever has a descriptor. */
struct source {
	enum source_kind kind;
	int fd; /* of a connection, -1: closed, the slot is free */
};

enum front_state { FRONT_READ, FRONT_CALLS, FRONT_ANSWER };

struct front;

/* A call that waits for a connection. */
struct waiting {
	struct front *front;
	struct waiting *next;
};

/* A client's connection and its request. */
struct front {
	struct source s; /* its fd is conn.fd */
	enum front_state state;
	struct tier_conn conn;
	char line[FRAME_LINE]; /* what is sent to the next tiers */
	size_t line_len;
	uint32_t calls_started, calls_out; /* out: sent or waiting */
	uint32_t events;		   /* watched for */
	bool failed;
	bool going_on;
	uint64_t wake_ns;		    /* 0: not asleep */
	struct waiting waiting[TIER_LANES]; /* as many calls as can be out */
};

/* A connection to a next tier. */
struct up {
	struct source s;
	unsigned int target;
	struct front *owner; /* NULL: idle */
	bool used; /* ever: if not, all of it is zero */
	bool connecting;
	uint64_t begin_ns;
	struct frame_reader in;
};

/* Calls of one target that wait, in order. */
struct line {
	struct waiting *first, *last;
};

struct loop {
	struct tier *tier;
	struct tier_worker sender; /* of answers */
	int epoll_fd;
	struct source listen[TIER_PORTS], timer, end[2];
	uint64_t armed_ns; /* when the timer fires; UINT64_MAX: never */
	struct front *fronts[TIER_CLIENTS];
	unsigned int n_fronts; /* slots ever used */
	struct up *ups;	       /* n_next * pool */
	struct line lines[TIER_NEXT];
	unsigned int busy; /* requests between their last byte read and their answer */
	bool told, ending;
};

#endif
