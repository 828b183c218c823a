// SPDX-License-Identifier: GPL-2.0-or-later
/* Where two results of the same log differ. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core-model.h"

struct compare {
	enum model_precision precision;
	u64 own_slack_ns;
	char *why;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static bool differ(const struct compare *compare,
							 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(compare->why, compare->size, format, args);
	va_end(args);
	return false;
}

static bool same(const struct compare *compare, const char *what, unsigned int event,
		 u64 got, u64 want)
{
	if (got == want)
		return true;
	return differ(compare, "%s at event %u: got %" PRIu64 ", model %" PRIu64, what,
		      event, got, want);
}

/*
 * Own time may be too large where calls were lost, which is then counted, and off
 * where clocks are.
 */
static bool same_own(const struct compare *compare, const struct ended_record *got,
		     const struct ended_record *want)
{
	u64 own_ns = got->ended.own_at_send_ns, model_ns = want->ended.own_at_send_ns;
	u64 response_ns = got->ended.last_send_ns - got->ended.open_ns;
	u64 off_ns = max(own_ns, model_ns) - min(own_ns, model_ns);

	if (own_ns > response_ns)
		return differ(compare, "own at event %u: %" PRIu64 " > response %" PRIu64,
			      got->event, own_ns, response_ns);
	if (got->calls_full && !want->calls_full && compare->precision == MODEL_EXACT)
		return differ(compare, "calls at event %u: lost for no reason",
			      got->event);
	if (off_ns && got->calls_full && own_ns > model_ns)
		return true;
	if (off_ns <= compare->own_slack_ns)
		return true;
	return same(compare, "own", got->event, own_ns, model_ns);
}

static bool same_sum(const struct compare *compare, unsigned int event,
		     const struct tl_call_sum *got, const struct tl_call_sum *want)
{
	unsigned int i;

	for (i = 0; i < TL_BY_KINDS; i++)
		if (!same(compare, "calls by kind", event, got->by[i], want->by[i]))
			return false;
	return same(compare, "peer", event, got->peer, want->peer) &&
	       same(compare, "call time", event, got->time_ns, want->time_ns) &&
	       same(compare, "joined", event, got->joined, want->joined) &&
	       same(compare, "transit", event, got->transit_ns, want->transit_ns) &&
	       same(compare, "call bytes in", event, got->bytes_in, want->bytes_in) &&
	       same(compare, "call bytes out", event, got->bytes_out, want->bytes_out);
}

static bool same_used(const struct compare *compare, unsigned int event, struct tl_used got,
		      struct tl_used want)
{
	unsigned int i;

	/* Of who used no more, that is zero. */
	tl_used_more(&got);
	tl_used_more(&want);
	for (i = 0; i < TL_USED_COUNTS; i++)
		if (!same(compare, "counts", event, got.counts[i], want.counts[i]))
			return false;
	return same(compare, "CPU", event, got.cpu_ns, want.cpu_ns) &&
	       same(compare, "run wait", event, got.run_wait_ns, want.run_wait_ns) &&
	       same(compare, "read", event, got.storage_read, want.storage_read) &&
	       same(compare, "written", event, got.storage_write, want.storage_write);
}

static bool same_ended(const struct compare *compare, const struct ended_record *got,
		       const struct ended_record *want)
{
	const struct tl_request *a = &got->ended, *b = &want->ended;
	unsigned int i;

	if (!same(compare, "end", got->event, got->event, want->event) ||
	    !same(compare, "server", got->event, got->server, want->server) ||
	    !same(compare, "tier", got->event, a->tier, b->tier) ||
	    !same(compare, "class", got->event, a->class, b->class) ||
	    !same(compare, "open", got->event, a->open_ns, b->open_ns) ||
	    !same(compare, "closed", got->event, a->last_send_ns, b->last_send_ns) ||
	    !same(compare, "bytes in", got->event, a->bytes_in, b->bytes_in) ||
	    !same(compare, "bytes out", got->event, a->bytes_out, b->bytes_out) ||
	    !same(compare, "node", got->event, a->node, b->node) ||
	    !same(compare, "parent", got->event, a->parent, b->parent) ||
	    !same(compare, "queued", got->event, a->queued, b->queued) ||
	    !same(compare, "queue", got->event, a->queue_ns, b->queue_ns) ||
	    !same_used(compare, got->event, a->used, b->used) ||
	    !same(compare, "sums", got->event, a->sums_used, b->sums_used))
		return false;
	for (i = 0; i < a->sums_used; i++)
		if (!same_sum(compare, got->event, &a->sums[i], &b->sums[i]))
			return false;
	return same_own(compare, got, want);
}

