// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much is looked at of each tier, by what happens there: the adaptor of paper 004
 *
 * A path is in trouble if the response times of its front tier and class have become longer (adapt-evidence.c), or
 * the own times of a tier and class on it, where that is too small a part to be seen in front. What larger
 * answers take longer, by the line of sizes that paper 004 has, does not count.
 *
 * In trouble all tiers of the path are at server at least, and that whose own time has become longer is at method: one step
 * a window, two at once for timeouts. If no tier's own time is longer it is between them, and no function would tell. A level
 * is that of a tier: the most that any path asks for. What is over goes down a step a window, back to the level where
 * all rest. At trace, or off, nothing is known of own times: the first windows of each tier are at server, which
 * is where the baselines come from.
 *
 * The budget comes first (adapt-budget.c), what others have pinned before that. Everything that is done,
 * or not done for one of these reasons, is a decision.
 */
#include "adapt-work.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORGET (1 / 120.0) /* of baselines of means, a window */
#define WAITS 3 /* windows for a tier's own time to show */
#define EXCUSE_MOST 10.0 /* times as long */
#define LARGER 1.05
#define GROWN_MOST ((size_t)1 << 24)

/* ---- memory ------------------------------------------------------------------------------ */

/* Room for one element more, zeroed, if @array is not NULL what it was stays. */
void *tl_adapt_grow(struct tl_adapt *a, void *array, size_t *n, size_t size)
{
	char *grown = *n < GROWN_MOST ? reallocarray(array, *n + 1, size) : NULL;

	if (!grown) {
		a->no_memory = true;
		return array;
	}
	memset(grown + *n * size, 0, size);
	++*n;
	return grown;
}

void tl_adapt_decide(struct tl_adapt *a, const struct tl_adapt_decision *decision)
{
	size_t n = a->decisions;

	a->decision = tl_adapt_grow(a, a->decision, &a->decisions, sizeof(*a->decision));
	if (a->decisions == n)
		return;
	a->decision[n] = *decision;
	a->decision[n].share = a->share;
}

static void room_make(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	size_t n;

	while (a->cells < in->cells_seen && !a->no_memory)
		a->cell = tl_adapt_grow(a, a->cell, &a->cells, sizeof(*a->cell));
	while (a->ways < in->nodes_seen && !a->no_memory)
		a->way = tl_adapt_grow(a, a->way, &a->ways, sizeof(*a->way));
	for (n = a->places; n < in->tiers && !a->no_memory; n = a->places) {
		a->place = tl_adapt_grow(a, a->place, &a->places, sizeof(*a->place));
		if (a->no_memory)
			break;
		a->tier = tl_adapt_grow(a, a->tier, &n, sizeof(*a->tier));
		a->place[a->places - 1] = (struct tl_adapt_place){ .level = TL_AT_SERVER, .cell = TL_ADAPT_NONE,
								   .found_function = TL_ADAPT_NONE };
		if (a->cap < TL_AT_SERVER)
			a->place[a->places - 1].level = a->cap;
	}
}

static struct tl_adapt_kept *kept_of(struct tl_adapt *a, size_t id)
{
	if (!a->cell[id]) {
		a->cell[id] = calloc(1, sizeof(*a->cell[id]));
		if (a->cell[id])
			a->cell[id]->culprit = a->cell[id]->node = TL_ADAPT_NONE;
		else
			a->no_memory = true;
	}
	return a->cell[id];
}

/* ---- what is seen ------------------------------------------------------------------------ */

/* How much longer its times may be for larger answers, as a logarithm. */
static double excuse(const struct tl_adapt_kept *kept, const struct tl_adapt_cell *cell)
{
	const struct tl_adapt_sizes *s = &kept->sizes;
	double bytes = cell->count > 0 ? cell->bytes / cell->count : 0, usual_ms, now_ms;

	if (!s->line.enough || !(bytes > LARGER * s->usual))
		return 0;
	usual_ms = -tl_anomaly_excess(&s->line, s->usual, 0);
	now_ms = -tl_anomaly_excess(&s->line, bytes, 0);
	if (!(usual_ms > 0) || !(now_ms > usual_ms))
		return 0;
	return log(fmin(now_ms / usual_ms, EXCUSE_MOST));
}

