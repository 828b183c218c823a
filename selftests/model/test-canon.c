// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Canonical codes: as many as there are digraphs of 4 and 5 nodes, against all permutations
 * on small labelled graphs, against nauty on larger ones, graphs that refinement alone cannot
 * tell apart, and graphs whose nodes were given in another order.
 */
#include "tap.h"

#include "sim.h"

#include "model/canon.h"

#include <errno.h>
#include <nauty/nautinv.h>
#include <nauty/nauty.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CODE_MAX (1 + TL_CANON_MAX + 2 * TL_CANON_MAX * TL_CANON_MAX)

struct graph {
	size_t n;
	uint32_t node[TL_CANON_MAX], edge[TL_CANON_MAX * TL_CANON_MAX];
};

static uint32_t *edge(struct graph *g, size_t from, size_t to)
{
	return &g->edge[from * g->n + to];
}

static void join(struct graph *g, size_t a, size_t b)
{
	*edge(g, a, b) = *edge(g, b, a) = 1;
}

/* Return: the length, 0 if there is no code. */
static size_t code_of(const struct graph *g, uint32_t *code, uint64_t *steps)
{
	const struct tl_canon_in in = { .n = g->n, .node = g->node, .edge = g->edge };
	struct tl_canon_out out;

	if (tl_canon(&in, &out))
		return 0;
	if (steps)
		*steps = out.steps;
	return tl_canon_code(&in, &out, code, CODE_MAX);
}

static bool same(const struct graph *a, const struct graph *b)
{
	static uint32_t code[2][CODE_MAX];
	size_t len = code_of(a, code[0], NULL);

	return len && len == code_of(b, code[1], NULL) &&
	       !memcmp(code[0], code[1], len * sizeof(**code));
}

/* ---- all of them --------------------------------------------------------------------- */

/* Pairs of different nodes are bits; the graph read in canonical order. */
static uint32_t bits_canonical(size_t n, uint32_t bits)
{
	uint32_t matrix[25] = { 0 }, canonical = 0;
	const struct tl_canon_in in = { .n = n, .edge = matrix };
	struct tl_canon_out out;
	size_t i, k, bit = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			if (i != k)
				matrix[i * n + k] = bits >> bit++ & 1;
	if (tl_canon(&in, &out))
		return 0;
	for (i = 0, bit = 0; i < n; i++)
		for (k = 0; k < n; k++)
			if (i != k)
				canonical |= matrix[out.order[i] * n + out.order[k]] << bit++;
	return canonical;
}

static void test_all(size_t n, uint64_t want)
{
	uint32_t bits, graphs = 1U << (n * (n - 1));
	bool *seen = calloc(graphs, sizeof(*seen));
	clock_t begin = clock();
	uint64_t codes = 0;
	double s;

	for (bits = 0; bits < graphs; bits++) {
		uint32_t code = bits_canonical(n, bits);

		codes += !seen[code];
		seen[code] = true;
	}
	s = (double)(clock() - begin) / CLOCKS_PER_SEC;
	free(seen);
	is_u64(codes, want, "%u digraphs of %zu nodes, %.2f s", graphs, n, s);
}

/* ---- against all permutations -------------------------------------------------------- */

static bool equal_under(struct graph *a, struct graph *b, const size_t *to)
{
	size_t i, k;

	for (i = 0; i < a->n; i++) {
		if (a->node[i] != b->node[to[i]])
			return false;
		for (k = 0; k < a->n; k++)
			if (*edge(a, i, k) != *edge(b, to[i], to[k]))
				return false;
	}
	return true;
}

static bool isomorphic(struct graph *a, struct graph *b, size_t *to, size_t at)
{
	size_t i, keep;

	if (at == a->n)
		return equal_under(a, b, to);
	for (i = at; i < a->n; i++) {
		keep = to[at];
		to[at] = to[i];
		to[i] = keep;
		if (isomorphic(a, b, to, at + 1))
			return true;
		keep = to[at];
		to[at] = to[i];
		to[i] = keep;
	}
	return false;
}

static void random_graph(struct sim *rng, struct graph *g, size_t n, double part)
{
	size_t i, k;

	memset(g, 0, sizeof(*g));
	g->n = n;
	for (i = 0; i < n; i++) {
		g->node[i] = (uint32_t)(2 * sim_uniform(rng));
		for (k = 0; k < n; k++)
			if (sim_uniform(rng) < part)
				*edge(g, i, k) = 1 + (uint32_t)(2 * sim_uniform(rng));
	}
}

