/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_LQN_DRAFT_H
#define TL_LQN_DRAFT_H

#include "lqn-faults.h"
#include "model/lqn.h"

struct tl_error;

/* The pragma that says with how many cycles and arrivals per second, LOW:HIGH, the
 * numbers were measured. */
#define TL_DRAFT_MEASURED "tierlens-measured"

/* The numbers of a phase, and how often each may be given: once. */
enum tl_draft_number { TL_DRAFT_DEMAND, TL_DRAFT_CV2, TL_DRAFT_THINK, TL_DRAFT_EXACT,
		       TL_DRAFT_NUMBERS };

/**
 * struct tl_draft_call - A call whose other end may not have been read yet
 * @from: index of the calling entry
 * @phase: of a call of a phase
 * @to: name of the called entry
 */
struct tl_draft_call {
	enum tl_lqn_kind kind;
	size_t from, phase;
	char *to;
	double mean;
	size_t line;
};

/**
 * struct tl_draft - A network while its file is read
 * @lqn: what is known; of calls nothing, of tasks not the processor
 * @faults: what is wrong with it
 * @runs_on: [tasks] name of the processor
 * @given: [entries] which numbers were given, bits phase * TL_DRAFT_NUMBERS + number
 * @call: [calls] as they came
 */
struct tl_draft {
	struct tl_lqn *lqn;
	struct tl_faults *faults;
	char **runs_on;
	unsigned int *given;
	struct tl_draft_call *call;
	size_t calls;
	void *processors, *tasks, *entries; /* by name, tsearch() */
};

size_t tl_draft_processor(struct tl_draft *draft, const char *name, size_t line);
size_t tl_draft_task(struct tl_draft *draft, const char *name, size_t line);
void tl_draft_runs_on(struct tl_draft *draft, size_t task, const char *processor);
size_t tl_draft_entry(struct tl_draft *draft, size_t task, const char *name, size_t line);
size_t tl_draft_find_entry(struct tl_draft *draft, const char *name, size_t line);
void tl_draft_number(struct tl_draft *draft, enum tl_draft_number what, size_t entry,
		     size_t phase, double value, size_t line);
void tl_draft_arrivals(struct tl_draft *draft, size_t entry, double per_s, size_t line);
void tl_draft_call(struct tl_draft *draft, const struct tl_draft_call *call);
void tl_draft_measured(struct tl_draft *draft, const char *range, size_t line);
bool tl_draft_decimal(const char *text, double *value);
bool tl_draft_count(const char *text, uint32_t *value);
int tl_draft_end(struct tl_draft *draft);
void tl_draft_free(struct tl_draft *draft);

#endif
