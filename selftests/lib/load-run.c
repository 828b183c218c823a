// SPDX-License-Identifier: GPL-2.0-or-later
/* The connections, each a thread that asks, waits for the whole answer, thinks, asks
 * again. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "load.h"
#include "truth.h"

struct client {
	struct load_run *run;
	pthread_t thread;
	bool running;
	uint64_t seed;	/* of the time to think */
	uint64_t asked; /* on this connection */
	struct load_conn conn;
};

static void sleep_s(double s)
{
	struct timespec ts = {(time_t)s, (s - (time_t)s) * 1e9};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* Context: any thread. Nothing new starts; what is in flight is waited for. */
void load_stop(struct load_run *run, const char *why)
{
	pthread_mutex_lock(&run->lock);
	if (!run->ended)
		run->ended = why;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

/* Waits for the burst's turn. Return: the request's number from 0, or -1 at the end. */
static int64_t ticket_take(struct load_run *run)
{
	const struct load_options *o = run->o;
	int64_t ticket = -1;

	pthread_mutex_lock(&run->lock);
	while (!run->ended && o->burst && run->tickets < o->requests &&
	       run->tickets / o->burst > run->gate)
		pthread_cond_wait(&run->changed, &run->lock);
	if (!run->ended && truth_now_ns() - run->begin_ns > o->seconds * 1e9)
		run->ended = "seconds";
	if (!run->ended && run->tickets < o->requests)
		ticket = run->tickets++;
	pthread_mutex_unlock(&run->lock);
	return ticket;
}

/* The one who ends a burst holds the quiet time and opens the gate of the next. */
static void ticket_done(struct load_run *run)
{
	const struct load_options *o = run->o;
	bool last;

	pthread_mutex_lock(&run->lock);
	run->completed++;
	last = o->burst && run->completed == (run->gate + 1) * o->burst &&
	       run->completed < o->requests;
	pthread_mutex_unlock(&run->lock);
	if (!last)
		return;
	sleep_s(o->gap_ms / 1e3);
	pthread_mutex_lock(&run->lock);
	run->gate++;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

static void complain(struct load_run *run, const char *text, const char *what)
{
	bool say;

	pthread_mutex_lock(&run->lock);
	say = run->complaints++ < 10;
	pthread_mutex_unlock(&run->lock);
	if (say)
		fprintf(stderr, "load: '%s': %s\n", text, what);
}

static void disconnect(struct client *c)
{
	if (c->conn.fd >= 0)
		close(c->conn.fd);
	c->conn.fd = -1;
}

static int connect_now(struct client *c)
{
	struct timeval limit = {60, 0};

	c->conn.fd = addr_connect(&c->run->o->to, 0);
	if (c->conn.fd < 0)
		return c->conn.fd;
	setsockopt(c->conn.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	c->asked = 0;
	pthread_mutex_lock(&c->run->lock);
	c->run->connects++;
	pthread_mutex_unlock(&c->run->lock);
	return 0;
}

static void ask_one(struct client *c, uint64_t ticket)
{
	const struct load_options *o = c->run->o;
	struct load_sample *s = &c->run->samples[ticket];
	struct load_answer a = {0};
	/* By its number, so that a run asks the same whoever of the connections is
	 * faster. */
	uint64_t seed = o->seed + ticket * 0xd1342543de82ef95ULL;
	char text[LOAD_TEXT + 64];
	int err;

	s->id = c->conn.id = ticket + 1;
	s->target = o->in_order ? ticket % o->mix.n : load_mix_pick(&o->mix, &seed);
	err = load_mix_expand(&o->mix.target[s->target], &seed, text, sizeof(text));
	if (!err && c->conn.fd < 0)
		err = connect_now(c);
	if (err)
		snprintf(a.error, sizeof(a.error), "%s: %s", o->to.text, strerror(-err));
	else
		o->ask(&c->conn, text, &o->check, &a);
	s->start_ns = a.start_ns;
	s->end_ns = a.end_ns;
	s->bytes = a.bytes;
	s->bad = a.error[0];
	if (s->bad)
		complain(c->run, text, a.error);
	c->asked++;
	if (s->bad || a.closed || (o->reconnect_every && c->asked >= o->reconnect_every))
		disconnect(c);
}

static void think(struct client *c)
{
	const struct load_options *o = c->run->o;

	if (o->think_s <= 0)
		return;
	sleep_s(o->think_exponential ? -log(1 - load_uniform(&c->seed)) * o->think_s
				     : o->think_s);
}

static void *client_run(void *arg)
{
	struct client *c = arg;
	int64_t ticket;

	while ((ticket = ticket_take(c->run)) >= 0) {
		ask_one(c, ticket);
		ticket_done(c->run);
		think(c);
	}
	disconnect(c);
	return NULL;
}

/* Return: 0, -ENOMEM or what pthread_create says. */
int load_run(struct load_run *run, const struct load_options *o)
{
	struct client *c = calloc(o->connections, sizeof(*c));
	uint64_t seed = o->seed;
	int err = 0;

	run->o = o;
	run->samples = calloc(o->requests, sizeof(*run->samples));
	if (!c || !run->samples) {
		free(c);
		return -ENOMEM;
	}
	run->begin_ns = truth_now_ns();
	for (unsigned int i = 0; i < o->connections && !err; i++) {
		c[i].run = run;
		c[i].conn.fd = -1;
		c[i].seed = load_random(&seed);
		err = -pthread_create(&c[i].thread, NULL, client_run, &c[i]);
		c[i].running = !err;
	}
	if (err)
		load_stop(run, "error");
	for (unsigned int i = 0; i < o->connections; i++)
		if (c[i].running)
			pthread_join(c[i].thread, NULL);
	run->end_ns = truth_now_ns();
	if (!run->ended)
		run->ended = "requests";
	free(c);
	return err;
}