/* Windows in which all is well. */
static void sizes_add(struct tl_adapt *a, struct tl_adapt_sizes *s, const struct tl_adapt_cell *cell)
{
	size_t at = s->seen % TL_ADAPT_SIZES, n;
	double bytes = cell->bytes / cell->count;
	struct tl_anomaly_in in = { s->bytes, s->time_ms, 0, a->options.mtu };

	s->bytes[at] = bytes;
	s->time_ms[at] = 1e3 * cell->response_s / cell->count;
	s->usual += (bytes - s->usual) / fmin((double)++s->seen, 1 / FORGET);
	if (s->seen < TL_ANOMALY_LEAST || s->seen < s->fit_at)
		return;
	n = s->seen < TL_ADAPT_SIZES ? s->seen : TL_ADAPT_SIZES;
	in.n = n;
	s->fit_at = s->seen + TL_ADAPT_SIZES / 4;
	/* Without a line nothing is excused. */
	s->line.mtu = in.mtu;
	s->line.enough = !tl_anomaly_line(&in, &s->line.line);
}

static void means_add(struct tl_adapt_kept *kept, const struct tl_adapt_cell *cell)
{
	if (kept->response.ill || kept->own.ill) {
		kept->now_own_s += cell->own_s;
		kept->now_n += cell->known;
		return;
	}
	kept->now_own_s = kept->now_n = 0;
	kept->base_own_s += cell->own_s - FORGET * kept->base_own_s;
	kept->base_n += cell->known - FORGET * kept->base_n;
}

static void cell_add(struct tl_adapt *a, const struct tl_adapt_cell *cell)
{
	struct tl_adapt_kept *kept = kept_of(a, cell->id);
	const struct tl_evidence_options *options = &a->options.evidence;
	double excused;

	if (!kept)
		return;
	kept->tier = cell->tier;
	kept->seen = true;
	kept->known = cell->known;
	kept->window_own_s = cell->own_s;
	excused = excuse(kept, cell);
	kept->response_change = tl_evidence_add(&kept->response, options, cell->response, excused);
	kept->own_change = tl_evidence_add(&kept->own, options, cell->own, excused);
	means_add(kept, cell);
	if (cell->count > 0 && !kept->response.ill)
		sizes_add(a, &kept->sizes, cell);
	a->place[cell->tier].seen = true;
}

/* Nobody asked for it. */
static void cell_idle(struct tl_adapt *a, struct tl_adapt_kept *kept)
{
	static const uint64_t none[TL_HIST_BUCKETS];

	kept->response_change = tl_evidence_add(&kept->response, &a->options.evidence, none, 0);
	kept->own_change = tl_evidence_add(&kept->own, &a->options.evidence, none, 0);
}

static void node_add(struct tl_adapt *a, const struct tl_adapt_in *in, const struct tl_adapt_node *node)
{
	struct tl_adapt_way *way = &a->way[node->id];
	const struct tl_adapt_node *root = node;
	struct tl_adapt_kept *kept = kept_of(a, node->cell);

	while (root->up)
		root = &in->node[root->up - 1];
	if (!kept)
		return;
	way->cell = node->cell;
	way->root = root->cell;
	way->seen = true;
	if (root->count > 0)
		way->visits = node->count / root->count;
	if (node->count >= kept->node_count || kept->node == node->id) {
		kept->node = node->id;
		kept->node_count = node->count;
	}
	if (root == node) {
		kept->front = true;
		a->place[kept->tier].front = true;
	}
}

static void look(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	size_t i;

	for (i = 0; i < a->places; i++)
		a->place[i].seen = false;
	for (i = 0; i < a->cells; i++)
		if (a->cell[i])
			a->cell[i]->seen = a->cell[i]->covered = a->cell[i]->called = false;
	for (i = 0; i < in->cells && !a->no_memory; i++)
		cell_add(a, &in->cell[i]);
	for (i = 0; i < a->cells; i++)
		if (a->cell[i] && !a->cell[i]->seen)
			cell_idle(a, a->cell[i]);
	for (i = 0; i < in->nodes && !a->no_memory; i++)
		node_add(a, in, &in->node[i]);
	for (i = 0; i < a->places; i++)
		a->place[i].learnt += a->place[i].seen && a->place[i].learnt < TL_ADAPT_LEARN;
}

/* ---- what is wanted ---------------------------------------------------------------------- */

static enum tl_at rest_of(const struct tl_adapt *a, const struct tl_adapt_place *place)
{
	if (a->options.resting != TL_AT_TRACE || place->learnt < TL_ADAPT_LEARN)
		return TL_AT_SERVER;
	return place->front ? TL_AT_TRACE : TL_AT_OFF;
}

