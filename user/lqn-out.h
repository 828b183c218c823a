/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_OUT_H
#define TL_LQN_OUT_H

#include <jansson.h>
#include <stdio.h>

#define TL_LQN_ROWS_MAX 200 /* of a table for people; programs get them all */

struct tl_faults;
struct tl_grid;
struct tl_lqn;
struct tl_lqn_solution;

/* lqn-solution-out.c */
char *tl_lqn_verdict(const struct tl_lqn *lqn, const struct tl_lqn_solution *solution);
json_t *tl_lqn_solution_json(const struct tl_lqn *lqn, const struct tl_lqn_solution *solution,
			     const struct tl_faults *faults);
json_t *tl_lqn_half95_json(const struct tl_lqn *lqn, const struct tl_lqn_solution *solution);
void tl_lqn_solution_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *solution,
			   double factor, FILE *to);

/* lqn-verify-out.c */
json_t *tl_lqn_verify_json(const struct tl_lqn *lqn, const struct tl_lqn_solution *solved,
			   const struct tl_lqn_solution *simulated);
void tl_lqn_verify_print(const struct tl_lqn *lqn, const struct tl_lqn_solution *solved,
			 const struct tl_lqn_solution *simulated, double factor, FILE *to);

/* lqn-check-out.c */
void tl_lqn_grid_end(struct tl_grid *grid, size_t n, FILE *to);
void tl_lqn_notes_print(const struct tl_faults *faults);
int tl_lqn_check_print(const struct tl_lqn *lqn, const struct tl_faults *faults, FILE *to);
json_t *tl_lqn_check_json(const struct tl_lqn *lqn, const struct tl_faults *faults);
json_t *tl_faults_json(char *const *sentences, size_t n);

#endif
