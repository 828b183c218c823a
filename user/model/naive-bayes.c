// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Naive Bayes over features that are words (paper 004, 3.1.3)
 *
 *   P(c | x) = P(c) Π_f P(x_f | c) / Σ_c' P(c') Π_f P(x_f | c')
 *
 * in logarithms, with the largest taken out before they are raised again, so that neither many
 * features nor rare values lead out of the numbers' range.
 *
 * P(c) = (n_c + a) / (n + a k) for the k classes that have examples, Laplace's rule with a = smooth.
 * Of a feature of which v values are told apart
 *
 *   P(w | c) = (n_wc + a) / (n_c + a (v + 1)),
 *
 * where the one more stands for all other values, which have a count of their own: values that came
 * in few groups of examples (packages, programs) say more of the group than of the class, and one
 * that was never seen is likelier in a class where such values were common.
 *
 * A feature may have several words, as a path has folders. They depend on each other; the feature has
 * one vote, their mean:
 *
 *   log P(x_f | c) = 1/m Σ_i log P(w_i | c).
 *
 * Features depend on each other as well: what lies in the program's folder has the program's time. Votes
 * have weights, log P(c | x) = w_0 log P(c) + Σ_f w_f log P(x_f | c) - log Z, all 1 in the plain
 * classifier; naive-bayes-weights.c finds better ones.
 *
 * A feature without a word is not known and has no vote. A class without examples is impossible, and
 * where fewer than two classes have some, nothing is said.
 */
#include "naive-bayes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MOST 1024 /* bytes of a value that tell it from others */

/**
 * tl_bayes_init() - Begin without an example
 * @bayes: set up; to be freed
 * @classes: how many there are, 2 or more
 * @features: how many, 1 or more
 * @smooth: what each count is taken to be more than it is, above 0
 *
 * Return: 0 or -EINVAL.
 */
int tl_bayes_init(struct tl_bayes *bayes, size_t classes, size_t features, double smooth)
{
	size_t f;

	*bayes = (struct tl_bayes){ .classes = classes, .features = features, .smooth = smooth };
	for (f = 0; f <= TL_BAYES_FEATURES; f++)
		bayes->weight[f] = 1;
	if (classes < 2 || classes > TL_BAYES_CLASSES || !features || features > TL_BAYES_FEATURES ||
	    !(smooth > 0 && smooth <= 1e6))
		return -EINVAL;
	return 0;
}

/**
 * tl_bayes_free() - Give back what the examples took
 * @bayes: set up by tl_bayes_init(), or all zero
 */
void tl_bayes_free(struct tl_bayes *bayes)
{
	size_t f;

	for (f = 0; f < TL_BAYES_FEATURES; f++) {
		tl_ids_free(&bayes->feature[f].values);
		free(bayes->feature[f].count);
		free(bayes->feature[f].groups);
	}
	tl_ids_free(&bayes->seen);
	*bayes = (struct tl_bayes){ 0 };
}

/* ---- examples ---------------------------------------------------------------------------- */

static int value_of(struct tl_bayes_feature *f, const char *text, uint32_t *value)
{
	size_t n = f->values.n, room = f->room ? 2 * f->room : 32;
	uint64_t (*count)[TL_BAYES_CLASSES];
	uint32_t *groups;

	if (tl_ids_of(&f->values, text, strnlen(text, KEY_MOST), value))
		return -ENOMEM;
	if (f->values.n == n || f->values.n <= f->room)
		return 0;
	count = reallocarray(f->count, room, sizeof(*count));
	f->count = count ? count : f->count;
	groups = reallocarray(f->groups, room, sizeof(*groups));
	f->groups = groups ? groups : f->groups;
	if (!count || !groups)
		return -ENOMEM;
	memset(count + f->room, 0, (room - f->room) * sizeof(*count));
	memset(groups + f->room, 0, (room - f->room) * sizeof(*groups));
	f->room = room;
	return 0;
}

/* Has this group had that value? If not, now it has. */
static int group_seen(struct tl_bayes *bayes, size_t feature, uint32_t value, uint32_t group, bool *new)
{
	uint32_t key[3] = { (uint32_t)feature, value, group }, id;
	size_t n = bayes->seen.n;

	if (tl_ids_of(&bayes->seen, key, sizeof(key), &id))
		return -ENOMEM;
	*new = bayes->seen.n > n;
	return 0;
}

static int word_add(struct tl_bayes *bayes, const struct tl_bayes_word *word, size_t class, uint32_t group)
{
	struct tl_bayes_feature *f = &bayes->feature[word->feature];
	uint32_t value;
	bool new;

	if (f->total[class] >= TL_BAYES_COUNT_MOST)
		return -ERANGE;
	if (value_of(f, word->text, &value) || group_seen(bayes, word->feature, value, group, &new))
		return -ENOMEM;
	f->count[value][class]++;
	f->groups[value] += new;
	f->total[class]++;
	return 0;
}

/**
 * tl_bayes_add() - Count an example
 * @bayes: gets it
 * @word: [@n] its features' values
 * @n: how many
 * @class: what it is
 * @group: of which it is one of several that are alike; a package, a program
 *
 * Return: 0, -ENOMEM; -EINVAL for a class or feature that there is not; -ERANGE beyond 1e12.
 */
int tl_bayes_add(struct tl_bayes *bayes, const struct tl_bayes_word *word, size_t n, size_t class, const char *group)
{
	/* Its own key has another length than the others'. */
	char key[KEY_MOST + 16] = "group";
	size_t i, len = strnlen(group, KEY_MOST);
	uint32_t id;
	int code = 0;

	if (class >= bayes->classes)
		return -EINVAL;
	for (i = 0; i < n; i++)
		if (word[i].feature >= bayes->features)
			return -EINVAL;
	memcpy(key + 16, group, len);
	if (tl_ids_of(&bayes->seen, key, len + 16, &id))
		return -ENOMEM;
	bayes->examples[class]++;
	for (i = 0; !code && i < n; i++)
		code = word_add(bayes, &word[i], class, id);
	return code;
}

/**
 * tl_bayes_set() - Put a value there that was counted before
 * @bayes: gets it
 * @feature: of which
 * @value: which; NULL for those that are not told apart
 * @count: [classes] each up to TL_BAYES_COUNT_MOST
 *
 * Return: 0, -ENOMEM; -EINVAL for a feature that there is not; -EEXIST if it is there.
 */
int tl_bayes_set(struct tl_bayes *bayes, size_t feature, const char *value, const uint64_t *count)
{
	struct tl_bayes_feature *f;
	uint64_t *to;
	uint32_t id;
	size_t c;

	if (feature >= bayes->features)
		return -EINVAL;
	f = &bayes->feature[feature];
	if (value && tl_ids_find(&f->values, value, strnlen(value, KEY_MOST), &id))
		return -EEXIST;
	if (value && value_of(f, value, &id))
		return -ENOMEM;
	to = value ? f->count[id] : f->other;
	for (c = 0; c < bayes->classes; c++) {
		to[c] = count[c];
		f->total[c] += count[c];
	}
	return 0;
}

static int feature_fold(struct tl_bayes_feature *f, size_t classes, uint32_t groups)
{
	struct tl_bayes_feature kept = { 0 };
	size_t i, c, len;
	uint32_t value;

	for (i = 0; i < f->values.n; i++) {
		for (c = 0; c < classes && f->groups[i] < groups; c++)
			kept.other[c] += f->count[i][c];
		if (f->groups[i] < groups)
			continue;
		if (value_of(&kept, tl_ids_key(&f->values, (uint32_t)i, &len), &value)) {
			tl_ids_free(&kept.values);
			free(kept.count);
			free(kept.groups);
			return -ENOMEM;
		}
		memcpy(kept.count[value], f->count[i], sizeof(*kept.count));
		kept.groups[value] = f->groups[i];
	}
	for (c = 0; c < classes; c++)
		kept.other[c] += f->other[c];
	memcpy(kept.total, f->total, sizeof(kept.total));
	tl_ids_free(&f->values);
	free(f->count);
	free(f->groups);
	*f = kept;
	return 0;
}

/**
 * tl_bayes_fold() - No longer tell values apart that came in few groups
 * @bayes: all examples are in
 * @groups: so many are enough
 *
 * Return: 0 or -ENOMEM.
 */
int tl_bayes_fold(struct tl_bayes *bayes, uint32_t groups)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < bayes->features; i++)
		code = feature_fold(&bayes->feature[i], bayes->classes, groups);
	return code;
}

