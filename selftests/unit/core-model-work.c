// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests and errands: how far they go, whose they are, and their class. */
#include "core-model-state.h"

static bool is_server_event(const struct event *event)
{
	return event->kind == EVENT_RECEIVED || event->kind == EVENT_SENT ||
	       event->kind == EVENT_CLOSE_SERVER || event->kind == EVENT_SHUTDOWN ||
	       event->kind == EVENT_QUIET;
}

/* Does the event end a request that has, or has not, been answered? */
static bool ends(const struct event *event, bool answered)
{
	switch (event->kind) {
	case EVENT_CLOSE_SERVER:
	case EVENT_SHUTDOWN:
		return true;
	case EVENT_RECEIVED:
	case EVENT_QUIET:
		return answered;
	default:
		return false;
	}
}

static struct work *new_work(unsigned int begun)
{
	struct work *work = &model.works[model.works_used++];

	memset(work, 0, sizeof(*work));
	work->begun = begun;
	work->answered = NEVER;
	work->over = NEVER;
	work->adopted = NEVER;
	work->ended = NEVER;
	work->adopter = NOBODY;
	work->open_ns = model.log[begun].now_ns;
	work->closed_ns = work->open_ns;
	return work;
}

/* The request that begins with event @begun, as far as it goes. */
static void follow_request(unsigned int begun)
{
	struct work *request = new_work(begun);
	unsigned int i;

	request->server = model.log[begun].conn;
	for (i = begun; i < model.log_used; i++) {
		const struct event *event = &model.log[i];

		if (!is_server_event(event) || event->conn != request->server)
			continue;
		if (i > begun && ends(event, request->answered != NEVER))
			break;
		/* A send that goes on began before a request that has no answer yet. */
		if (event->kind == EVENT_SENT && !event->value &&
		    request->answered == NEVER)
			continue;
		model.request_at[i] = request - model.works;
		if (event->kind == EVENT_RECEIVED)
			request->bytes_in += event->value;
		if (event->kind != EVENT_SENT)
			continue;
		if (event->text == WORLD_INTERIM && request->answered == NEVER) {
			request->bytes_out += event->value;
			continue;
		}
		request->answered = min(request->answered, i);
		request->closed_ns = max(request->closed_ns, event->now_ns);
		request->bytes_out += event->value;
	}
	request->over = i < model.log_used ? i : NEVER;
}

/* What comes after a shutdown is no request. */
static bool is_drained(unsigned int event)
{
	unsigned int i;

	for (i = event; i-- > 0;)
		if (model.log[i].conn == model.log[event].conn &&
		    (model.log[i].kind == EVENT_SHUTDOWN ||
		     model.log[i].kind == EVENT_CLOSE_SERVER))
			return model.log[i].kind == EVENT_SHUTDOWN;
	return false;
}

void model_requests_find(void)
{
	unsigned int i;

	for (i = 0; i < model.log_used; i++)
		model.request_at[i] = NOBODY;
	for (i = 0; i < model.log_used; i++)
		if (model.log[i].kind == EVENT_RECEIVED &&
		    model.request_at[i] == NOBODY && !is_drained(i))
			follow_request(i);
}

/* Whether work that was begun before the event can still get something at it. */
bool model_work_goes_on(int work, unsigned int event)
{
	const struct work *w;
	int i;

	if (work == NOBODY || model.works[work].begun >= event)
		return false;
	w = &model.works[work];
	if (!w->errand)
		return w->over >= event;
	if (w->adopted < event)
		return false;
	for (i = 0; i < model.uses_used; i++)
		if (model.uses[i].errand == work && model.uses[i].until > AT(event))
			return true;
	return false;
}

bool model_work_is_open(int work, unsigned int event)
{
	return model_work_goes_on(work, event) &&
	       (model.works[work].errand || model.works[work].answered > event);
}

/* What an errand has turned out to be. */
int model_work_became(int work, unsigned int event)
{
	return work != NOBODY && model.works[work].adopted < event
		       ? model.works[work].adopter
		       : work;
}

int model_use_new(int work)
{
	if (work == NOBODY || !model.works[work].errand)
		return NOBODY;
	model.uses[model.uses_used] = (struct use){work, STILL};
	return model.uses_used++;
}

