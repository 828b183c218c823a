// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tells where code comes from (paper 004, 3.1.2): its name, how it is loaded, its path, whether
 * it is in a package or an archive, the archive's or package's name against the program's, and its
 * time against the program's
 *
 * Each becomes a word or some; what is not known becomes none, and has no vote. Beside the path's own
 * words there is where it is, seen from the program: folders are called anything, but what belongs
 * together lies together. A file that is here is asked how it is linked; of one that is not, as those
 * that another machine's recording names, the name has to do.
 *
 * Whom a file asks for and who asks for it tells, too: a program's own files ask for what is called as it
 * is, and nobody else's program asks for a library of one's own. Which libraries others ask for was
 * learned: programs that are here say nothing of one that is to be judged.
 */
#include "origin-features.h"

#include "hist.h"
#include "origin-file.h"
#include "origin-names.h"
#include "origin-packages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HOUR_S 3600
#define DAY_S 86400
#define NEEDS_MOST 50 /* of a file; more are left out */

enum native { N_NAME, N_SHAPE, N_LINK, N_PATH, N_PLACE, N_NEAR, N_PACKAGE, N_KIN, N_TIME, N_SYMBOLS, N_NEEDS, N_NEEDS_KIN, N_ASKED };
enum java { J_NAME, J_LOADER, J_PATH, J_PLACE, J_NEAR, J_ARCHIVED, J_ARCHIVE, J_SHAPE, J_KIN, J_TIME, J_PACKAGE };

const char *const tl_origin_features[TL_ORIGIN_FAMILIES][TL_ORIGIN_FEATURES] = {
	{ "name", "shape", "link", "path", "place", "near", "package", "kin", "time", "symbols", "needs", "needs kin", "asked" },
	{ "name", "loader", "path", "place", "near", "archived", "archive", "shape", "kin", "time", "package", NULL, NULL },
};

/* What is known of an item, in parts. */
struct parts {
	const struct tl_origin_item *item;
	struct tl_origin_words *words;
	struct tl_origin_names names, program;
	struct tl_origin_file file;
	const struct tl_origin_packages *packages;
	const struct tl_ids *asked;
	struct tl_origin_names main;
	const char *package, *program_package; /* "" for none, NULL for not known */
	int64_t mtime, program_mtime;
};

/* ---- words ------------------------------------------------------------------------------- */

static void word_put(struct tl_origin_words *words, size_t feature, const char *text, size_t len)
{
	size_t i;

	if (words->n == TL_ORIGIN_WORDS || len >= sizeof(words->text) - words->used || !len)
		return;
	for (i = 0; i < words->n; i++)
		if (words->word[i].feature == feature && !strncmp(words->word[i].text, text, len) &&
		    !words->word[i].text[len])
			return;
	memcpy(words->text + words->used, text, len);
	words->text[words->used + len] = '\0';
	words->word[words->n++] = (struct tl_bayes_word){ feature, words->text + words->used };
	words->used += len + 1;
}

static void word_add(struct tl_origin_words *words, size_t feature, const char *text)
{
	word_put(words, feature, text, strlen(text));
}

static void list_add(struct tl_origin_words *words, size_t feature, const struct tl_origin_list *list, size_t most)
{
	size_t i;

	for (i = 0; i < list->n && i < most; i++)
		word_put(words, feature, list->at[i].text, list->at[i].len);
}

/* ---- features of both families ----------------------------------------------------------- */

static const char *folder_text(const struct parts *p, size_t i, size_t *len)
{
	const struct tl_origin_part *folder = &p->names.folders.at[i];
	const char *text = folder->text;

	*len = folder->len;
	if (tl_origin_kin(&p->program, folder) >= TL_ORIGIN_KIN_PART)
		text = "*";
	else if (tl_origin_is_number(folder))
		text = "#";
	else if (!tl_origin_is_common(folder))
		text = "?";
	if (text != folder->text)
		*len = 1;
	return text;
}

