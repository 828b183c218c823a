/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_CBMG_GRAPH_H
#define TL_CBMG_GRAPH_H

#include "lqn-faults.h"
#include "model/cbmg-fit.h"

#include <jansson.h>
#include <stdio.h>

struct tl_bytes;
struct tl_error;
struct tl_weblog;

/**
 * struct tl_cbmg_type - The graph of one type of users
 * @name: of the type
 * @share: part of all sessions, or requests of graphs without an end; below 0 unknown
 * @sessions: from a log, how many
 * @requests: from a log, how many
 * @fit: its figures; states that it does not have are neither left nor asked for
 */
struct tl_cbmg_type {
	char *name;
	double share;
	uint64_t sessions, requests;
	struct tl_cbmg_fit fit;
};

/**
 * struct tl_cbmg_graph - Graphs of all types of users
 * @n: states; TL_CBMG_START and TL_CBMG_EXIT come first, also if there are none
 * @name: [n] of the states
 * @order: [n] in which they are shown: the start, the most asked for, the end
 * @all: everybody together; nothing is known of it if @pooled is not set
 * @pooled: shares are known, or there is one type
 * @type: [types]; none if all users are of one
 * @log: where it comes from, or NULL for a matrix
 * @verdict: "ok", or why there are no figures
 * @notes: what should be known of them
 * @figures: there are some
 */
struct tl_cbmg_graph {
	size_t n, types;
	char **name;
	size_t *order;
	struct tl_cbmg_type all, *type;
	bool pooled, figures;
	const struct tl_weblog *log;
	char *verdict;
	struct tl_faults notes;
};

/* cbmg-graph.c */
bool tl_cbmg_has(const struct tl_cbmg_fit *fit, size_t state);
int tl_cbmg_from_log(struct tl_cbmg_graph *graph, const struct tl_weblog *log,
		     struct tl_error *err);
bool tl_cbmg_has_figures(const struct tl_cbmg_graph *graph, const struct tl_cbmg_type *type);
const char *tl_cbmg_type_verdict(const struct tl_cbmg_graph *graph,
				 const struct tl_cbmg_type *type);
int tl_cbmg_order(struct tl_cbmg_graph *graph);
void tl_cbmg_graph_free(struct tl_cbmg_graph *graph);

/**
 * struct tl_cbmg_draft - A matrix as a file has it
 * @type: name of the type of users, or NULL
 * @name: [n] of the states
 * @p: [n][n]
 * @think_s: [n][n] times between an answer and the next request; below 0 unknown
 * @row: [n] line of the file that a row is in, 0 if it has none
 * @start: index of the start, or TL_CBMG_NONE
 * @exit: index of the end, or TL_CBMG_NONE
 */
struct tl_cbmg_draft {
	char *type, **name;
	size_t n, start, exit;
	double *p, *think_s, share;
	unsigned long *row;
};

/**
 * struct tl_cbmg_matrix_in - What a matrix is read with
 * @file: its name
 * @start: the state that sessions start from, or NULL for one that is called so
 * @exit: the state that they end in, or NULL
 * @only: the type that is wanted, or NULL for all
 * @share: [shares] "TYPE=PART"
 * @shares: how many
 */
struct tl_cbmg_matrix_in {
	const char *file, *start, *exit, *only, *const *share;
	size_t shares;
};

/* cbmg-matrix.c, cbmg-draft.c, cbmg-csv.c */
bool tl_cbmg_is_matrix(const char *file);
int tl_cbmg_from_matrix(struct tl_cbmg_graph *graph, const struct tl_cbmg_matrix_in *in,
			struct tl_error *err);
int tl_cbmg_draft_new(struct tl_cbmg_draft *draft, const char *place, size_t n,
		      struct tl_error *err);
int tl_cbmg_draft_name(struct tl_cbmg_draft *draft, const char *place, size_t at,
		       const char *name, struct tl_error *err);
size_t tl_cbmg_draft_find(const struct tl_cbmg_draft *draft, const char *name);
int tl_cbmg_draft_check(struct tl_cbmg_draft *draft, const struct tl_cbmg_matrix_in *in,
			struct tl_error *err);
void tl_cbmg_draft_free(struct tl_cbmg_draft *draft);
int tl_cbmg_csv(struct tl_cbmg_draft *draft, const struct tl_cbmg_matrix_in *in,
		struct tl_error *err);

/* cbmg-json.c, cbmg-text.c, cbmg-dot.c */
json_t *tl_cbmg_json(const struct tl_cbmg_graph *graph);
void tl_cbmg_print(const struct tl_cbmg_graph *graph, FILE *to);
void tl_cbmg_dot(const struct tl_cbmg_graph *graph, double least, FILE *to);

#endif