static void want(struct tl_adapt_place *place, enum tl_at level, size_t trouble, size_t cell, bool own, bool timeout)
{
	if (place->want > level || (place->want == level && place->cell != TL_ADAPT_NONE && !own))
		return;
	place->want = level;
	place->trouble = trouble;
	place->cell = cell;
	place->own = own;
	place->timeout |= timeout;
	place->why = timeout ? TL_ADAPT_TIMEOUT : own ? TL_ADAPT_OWN : TL_ADAPT_SLOW;
}

/* A path of which all tiers are known to be as they were. */
static void between(struct tl_adapt *a, size_t root)
{
	struct tl_adapt_kept *kept = a->cell[root];

	if (++kept->waits == WAITS)
		tl_adapt_decide(a, &(struct tl_adapt_decision){
			.node = kept->node, .cell = root, .tier = kept->tier, .from = a->place[kept->tier].level,
			.to = a->place[kept->tier].level, .why = TL_ADAPT_BETWEEN, .function = TL_ADAPT_NONE, .evidence = kept->response.now });
}

/* @root's response times are longer. */
static void trouble_in_front(struct tl_adapt *a, const struct tl_adapt_in *in, size_t root)
{
	struct tl_adapt_kept *kept = a->cell[root];
	bool timeout = kept->response.timeout, known;
	size_t i, culprit;

	want(&a->place[kept->tier], TL_AT_SERVER, root, root, false, timeout);
	for (i = 0; i < a->ways; i++)
		if (a->way[i].seen && a->way[i].root == root) {
			want(&a->place[a->cell[a->way[i].cell]->tier], TL_AT_SERVER, root, root, false, timeout);
			a->cell[a->way[i].cell]->covered = true;
		}
	kept->covered = true;
	culprit = tl_adapt_culprit(a, in, root, &known);
	if (culprit == TL_ADAPT_NONE && kept->culprit == TL_ADAPT_NONE) {
		if (known)
			between(a, root);
		return;
	}
	if (culprit != TL_ADAPT_NONE)
		kept->culprit = culprit;
	want(&a->place[a->cell[kept->culprit]->tier], TL_AT_METHOD, root, kept->culprit, true, timeout);
}

static void troubles(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	size_t i;

	for (i = 0; i < a->places; i++) {
		a->place[i].want = rest_of(a, &a->place[i]);
		a->place[i].timeout = a->place[i].own = false;
		a->place[i].trouble = a->place[i].cell = TL_ADAPT_NONE;
	}
	for (i = 0; i < a->cells; i++) {
		struct tl_adapt_kept *kept = a->cell[i];

		if (!kept)
			continue;
		/* Without paths all are in front. */
		if (kept->response.ill && (kept->front || !in->nodes_seen))
			trouble_in_front(a, in, i);
		else if (!kept->response.ill) {
			kept->culprit = TL_ADAPT_NONE;
			kept->waits = 0;
		}
	}
	for (i = 0; i < a->cells; i++) {
		struct tl_adapt_kept *kept = a->cell[i];

		if (kept && kept->own.ill && !kept->covered)
			want(&a->place[kept->tier], TL_AT_METHOD, i, i, true, kept->own.timeout);
	}
}

/* ---- what is done ------------------------------------------------------------------------ */

static const struct tl_evidence *evidence_of(const struct tl_adapt *a, const struct tl_adapt_place *place)
{
	const struct tl_adapt_kept *kept = a->cell[place->cell];

	return place->own ? &kept->own : &kept->response;
}

static void tell(struct tl_adapt *a, size_t tier, enum tl_at from, enum tl_at to, enum tl_adapt_why why)
{
	const struct tl_adapt_place *place = &a->place[tier];
	struct tl_adapt_decision d = { .node = TL_ADAPT_NONE, .cell = place->cell, .tier = tier, .from = from,
				       .function = TL_ADAPT_NONE, .to = to, .why = why, .own = place->own };

	if (place->cell != TL_ADAPT_NONE) {
		d.node = a->cell[place->cell]->node;
		d.evidence = evidence_of(a, place)->now;
	}
	tl_adapt_decide(a, &d);
}

static void tell_once(struct tl_adapt *a, size_t tier, enum tl_adapt_why why)
{
	struct tl_adapt_place *place = &a->place[tier];

	if (place->told & 1U << why)
		return;
	place->told |= 1U << why;
	tell(a, tier, place->level, place->level, why);
}

/* Off, what others see of it is what the front tier waits for: there is nothing between that and server. */
static enum tl_at above(const struct tl_adapt_place *place)
{
	if (place->timeout || place->level == TL_AT_OFF)
		return place->timeout ? place->want : TL_AT_SERVER;
	return place->level + 1;
}

