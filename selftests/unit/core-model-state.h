/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the reference know of a log, see core-model.c. */
#ifndef TL_CORE_MODEL_STATE_H
#define TL_CORE_MODEL_STATE_H

#include "core-model.h"

#define NOBODY -1
#define NEVER WORLD_EVENTS
#define WORKS (2 * WORLD_EVENTS)
#define BEFORE(event) (3 * (event))
#define AT(event) (3 * (event) + 1)
#define AFTER(event) (3 * (event) + 2)
#define STILL UINT32_MAX

struct work {
	bool errand;
	u8 server;
	unsigned int begun, answered, over; /* events; over == NEVER cannot be */
	u64 open_ns, closed_ns;
	u64 bytes_in, bytes_out;
	u64 used;
	u32 class_above, parent;
	bool queued, ambiguous;
	u64 queue_ns;
	unsigned int adopted, ended; /* events; of an errand, the one or the other */
	int adopter;
	bool maybe_full; /* how an errand overlaps other calls cannot be known */
};

struct use {
	int errand;
	unsigned int until; /* moment */
};

struct model_call {
	u8 client;
	unsigned int begun, over;
	int owner;
	u8 by;
	u32 peer;
	u64 from_ns;
	int served_by;	       /* the request that it is at the other end */
	bool answered;	       /* not only that it will be has been said */
	unsigned int given_up; /* event; NEVER as a rule */
};

/* A connection of a client as it is now. */
struct connection {
	bool present, joined;
	unsigned int since; /* event */
	u32 peer;
	u8 to;
	int connector; /* of which no call has been made yet */
	int call, use;
	bool replied, given_up;
};

/* A beginning that can be covered later: of a call, or a connect. */
struct beginning {
	u8 client;
	unsigned int event;
	int owner;
	u64 from_ns;
};

extern struct model {
	const struct event *log;
	unsigned int log_used;
	struct work works[WORKS]; /* requests, then errands */
	int works_used;
	int request_at[WORLD_EVENTS]; /* of events on a server's side */
	struct model_call calls[WORLD_EVENTS];
	int calls_used;
	int call_at[WORLD_EVENTS];  /* of events on a client's side; NOBODY: a greeting */
	int work_at[WORLD_EVENTS];  /* that goes on; of events on a client's side */
	u64 grown_ns[WORLD_EVENTS]; /* by how much a reply makes its call longer */
	struct beginning beginnings[WORLD_EVENTS];
	unsigned int beginnings_used;
	struct use uses[2 * WORLD_EVENTS];
	int uses_used;
	struct connection connections[WORLD_CLIENTS];
	int caller[WORLD_SERVERS]; /* client at the other end */
	unsigned int caller_since[WORLD_SERVERS];
	struct {
		int work;
		u8 by;
		bool multiplexes;
		int use;
	} threads[WORLD_THREADS];
	bool serves[WORLD_THREADS]; /* by process */
	struct result *result;
} model;

/* core-model-work.c */
void model_requests_find(void);
bool model_work_goes_on(int work, unsigned int event);
bool model_work_is_open(int work, unsigned int event);
int model_work_became(int work, unsigned int event);
int model_use_new(int work);
void model_use_end(int *use, unsigned int moment);
int model_work_begin(unsigned int event);
void model_work_charge(unsigned int event);
u32 model_work_class(int request, unsigned int event);
u32 model_work_node(int request, unsigned int event);
void model_work_adopt(int request, int errand, unsigned int event);

/* core-model-connection.c */
void model_connection_close(struct connection *c, unsigned int event,
			    unsigned int moment);
void model_connection_open(struct connection *c, unsigned int event);
void model_connection_connect(unsigned int event);
enum tl_outcome model_connection_call(unsigned int event);
enum tl_outcome model_connection_reply(unsigned int event);
void model_connection_idle(unsigned int event);
struct connection *model_connection_caller(u8 server);
void model_connection_join(int request);

/* core-model-sums.c */
void model_sums_end_request(int request);
void model_sums_end_call(int call);
void model_sums_end_errand(int errand);

#endif
