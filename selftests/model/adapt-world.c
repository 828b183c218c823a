// SPDX-License-Identifier: GPL-2.0-or-later
#include "adapt-world.h"

#include <math.h>
#include <string.h>

#define MEAN_S 2e-3 /* own time of a tier */
#define PROCESSORS 2.0

const char *const shape_names[SHAPES] = {
	"exponential", "lognormal 0.5", "lognormal 1", "lognormal 2", "Pareto 1.5",
};

/* splitmix64 */
static double uniform(struct world *w)
{
	uint64_t z = w->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 0x1p53;
}

static double normal(struct world *w)
{
	return sqrt(-2 * log(uniform(w))) * cos(2 * M_PI * uniform(w));
}

static unsigned int poisson(struct world *w, double mean)
{
	double left = mean;
	unsigned int n = 0;

	if (mean > 100)
		return (unsigned int)fmax(0, round(mean + sqrt(mean) * normal(w)));
	while ((left += log(uniform(w))) > 0)
		n++;
	return n;
}

/* Of mean 1, but for the last. */
static double a_time(struct world *w)
{
	static const double sigma[SHAPES] = { [LOGNORMAL_HALF] = 0.5, [LOGNORMAL_1] = 1, [LOGNORMAL_2] = 2 };
	double s = sigma[w->shape];

	if (w->shape == EXPONENTIAL)
		return -log(uniform(w));
	if (w->shape == PARETO)
		return pow(uniform(w), -1 / 1.5) / 3;
	return exp(s * normal(w) - s * s / 2);
}

void world_init(struct world *w, enum shape shape, double requests, uint64_t seed)
{
	size_t i;

	memset(w, 0, sizeof(*w));
	w->shape = shape;
	w->requests = requests;
	w->random = seed * 7919 + 1;
	w->times = w->period = 1;
	w->class = CLASSES;
	w->bytes = 1000;
	w->calls = 1;
	w->trap_s = 2e-6;
	w->hook_s = 1e-6;
	w->others = TL_AT_SERVER;
	for (i = 0; i < TIERS; i++)
		w->level[i] = TL_AT_SERVER;
}

static uint64_t ns(double s)
{
	return (uint64_t)(fmin(s, 1e6) * 1e9);
}

struct request {
	double own[TIERS], extra[TIERS], response[TIERS];
};

static void request_make(struct world *w, size_t class, double slow, double bytes, struct request *r)
{
	double below = 0;
	size_t t;

	for (t = TIERS; t-- > 0;) {
		bool faulty = t == w->tier && (w->class == CLASSES || w->class == class);

		r->own[t] = MEAN_S * slow * a_time(w) + (t ? 0 : bytes * w->per_byte);
		r->extra[t] = faulty ? (w->times - 1) * r->own[t] : 0;
		if (faulty && w->timeouts > 0 && uniform(w) < w->timeouts)
			r->extra[t] += 5;
		r->own[t] += r->extra[t];
		r->response[t] = r->own[t] + below;
		below = r->response[t] + (t == 1 ? w->network : 0);
	}
}

/* Functions of a tier share its own time evenly, but for what the faulty one takes more. */
static void functions_add(struct world *w, size_t t, size_t class, const struct request *r)
{
	size_t f;

	if (w->late > 0 && w->fresh[t] && uniform(w) < w->late)
		return;
	for (f = 0; f < FUNCTIONS && w->level[t] == TL_AT_METHOD; f++) {
		struct tl_adapt_call *call = &w->call[(t * CLASSES + class) * FUNCTIONS + f];
		double own_s = (r->own[t] - r->extra[t]) / FUNCTIONS / 2 + (f == FAULTY ? r->extra[t] : 0);

		if (f >= w->functions[t] || w->dropped[t][f])
			continue;
		call->count += f == FAULTY ? 1 : w->calls;
		call->own_s += own_s;
		call->cpu_s += 0.1 * own_s;
	}
}

static void request_add(struct world *w, size_t class, const struct request *r, double bytes)
{
	size_t t;

	for (t = 0; t < TIERS; t++) {
		struct tl_adapt_cell *cell = &w->cell[t * CLASSES + class];

		if (w->level[t] == TL_AT_OFF)
			continue;
		cell->count++;
		cell->response_s += r->response[t];
		cell->bytes += bytes;
		w->response[t * CLASSES + class][tl_hist_bucket(ns(r->response[t]))]++;
		if (w->level[t] == TL_AT_TRACE)
			continue;
		cell->known++;
		cell->own_s += r->own[t];
		w->own[t * CLASSES + class][tl_hist_bucket(ns(r->own[t]))]++;
		functions_add(w, t, class, r);
	}
}