static void shuffled(struct sim *rng, struct graph *g, struct graph *to)
{
	size_t place[TL_CANON_MAX], i, k, other, keep;

	for (i = 0; i < g->n; i++)
		place[i] = i;
	for (i = g->n; i-- > 1;) {
		other = (size_t)((double)(i + 1) * sim_uniform(rng));
		keep = place[i];
		place[i] = place[other];
		place[other] = keep;
	}
	to->n = g->n;
	for (i = 0; i < g->n; i++) {
		to->node[place[i]] = g->node[i];
		for (k = 0; k < g->n; k++)
			*edge(to, place[i], place[k]) = *edge(g, i, k);
	}
}

/* Two edges change their labels: often the same graph again, mostly with equal degrees. */
static void exchange(struct sim *rng, struct graph *g)
{
	uint32_t *a = &g->edge[(size_t)((double)(g->n * g->n) * sim_uniform(rng))];
	uint32_t *b = &g->edge[(size_t)((double)(g->n * g->n) * sim_uniform(rng))];
	uint32_t keep = *a;

	*a = *b;
	*b = keep;
}

static void test_permutations(struct sim *rng)
{
	size_t i, wrong = 0, alike = 0, to[TL_CANON_MAX], k;
	struct graph a, b, c;

	for (i = 0; i < 3000; i++) {
		random_graph(rng, &a, 2 + i % 4, 0.3);
		memset(a.node, 0, i % 3 ? sizeof(a.node) : 0);
		b = a;
		exchange(rng, &b);
		shuffled(rng, &b, &c);
		for (k = 0; k < a.n; k++)
			to[k] = k;
		k = isomorphic(&a, &c, to, 0);
		alike += k;
		wrong += same(&a, &c) != k;
	}
	ok(!wrong && alike > 500 && alike < 2500, "labels and loops, against all permutations: %zu of 3000 pairs "
	   "isomorphic, %zu wrong", alike, wrong);
}

/* ---- against nauty ------------------------------------------------------------------- */

/*
 * nauty knows colours of nodes alone. Each node is three, one a layer, joined from one to the
 * next: an edge is in the layers that its label has as bits, a node's label, and its
 * layer, are its colour.
 */
#define LAYERS 3
#define LABELS 4

static void nauty_layers(struct graph *g, graph *layer, size_t m)
{
	size_t i, k, at;

	EMPTYGRAPH(layer, m, LAYERS * g->n);
	for (at = 0; at < LAYERS; at++)
		for (i = 0; i < g->n; i++) {
			if (at)
				ADDONEARC(layer, (at - 1) * g->n + i, at * g->n + i, m);
			for (k = 0; k < g->n; k++)
				if (*edge(g, i, k) >> at & 1)
					ADDONEARC(layer, at * g->n + i, at * g->n + k, m);
		}
}

static void nauty_colours(const struct graph *g, int *lab, int *ptn)
{
	size_t at, label, i, n = 0;

	for (at = 0; at < LAYERS; at++)
		for (label = 0; label < LABELS; label++) {
			for (i = 0; i < g->n; i++)
				if (g->node[i] == label) {
					lab[n] = (int)(at * g->n + i);
					ptn[n++] = 1;
				}
			if (n)
				ptn[n - 1] = 0;
		}
}

/* @code: [LAYERS * TL_CANON_MAX * MAXM] and before it how many have each label. */
static size_t nauty_code(struct graph *g, set *code)
{
	static DEFAULTOPTIONS_DIGRAPH(options);
	int n = (int)(LAYERS * g->n), m = SETWORDSNEEDED(n), lab[LAYERS * TL_CANON_MAX];
	int ptn[LAYERS * TL_CANON_MAX], orbits[LAYERS * TL_CANON_MAX];
	static graph layer[LAYERS * TL_CANON_MAX * LAYERS];
	statsblk stats;
	size_t i;

	options.getcanon = TRUE;
	options.defaultptn = FALSE;
	nauty_layers(g, layer, (size_t)m);
	nauty_colours(g, lab, ptn);
	memset(code, 0, LABELS * sizeof(*code));
	for (i = 0; i < g->n; i++)
		code[g->node[i]]++;
	densenauty(layer, lab, ptn, orbits, &options, &stats, m, n, code + LABELS);
	return LABELS + (size_t)(m * n);
}

#define ORACLE_GRAPHS 600
#define ORACLE_WORDS (LABELS + LAYERS * TL_CANON_MAX * LAYERS)

