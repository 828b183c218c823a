/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_MODEL_NAIVE_BAYES_H
#define TL_MODEL_NAIVE_BAYES_H

#include "ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_BAYES_CLASSES 4 /* at most */
#define TL_BAYES_FEATURES 16 /* at most */
#define TL_BAYES_COUNT_MOST 1000000000000ULL /* of anything: sums stay exact as doubles */

/**
 * struct tl_bayes_word - A value of a feature; a feature may have several, or none
 */
struct tl_bayes_word {
	size_t feature;
	const char *text;
};

/**
 * struct tl_bayes_feature - What was seen of a feature
 * @values: those that are told apart
 * @count: [@values.n][TL_BAYES_CLASSES] how often
 * @groups: [@values.n] in how many groups of examples
 * @other: of values that are not told apart
 * @total: of all, those too
 */
struct tl_bayes_feature {
	struct tl_ids values;
	uint64_t (*count)[TL_BAYES_CLASSES];
	uint32_t *groups;
	size_t room;
	uint64_t other[TL_BAYES_CLASSES], total[TL_BAYES_CLASSES];
};

/**
 * struct tl_bayes - Examples of classes, counted
 * @smooth: what each count is taken to be more than it is, above 0
 * @weight: [features + 1] what each feature's vote counts, the last that of the examples; 1 at first
 * @examples: of each class
 * @seen: (feature, value, group) that were counted; only while it is trained
 */
struct tl_bayes {
	size_t classes, features;
	double smooth, weight[TL_BAYES_FEATURES + 1];
	uint64_t examples[TL_BAYES_CLASSES];
	struct tl_bayes_feature feature[TL_BAYES_FEATURES];
	struct tl_ids seen;
};

/**
 * struct tl_bayes_out - What something is
 * @posterior: sums up to 1; 0 for classes without an example
 * @prior: log of each class's part of the examples, weighed
 * @part: log likelihood that each feature adds, weighed; 0 for classes without an example
 * @words: of each feature
 * @best: the likeliest class
 * @known: there are examples of two classes at least; else nothing can be said, and all are as likely
 */
struct tl_bayes_out {
	double posterior[TL_BAYES_CLASSES], prior[TL_BAYES_CLASSES];
	double part[TL_BAYES_FEATURES][TL_BAYES_CLASSES];
	size_t words[TL_BAYES_FEATURES], best;
	bool known;
};

int tl_bayes_init(struct tl_bayes *bayes, size_t classes, size_t features, double smooth);
int tl_bayes_add(struct tl_bayes *bayes, const struct tl_bayes_word *word, size_t n, size_t class, const char *group);
int tl_bayes_set(struct tl_bayes *bayes, size_t feature, const char *value, const uint64_t *count);
int tl_bayes_fold(struct tl_bayes *bayes, uint32_t groups);
int tl_bayes_judge(const struct tl_bayes *bayes, const struct tl_bayes_word *word, size_t n, struct tl_bayes_out *out);
void tl_bayes_weigh(const struct tl_bayes_out *out, const size_t *class, size_t n, size_t groups, struct tl_bayes *bayes);
void tl_bayes_free(struct tl_bayes *bayes);

#endif