static int in_order(const void *a, const void *b)
{
	const struct stray_record *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return memcmp(&x->sum, &y->sum, sizeof(x->sum));
}

/* In which order an event brings them out does not matter. */
static bool same_strays(const struct compare *compare, struct result *got,
			struct result *want)
{
	unsigned int i;

	qsort(got->strays, got->strays_used, sizeof(got->strays[0]), in_order);
	qsort(want->strays, want->strays_used, sizeof(want->strays[0]), in_order);
	for (i = 0; i < min(got->strays_used, want->strays_used); i++) {
		const struct stray_record *a = &got->strays[i], *b = &want->strays[i];

		if (!same(compare, "stray", a->event, a->event, b->event) ||
		    !same_sum(compare, a->event, &a->sum, &b->sum))
			return false;
	}
	return same(compare, "strays", WORLD_EVENTS, got->strays_used, want->strays_used);
}

static bool same_events(const struct compare *compare, const struct result *got,
			const struct result *want)
{
	unsigned int i;

	for (i = 0; i <= TL_DEFERRED; i++)
		if (got->events[i] != want->events[i])
			return differ(compare,
				      "events %u: got %" PRIu64 ", model %" PRIu64, i,
				      got->events[i], want->events[i]);
	return same(compare, "seen", WORLD_EVENTS, got->seen, want->seen) &&
	       same(compare, "adopted", WORLD_EVENTS, got->adopted, want->adopted);
}

static bool may_be_full(const struct result *want)
{
	unsigned int i;

	for (i = 0; i < want->ended_used; i++)
		if (want->ended[i].calls_full)
			return true;
	return false;
}

static bool same_losses(const struct compare *compare, const struct result *got,
			const struct result *want)
{
	unsigned int i;

	for (i = 0; i < TL_LOSS_KINDS; i++) {
		if (i == TL_LOSS_CALLS_FULL &&
		    (compare->precision != MODEL_EXACT || may_be_full(want)))
			continue;
		if (got->loss[i] != want->loss[i])
			return differ(compare, "loss %u: got %" PRIu64 ", model %" PRIu64,
				      i, got->loss[i], want->loss[i]);
	}
	return true;
}

bool model_agrees(struct result *got, struct result *want, const struct event *log,
		  unsigned int log_used, enum model_precision precision, u64 backwards_ns,
		  char *why, size_t size)
{
	struct compare compare = {precision, 0, why, size};
	unsigned int i;

	if (precision == MODEL_CLOCKS)
		compare.own_slack_ns = backwards_ns * log_used;
	for (i = 0; i < log_used; i++)
		if (got->outcomes[i] != want->outcomes[i])
			return differ(&compare,
				      "outcome of event %u (kind %u): got %u, model %u",
				      i, log[i].kind, got->outcomes[i],
				      want->outcomes[i]);
	for (i = 0; i < min(got->ended_used, want->ended_used); i++)
		if (!same_ended(&compare, &got->ended[i], &want->ended[i]))
			return false;
	return same(&compare, "ended", WORLD_EVENTS, got->ended_used, want->ended_used) &&
	       same_strays(&compare, got, want) && same_losses(&compare, got, want) &&
	       same_events(&compare, got, want);
}
