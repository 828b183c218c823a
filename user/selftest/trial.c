// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trial: servers of a shape, a load on them, and what the servers say themselves
 *
 * Each class of requests calls an endpoint of its own, so that the kernel's sums alone
 * tell whether a call was put down to the right request. Every trial has endpoints that
 * no other has; so its sums have names of their own, and no trial waits for another's
 * to be read.
 */
#include "selftest/trial.h"

#include "clock.h"
#include "ctl.h"
#include "error.h"
#include "selftest/program.h"
#include "signals.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define START_S 20.0
#define LOAD_S 15.0 /* that it may take beyond its own limit */
#define TURN_S 0.005
#define PORT_TRIES 100

struct words {
	const char *word[TL_PROGRAM_WORDS];
	size_t n;
	char text[400];
	size_t used;
};

static void add(struct words *words, const char *word)
{
	if (words->n < TL_PROGRAM_WORDS - 1)
		words->word[words->n++] = word;
	words->word[words->n] = NULL;
}

/* @list: NULL at its end */
static void add_all(struct words *words, const char *const *list)
{
	for (; *list; list++)
		add(words, *list);
}

static void add_text(struct words *words, const char *text, size_t len)
{
	char *copy = words->text + words->used;

	words->used += (size_t)snprintf(copy, sizeof(words->text) - words->used, "%.*s",
					(int)len, text) + 1;
	add(words, copy);
}

static void add_number(struct words *words, const char *option, u64 value)
{
	char text[24];

	add(words, option);
	add_text(words, text, (size_t)sprintf(text, "%llu", (unsigned long long)value));
}

/* The shape's own options. */
static void add_shape(struct words *words, const struct tl_trial *trial)
{
	const char *at = trial->shape->options;
	char number[12];
	size_t len;

	sprintf(number, "%u", trial->connections);
	for (; *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		if (*at == '@')
			add_text(words, number, strlen(number));
		else
			add_text(words, at, len);
	}
}

/* Waits until it says where it listens. */
static int wait_for_address(struct tl_program *server, struct tl_tier_place *place,
			    struct tl_error *err)
{
	double left = START_S;
	const char *colon;
	int status;

	while (tl_program_said(server, "listening", place->address, sizeof(place->address))) {
		if (tl_program_ended(server, &status))
			return tl_program_failed(server, status, err);
		left -= TURN_S;
		if (left < 0 || tl_signals_stopped())
			return tl_error_set(err, -ETIMEDOUT, "%s does not get ready: is the "
					    "machine overloaded?", server->name);
		tl_signals_sleep(TURN_S);
	}
	colon = strrchr(place->address, ':');
	if (strncmp(place->address, "unix:", 5))
		place->port = (u32)strtoul(colon + 1, NULL, 10);
	return 0;
}

/**
 * tl_trial_ports_take() - Keep a place's ports from later trials
 * @run: whose trials they are
 * @place: where a tier listens
 *
 * The kernel gives out again what has got free, and knows a tier by its port: two trials at the same
 * one would be one to it.
 *
 * Return: false if one of them was a trial's before.
 */
bool tl_trial_ports_take(struct tl_trial_run *run, const struct tl_tier_place *place)
{
	bool fresh = true;
	u32 port;

	for (port = place->port; place->port && port < place->port + place->endpoints; port++) {
		fresh &= !(run->taken[port % 65536 / 8] & 1U << port % 8);
		run->taken[port % 65536 / 8] |= (u8)(1U << port % 8);
	}
	return fresh;
}

