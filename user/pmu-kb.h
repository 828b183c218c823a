/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The knowledge base of counters: what programs do where nothing was missed. */
#ifndef TL_PMU_KB_H
#define TL_PMU_KB_H

#include "pmu-csv.h"

#include <stdbool.h>

struct tl_error;
struct tl_pmu_kb;

/**
 * struct tl_pmu_what - Of what something is known
 * @app: name of the program
 * @environment: of the machine and what is below the program
 */
struct tl_pmu_what {
	const char *app, *environment;
};

/**
 * struct tl_pmu_learned - What became of the base
 * @added: events of runs that are new
 * @replaced: series of the same events that made room for them
 */
struct tl_pmu_learned {
	size_t added, replaced;
};

/**
 * struct tl_pmu_recall - What is known of a program
 * @run: [@runs]
 */
struct tl_pmu_recall {
	struct tl_pmu_run *run;
	size_t runs;
};

int tl_pmu_kb_open(struct tl_pmu_kb **kb, const char *name, bool write, struct tl_error *err);
void tl_pmu_kb_close(struct tl_pmu_kb *kb);
int tl_pmu_kb_learn(struct tl_pmu_kb *kb, const struct tl_pmu_what *what,
		    const struct tl_pmu_file *file, bool beside, struct tl_pmu_learned *learned,
		    struct tl_error *err);
int tl_pmu_kb_recall(struct tl_pmu_kb *kb, const struct tl_pmu_what *what,
		     const struct tl_pmu_file *file, struct tl_pmu_recall *recall,
		     struct tl_error *err);
void tl_pmu_recall_free(struct tl_pmu_recall *recall);

#endif