/* Random graphs, and ones all of whose nodes are alike, or all but one. */
static void oracle_graph(struct sim *rng, struct graph *g, size_t i)
{
	size_t n = 3 + i % 12, a, b;
	uint32_t step[TL_CANON_MAX];

	if (i % 4 == 0) {
		random_graph(rng, g, 3, 0.3);
		return;
	}
	for (a = 0; a < n; a++)
		step[a] = sim_uniform(rng) < 0.3 ? 1 + (uint32_t)((double)(i % 4) * sim_uniform(rng)) : 0;
	memset(g, 0, sizeof(*g));
	g->n = n;
	for (a = 0; a < n; a++)
		for (b = 0; b < n; b++)
			*edge(g, a, b) = step[(b + n - a) % n];
	if (i % 4 == 3)
		g->node[(size_t)((double)n * sim_uniform(rng))] = 1 + (uint32_t)(3 * sim_uniform(rng));
}

static void test_nauty(struct sim *rng)
{
	static uint32_t ours[ORACLE_GRAPHS][1 + 16 + 2 * 16 * 16];
	static set theirs[ORACLE_GRAPHS][ORACLE_WORDS];
	size_t n[ORACLE_GRAPHS], i, k, pairs = 0, wrong = 0;
	static uint32_t code[CODE_MAX];
	struct graph a, b;

	for (i = 0; i < ORACLE_GRAPHS; i++) {
		if (i % 3)
			exchange(rng, &a);
		else
			oracle_graph(rng, &a, i / 3);
		shuffled(rng, &a, &b);
		memset(code, 0, sizeof(code));
		wrong += code_of(&b, code, NULL) > sizeof(*ours) / sizeof(**ours);
		memcpy(ours[i], code, sizeof(*ours));
		n[i] = nauty_code(&b, theirs[i]);
		memset(theirs[i] + n[i], 0, (ORACLE_WORDS - n[i]) * sizeof(**theirs));
		for (k = 0; k < i; k++) {
			bool alike = n[i] == n[k] && !memcmp(theirs[i], theirs[k], sizeof(*theirs));

			pairs += alike;
			wrong += alike == !!memcmp(ours[i], ours[k], sizeof(*ours));
		}
	}
	ok(!wrong && pairs > 300, "against nauty: %zu of %d pairs isomorphic, %zu wrong", pairs,
	   ORACLE_GRAPHS * (ORACLE_GRAPHS - 1) / 2, wrong);
}

/* ---- hard ones ----------------------------------------------------------------------- */

/* 4×4: neighbours in a row or column, or by the steps (1, 0), (0, 1) and (1, 1). */
static void square(struct graph *g, bool rook)
{
	size_t a, b, dx, dy;

	memset(g, 0, sizeof(*g));
	g->n = 16;
	for (a = 0; a < 16; a++)
		for (b = 0; b < 16; b++) {
			dx = (a % 4 - b % 4) & 3;
			dy = (a / 4 - b / 4) & 3;
			if (a != b && (rook ? !dx || !dy :
				       (dx != 2 && dy != 2 && (!dx || !dy || dx == dy))))
				join(g, a, b);
		}
}

/*
 * Cai, Fürer, Immerman over K4: of each node the even subsets of its edges, of each edge two
 * nodes, for being in the subset or not; twisted where the two change places at one end.
 */
static void cfi(struct graph *g, bool twist)
{
	static const int at[4][4] = { { -1, 0, 1, 2 }, { 0, -1, 3, 4 }, { 1, 3, -1, 5 }, { 2, 4, 5, -1 } };
	static const unsigned int even[4] = { 0, 3, 5, 6 };
	size_t v, s, other, nth, in;

	memset(g, 0, sizeof(*g));
	g->n = 28;
	for (v = 0; v < 4; v++)
		for (s = 0; s < 4; s++)
			for (other = 0, nth = 0; other < 4; other++) {
				if (other == v)
					continue;
				in = even[s] >> nth++ & 1;
				in ^= twist && v == 0 && other == 1;
				join(g, 4 * v + s, 16 + 2 * (size_t)at[v][other] + in);
			}
}

static void test_apart(struct sim *rng, const char *name, struct graph *a, struct graph *b)
{
	struct graph c;
	size_t i, kept = 0;

	ok(!same(a, b), "%s", name);
	for (i = 0; i < 20; i++) {
		shuffled(rng, i % 2 ? a : b, &c);
		kept += same(&c, i % 2 ? a : b) && !same(&c, i % 2 ? b : a);
	}
	is_u64(kept, 20, "%s: in other orders", name);
}