/**
 * tl_trial_back() - Start the tier that the trials without a chain of their own call
 * @run: back is filled in
 * @back: the program
 * @calls: that it must be able to serve
 * @seconds: that it must live
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_trial_back(struct tl_trial_run *run, struct tl_program *back, u64 calls, u64 seconds,
		  struct tl_error *err)
{
	struct words words = { .n = 0 };
	int code;

	add_all(&words, (const char *const[]){ "tierserver", "--log", "LOG", "--listen",
		"127.0.0.1:0", "--mode", "thread", "--work-us", "100", "--sleep-us", "2000", NULL });
	add_number(&words, "--ports", TL_KEEP_CLASSES);
	add_number(&words, "--requests", calls);
	add_number(&words, "--seconds", seconds);
	run->back.endpoints = TL_KEEP_CLASSES;
	code = tl_program_start(run->programs, back, "back", words.word, err);
	code = code ? code : wait_for_address(back, &run->back, err);
	if (!code)
		tl_trial_ports_take(run, &run->back);
	return code;
}

static u64 server_seconds(const struct tl_trial_run *run)
{
	return (u64)(2 * (run->seconds + LOAD_S) + START_S * TL_SHAPE_DEPTH) + 1;
}

static int server_start(struct tl_trial_run *run, struct tl_trial *trial, unsigned int depth,
			struct tl_program *server, struct tl_error *err)
{
	const struct tl_tier_place *next = &trial->place[depth + 1];
	struct tl_tier_place *place = &trial->place[depth];
	struct words words = { .n = 0 };
	char listen[100] = "127.0.0.1:0", name[16];
	unsigned int tries;
	int code;

	if (trial->shape->flags & TL_SHAPE_ON_UNIX && !depth)
		snprintf(listen, sizeof(listen), "unix:%s/%u.sock", run->programs->dir,
			 run->programs->started);
	add_all(&words, (const char *const[]){ "tierserver", "--log", "LOG", "--listen", listen,
		NULL });
	add_number(&words, "--requests", 2 * (run->requests + TL_SHAPE_WARM_UP) + 1000);
	add_number(&words, "--seconds", server_seconds(run));
	if (depth)
		add_number(&words, "--ports", TL_TRIAL_CHAIN_CLASSES);
	if (depth + 1 < trial->shape->depth) {
		add(&words, "--next-per-class");
		add(&words, next->address);
	}
	add_shape(&words, trial);
	place->endpoints = depth ? TL_TRIAL_CHAIN_CLASSES : 1;
	sprintf(name, depth ? "tier-%u" : "front", depth + 1);
	for (tries = 0; tries < PORT_TRIES; tries++) {
		code = tl_program_start(run->programs, server, name, words.word, err);
		code = code ? code : wait_for_address(server, place, err);
		if (code || tl_trial_ports_take(run, place))
			return code;
		code = tl_program_stop(server, err);
		if (code)
			return code;
	}
	return tl_error_set(err, -EADDRINUSE, "%s gets no port that no other trial has had: give fewer "
			    "trials", name);
}

/* From the last tier up, so that each can name the next. */
static int servers_start(struct tl_trial_run *run, struct tl_trial *trial,
			 struct tl_program *servers, struct tl_error *err)
{
	unsigned int depth = trial->shape->depth;
	int code = 0;

	if (!(trial->shape->flags & TL_SHAPE_CHAIN))
		trial->place[--depth] = run->back;
	while (depth-- && !code)
		code = server_start(run, trial, depth, &servers[depth], err);
	return code;
}

static int load_wait(struct tl_trial_run *run, struct tl_program *load, struct tl_error *err)
{
	double left = run->seconds + LOAD_S;
	int status, code = 0;

	while (!code && !tl_program_ended(load, &status)) {
		tl_signals_sleep(TURN_S);
		left -= TURN_S;
		code = run->turn(run, err);
		if (!code && left < 0)
			code = tl_error_set(err, -ETIMEDOUT, "the load does not come to its "
					    "end: is the machine overloaded?");
	}
	if (!code && status)
		code = tl_program_failed(load, status, err);
	return code;
}

/* A number out of what a program has written. */
static int number_read(const char *path, const char *suffix, const char *key, u64 *value,
		       struct tl_error *err)
{
	char name[140];
	json_t *object, *number;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	object = json_load_file(name, 0, NULL);
	number = json_object_get(object, key);
	*value = (u64)json_integer_value(number);
	json_decref(object);
	return number ? 0 : tl_error_set(err, -EIO, "%s does not tell \"%s\": make room for it",
					 name, key);
}

/* @words: what it asks for; @count: set to how many right answers it got */
static int load_run(struct tl_trial_run *run, const struct tl_trial *trial, struct words *words,
		    u64 *count, struct tl_error *err)
{
	struct tl_program load;
	struct tl_error ignored;
	char seconds[24];
	int code;

	sprintf(seconds, "%.3f", run->seconds);
	add_all(words, (const char *const[]){ "--to", trial->place[0].address, "--seconds",
		seconds, NULL });
	add_number(words, "--connections", trial->connections);
	code = tl_program_start(run->programs, &load, "load", words->word, err);
	if (code)
		return code;
	code = load_wait(run, &load, err);
	tl_program_stop(&load, &ignored);
	return code ? code : number_read(load.path, ".out", "count", count, err);
}

