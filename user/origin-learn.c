// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Learning where code comes from, out of files of which that is known
 *
 * Examples are counted. What the features' votes are worth is found on examples of packages and programs
 * that were left out of the counting, a fifth at a time: of new ones they are to tell.
 *
 * A library is asked for by others if a file asks for it whose group has no library of that name. A
 * program's own libraries ask for each other, which says nothing of whose they are.
 */
#include "origin-learn.h"

#include "error.h"
#include "origin-features.h"
#include "origin-packages.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FOLDS 5
#define GROUPS_LEAST 20 /* of fewer the weights stay 1 */

/* An example, with what its words point to behind them. */
struct example {
	struct tl_bayes_word *word;
	char *group, *library;
	size_t n, class;
	uint32_t fold;
	enum tl_origin_family family;
};

struct learner {
	const struct tl_origin_learn *learn;
	struct tl_origin_model *model;
	struct example *example;
	struct tl_ids groups[TL_ORIGIN_FAMILIES], has, asks; /* "library\ngroup" */
};

static int example_keep(struct learner *l, const struct tl_origin_words *words, size_t i)
{
	struct example *e = &l->example[i];
	size_t n = words->n * sizeof(*e->word), k;
	uint32_t group;
	char *text;

	*e = (struct example){ .n = words->n, .class = (size_t)l->learn->rows->row[i].label, .family = tl_origin_family(words->kind) };
	/* One more for who asks for it. */
	n += sizeof(*e->word);
	e->word = malloc(n + words->used + 1);
	e->group = strdup(words->group);
	e->library = strdup(words->library);
	if (!e->word || !e->group || !e->library || tl_ids_of(&l->groups[e->family], words->group, strlen(words->group), &group))
		return -ENOMEM;
	e->fold = group % FOLDS;
	text = (char *)e->word + n;
	memcpy(text, words->text, words->used);
	for (k = 0; k < words->n; k++)
		e->word[k] = (struct tl_bayes_word){ words->word[k].feature, text + (words->word[k].text - words->text) };
	return 0;
}

static int pair_add(struct tl_ids *pairs, const char *library, const char *group)
{
	char pair[600];
	uint32_t id;

	snprintf(pair, sizeof(pair), "%.300s\n%.255s", library, group);
	return tl_ids_of(pairs, pair, strlen(pair), &id);
}

static int pairs_get(struct learner *l)
{
	const struct example *e = l->example, *end = e + l->learn->rows->n;
	int code = 0;
	size_t i;

	for (; !code && e < end; e++) {
		if (*e->library)
			code = pair_add(&l->has, e->library, e->group);
		for (i = 0; !code && e->family == TL_ORIGIN_NATIVE && i < e->n; i++)
			if (tl_origin_is_need(&e->word[i]))
				code = pair_add(&l->asks, e->word[i].text, e->group);
	}
	return code;
}

/* Who asks for what is known when all have been looked at. */
static int asked_get(struct learner *l)
{
	struct example *e = l->example, *end = e + l->learn->rows->n;
	struct tl_ids *asked = &l->model->asked;
	const char *pair;
	size_t i, len;
	uint32_t id;
	int code = pairs_get(l);

	for (i = 0; !code && i < l->asks.n; i++) {
		pair = tl_ids_key(&l->asks, (uint32_t)i, &len);
		if (!tl_ids_find(&l->has, pair, len, &id))
			code = tl_ids_of(asked, pair, strcspn(pair, "\n"), &id);
	}
	for (; !code && e < end; e++)
		if (*e->library)
			e->word[e->n++] = tl_origin_asked(asked, e->library);
	return code;
}