static void raise_it(struct tl_adapt *a, const struct tl_adapt_in *in, size_t tier)
{
	struct tl_adapt_place *place = &a->place[tier];
	enum tl_at from = place->level, to = above(place);

	to = to < place->want ? to : place->want;
	if (to > a->cap || (to == TL_AT_METHOD && !tl_adapt_affords(a))) {
		if (place->cell != TL_ADAPT_NONE)
			tell_once(a, tier, TL_ADAPT_HELD);
		if (to <= TL_AT_SERVER || from >= TL_AT_SERVER || a->cap < TL_AT_SERVER)
			return;
		to = TL_AT_SERVER;
	}
	place->level = to;
	place->found = 0;
	place->found_function = TL_ADAPT_NONE;
	tell(a, tier, from, to, place->cell == TL_ADAPT_NONE ? TL_ADAPT_SETTLED : place->why);
	if (to == TL_AT_METHOD)
		tl_adapt_allow(a, in, tier);
}

/* Why what was there is over. */
static enum tl_adapt_why over(const struct tl_adapt *a, size_t tier, size_t *cell, bool *own)
{
	enum tl_adapt_why why = TL_ADAPT_QUIET;
	size_t i;

	*cell = TL_ADAPT_NONE;
	for (i = 0; i < a->cells; i++) {
		const struct tl_adapt_kept *kept = a->cell[i];
		enum tl_evidence_change change;

		if (!kept || (kept->tier != tier && !kept->front))
			continue;
		*own = kept->own_change > TL_EVIDENCE_BEGAN;
		change = *own ? kept->own_change : kept->response_change;
		if (change <= TL_EVIDENCE_BEGAN)
			continue;
		*cell = i;
		why = change == TL_EVIDENCE_ACCEPTED ? TL_ADAPT_ACCEPTED : change == TL_EVIDENCE_GONE ? TL_ADAPT_GONE : why;
		if (kept->tier == tier)
			break;
	}
	return why;
}

static void lower_it(struct tl_adapt *a, size_t tier)
{
	struct tl_adapt_place *place = &a->place[tier];
	enum tl_at from = place->level, rest = rest_of(a, place), to = from - 1;
	enum tl_adapt_why why;

	if (place->cell == TL_ADAPT_NONE) {
		why = over(a, tier, &place->cell, &place->own);
		if (from <= TL_AT_SERVER && place->cell == TL_ADAPT_NONE)
			why = TL_ADAPT_REST;
	} else {
		why = TL_ADAPT_QUIET;
	}
	if (to < TL_AT_SERVER || rest == TL_AT_OFF)
		to = from > TL_AT_SERVER ? TL_AT_SERVER : rest;
	place->level = to > place->want ? to : place->want;
	place->told = 0;
	tell(a, tier, from, place->level, why);
	place->cell = TL_ADAPT_NONE;
}

static void levels(struct tl_adapt *a, const struct tl_adapt_in *in)
{
	size_t i;

	for (i = 0; i < a->places; i++) {
		struct tl_adapt_place *place = &a->place[i];

		if (in->pinned && i < in->tiers && in->pinned[i]) {
			if (place->want > rest_of(a, place))
				tell_once(a, i, TL_ADAPT_PINNED);
			place->level = in->pinned[i];
			continue;
		}
		if (place->want > place->level)
			raise_it(a, in, i);
		else if (place->want < place->level)
			lower_it(a, i);
		else if (place->want == rest_of(a, place))
			place->told = 0;
	}
}

/* ---- for others ---------------------------------------------------------------------------- */

/**
 * tl_adapt_defaults() - What the adaptor goes by, unless somebody says otherwise
 * @options: filled in
 */
void tl_adapt_defaults(struct tl_adapt_options *options)
{
	*options = (struct tl_adapt_options){
		.evidence = { .effect = 0.2, .least_s = 2e-5, .quiet = 3, .accept = 600 },
		.budget = 0.01, .mtu = 1500, .resting = TL_AT_SERVER, .functions = 64,
	};
}

/**
 * tl_adapt_new() - An adaptor that has seen nothing yet
 * @options: what it goes by
 *
 * Return: it, to be given to tl_adapt_free(); NULL without memory.
 */
struct tl_adapt *tl_adapt_new(const struct tl_adapt_options *options)
{
	struct tl_adapt *a = calloc(1, sizeof(*a));

