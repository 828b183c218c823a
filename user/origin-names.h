/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ORIGIN_NAMES_H
#define TL_ORIGIN_NAMES_H

#include "origin.h"

#define TL_ORIGIN_PARTS 24 /* of a path or name; more are left out */

/**
 * struct tl_origin_part - A part of a text that stays where it is
 */
struct tl_origin_part {
	const char *text;
	size_t len;
};

struct tl_origin_list {
	struct tl_origin_part at[TL_ORIGIN_PARTS];
	size_t n;
};

enum tl_origin_kin { TL_ORIGIN_KIN_NONE, TL_ORIGIN_KIN_WORD, TL_ORIGIN_KIN_PART, TL_ORIGIN_KIN_SAME };
enum tl_origin_near { TL_ORIGIN_ELSEWHERE, TL_ORIGIN_TREE, TL_ORIGIN_FOLDER, TL_ORIGIN_ITSELF };

/**
 * struct tl_origin_names - A path in parts
 * @file: the file's own, without what is in it; all others are in lower case, and in @text
 * @folders: that the file is in
 * @packages: of a class
 * @stem: the file's name without lib, suffixes and versions; of an archive in another one its
 * @own: [@owns] of a program, what belongs to it is called by: its name, its folder's, the file's application's
 * @versions: numbers in its name, @lib: begins so, @library: a shared one
 * @main: it is the name of a main class, not a path
 * @in_archive: the class is, @archived: how
 * @kind: what the name tells
 */
struct tl_origin_names {
	char file[4200], text[4200];
	struct tl_origin_list folders, packages;
	struct tl_origin_part stem, own[3];
	size_t versions, owns;
	bool lib, library, main, in_archive;
	const char *archived;
	enum tl_origin_kind kind;
};

bool tl_origin_part_is(const struct tl_origin_part *part, const char *text);
bool tl_origin_part_in(const struct tl_origin_part *part, const char *const *list, size_t n);
int tl_origin_names(const char *path, enum tl_origin_kind kind, struct tl_origin_names *names);
void tl_origin_names_program(const char *program, struct tl_origin_names *names);
void tl_origin_names_tree(const struct tl_origin_names *file, struct tl_origin_names *program);

/* origin-loader.c */
bool tl_origin_is_language(const struct tl_origin_names *names);
const char *tl_origin_runtime(const struct tl_origin_names *names);
bool tl_origin_in_web(const struct tl_origin_names *names);
const char *tl_origin_loader(const struct tl_origin_names *names);
void tl_origin_split(const struct tl_origin_part *name, struct tl_origin_list *words);
bool tl_origin_is_common(const struct tl_origin_part *folder);
bool tl_origin_is_number(const struct tl_origin_part *part);
enum tl_origin_kin tl_origin_kin(const struct tl_origin_names *program, const struct tl_origin_part *name);
enum tl_origin_near tl_origin_near(const struct tl_origin_names *file, const struct tl_origin_names *program);
size_t tl_origin_common(const struct tl_origin_list *a, const struct tl_origin_list *b);

#endif
