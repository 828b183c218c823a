// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slow reference of the correlation
 *
 * Written from the definitions (Documentation/design.md and the essays at the
 * tops of kmod/core/{correlate,request,link}.c), not from the code, and the other
 * way round: the core sees one event after the other and keeps sums; this lists
 * who did what for whom, with the intervals that it took, and when all of the log
 * is known it decides whose errands were and measures sets of intervals.
 *
 *   request  a run of events of one server's side, see find_requests()
 *   errand   what a thread that serves did for nobody known, see new_errand()
 *   work     either of them
 *   call     a run of events of one client's side
 *   use      for how long an errand can still be found to be somebody's: while
 *            its thread is at it, and while a call of it is the connection's last
 *   own      response less the measure of the union of the calls' intervals,
 *            each from its first byte sent, or the connect if it is the first of
 *            its connection, to the last byte received while the request had not
 *            ended, clipped to the request; calls of errands that turned out to
 *            be the request's are its calls
 *   transit  from the call's beginning to the callee's, and from the callee's last
 *            byte to the call's, as far as known at the caller's last event
 *
 * Where the words leave room, it is as follows. A connection whose connector has
 * answered or ended before the first send makes its first call for nobody. A call
 * without owner is a stray if the program served by the time that it got the last
 * reply. An errand's call that was answered, and an errand's connection without a
 * call, are given up if nothing happens for long: what follows is nobody's. After a
 * shutdown nothing is a request until the connection is closed. If
 * several connections could be a request's other end, it is the first of them.
 *
 * An event has three moments: before it (a connection that is replaced goes),
 * itself, and after it (what it has ended is not used any more).
 */
#include "core-model-state.h"

struct model model;

static enum tl_outcome on_received(unsigned int event)
{
	u8 thread = model.log[event].thread;
	int request = model.request_at[event], before = model.threads[thread].work;

	model_work_charge(event);
	if (request == NOBODY)
		return TL_IGNORED;
	if (model_work_is_open(before, event) && !model.works[before].errand &&
	    before != request)
		model.threads[thread].multiplexes = true;
	model.threads[thread].work = request;
	model.threads[thread].by = TL_BY_THREAD;
	model.serves[world_process(thread)] = true;
	if (model.works[request].begun == event)
		model_connection_join(request);
	return TL_ATTRIBUTED;
}

static enum tl_outcome on_sent(unsigned int event)
{
	int request = model.request_at[event],
	    *work = &model.threads[model.log[event].thread].work;

	if (model.log[event].value)
		model_work_charge(event);
	if (request == NOBODY) {
		model.result->loss[TL_LOSS_PUSH] += model.log[event].value != 0;
		return TL_IGNORED;
	}
	model_connection_caller(model.log[event].conn);
	if (model.works[request].answered != event)
		return TL_ATTRIBUTED;
	if (model_work_goes_on(*work, event) && model.works[*work].errand &&
	    model.works[request].open_ns <= model.works[*work].open_ns) {
		model_work_adopt(request, *work, event);
		*work = request;
	}
	return TL_ATTRIBUTED;
}

static void on_leave(unsigned int event)
{
	u8 thread = model.log[event].thread;

	if (model.log[event].kind == EVENT_DISPATCH && !model.log[event].value &&
	    !model.threads[thread].multiplexes)
		return;
	model_work_charge(event);
	model.threads[thread].work = NOBODY;
	model_use_end(&model.threads[thread].use, AFTER(event));
	if (model.log[event].kind == EVENT_EXIT)
		model.threads[thread].multiplexes = false;
}

static enum tl_outcome look_at(unsigned int event)
{
	u8 conn = model.log[event].conn;

	switch (model.log[event].kind) {
	case EVENT_RECEIVED:
		return on_received(event);
	case EVENT_SENT:
		return on_sent(event);
	case EVENT_CALL:
		return model_connection_call(event);
	case EVENT_REPLY:
		return model_connection_reply(event);
	case EVENT_CONNECT:
		model_connection_connect(event);
		break;
	case EVENT_OLDER:
		if (!model.connections[conn].present)
			model_connection_open(&model.connections[conn], event);
		break;
	case EVENT_DISPATCH:
	case EVENT_EXIT:
		on_leave(event);
		break;
	case EVENT_CLOSE_CLIENT:
		model_work_charge(event);
		model_connection_close(&model.connections[conn], event, AFTER(event));
		break;
	case EVENT_CLOSE_SERVER:
		model_work_charge(event);
		model.caller[conn] = NOBODY;
		break;
	case EVENT_IDLE:
		model_connection_idle(event);
		break;
	}
	return TL_IGNORED;
}

/* What became of the events, now that all is known. */
static void count_events(void)
{
	struct result *result = model.result;
	unsigned int i;
	int work;

	for (i = 0; i < model.log_used; i++) {
		enum tl_outcome outcome = result->outcomes[i];

		result->events[outcome]++;
		if (outcome != TL_DEFERRED) {
			result->seen++;
			continue;
		}
		work = model.work_at[i];
		result->seen += model.works[work].adopted != NEVER ||
				model.works[work].ended != NEVER;
		result->events[TL_ATTRIBUTED] += model.works[work].adopted != NEVER;
		result->events[TL_UNATTRIBUTED] += model.works[work].ended != NEVER;
	}
}

static void start(const struct event *log, unsigned int log_used, struct result *result)
{
	unsigned int i;

	result->ended_used = 0;
	result->strays_used = 0;
	result->seen = 0;
	result->adopted = 0;
	memset(result->events, 0, sizeof(result->events));
	memset(result->loss, 0, sizeof(result->loss));
	model.log = log;
	model.log_used = log_used;
	model.works_used = 0;
	model.calls_used = 0;
	model.uses_used = 0;
	model.beginnings_used = 0;
	model.result = result;
	memset(model.connections, 0, sizeof(model.connections));
	memset(model.serves, 0, sizeof(model.serves));
	for (i = 0; i < WORLD_THREADS; i++) {
		model.threads[i].work = NOBODY;
		model.threads[i].multiplexes = false;
		model.threads[i].use = NOBODY;
	}
	for (i = 0; i < WORLD_SERVERS; i++)
		model.caller[i] = NOBODY;
	for (i = 0; i < log_used; i++) {
		model.call_at[i] = NOBODY;
		model.work_at[i] = NOBODY;
		model.grown_ns[i] = 0;
	}
}

void model_run(const struct event *log, unsigned int log_used, struct result *result)
{
	unsigned int i;
	int j;

	start(log, log_used, result);
	model_requests_find();
	for (i = 0; i < log_used; i++)
		result->outcomes[i] = look_at(i);
	for (i = 0; i < log_used; i++)
		for (j = 0; j < model.works_used; j++)
			if (!model.works[j].errand && model.works[j].over == i)
				model_sums_end_request(j);
	for (j = 0; j < model.calls_used; j++)
		if (model.calls[j].over != NEVER)
			model_sums_end_call(j);
	for (j = 0; j < model.works_used; j++)
		if (model.works[j].errand)
			model_sums_end_errand(j);
	count_events();
}
