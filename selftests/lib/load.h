/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The closed-loop load client: what its parts share. */
#ifndef TL_TEST_LOAD_H
#define TL_TEST_LOAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "addr.h"

#define LOAD_TARGETS 128
#define LOAD_TEXT 400
#define LOAD_BUF 65536
#define LOAD_PIPELINE 64
#define LOAD_WALKS 16

struct load_target {
	double weight;
	char name[32];
	char text[LOAD_TEXT]; /* URL, or the request line without its id */
};

struct load_mix {
	struct load_target target[LOAD_TARGETS];
	unsigned int n;
	double weights;
};

struct load_conn {
	int fd; /* -1: not connected */
	char buf[LOAD_BUF];
};

/* What came back for one request. */
struct load_answer {
	uint64_t start_ns, end_ns;
	uint64_t bytes;
	bool closed;	 /* the connection is of no more use after it */
	bool reset;	 /* by us, as wanted: neither right nor wrong */
	char error[160]; /* empty: right */
};

struct load_check {
	uint64_t min_bytes;
	const char *tail; /* the body must end so */
};

int load_mix_add(struct load_mix *m, const char *line);
int load_mix_read(struct load_mix *m, const char *path);
unsigned int load_mix_pick(const struct load_mix *m, uint64_t *seed);
int load_mix_expand(const struct load_target *t, uint64_t *seed, char *out,
		    unsigned int size);

struct load_walk;
struct load_walk *load_walk_read(const struct load_mix *m, const char *path);
unsigned int load_walk_begin(const struct load_walk *w, const struct load_mix *m,
			     uint64_t *seed);
unsigned int load_walk_next(const struct load_walk *w, const struct load_mix *m,
			    unsigned int at, uint64_t *seed);

uint64_t load_random(uint64_t *seed);
double load_uniform(uint64_t *seed);

/* A request on its way. */
struct load_exchange {
	uint64_t id;
	char text[LOAD_TEXT + 64];
	bool last;  /* on its connection */
	bool reset; /* the connection once the answer begins to come */
	struct load_answer answer;
};

/* The body as it passes by: its length and its last bytes. */
struct load_body {
	uint64_t bytes;
	char tail[64];
};

struct load_options;

/* Sends @n requests at once and takes their answers. */
typedef void load_ask_fn(struct load_conn *c, const struct load_options *o,
			 struct load_exchange *x, unsigned int n);
load_ask_fn load_ask_http;
load_ask_fn load_ask_frame;

void load_fail(struct load_answer *a, const char *what, int err);
size_t load_recv(struct load_conn *c, char *to, size_t room, struct load_answer *a);
void load_body_check(const struct load_body *b, const struct load_check *check,
		     struct load_answer *a);
void load_sleep(double s);

/* How a client of the line protocol behaves; nothing is out of the ordinary at 0. */
struct load_manner {
	unsigned int pipeline; /* requests at once */
	unsigned int pieces;   /* that a request is sent in */
	uint64_t piece_gap_ms;
	bool half_close;      /* after the last request of a connection */
	uint64_t reset_every; /* requests */
	uint64_t read_bytes;  /* at a time */
	uint64_t read_gap_ms;
};

/* So many connections are sessions that go by the same matrix. */
struct load_sessions {
	const char *path;
	unsigned int n;
	struct load_walk *walk;
};

struct load_options {
	struct addr to;
	load_ask_fn *ask;
	struct load_mix mix;
	unsigned int classes;
	const char *knobs;
	struct load_check check;
	struct load_manner manner;
	struct load_sessions sessions[LOAD_WALKS];
	unsigned int walks; /* 0: the targets by weight */
	bool in_order;	    /* the targets in turn instead of by weight */
	unsigned int connections;
	uint64_t requests, seed;
	double seconds, think_s;
	bool think_exponential;
	uint64_t burst, gap_ms, reconnect_every;
	const char *csv;
};

/* One answered request. */
struct load_sample {
	uint64_t id, start_ns, end_ns, bytes;
	unsigned int target;
	bool bad, reset;
};

/* All that happened. */
struct load_run {
	const struct load_options *o;
	/* o->requests of them, each written by the owner of its ticket only */
	struct load_sample *samples;
	pthread_mutex_t lock; /* protects what follows */
	pthread_cond_t changed;
	uint64_t tickets, completed, gate; /* gate: bursts that may run */
	uint64_t connects, complaints;
	uint64_t begin_ns, end_ns;
	const char *ended;
};

int load_run(struct load_run *run, const struct load_options *o);
void load_stop(struct load_run *run, const char *why);
uint64_t load_write_json(const struct load_run *run, FILE *f);
int load_write_csv(const struct load_run *run, FILE *f);

#endif
