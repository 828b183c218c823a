// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who loads what: the language's libraries, a runtime's own modules and those that others add to it, and
 * which of a Java machine's loaders a class is for
 */
#include "hist.h"
#include "origin-names.h"

#include <string.h>

/* Return: the place behind that folder; 0 if there is none. */
static size_t behind(const struct tl_origin_list *folders, const char *name)
{
	size_t i;

	for (i = folders->n; i--;)
		if (tl_origin_part_is(&folders->at[i], name))
			return i + 1;
	return 0;
}

static bool is_library(const struct tl_origin_list *folders, size_t place)
{
	return place < folders->n && tl_origin_part_is(&folders->at[place], "lib");
}

/* What the compiler puts into each program, and the C library in all its parts. */
static const char *const languages[] = { "c", "m", "dl", "rt", "pthread", "resolv", "util", "anl", "nsl", "thread_db", "mvec", "gcc_s",
					 "stdc++", "gomp", "atomic", "quadmath", "gfortran", "itm", "asan", "tsan", "ubsan", "lsan",
					 "crypt", "brokenlocale", "c_malloc_debug", "memusage", "pcprofile", "objc", "ssp",
					 "nss_dns", "nss_files", "nss_compat", "nss_hesiod", "nss_db" };

static bool part_begins(const struct tl_origin_part *part, const char *with)
{
	return part->len >= strlen(with) && !memcmp(part->text, with, strlen(with));
}

/* Folders of an interpreter's own modules, and of those that others add to it. */
static const char *module_of(const struct tl_origin_list *folders, size_t i)
{
	static const char *const added[] = { "dist-packages", "site-packages", "site_ruby", "vendor_ruby", "gems", "node_modules",
					     "perl5", "site_perl", "vendor_perl", "venv", ".venv", "virtualenv" };
	const struct tl_origin_part *folder = &folders->at[i], *next = i + 1 < folders->n ? &folders->at[i + 1] : folder;

	if (tl_origin_part_in(folder, added, ARRAY_SIZE(added)))
		return "a runtime's, added";
	if (tl_origin_part_is(folder, "gconv") || tl_origin_part_is(folder, "jvm") || tl_origin_part_is(folder, "perl-base") || tl_origin_part_is(folder, "lib-dynload"))
		return "a runtime's";
	if ((tl_origin_part_is(folder, "perl") || tl_origin_part_is(folder, "ruby") || tl_origin_part_is(folder, "php")) && tl_origin_is_number(next))
		return "a runtime's";
	return part_begins(folder, "python3") && next != folder && !tl_origin_part_in(next, added, ARRAY_SIZE(added)) ? "a runtime's" : NULL;
}

/**
 * tl_origin_is_language() - Is it a library that compilers put into programs, or a part of the C library?
 * @names: by tl_origin_names()
 *
 * Return: whether it is called so.
 */
bool tl_origin_is_language(const struct tl_origin_names *names)
{
	if (!names->library)
		return false;
	if (names->lib)
		return tl_origin_part_in(&names->stem, languages, ARRAY_SIZE(languages));
	return tl_origin_part_is(&names->stem, "ld") || part_begins(&names->stem, "ld-");
}

/**
 * tl_origin_runtime() - Is a file a part of what a language's programs run on?
 * @names: by tl_origin_names()
 *
 * Return: how, or NULL if it is not.
 */
const char *tl_origin_runtime(const struct tl_origin_names *names)
{
	const char *found = NULL, *here;
	size_t i;

	if (tl_origin_is_language(names))
		return "the language's";
	/* The last one is the nearest. */
	for (i = 0; i < names->folders.n; i++) {
		here = module_of(&names->folders, i);
		found = here ? here : found;
	}
	return found;
}

static bool in_machine(const struct tl_origin_list *folders)
{
	static const char *const known[] = { "jvm", "jre", "jdk", "jmods" }, *const begin[] = { "java-", "openjdk-", "jdk-", "jre-" };
	size_t i, k;

	for (i = 0; i < folders->n; i++) {
		if (tl_origin_part_in(&folders->at[i], known, ARRAY_SIZE(known)))
			return true;
		for (k = 0; k < ARRAY_SIZE(begin); k++)
			if (folders->at[i].len > strlen(begin[k]) &&
			    !memcmp(folders->at[i].text, begin[k], strlen(begin[k])))
				return true;
	}
	return false;
}

static bool platform_name(const struct tl_origin_list *packages)
{
	static const char *const first[] = { "java", "javax", "jdk", "sun" }, *const sun[] = { "com", "sun" };

	if (!packages->n)
		return false;
	if (tl_origin_part_in(&packages->at[0], first, ARRAY_SIZE(first)))
		return true;
	return packages->n > 1 && tl_origin_part_is(&packages->at[0], sun[0]) && tl_origin_part_is(&packages->at[1], sun[1]);
}

/**
 * tl_origin_in_web() - Is it a part of a web application?
 * @names: by tl_origin_names()
 *
 * Return: whether it is.
 */
bool tl_origin_in_web(const struct tl_origin_names *names)
{
	return behind(&names->folders, "web-inf") || behind(&names->folders, "webapps");
}

/**
 * tl_origin_loader() - Which of a Java machine's loaders a class or archive is for
 * @names: by tl_origin_names()
 *
 * Return: its name.
 */
const char *tl_origin_loader(const struct tl_origin_names *names)
{
	static const char *const own[] = { "rt", "jce", "jsse", "charsets", "resources", "tools", "jfr", "jrt-fs", "modules" };
	size_t web = behind(&names->folders, "web-inf"), boot = behind(&names->folders, "boot-inf");

	if (!strcmp(names->archived, "modules") || !strncmp(names->text, "jrt:", 4))
		return "the machine's";
	if (in_machine(&names->folders))
		return tl_origin_part_in(&names->stem, own, ARRAY_SIZE(own)) || names->kind == TL_ORIGIN_JAR ||
			       platform_name(&names->packages) ?
			       "the machine's" :
			       "an extension";
	if (platform_name(&names->packages))
		return "the machine's, by name";
	if (web)
		return is_library(&names->folders, web) ? "web application's library" : "web application's";
	if (boot)
		return is_library(&names->folders, boot) ? "boot archive's library" : "boot archive's";
	return "application's";
}