static void test_hard(struct sim *rng)
{
	struct graph a, b;

	square(&a, true);
	square(&b, false);
	test_apart(rng, "the rook's graph and Shrikhande's", &a, &b);
	cfi(&a, false);
	cfi(&b, true);
	test_apart(rng, "CFI over K4 and its twist", &a, &b);
}

/* Without what automorphisms show, these would take 64! steps. */
static void test_symmetric(void)
{
	static uint32_t code[CODE_MAX];
	struct graph g = { .n = TL_CANON_MAX };
	uint64_t steps = 0;
	size_t i, k, len = code_of(&g, code, &steps);

	ok(len == 1 + TL_CANON_MAX && steps <= 2100, "64 nodes without edges: %" PRIu64 " steps", steps);
	for (i = 0; i < g.n; i++)
		for (k = 0; k < i; k++)
			join(&g, i, k);
	len = code_of(&g, code, &steps);
	ok(len == CODE_MAX - 128 && steps <= 2100, "all edges: %" PRIu64 " steps", steps);
	for (i = 0; i < g.n * g.n; i++)
		g.edge[i] = i / g.n / 4 == i % g.n / 4 && i / g.n != i % g.n;
	len = code_of(&g, code, &steps);
	ok(len && steps <= 2100, "16 cliques: %" PRIu64 " steps", steps);
}

static void test_relabelled(struct sim *rng)
{
	size_t i, kept = 0, apart = 0;
	struct graph a, b;

	for (i = 0; i < 300; i++) {
		random_graph(rng, &a, 3 + i % 30, i % 2 ? 0.1 : 0.5);
		shuffled(rng, &a, &b);
		kept += same(&a, &b);
		*edge(&b, 0, 1) = *edge(&b, 0, 1) ? 0 : 1;
		apart += !same(&a, &b);
	}
	ok(kept == 300 && apart == 300, "in another order: %zu of 300 the same; with one edge more or less: %zu "
	   "different", kept, apart);
}

/* Of the elements of Z2×Z2×Z8, two joined if they differ by some: all nodes are alike. */
static void transitive(struct sim *rng, struct graph *g)
{
	bool step[32];
	size_t a, b, i;

	for (i = 0; i < 32; i++)
		step[i] = sim_uniform(rng) < 0.25;
	memset(g, 0, sizeof(*g));
	g->n = 32;
	for (a = 0; a < 32; a++)
		for (b = 0; b < 32; b++)
			if (a != b)
				*edge(g, a, b) = step[((a ^ b) & 24) | ((a - b) & 7)];
}

static void test_transitive(struct sim *rng)
{
	struct graph a, b, both = { .n = 64 }, c;
	size_t i, k, n, kept = 0;

	for (i = 0; i < 60; i++) {
		transitive(rng, &a);
		shuffled(rng, &a, &b);
		for (n = 0; n < 32; n++)
			for (k = 0; k < 32; k++) {
				*edge(&both, n, k) = *edge(&a, n, k);
				*edge(&both, n + 32, k + 32) = *edge(&b, n, k);
			}
		shuffled(rng, &both, &c);
		kept += same(&a, &b) && same(&both, &c);
	}
	is_u64(kept, 60, "all nodes alike, and two such graphs beside each other, in other orders");
}

static void test_refused(void)
{
	static uint32_t many[(TL_CANON_MAX + 1) * (TL_CANON_MAX + 1)];
	struct tl_canon_in in = { .n = TL_CANON_MAX + 1, .edge = many };
	struct tl_canon_out out;
	struct graph g;

	is_u64((uint64_t)-tl_canon(&in, &out), EINVAL, "65 nodes");
	in.n = 0;
	is_u64((uint64_t)-tl_canon(&in, &out), EINVAL, "none");
	square(&g, true);
	in = (struct tl_canon_in){ .n = g.n, .edge = g.edge, .effort = 5 };
	is_u64((uint64_t)-tl_canon(&in, &out), E2BIG, "too many steps");
	in.effort = 0;
	ok(!tl_canon(&in, &out) && tl_canon_code(&in, &out, NULL, 0) == 1 + 16 + 2 * 96, "a code's length alone");
}

int main(void)
{
	struct sim rng;

	sim_seed(&rng, 7);
	test_all(4, 218);
	test_all(5, 9608);
	test_permutations(&rng);
	test_nauty(&rng);
	test_hard(&rng);
	test_symmetric();
	test_relabelled(&rng);
	test_transitive(&rng);
	test_refused();
	return done();
}
