/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ADAPT_OUT_H
#define TL_ADAPT_OUT_H

#include <jansson.h>

struct tl_adapt_decision;
struct tl_adapt_feed;
struct tl_adapt_finding;

/* Names are those of @feed, @budget a part of the processors. */
char *tl_adapt_decision_text(const struct tl_adapt_feed *feed, const struct tl_adapt_decision *d, double budget);
char *tl_adapt_finding_text(const struct tl_adapt_feed *feed, const struct tl_adapt_finding *f);
json_t *tl_adapt_decision_json(const struct tl_adapt_feed *feed, const struct tl_adapt_decision *d, double t_s,
			       double budget);
json_t *tl_adapt_finding_json(const struct tl_adapt_feed *feed, const struct tl_adapt_finding *f, double t_s);

#endif