	if (a) {
		a->options = *options;
		a->share = -1;
		a->cap = TL_AT_METHOD;
	}
	return a;
}

/**
 * tl_adapt_free() - Forget all
 * @adapt: adaptor or NULL
 */
void tl_adapt_free(struct tl_adapt *adapt)
{
	size_t i;

	if (!adapt)
		return;
	for (i = 0; i < adapt->cells; i++)
		free(adapt->cell[i]);
	free(adapt->cell);
	free(adapt->way);
	free(adapt->place);
	free(adapt->tier);
	free(adapt->use);
	free(adapt->decision);
	free(adapt->finding);
	free(adapt->drop);
	free(adapt);
}

static bool is_sound(const struct tl_adapt_in *in)
{
	size_t i;

	if (!(in->seconds > 0) || !isfinite(in->t_s + in->seconds + in->processors))
		return false;
	for (i = 0; i < in->nodes; i++)
		if (in->node[i].up > i || in->node[i].id >= in->nodes_seen || in->node[i].cell >= in->cells_seen ||
		    !isfinite(in->node[i].count))
			return false;
	for (i = 0; i < in->cells; i++)
		if (in->cell[i].id >= in->cells_seen || in->cell[i].tier >= in->tiers ||
		    !isfinite(in->cell[i].count + in->cell[i].known + in->cell[i].response_s + in->cell[i].own_s +
			      in->cell[i].bytes))
			return false;
	for (i = 0; i < in->calls; i++)
		if (in->call[i].function >= in->functions_seen || in->call[i].tier >= in->tiers ||
		    (in->call[i].cell != TL_ADAPT_NONE && in->call[i].cell >= in->cells_seen) ||
		    !isfinite(in->call[i].count + in->call[i].own_s + in->call[i].cpu_s))
			return false;
	return true;
}

/* Only what no tier asks for, not even one that is not known yet, costs nothing. */
static enum tl_at others(const struct tl_adapt *a)
{
	size_t i;

	if (a->cap < TL_AT_SERVER)
		return a->cap;
	for (i = 0; i < a->places && a->options.resting == TL_AT_TRACE; i++)
		if (a->place[i].learnt == TL_ADAPT_LEARN)
			return TL_AT_TRACE;
	return TL_AT_UNKNOWN;
}

static void out_fill(struct tl_adapt *a, struct tl_adapt_out *out)
{
	size_t i;

	for (i = 0; i < a->places; i++)
		a->tier[i] = (struct tl_adapt_tier){ a->place[i].level, a->place[i].functions, a->place[i].rate_max };
	*out = (struct tl_adapt_out){ a->tier, a->decision, a->finding, a->drop, a->places, a->decisions, a->findings,
				      a->drops, a->share, others(a) };
}

/**
 * tl_adapt_step() - One window more
 * @adapt: adaptor
 * @in: what was measured in it
 * @out: set to what follows
 *
 * Return: 0, -EINVAL for numbers that are none, or -ENOMEM.
 */
int tl_adapt_step(struct tl_adapt *adapt, const struct tl_adapt_in *in, struct tl_adapt_out *out)
{
	struct tl_adapt *a = adapt;

	memset(out, 0, sizeof(*out));
	if (!is_sound(in))
		return -EINVAL;
	a->decisions = a->findings = a->drops = 0;
	a->no_memory = false;
	room_make(a, in);
	if (!a->no_memory) {
		tl_adapt_measure(a, in);
		look(a, in);
		tl_adapt_uses(a, in);
		troubles(a, in);
		tl_adapt_economise(a, in);
		levels(a, in);
		tl_adapt_find(a, in);
	}
	if (a->no_memory)
		return -ENOMEM;
	out_fill(a, out);
	return 0;
}

/**
 * tl_adapt_hurry() - Lower levels before a window is over
 * @adapt: adaptor
 * @in: @cost is what a whole window would cost as it goes on; of the rest, only its time, @processors and what is
 *      pinned count
 * @out: set to what follows, if anything does
 *
 * Return: whether anything does. What is too dear already is so at the levels that it has now.
 */
bool tl_adapt_hurry(struct tl_adapt *adapt, const struct tl_adapt_in *in, struct tl_adapt_out *out)
{
	struct tl_adapt *a = adapt;
	enum tl_at cap = a->cap;

	a->decisions = a->findings = a->drops = 0;
	a->no_memory = false;
	tl_adapt_measure(a, in);
	if (a->share > a->options.budget)
		tl_adapt_cut(a, in);
	out_fill(a, out);
	return a->cap < cap;
}