/* ---- what something is ------------------------------------------------------------------- */

static size_t classes_known(const struct tl_bayes *bayes, uint64_t *examples)
{
	size_t c, known = 0;

	for (c = 0, *examples = 0; c < bayes->classes; c++) {
		known += bayes->examples[c] > 0;
		*examples += bayes->examples[c];
	}
	return known;
}

static void word_judge(const struct tl_bayes *bayes, const struct tl_bayes_word *word, struct tl_bayes_out *out)
{
	const struct tl_bayes_feature *f = &bayes->feature[word->feature];
	double weight = bayes->weight[word->feature] / (double)out->words[word->feature];
	const uint64_t *count = f->other;
	uint32_t value;
	size_t c;

	if (tl_ids_find(&f->values, word->text, strnlen(word->text, KEY_MOST), &value))
		count = f->count[value];
	for (c = 0; c < bayes->classes; c++)
		if (bayes->examples[c])
			out->part[word->feature][c] += weight * log(((double)count[c] + bayes->smooth) /
				((double)f->total[c] + bayes->smooth * (double)(f->values.n + 1)));
}

/* Raises logarithms of what is only known up to a factor. */
static void posterior_of(const struct tl_bayes *bayes, const double *score, struct tl_bayes_out *out)
{
	double most = -INFINITY, sum = 0;
	size_t c;

	for (c = 0; c < bayes->classes; c++)
		if (bayes->examples[c] && score[c] > most) {
			most = score[c];
			out->best = c;
		}
	for (c = 0; c < bayes->classes; c++) {
		out->posterior[c] = bayes->examples[c] ? exp(score[c] - most) : 0;
		sum += out->posterior[c];
	}
	for (c = 0; c < bayes->classes; c++)
		out->posterior[c] /= sum;
}

