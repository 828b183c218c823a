/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small world of threads and connections that drives the core as kmod/track.c does. */
#ifndef TL_CORE_WORLD_H
#define TL_CORE_WORLD_H

#include "correlate.h"

#define WORLD_SERVERS 4
#define WORLD_CLIENTS 24
#define WORLD_THREADS 6
#define WORLD_EVENTS 256

enum event_kind {
	EVENT_RECEIVED, /* bytes on a server's side */
	EVENT_SENT,	/* bytes on a server's side; 0: an earlier send still goes on */
	EVENT_CONNECT,	/* a client's side; also replaces a connection that is there */
	EVENT_OLDER,	/* a client's side that nobody saw connecting */
	EVENT_CALL,	/* bytes sent on a client's side */
	EVENT_REPLY,	/* bytes received on a client's side */
	EVENT_CLOSE_SERVER,
	EVENT_SHUTDOWN, /* what is received after it is only drained */
	EVENT_QUIET,
	EVENT_CLOSE_CLIENT,
	EVENT_EXIT,
	EVENT_KINDS
};

struct event {
	u8 kind; /* enum event_kind */
	u8 thread;
	u8 conn;
	u32 value; /* bytes, or the peer of a connection */
	u64 now_ns;
};

/* What came out, each with the index of the event that brought it out. */
struct ended_record {
	unsigned int event;
	u8 server;
	bool calls_full; /* one of its calls was lost from the union */
	struct tl_ended ended;
};

struct stray_record {
	unsigned int event;
	struct tl_call_sum sum;
};

struct result {
	enum tl_outcome outcomes[WORLD_EVENTS];
	struct ended_record ended[WORLD_EVENTS];
	unsigned int ended_used;
	struct stray_record strays[WORLD_EVENTS];
	unsigned int strays_used;
	u64 loss[TL_LOSS_KINDS];
};

struct world {
	struct tl_request requests[WORLD_SERVERS];
	bool calls_full[WORLD_SERVERS];
	bool shut[WORLD_SERVERS];
	struct tl_call calls[WORLD_CLIENTS];
	bool present[WORLD_CLIENTS];
	u32 peers[WORLD_CLIENTS];
	struct tl_thread threads[WORLD_THREADS];
	struct event log[WORLD_EVENTS];
	unsigned int log_used;
	struct result result;
};

void world_init(struct world *world);
unsigned int world_process(unsigned int thread);
u32 world_tier(unsigned int server);
enum tl_outcome world_apply(struct world *world, const struct event *event);

/* The same in words, for sequences made by hand. */
enum tl_outcome received(struct world *world, u8 thread, u8 server, u64 now_ns);
enum tl_outcome sent(struct world *world, u8 thread, u8 server, u64 now_ns);
enum tl_outcome still_sending(struct world *world, u8 thread, u8 server, u64 now_ns);
enum tl_outcome call(struct world *world, u8 thread, u8 client, u64 now_ns);
enum tl_outcome reply(struct world *world, u8 thread, u8 client, u64 now_ns);
void connected(struct world *world, u8 thread, u8 client, u32 peer, u64 now_ns);
void older(struct world *world, u8 client, u32 peer);
void close_server(struct world *world, u8 server);
void close_client(struct world *world, u8 client);
void shut_down(struct world *world, u8 server);
void gone_quiet(struct world *world, u8 server);
void exited(struct world *world, u8 thread);

/* What the request that ended last has to say. */
const struct tl_ended *last_ended(const struct world *world);
u64 last_response(const struct world *world);
u64 last_own(const struct world *world);
const struct tl_call_sum *sum_of(const struct tl_ended *ended, u32 peer);

#endif
