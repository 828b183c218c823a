/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ORIGIN_FEATURES_H
#define TL_ORIGIN_FEATURES_H

#include "model/naive-bayes.h"
#include "origin.h"

#define TL_ORIGIN_FEATURES 13
#define TL_ORIGIN_WORDS 128 /* at most, of one item */

extern const char *const tl_origin_features[TL_ORIGIN_FAMILIES][TL_ORIGIN_FEATURES];

/**
 * struct tl_origin_words - The features of one item
 * @kind: as given, or as found
 * @word: [@n], whose texts are in @text
 * @group: of which package, program or folder it is
 * @refused: what of the file was too large to be read, NULL for nothing
 * @library: what others ask for it by, "" for what is no library or the language's
 */
struct tl_origin_words {
	enum tl_origin_kind kind;
	struct tl_bayes_word word[TL_ORIGIN_WORDS];
	size_t n, used;
	char text[8192], group[256], library[256];
	const char *refused;
};

int tl_origin_words(const struct tl_origin_item *item, const char *root, const struct tl_origin_packages *packages,
		    const struct tl_ids *asked, struct tl_origin_words *words);
bool tl_origin_is_need(const struct tl_bayes_word *word);
struct tl_bayes_word tl_origin_asked(const struct tl_ids *asked, const char *library);

#endif