/**
 * tl_bayes_judge() - What something is
 * @bayes: examples
 * @word: [@n] its features' values
 * @n: how many
 * @out: filled in
 *
 * Return: 0, or -EINVAL for a feature that there is not.
 */
int tl_bayes_judge(const struct tl_bayes *bayes, const struct tl_bayes_word *word, size_t n, struct tl_bayes_out *out)
{
	double score[TL_BAYES_CLASSES] = { 0 };
	size_t i, f, c, known;
	uint64_t examples;

	*out = (struct tl_bayes_out){ 0 };
	known = classes_known(bayes, &examples);
	out->known = known > 1;
	for (i = 0; i < n; i++) {
		if (word[i].feature >= bayes->features)
			return -EINVAL;
		out->words[word[i].feature]++;
	}
	for (c = 0; c < bayes->classes && !out->known; c++)
		out->posterior[c] = 1 / (double)bayes->classes;
	if (!out->known)
		return 0;
	for (i = 0; i < n; i++)
		word_judge(bayes, &word[i], out);
	for (c = 0; c < bayes->classes; c++) {
		if (!bayes->examples[c])
			continue;
		out->prior[c] = bayes->weight[bayes->features] * log(((double)bayes->examples[c] + bayes->smooth) /
			((double)examples + bayes->smooth * (double)known));
		for (f = 0, score[c] = out->prior[c]; f < bayes->features; f++)
			score[c] += out->part[f][c];
	}
	posterior_of(bayes, score, out);
	return 0;
}
