/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_ESTIMATE_H
#define TL_MODEL_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* What may be said of an estimate. */
enum tl_verdict {
	TL_VERDICT_OK,
	TL_VERDICT_UNCERTAIN, /* above zero, but known to less than its own size */
	TL_VERDICT_AT_MOST, /* there is something in it that is not the requests' own */
	TL_VERDICT_CHANCE, /* the load varied by little more than chance: only bounds */
	TL_VERDICT_ZERO, /* not told from zero: only @high95 says something */
	TL_VERDICT_NEGATIVE, /* below zero, which cannot be: the model does not fit */
	TL_VERDICT_CONTRADICTED, /* another law says otherwise */
	TL_VERDICT_INSEPARABLE, /* not identifiable: always comes with others */
	TL_VERDICT_ABSENT, /* the class never came */
};

/**
 * struct tl_estimate - A value and how sure it is
 * @value: in the unit of what it is of; of no meaning for an inseparable one
 * @error: its standard error
 * @low95: lower end of the 95 % interval
 * @high95: its upper end
 */
struct tl_estimate {
	double value, error, low95, high95;
	enum tl_verdict verdict;
};

void tl_estimate_interval(struct tl_estimate *e, double value, double error, double t);
void tl_estimate_at_most(struct tl_estimate *e);
void tl_estimate_judge(struct tl_estimate *e);
double tl_student95(double degrees);

#endif
