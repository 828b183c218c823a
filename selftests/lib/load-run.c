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
	uint64_t seed; /* of the time to think, and of the walk */
	const struct load_walk *walk;
	unsigned int at; /* the target that the walk has come to */
	uint64_t asked;	 /* on this connection */
	struct load_conn conn;
	uint64_t tickets[LOAD_PIPELINE];
	struct load_exchange exchange[LOAD_PIPELINE];
};

void load_sleep(double s)
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
	/* Who thinks need not think any longer. */
	if (ticket + 1 == (int64_t)o->requests)
		pthread_cond_broadcast(&run->changed);
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
	load_sleep(o->gap_ms / 1e3);
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
	int small = 65536; /* so that a slow reader is felt */

	c->conn.fd = addr_connect(&c->run->o->to, 0);
	if (c->conn.fd < 0)
		return c->conn.fd;
	setsockopt(c->conn.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (c->run->o->manner.read_bytes)
		setsockopt(c->conn.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	c->asked = 0;
	pthread_mutex_lock(&c->run->lock);
	c->run->connects++;
	pthread_mutex_unlock(&c->run->lock);
	return 0;
}

/* Return: 0 or a negative errno. */
static int exchange_init(struct client *c, unsigned int i)
{
	const struct load_options *o = c->run->o;
	uint64_t ticket = c->tickets[i];
	struct load_exchange *x = &c->exchange[i];
	struct load_sample *s = &c->run->samples[ticket];
	/* By its number, so that a run asks the same whoever of the connections is
	 * faster; a session has its own course, whatever the others do. */
	uint64_t seed = o->seed + ticket * 0xd1342543de82ef95ULL;

	memset(&x->answer, 0, sizeof(x->answer));
	s->id = x->id = ticket + 1;
	if (c->walk) {
		seed = load_random(&c->seed);
		s->target = c->at = load_walk_next(c->walk, &o->mix, c->at, &c->seed);
	} else if (o->in_order) {
		s->target = ticket % o->mix.n;
	} else {
		s->target = load_mix_pick(&o->mix, &seed);
	}
	x->reset = o->manner.reset_every && x->id % o->manner.reset_every == 0;
	x->last = false;
	return load_mix_expand(&o->mix.target[s->target], &seed, x->text,
			       sizeof(x->text));
}

static void exchange_done(struct client *c, unsigned int i)
{
	const struct load_answer *a = &c->exchange[i].answer;
	struct load_sample *s = &c->run->samples[c->tickets[i]];

	s->start_ns = a->start_ns;
	s->end_ns = a->end_ns;
	s->bytes = a->bytes;
	s->bad = a->error[0];
	s->reset = a->reset;
	if (s->bad)
		complain(c->run, c->exchange[i].text, a->error);
}

static void ask(struct client *c, unsigned int n)
{
	const struct load_options *o = c->run->o;
	struct load_exchange *x = c->exchange;
	bool over;
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++)
		err = exchange_init(c, i);
	if (!err && c->conn.fd < 0)
		err = connect_now(c);
	c->asked += n;
	over = o->reconnect_every && c->asked >= o->reconnect_every;
	x[n - 1].last = over && o->manner.half_close;
	if (!err)
		o->ask(&c->conn, o, x, n);
	for (unsigned int i = 0; i < n; i++) {
		if (err)
			load_fail(&x[i].answer, o->to.text, -err);
		exchange_done(c, i);
		over |= x[i].answer.error[0] || x[i].answer.closed || x[i].answer.reset;
	}
	if (over)
		disconnect(c);
}

/* Sleeps so long, or until no request is left to be made. */
static void rest(struct load_run *run, double s)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	s += end.tv_sec + end.tv_nsec / 1e9;
	end.tv_sec = s;
	end.tv_nsec = (s - end.tv_sec) * 1e9;
	pthread_mutex_lock(&run->lock);
	while (!run->ended && run->tickets < run->o->requests &&
	       !pthread_cond_clockwait(&run->changed, &run->lock, CLOCK_MONOTONIC, &end))
		;
	pthread_mutex_unlock(&run->lock);
}

static void think(struct client *c)
{
	const struct load_options *o = c->run->o;

	if (o->think_s <= 0)
		return;
	rest(c->run, o->think_exponential ? -log(1 - load_uniform(&c->seed)) * o->think_s
					  : o->think_s);
}

/* Return: how many requests to make at once, 0 at the end. */
static unsigned int tickets_take(struct client *c)
{
	const struct load_manner *m = &c->run->o->manner;
	unsigned int n = 0;
	int64_t ticket;

	do {
		ticket = ticket_take(c->run);
		if (ticket < 0)
			break;
		c->tickets[n++] = ticket;
	} while (n < m->pipeline);
	return n;
}

static void *client_run(void *arg)
{
	struct client *c = arg;
	unsigned int n;

	/* Sessions that have been under way for long do not all ask at once. */
	if (c->walk)
		think(c);
	while ((n = tickets_take(c))) {
		ask(c, n);
		for (unsigned int i = 0; i < n; i++)
			ticket_done(c->run);
		think(c);
	}
	disconnect(c);
	return NULL;
}

/* The sessions of the first walk come first. */
static void walk_begin(struct client *c, unsigned int nr)
{
	const struct load_options *o = c->run->o;
	const struct load_sessions *s = o->sessions;

	if (!o->walks)
		return;
	for (; nr >= s->n; s++)
		nr -= s->n;
	c->walk = s->walk;
	c->at = load_walk_begin(c->walk, &o->mix, &c->seed);
}

/* Return: 0, -ENOMEM or what pthread_create says. */
int load_run(struct load_run *run, const struct load_options *o)
{
	struct client *c = calloc(o->connections, sizeof(*c));
	uint64_t seed = o->seed;
	pthread_attr_t attr;
	int err = 0;

	run->o = o;
	run->samples = calloc(o->requests, sizeof(*run->samples));
	if (!c || !run->samples) {
		free(c);
		return -ENOMEM;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	run->begin_ns = truth_now_ns();
	for (unsigned int i = 0; i < o->connections && !err; i++) {
		c[i].run = run;
		c[i].conn.fd = -1;
		c[i].seed = load_random(&seed);
		walk_begin(&c[i], i);
		err = -pthread_create(&c[i].thread, &attr, client_run, &c[i]);
		c[i].running = !err;
	}
	if (err)
		load_stop(run, "error");
	for (unsigned int i = 0; i < o->connections; i++)
		if (c[i].running)
			pthread_join(c[i].thread, NULL);
	run->end_ns = truth_now_ns();
	pthread_attr_destroy(&attr);
	if (!run->ended)
		run->ended = "requests";
	free(c);
	return err;
}