static void begin(struct world *w)
{
	size_t i;

	memset(w->response, 0, sizeof(w->response));
	memset(w->own, 0, sizeof(w->own));
	memset(w->call, 0, sizeof(w->call));
	for (i = 0; i < CELLS; i++)
		w->cell[i] = (struct tl_adapt_cell){ .id = i, .tier = i / CLASSES, .response = w->response[i],
						     .own = w->own[i] };
	for (i = 0; i < TIERS * FUNCTIONS * CLASSES; i++)
		w->call[i] = (struct tl_adapt_call){ .function = i / CLASSES / FUNCTIONS * FUNCTIONS + i % FUNCTIONS,
						     .tier = i / CLASSES / FUNCTIONS, .cell = i / FUNCTIONS };
}

/* Of a chain only what is at server all the way up is known. */
static void nodes_make(struct world *w)
{
	size_t class, t, up;

	w->in.nodes = 0;
	for (class = 0; class < CLASSES && !w->no_paths; class++)
		for (t = 0, up = 0; t < TIERS; t++) {
			size_t at = w->in.nodes;

			if (w->level[t] == TL_AT_OFF || (t && w->level[t - 1] < TL_AT_SERVER))
				break;
			w->node[at] = (struct tl_adapt_node){ t * CLASSES + class, t * CLASSES + class, up,
							      w->cell[t * CLASSES + class].count };
			up = ++w->in.nodes;
		}
}

static void cost_make(struct world *w, unsigned int requests)
{
	enum tl_at armed = w->others; /* hooks, for the most that any tier asks for */
	double calls = 0;
	size_t i, t;

	for (i = 0; i < TIERS * FUNCTIONS * CLASSES; i++)
		calls += w->call[i].count;
	w->in.cost = (struct tl_adapt_cost){ .known = !w->no_cost, .function_hits = 2 * calls,
					     .function_s = calls * w->trap_s / 2, .function_trap_s = w->trap_s / 4 };
	for (t = 0; t < TIERS; t++)
		armed = w->level[t] > armed ? w->level[t] : armed;
	w->in.cost.hook_s += armed == TL_AT_OFF ? 0 : TIERS * requests * w->hook_s * (armed == TL_AT_TRACE ? 0.62 : 1);
	w->share = (w->in.cost.hook_s + w->in.cost.function_s + 2 * calls * w->in.cost.function_trap_s) / PROCESSORS;
}

const struct tl_adapt_in *world_window(struct world *w)
{
	double sway = sin(2 * M_PI * w->t_s / w->period), slow = exp(w->noise * normal(w));
	unsigned int all = 0, class, n;
	struct request r;

	begin(w);
	if (w->swing > 0) /* of a queue that is 20 to 60 % busy */
		slow *= 0.6 / (1 - 0.4 - 0.2 * w->swing * sway);
	for (class = 0; class < CLASSES; class++) {
		n = poisson(w, w->requests * (1 + 0.5 * w->swing * sway));
		for (all += n; n; n--) {
			double bytes = w->bytes * (0.5 + uniform(w));

			request_make(w, class, slow, bytes, &r);
			request_add(w, class, &r, bytes);
		}
	}
	w->in = (struct tl_adapt_in){ .t_s = w->t_s, .seconds = 1, .processors = PROCESSORS, .node = w->node,
				      .cell = w->cell, .call = w->call, .cells = CELLS,
				      .calls = TIERS * FUNCTIONS * CLASSES, .tiers = TIERS, .cells_seen = CELLS,
				      .nodes_seen = w->no_paths ? 0 : CELLS, .functions_seen = TIERS * FUNCTIONS,
				      .pinned = w->pinned };
	nodes_make(w);
	cost_make(w, all);
	memset(w->fresh, 0, sizeof(w->fresh));
	w->t_s++;
	return &w->in;
}

/* Levels hold from the next window on. */
void world_obey(struct world *w, const struct tl_adapt_out *out)
{
	size_t i;

	for (i = 0; i < out->drops; i++)
		w->dropped[out->drop[i] / FUNCTIONS][out->drop[i] % FUNCTIONS] = true;
	w->others = out->others ? out->others : TL_AT_SERVER;
	for (i = 0; i < TIERS && i < out->tiers; i++) {
		if (w->pinned[i])
			continue;
		if (w->level[i] != out->tier[i].level)
			memset(w->dropped[i], 0, sizeof(w->dropped[i]));
		w->fresh[i] = w->level[i] != TL_AT_METHOD && out->tier[i].level == TL_AT_METHOD;
		w->level[i] = out->tier[i].level;
		w->functions[i] = out->tier[i].functions;
	}
}