static int examples_get(struct learner *l, struct tl_error *err)
{
	const struct tl_origin_rows *rows = l->learn->rows;
	struct tl_origin_packages *packages = NULL;
	struct tl_origin_words words;
	struct tl_error note;
	int code = tl_origin_packages_read(&packages, l->learn->root, &note);
	size_t i;

	if (*note.text)
		tl_out_error("%s", note.text);
	for (i = 0; !code && i < rows->n; i++) {
		code = tl_origin_words(&rows->row[i].item, l->learn->root, packages, NULL, &words);
		code = code ? code : example_keep(l, &words, i);
		if (!(i % 1000))
			tl_out_progress("looking at files: %zu of %zu", i, rows->n);
	}
	tl_out_progress_end();
	tl_origin_packages_free(packages);
	if (code == -ENOMEM || (!code && asked_get(l)))
		return tl_error_no_memory(err);
	return code ? tl_error_set(err, code, "%s:%lu: cannot be learned (%s): mend the row", l->learn->file,
				   rows->row[i - 1].line, strerror(-code)) : 0;
}

/* @left_out: a fold, FOLDS for none */
static int count(const struct learner *l, int family, uint32_t left_out, struct tl_bayes *bayes)
{
	const struct example *e = l->example, *end = e + l->learn->rows->n;
	int code = 0;

	for (; !code && e < end; e++)
		if ((int)e->family == family && e->fold != left_out)
			code = tl_bayes_add(bayes, e->word, e->n, e->class, e->group);
	return code ? code : tl_bayes_fold(bayes, l->learn->groups);
}

/* What one fold is judged to be by the others. */
static int fold_judge(const struct learner *l, int family, uint32_t fold, struct tl_bayes_out *out, size_t *class, size_t *n)
{
	const struct tl_bayes *whole = &l->model->family[family];
	struct tl_bayes bayes;
	size_t i;
	int code;

	tl_bayes_init(&bayes, whole->classes, whole->features, whole->smooth);
	code = count(l, family, fold, &bayes);
	for (i = 0; !code && i < l->learn->rows->n; i++) {
		const struct example *e = &l->example[i];

		if ((int)e->family != family || e->fold != fold)
			continue;
		class[*n] = e->class;
		code = tl_bayes_judge(&bayes, e->word, e->n, &out[(*n)++]);
	}
	tl_bayes_free(&bayes);
	return code;
}

static int weigh(const struct learner *l, int family)
{
	struct tl_bayes_out *out = calloc(l->learn->rows->n, sizeof(*out));
	size_t *class = calloc(l->learn->rows->n, sizeof(*class)), n = 0;
	int code = out && class ? 0 : -ENOMEM;
	uint32_t fold;

	for (fold = 0; !code && fold < FOLDS; fold++)
		code = fold_judge(l, family, fold, out, class, &n);
	if (!code)
		tl_bayes_weigh(out, class, n, l->groups[family].n, &l->model->family[family]);
	free(out);
	free(class);
	return code;
}

static int families_learn(const struct learner *l)
{
	int family, code = 0;

	for (family = 0; !code && family < TL_ORIGIN_FAMILIES; family++) {
		if (!l->learn->plain && l->groups[family].n >= GROUPS_LEAST)
			code = weigh(l, family);
		code = code ? code : count(l, family, FOLDS, &l->model->family[family]);
	}
	return code;
}

/**
 * tl_origin_learn() - Learn where code comes from
 * @learn: out of what
 * @model: set up by tl_origin_model_init(); gets what is learned
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_origin_learn(const struct tl_origin_learn *learn, struct tl_origin_model *model, struct tl_error *err)
{
	struct learner l = { learn, model, calloc(learn->rows->n + 1, sizeof(*l.example)), .has = { 0 } };
	int family, code = l.example ? examples_get(&l, err) : tl_error_no_memory(err);
	size_t i;

	if (!code && families_learn(&l))
		code = tl_error_no_memory(err);
	model->rows = learn->rows->n;
	for (i = 0; l.example && i < learn->rows->n; i++) {
		free(l.example[i].word);
		free(l.example[i].group);
		free(l.example[i].library);
	}
	free(l.example);
	for (family = 0; family < TL_ORIGIN_FAMILIES; family++)
		tl_ids_free(&l.groups[family]);
	tl_ids_free(&l.has);
	tl_ids_free(&l.asks);
	return code;
}