/* Requests of a class that the others have not. */
static int warm_up(struct tl_trial_run *run, struct tl_trial *trial, struct tl_error *err)
{
	u64 requests = tl_shape_warm_up(trial->shape, trial->connections);
	struct words words = { .n = 0 };
	char class[8];

	if (!requests)
		return 0;
	sprintf(class, "c%02d", TL_TRIAL_WARM_UP_CLASS);
	add_all(&words, (const char *const[]){ "load", "--ask", class, NULL });
	add_number(&words, "--requests", requests);
	return load_run(run, trial, &words, &trial->warm_up, err);
}

static int judged_run(struct tl_trial_run *run, struct tl_trial *trial, struct tl_error *err)
{
	struct words words = { .n = 0 };
	double begin = tl_clock_s(CLOCK_MONOTONIC);
	int code;

	add(&words, "load");
	add_number(&words, "--requests", run->requests);
	add_number(&words, "--classes", trial->shape->flags & TL_SHAPE_CHAIN ?
		   TL_TRIAL_CHAIN_CLASSES : TL_TRIAL_CLASSES);
	code = load_run(run, trial, &words, &trial->requests, err);
	trial->seconds = tl_clock_s(CLOCK_MONOTONIC) - begin;
	return code;
}

static void name_take(struct tl_trial *trial, const struct tl_tier_info *tier)
{
	struct tl_tier_place *place;
	unsigned int depth;

	for (depth = 0; depth < trial->shape->depth; depth++) {
		place = &trial->place[depth];
		if (place->port && tier->port >= place->port &&
		    tier->port < place->port + place->endpoints)
			strcpy(place->tier[tier->port - place->port], tier->name);
		if (!place->port && !strcmp(tier->path, place->address + strlen("unix:")))
			strcpy(place->tier[0], tier->name);
	}
}

/* What the kernel calls them. */
static int names_learn(struct tl_trial_run *run, struct tl_trial *trial, struct tl_error *err)
{
	struct tl_tier_info *tiers = NULL;
	size_t n = 0, i;
	int code = tl_ctl_tiers(run->ctl, &tiers, &n, err);

	for (i = 0; !code && i < n; i++)
		name_take(trial, &tiers[i]);
	free(tiers);
	if (code || trial->place[0].tier[0][0])
		return code;
	return tl_error_set(err, -ENOSPC, "the kernel knows no tier at %s: its table of tiers "
			    "is full (tierlens status), or no hook works here",
			    trial->place[0].address);
}

/* Nothing they leave may be of the next trial. */
static int servers_stop(struct tl_trial *trial, struct tl_program *servers, bool ran,
			struct tl_error *err)
{
	struct tl_error other;
	unsigned int depth;
	int code = 0, one;

	for (depth = 0; depth < trial->shape->depth; depth++) {
		if (!servers[depth].path[0])
			continue;
		one = tl_program_stop(&servers[depth], code || !ran ? &other : err);
		if (!one && ran && !code)
			one = number_read(servers[depth].path, "", "calls",
					  &trial->place[depth].calls, err);
		code = code ? code : one;
	}
	return ran ? code : 0;
}

/* Whether the kernel lets us have an io_uring. */
static bool has_ring(void)
{
	char params[256] = { 0 };
	long fd = syscall(SYS_io_uring_setup, 1, params);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

/**
 * tl_trial_run() - Run a trial
 * @run: what to run it with
 * @trial: shape and connections are set; the rest is filled in, but for the judge's
 * @err: the sentence if all is to be given up
 *
 * Return: 0, also if the trial failed, which its state tells; or a negative errno.
 */
int tl_trial_run(struct tl_trial_run *run, struct tl_trial *trial, struct tl_error *err)
{
	struct tl_program servers[TL_SHAPE_DEPTH] = { 0 };
	int code = 0, stopped;

	if (trial->shape->flags & TL_SHAPE_ON_RING && !has_ring()) {
		trial->state = TL_TRIAL_ABSENT;
		strcpy(trial->why, "this kernel has no io_uring, or does not let us have it");
		return 0;
	}
	code = servers_start(run, trial, servers, err);
	code = code ? code : warm_up(run, trial, err);
	code = code ? code : judged_run(run, trial, err);
	code = code ? code : names_learn(run, trial, err);
	stopped = servers_stop(trial, servers, !code, err);
	code = code ? code : stopped;
	trial->state = code == -EOPNOTSUPP ? TL_TRIAL_ABSENT : code ? TL_TRIAL_FAILED :
		       TL_TRIAL_RUN;
	if (code)
		snprintf(trial->why, sizeof(trial->why), "%.*s", (int)sizeof(trial->why) - 1,
			 err->text);
	return code == -ECANCELED || tl_signals_stopped() ? -ECANCELED : 0;
}