static void path_add(const struct parts *p, size_t feature)
{
	const struct tl_origin_list *folders = &p->names.folders;
	char text[300];
	size_t i, len;

	if (folders->n > 1) {
		const char *second = folder_text(p, 1, &len);

		snprintf(text, sizeof(text), "/%.*s/%.*s", (int)folders->at[0].len, folders->at[0].text, (int)len, second);
		word_add(p->words, feature, text);
	}
	if (folders->n) {
		snprintf(text, sizeof(text), "/%.*s", (int)folders->at[0].len, folders->at[0].text);
		word_add(p->words, feature, text);
	} else {
		word_add(p->words, feature, "/");
	}
	for (i = 1; i < folders->n; i++) {
		if (tl_origin_kin(&p->program, &folders->at[i]) >= TL_ORIGIN_KIN_PART)
			word_add(p->words, feature, "program's name");
		else if (tl_origin_is_number(&folders->at[i]))
			word_add(p->words, feature, "a number");
		else
			word_put(p->words, feature, folders->at[i].text, folders->at[i].len);
	}
}

/* The folder as a whole, with names that differ from program to program left out. */
static void place_add(const struct parts *p, size_t feature)
{
	char text[500] = "";
	size_t i, len, at = 0;

	for (i = 0; i < p->names.folders.n && at + 1 < sizeof(text); i++) {
		const char *folder = folder_text(p, i, &len);

		at += (size_t)snprintf(text + at, sizeof(text) - at, "/%.*s", (int)len, folder);
	}
	word_add(p->words, feature, at ? text : "/");
}

static void near_add(const struct parts *p, size_t feature)
{
	static const char *const text[] = { "elsewhere", "in the program's tree", "in the program's folder", "the program" };

	if (p->item->program && *p->item->program == '/')
		word_add(p->words, feature, text[tl_origin_near(&p->names, &p->program)]);
}

static void time_add(const struct parts *p, size_t feature)
{
	int64_t late;

	if (p->mtime == TL_ORIGIN_NO_TIME || p->program_mtime == TL_ORIGIN_NO_TIME)
		return;
	if (__builtin_sub_overflow(p->mtime, p->program_mtime, &late))
		late = p->mtime < 0 ? -DAY_S : DAY_S;
	if (late > -HOUR_S && late < HOUR_S)
		word_add(p->words, feature, "the program's");
	else if (late > -DAY_S && late < DAY_S)
		word_add(p->words, feature, "the program's day");
	else
		word_add(p->words, feature, late < 0 ? "older" : "newer");
}

static void package_add(const struct parts *p, size_t feature)
{
	const char *of = p->package, *program = p->program_package;
	struct tl_origin_part part;

	if (!of)
		return;
	if (!*of) {
		word_add(p->words, feature, program && *program ? "none, the program has one" : "none");
		return;
	}
	part = (struct tl_origin_part){ of, strlen(of) };
	if (!p->item->program)
		word_add(p->words, feature, strncmp(of, "lib", 3) ? "one" : "a library's, no program");
	else if (program && *program && tl_origin_package_same(p->packages, of, program))
		word_add(p->words, feature, "the program's");
	else if (tl_origin_kin(&p->program, &part) >= TL_ORIGIN_KIN_PART)
		word_add(p->words, feature, "one with the program's name");
	else if (!strncmp(of, "lib", 3))
		word_add(p->words, feature, program && !*program ? "a library's, the program has none" : "a library's");
	else
		word_add(p->words, feature, program && !*program ? "another, the program has none" : "another");
}

static const char *const kin_text[] = { "none", "a word", "part of it", "the same" };

/* How much a name has in common with the program's. */
static void kin_add(const struct parts *p, size_t feature, const struct tl_origin_part *name)
{
	char text[64];

	if (!p->program.owns || !name->len)
		return;
	snprintf(text, sizeof(text), "%s%s", kin_text[tl_origin_kin(&p->program, name)], p->names.versions ? ", with numbers" : "");
	word_add(p->words, feature, text);
}

/* ---- one family and the other ------------------------------------------------------------ */