void model_use_end(int *use, unsigned int moment)
{
	if (*use != NOBODY)
		model.uses[*use].until = moment;
	*use = NOBODY;
}

static int new_errand(unsigned int event)
{
	struct work *errand = new_work(event);
	int work = errand - model.works;
	u8 thread = model.log[event].thread;

	errand->errand = true;
	model_use_end(&model.threads[thread].use, AFTER(event));
	model.threads[thread].use = model_use_new(work);
	model.threads[thread].work = work;
	model.threads[thread].by = TL_BY_LOOKBACK;
	return work;
}

/* Whom a thread begins to work for: its request, or an errand if it must have one. */
int model_work_begin(unsigned int event)
{
	u8 thread = model.log[event].thread;
	int work = model.threads[thread].work;

	if (model_work_is_open(work, event))
		return work;
	return model.serves[world_process(thread)] ? new_errand(event) : NOBODY;
}

void model_work_charge(unsigned int event)
{
	int work = model.threads[model.log[event].thread].work;

	if (model_work_goes_on(work, event))
		model.works[work].used += model.log[event].used;
}

/* The longest prefix of all bytes that could be read up to @event. */
u32 model_work_class(int request, unsigned int event)
{
	const struct work *r = &model.works[request];
	char bytes[WORLD_EVENTS * 4] = "";
	u32 class = r->class_above;
	unsigned int i, longest = 0;

	for (i = r->begun; i <= event && i < model.log_used; i++) {
		if (model.log[i].kind != EVENT_RECEIVED || model.request_at[i] != request)
			continue;
		if (!world_text(model.log[i].text))
			break;
		strcat(bytes, world_text(model.log[i].text));
	}
	for (i = 0; i < TL_CLASS_RULES; i++) {
		const struct tl_class_rule *rule = &world_rules()->rule[i];

		if (!rule->len || !(world_eligible(r->server) & 1ULL << i) ||
		    strncmp(bytes, (const char *)rule->prefix, rule->len) != 0 ||
		    rule->len < longest || (rule->len == longest && !rule->for_tier))
			continue;
		longest = rule->len;
		class = rule->class;
	}
	return class;
}

u32 model_work_node(int request, unsigned int event)
{
	const struct work *r = &model.works[request];

	return world_node(r->parent, world_tier(r->server),
			  model_work_class(request, event));
}

static u64 last_reply(unsigned int until, int owner, int but, u64 open_ns)
{
	u64 last_ns = open_ns;
	unsigned int i;

	for (i = 0; i < until; i++) {
		int work = model.log[i].kind == EVENT_REPLY && model.call_at[i] != NOBODY
				   ? model.work_at[i]
				   : NOBODY;

		if (work != NOBODY && work != but &&
		    (work == owner || model_work_became(work, until + 1) == owner))
			last_ns = max(last_ns, model.log[i].now_ns);
	}
	return last_ns;
}

/*
 * Whether sums kept event by event cannot tell how the errand's calls and others
 * of the request overlap.
 */
static bool cannot_tell(int request, int errand, unsigned int event)
{
	u64 open_ns = model.works[errand].open_ns;
	u64 request_ns = last_reply(event, request, errand, 0);
	u64 errand_ns = last_reply(event, errand, NOBODY, open_ns);
	unsigned int i, j;

	if (request_ns > open_ns && errand_ns > open_ns)
		return true;
	for (i = 0; i < model.beginnings_used; i++) {
		const struct beginning *b = &model.beginnings[i];

		if (b->event >= event)
			continue;
		if (b->owner == errand && b->from_ns < request_ns)
			return true;
		if (b->owner == errand ||
		    model_work_became(b->owner, event + 1) != request ||
		    (b->from_ns <= open_ns && request_ns <= open_ns))
			continue;
		if (b->from_ns > open_ns && b->from_ns < errand_ns)
			return true;
		for (j = 0; j < model.beginnings_used; j++)
			if (model.beginnings[j].owner == errand &&
			    model.beginnings[j].client == b->client)
				return true;
	}
	return false;
}

void model_work_adopt(int request, int errand, unsigned int event)
{
	model.works[errand].adopted = event;
	model.works[errand].adopter = request;
	model.works[request].used += model.works[errand].used;
	if (cannot_tell(request, errand, event))
		model.works[request].maybe_full = true;
	model.result->adopted++;
}
