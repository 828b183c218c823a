/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small world of threads and connections that drives the core as the kernel's side
 * does. */
#ifndef TL_CORE_WORLD_H
#define TL_CORE_WORLD_H

#include "link.h"

#define WORLD_SERVERS 4
#define WORLD_CLIENTS 24
#define WORLD_THREADS 6
#define WORLD_EVENTS 256
#define WORLD_ENTRIES (WORLD_SERVERS + WORLD_CLIENTS + 2 * WORLD_THREADS)
#define WORLD_STRAYS (WORLD_EVENTS * TL_REQUEST_PEERS)

enum event_kind {
	EVENT_RECEIVED, /* bytes on a server's side */
	EVENT_SENT,	/* bytes on a server's side; 0: an earlier send still goes on */
	EVENT_CONNECT,	/* a client's side; also replaces a connection that is there */
	EVENT_OLDER,	/* a client's side that nobody saw connecting */
	EVENT_CALL,	/* bytes sent on a client's side */
	EVENT_REPLY,	/* bytes received on a client's side */
	EVENT_DISPATCH, /* value: always; else only if the thread multiplexes */
	EVENT_CLOSE_SERVER,
	EVENT_SHUTDOWN, /* what is received after it is only drained */
	EVENT_QUIET,
	EVENT_CLOSE_CLIENT,
	EVENT_EXIT,
	EVENT_IDLE, /* a client's side is looked at: nothing may have happened for value
		       ns */
	EVENT_KINDS
};

struct event {
	u8 kind; /* enum event_kind */
	u8 thread;
	u8 conn;
	u8 text;   /* what is received, see world_text(); of a connection: server + 1;
		      of an answer: WORLD_INTERIM, or anything else */
	u32 value; /* bytes, or the peer of a connection */
	u32 used;  /* by the thread since its last event */
	u64 now_ns;
};

/* What came out, each with the index of the event that brought it out. */
struct ended_record {
	unsigned int event;
	u8 server;
	bool calls_full; /* some of its calls' time was lost; the model: may have been */
	struct tl_request ended;
};

struct stray_record {
	unsigned int event;
	struct tl_call_sum sum;
};

struct result {
	enum tl_outcome outcomes[WORLD_EVENTS];
	struct ended_record ended[WORLD_EVENTS];
	unsigned int ended_used;
	struct stray_record strays[WORLD_STRAYS];
	unsigned int strays_used;
	u64 events[TL_DEFERRED + 1]; /* by outcome; errands' when they are decided */
	u64 seen;		     /* all of those */
	u64 adopted;		     /* errands */
	u64 loss[TL_LOSS_KINDS];
};

/* Storage of a server's request, or of an errand: both come from one pool. */
struct entry {
	struct tl_request request; /* the first member */
	unsigned int uses;	   /* of an errand */
	bool taken;
	bool calls_full;
};

struct server {
	struct entry *entry;
	int caller; /* the client that is its other end; -1: not known */
	u64 caller_id;
	bool shut;
};

struct client {
	struct tl_call call;
	struct tl_link link;
	u64 id; /* another one for each connection */
	u32 peer;
	u8 to; /* server + 1 that is its other end; 0: elsewhere */
	bool present;
	bool joined;
};

struct worker {
	struct tl_thread thread;
	struct tl_request_ref errand; /* that it began last, and uses */
};

struct world {
	struct entry entries[WORLD_ENTRIES];
	unsigned int next_entry;
	bool no_memory; /* for errands */
	struct server servers[WORLD_SERVERS];
	struct client clients[WORLD_CLIENTS];
	struct worker threads[WORLD_THREADS];
	struct event log[WORLD_EVENTS];
	unsigned int log_used;
	struct result result;
};

void world_init(struct world *world);
unsigned int world_process(unsigned int thread);
u32 world_tier(unsigned int server);
u32 world_node(u32 parent, u32 tier, u32 class);
const struct tl_class_rules *world_rules(void);
u64 world_eligible(unsigned int server);
const char *world_text(unsigned int text);
struct tl_used world_used(u32 used);
enum tl_outcome world_apply(struct world *world, const struct event *event);
void world_close_all(struct world *world);
unsigned int world_taken(const struct world *world);
struct tl_request *world_request(struct world *world, u8 server);

#define WORLD_TEXTS 8
#define WORLD_INTERIM 1
#define INTERIM 25 /* bytes of an interim answer */

/* The same in words, for sequences made by hand. */
enum tl_outcome received(struct world *world, u8 thread, u8 server, u64 now_ns);
enum tl_outcome received_text(struct world *world, u8 thread, u8 server, u8 text,
			      u64 now_ns);
enum tl_outcome sent(struct world *world, u8 thread, u8 server, u64 now_ns);
enum tl_outcome interim_sent(struct world *world, u8 thread, u8 server, u64 now_ns);
enum tl_outcome interim_reply(struct world *world, u8 thread, u8 client, u64 now_ns);
enum tl_outcome still_sending(struct world *world, u8 thread, u8 server, u64 now_ns);
enum tl_outcome call(struct world *world, u8 thread, u8 client, u64 now_ns);
enum tl_outcome reply(struct world *world, u8 thread, u8 client, u64 now_ns);
void connected(struct world *world, u8 thread, u8 client, u32 peer, u64 now_ns);
void linked(struct world *world, u8 client, u8 server);
void older(struct world *world, u8 client, u32 peer);
void dispatched(struct world *world, u8 thread);
void asked(struct world *world, u8 thread);
void close_server(struct world *world, u8 server);
void close_client(struct world *world, u8 client);
void shut_down(struct world *world, u8 server);
void gone_quiet(struct world *world, u8 server);
void exited(struct world *world, u8 thread);
void idle(struct world *world, u8 client, u32 idle_ns, u64 now_ns);

/* What the request that ended last has to say. */
const struct tl_request *last_ended(const struct world *world);
u64 last_response(const struct world *world);
u64 last_own(const struct world *world);
const struct tl_call_sum *sum_of(const struct tl_request *ended, u32 peer);

#endif