static const char *link_of(const struct parts *p)
{
	const char *runtime;

	if (p->item->program && !strcmp(p->item->program, p->item->path))
		return "the program";
	runtime = tl_origin_runtime(&p->names);
	if (runtime)
		return runtime;
	if (p->words->kind == TL_ORIGIN_SCRIPT)
		return "script";
	switch (p->file.link) {
	case TL_ORIGIN_LINK_PROGRAM:
		return "program";
	case TL_ORIGIN_LINK_LIBRARY:
		return "library";
	case TL_ORIGIN_LINK_PLUGIN:
		return "plugin";
	default:
		if (!p->names.library)
			return "program";
		return p->names.versions || p->names.lib ? "library" : "plugin";
	}
}

/* The C library's names are too short to be words, and everybody knows them; where it lies says little. */
static void language_add(const struct parts *p)
{
	static const enum native features[] = { N_NAME, N_SHAPE, N_LINK, N_KIN };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(features); i++)
		word_add(p->words, features[i], "the language's");
}

static const char no_needs[] = "no library";

/* By what they are called, and the most that one of them has in common with the program. */
static void needs_add(const struct parts *p)
{
	enum tl_origin_kin kin, most = TL_ORIGIN_KIN_NONE;
	const char *at = p->file.needs, *end;
	struct tl_origin_names names;
	char name[TL_ORIGIN_NEEDS];
	size_t n;

	if (!*at && p->file.link != TL_ORIGIN_LINK_UNKNOWN)
		word_add(p->words, N_NEEDS, no_needs);
	for (n = 0; *at && n < NEEDS_MOST; at = end + 1, n++) {
		end = strchr(at, '\n');
		snprintf(name, sizeof(name), "%.*s", (int)(end - at), at);
		if (tl_origin_names(name, TL_ORIGIN_ELF, &names))
			continue;
		word_put(p->words, N_NEEDS, names.stem.text, names.stem.len);
		kin = tl_origin_kin(&p->program, &names.stem);
		most = max(most, kin);
	}
	if (n && p->program.owns)
		word_add(p->words, N_NEEDS_KIN, kin_text[most]);
}

static const char *const asked_text[] = { "by nobody else", "by others" };

/**
 * tl_origin_asked() - Do others' files ask for a library?
 * @asked: those that are known to be asked for
 * @library: what it is asked for by
 *
 * Return: the word that says so.
 */
struct tl_bayes_word tl_origin_asked(const struct tl_ids *asked, const char *library)
{
	uint32_t id;

	return (struct tl_bayes_word){ N_ASKED, asked_text[tl_ids_find(asked, library, strlen(library), &id)] };
}

/**
 * tl_origin_is_need() - Is that a library that a file asks for?
 * @word: of a file, no class
 *
 * Return: whether it is one's name.
 */
bool tl_origin_is_need(const struct tl_bayes_word *word)
{
	return word->feature == N_NEEDS && strcmp(word->text, no_needs);
}

static void asked_add(const struct parts *p)
{
	const struct tl_origin_part *stem = &p->names.stem;

	if (p->names.library && stem->len < sizeof(p->words->library)) {
		memcpy(p->words->library, stem->text, stem->len);
		p->words->library[stem->len] = '\0';
	}
	if (p->asked && *p->words->library)
		word_add(p->words, N_ASKED, tl_origin_asked(p->asked, p->words->library).text);
}

