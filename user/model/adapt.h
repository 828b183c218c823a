/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_ADAPT_H
#define TL_MODEL_ADAPT_H

#include "adapt-evidence.h"
#include "level.h"

#define TL_ADAPT_NONE ((size_t)-1)

struct tl_adapt;

/**
 * struct tl_adapt_options - What the adaptor goes by
 * @evidence: when a path is in trouble
 * @budget: part of all processors that probes may take, above 0
 * @resting: level while all is well: server, or trace: then front tiers are at trace, others off
 * @functions: of a tier at once, at most
 * @mtu: bytes of a packet
 */
struct tl_adapt_options {
	struct tl_evidence_options evidence;
	double budget, mtu;
	enum tl_at resting;
	size_t functions;
};

/**
 * struct tl_adapt_node - Requests of a path: of a tier and class, below another node or in front
 * @id: the same in all windows
 * @cell: id of its tier and class
 * @up: index of the node above plus 1, always smaller than its own; 0 in front
 */
struct tl_adapt_node {
	size_t id, cell, up;
	double count;
};

/**
 * struct tl_adapt_cell - Requests of a tier and class
 * @id: the same in all windows, @tier: id of its tier
 * @known: of @count, those of which own times are known
 * @bytes: received and sent
 */
struct tl_adapt_cell {
	size_t id, tier;
	double count, known, response_s, own_s, bytes;
	const uint64_t *response, *own;
};

/**
 * struct tl_adapt_call - Calls of a function
 * @function: id, the same in all windows
 * @cell: tier and class of the requests, TL_ADAPT_NONE outside of any
 */
struct tl_adapt_call {
	size_t function, tier, cell;
	double count, own_s, cpu_s;
};

/**
 * struct tl_adapt_cost - What probes took
 * @known: is it?
 * @hook_s: of the kernel's hooks, with the ways to them and back; of functions their handlers alone
 * @function_trap_s: what the processor takes to come to a function's probe and back
 */
struct tl_adapt_cost {
	bool known;
	double hook_s, function_hits, function_s, function_trap_s;
};

/**
 * struct tl_adapt_in - A window
 * @tiers: ids are below; the same for @cells_seen
 * @pinned: [@tiers] levels that somebody has set, TL_AT_UNKNOWN of all other tiers
 */
struct tl_adapt_in {
	double t_s, seconds, processors;
	const struct tl_adapt_node *node;
	const struct tl_adapt_cell *cell;
	const struct tl_adapt_call *call;
	size_t nodes, cells, calls;
	size_t tiers, cells_seen, nodes_seen, functions_seen;
	const enum tl_at *pinned;
	struct tl_adapt_cost cost;
};

enum tl_adapt_why {
	TL_ADAPT_SLOW, /* raised: times are longer */
	TL_ADAPT_TIMEOUT,
	TL_ADAPT_OWN, /* and it is this tier's own time */
	TL_ADAPT_QUIET, /* lowered: they are not any more */
	TL_ADAPT_ACCEPTED, /* they have been for so long that it is normal now */
	TL_ADAPT_GONE,
	TL_ADAPT_DEAR, /* lowered, or functions dropped: the budget */
	TL_ADAPT_HELD, /* not raised: the budget */
	TL_ADAPT_PINNED, /* not raised: somebody has set the level */
	TL_ADAPT_BETWEEN, /* not raised: no tier's own time is longer */
	TL_ADAPT_SETTLED, /* raised again: probes cost less than the budget now */
	TL_ADAPT_REST, /* at the beginning */
	TL_ADAPT_WHYS
};

/**
 * struct tl_adapt_decision - Why a tier's level is changed, or is not
 * @node: path, TL_ADAPT_NONE if there is none; @cell: where the evidence is
 * @from, @to: levels, the same if nothing is changed
 * @function: id of one that is dropped, else TL_ADAPT_NONE
 * @evidence: of response times, or of own times if @own
 * @share: part of the processors that probes took, negative if it is not known
 */
struct tl_adapt_decision {
	size_t node, cell, tier, function;
	enum tl_at from, to;
	enum tl_adapt_why why;
	bool own;
	struct tl_evidence_now evidence;
	double share;
};

/**
 * struct tl_adapt_finding - What takes the time
 * @function: id, TL_ADAPT_NONE if none of those that are probed does
 * @extra_s: by how much the tier's own time is longer per request, @own_s: what it is
 * @in_s: per request in the function, @more_s: of that, what it was not before; as @in_s if that is not known
 * @cpu_s: of @in_s, on a processor
 * @compared: it is known what the function took before
 */
struct tl_adapt_finding {
	size_t node, cell, tier, function, probed;
	double extra_s, own_s, in_s, more_s, cpu_s;
	bool compared;
};

/**
 * struct tl_adapt_tier - What is asked for
 * @functions: so many, at most; @rate_max: calls a second of each above which it is to be dropped
 */
struct tl_adapt_tier {
	enum tl_at level;
	size_t functions;
	double rate_max;
};

/**
 * struct tl_adapt_out - What follows from a window; the adaptor's, until the next one
 * @tier: [@tiers]
 * @drop: [@drops] functions that are called too often
 * @share: part of the processors that probes took, negative if it is not known
 * @others: level of tiers that are not known yet, TL_AT_UNKNOWN for what it is without us
 */
struct tl_adapt_out {
	const struct tl_adapt_tier *tier;
	const struct tl_adapt_decision *decision;
	const struct tl_adapt_finding *finding;
	const size_t *drop;
	size_t tiers, decisions, findings, drops;
	double share;
	enum tl_at others;
};

void tl_adapt_defaults(struct tl_adapt_options *options);
struct tl_adapt *tl_adapt_new(const struct tl_adapt_options *options);
void tl_adapt_free(struct tl_adapt *adapt);
bool tl_adapt_hurry(struct tl_adapt *adapt, const struct tl_adapt_in *in, struct tl_adapt_out *out);
int tl_adapt_step(struct tl_adapt *adapt, const struct tl_adapt_in *in, struct tl_adapt_out *out);

#endif
