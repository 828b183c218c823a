/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the single-threaded proxy. */
#ifndef TL_TEST_TIER_EPOLL_H
#define TL_TEST_TIER_EPOLL_H

#include "tier.h"

#define WAITING_MAX (TIER_CLIENTS * TIER_UPSTREAMS)

enum source_kind { SOURCE_LISTEN, SOURCE_TIMER, SOURCE_END, SOURCE_FRONT, SOURCE_UP };

/* What an epoll event points to: the first member of whatever has a descriptor. */
struct source {
	enum source_kind kind;
	int fd; /* -1: closed, the slot is free */
};

enum front_state { FRONT_READ, FRONT_CALLS, FRONT_ANSWER };

/* A client's connection and its request. */
struct front {
	struct source s;
	enum front_state state;
	struct frame_reader in;
	struct frame_request req;
	struct tier_plan plan;
	struct tier_answer answer;
	struct truth_request q;
	char line[FRAME_LINE]; /* what is sent to the next tiers */
	size_t line_len;
	uint32_t calls_started, calls_out; /* out: sent or waiting */
	uint32_t events;		   /* watched for */
	bool failed;
	bool going_on;
	uint64_t wake_ns; /* 0: not asleep */
};

/* A connection to a next tier. */
struct up {
	struct source s;
	unsigned int target;
	struct front *owner; /* NULL: idle */
	bool connecting;
	uint64_t begin_ns;
	struct frame_reader in;
};

/* Calls of one target that wait for a connection, in order; a request may stand in it
 * often. */
struct waiting {
	struct front *ring[WAITING_MAX];
	unsigned int in, out;
};

struct loop {
	struct tier *tier;
	int epoll_fd;
	struct source listen, timer, end[2];
	uint64_t armed_ns; /* when the timer fires; UINT64_MAX: never */
	struct front *fronts[TIER_CLIENTS];
	struct up *ups; /* n_next * pool */
	struct waiting waiting[TIER_NEXT];
	unsigned int busy; /* requests between their last byte read and their answer */
	bool told, ending;
};

#endif