static void native_add(const struct parts *p)
{
	struct tl_origin_words *w = p->words;
	struct tl_origin_list list;
	char text[64];

	if (tl_origin_is_language(&p->names)) {
		language_add(p);
	} else {
		tl_origin_split(&p->names.stem, &list);
		list_add(w, N_NAME, &list, 8);
		snprintf(text, sizeof(text), "%s%s, %zu numbers", p->names.lib ? "lib" : "", p->names.library ? ".so" : "",
			 p->names.versions);
		word_add(w, N_SHAPE, text);
		word_add(w, N_LINK, link_of(p));
		if (!p->item->program || strcmp(p->item->program, p->item->path))
			kin_add(p, N_KIN, &p->names.stem);
		needs_add(p);
		asked_add(p);
	}
	path_add(p, N_PATH);
	place_add(p, N_PLACE);
	near_add(p, N_NEAR);
	package_add(p, N_PACKAGE);
	time_add(p, N_TIME);
	if (p->file.link != TL_ORIGIN_LINK_UNKNOWN) {
		snprintf(text, sizeof(text), "%s%s", p->file.debug ? "for debuggers" : p->file.symbols ? "all" : "stripped",
			 p->file.versions ? ", versions" : "");
		word_add(w, N_SYMBOLS, text);
	}
}

/* A bag of the package's words, and its first two at once, which is what people register. */
static void class_name_add(const struct parts *p)
{
	const struct tl_origin_list *packages = &p->names.packages;
	char text[300];

	if (packages->n > 1) {
		snprintf(text, sizeof(text), "%.*s.%.*s", (int)packages->at[0].len, packages->at[0].text,
			 (int)packages->at[1].len, packages->at[1].text);
		word_add(p->words, J_NAME, text);
	}
	list_add(p->words, J_NAME, packages, 6);
	if (!packages->n)
		word_add(p->words, J_NAME, "no package");
}

static void class_kin_add(const struct parts *p)
{
	const struct tl_origin_list *packages = &p->names.packages;
	enum tl_origin_kin kin, most = TL_ORIGIN_KIN_NONE;
	size_t same, i;

	if (p->main.main) {
		same = tl_origin_common(packages, &p->main.packages);
		word_add(p->words, J_KIN, same && same == p->main.packages.n ? "main's, and below" :
					  same > 2 ? "main's first three" : same == 2 ? "main's first two" :
					  same ? "main's first" : "none of main's");
		return;
	}
	if (!p->program.owns)
		return;
	for (i = 0; i < packages->n; i++) {
		kin = tl_origin_kin(&p->program, &packages->at[i]);
		most = kin > most ? kin : most;
	}
	word_add(p->words, J_KIN, kin_text[most]);
}

/* Its name against the program's; and against the packages in it, for a library is called as they are. */
static void archive_add(const struct parts *p)
{
	const struct tl_origin_list *packages = &p->names.packages;
	struct tl_origin_names archive = { .owns = 1, .own[0] = p->names.stem };
	bool like = false;
	char text[64];
	size_t i;

	if (!p->program.owns || !p->names.stem.len)
		return;
	for (i = 1; i < packages->n; i++)
		like |= tl_origin_kin(&archive, &packages->at[i]) != TL_ORIGIN_KIN_NONE;
	snprintf(text, sizeof(text), "%s%s", kin_text[tl_origin_kin(&p->program, &p->names.stem)],
		 p->words->kind == TL_ORIGIN_JAR ? "" : like ? ", as its packages" : ", not as its packages");
	word_add(p->words, J_ARCHIVE, text);
}

static void java_add(const struct parts *p)
{
	struct tl_origin_words *w = p->words;
	struct tl_origin_list list;
	char text[64];

	if (w->kind == TL_ORIGIN_CLASS) {
		class_name_add(p);
		class_kin_add(p);
	} else {
		tl_origin_split(&p->names.stem, &list);
		list_add(w, J_NAME, &list, 8);
	}
	word_add(w, J_LOADER, tl_origin_loader(&p->names));
	path_add(p, J_PATH);
	place_add(p, J_PLACE);
	near_add(p, J_NEAR);
	word_add(w, J_ARCHIVED, w->kind == TL_ORIGIN_JAR ? "an archive" : p->names.archived);
	if (w->kind == TL_ORIGIN_JAR || p->names.in_archive) {
		archive_add(p);
		snprintf(text, sizeof(text), "%zu numbers", p->names.versions);
		word_add(w, J_SHAPE, text);
	}
	time_add(p, J_TIME);
	package_add(p, J_PACKAGE);
}

/* ---- what is known ----------------------------------------------------------------------- */

static enum tl_origin_kind kind_of(const struct parts *p)
{
	if (p->item->kind != TL_ORIGIN_KINDS)
		return p->item->kind;
	if (p->names.in_archive)
		return TL_ORIGIN_CLASS;
	return p->file.kind != TL_ORIGIN_KINDS ? p->file.kind : p->names.kind;
}

/* A file that is here and in no list is of no package; one that is not here may be of any. */
static const char *package_of(const char *given, const char *path, const struct tl_origin_packages *packages, bool there)
{
	const char *found = given ? given : tl_origin_package_of(packages, path);

	return found || !there || !tl_origin_packages_list(packages) ? found : "";
}

static void group_of(const struct parts *p)
{
	const char *file = p->names.file, *end = strrchr(file, '/');
	size_t len = end ? (size_t)(end - file) : strlen(file);
	const char *given = p->item->group ? p->item->group :
			    p->item->package && *p->item->package ? p->item->package : p->item->program;

	if (given)
		snprintf(p->words->group, sizeof(p->words->group), "%s", given);
	else
		snprintf(p->words->group, sizeof(p->words->group), "%.*s", (int)(len < 255 ? len : 255), file);
}

static void program_look(struct parts *p, const char *root, const struct tl_origin_packages *packages)
{
	const struct tl_origin_item *item = p->item;
	struct tl_origin_file file = { .mtime = TL_ORIGIN_NO_TIME };

	p->program_mtime = item->program_mtime;
	if (!item->program)
		return;
	tl_origin_names_program(item->program, &p->program);
	p->program_package = item->program_package;
	if (*item->program != '/')
		return;
	tl_origin_file(root, item->program, &file);
	if (p->program_mtime == TL_ORIGIN_NO_TIME)
		p->program_mtime = file.mtime;
	p->program_package = package_of(item->program_package, item->program, packages, file.there);
}

/* The main class is told, is what the program is given by, or its archive tells. */
static void main_look(struct parts *p, const char *root)
{
	const char *program = p->item->program;
	char found[1024];

	/* A web application is not the program: that is the server which has it. */
	if (tl_origin_family(p->words->kind) != TL_ORIGIN_JAVA || tl_origin_in_web(&p->names))
		return;
	if (p->item->main)
		tl_origin_names_program(p->item->main, &p->main);
	else if (p->program.main)
		tl_origin_names_program(program, &p->main);
	else if (program && *program == '/' && tl_origin_main_class(root, program, found, sizeof(found)))
		tl_origin_names_program(found, &p->main);
}

/**
 * tl_origin_words() - The features of a file or class
 * @item: what is known of it
 * @root: folder where files are looked at, "" for the machine's own
 * @packages: the package database there, or NULL
 * @asked: libraries that others are known to ask for; NULL if that is not known yet
 * @words: set to them
 *
 * Return: 0; -EINVAL for a path of nothing, -ENAMETOOLONG.
 */
int tl_origin_words(const struct tl_origin_item *item, const char *root, const struct tl_origin_packages *packages,
		    const struct tl_ids *asked, struct tl_origin_words *words)
{
	struct parts p = { .item = item, .words = words, .packages = packages, .asked = asked };
	int code;

	words->n = 0;
	words->used = 0;
	*words->library = '\0';
	code = tl_origin_names(item->path, item->kind, &p.names);
	if (code)
		return code;
	tl_origin_file(root, p.names.file, &p.file);
	words->refused = p.file.refused;
	words->kind = kind_of(&p);
	p.mtime = item->mtime != TL_ORIGIN_NO_TIME ? item->mtime : p.file.mtime;
	p.package = package_of(item->package, p.names.file, packages, p.file.there);
	program_look(&p, root, packages);
	tl_origin_names_tree(&p.names, &p.program);
	main_look(&p, root);
	group_of(&p);
	if (tl_origin_family(words->kind) == TL_ORIGIN_NATIVE)
		native_add(&p);
	else
		java_add(&p);
	return 0;
}
