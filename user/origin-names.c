// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What paths of files and classes are made of
 *
 *   /opt/shop/lib/libshop.so.1.2                              folders, stem "shop", 2 numbers
 *   /opt/shop/shop.jar!/BOOT-INF/lib/asm-9.4.jar!/org/asm/A.class  folders, stem "asm", packages org, asm
 *   /srv/shop/classes/org/shop/Cart.class                     folders up to classes, packages org, shop
 *   org.shop.Cart                                             packages only
 */
#include "origin-names.h"

#include "hist.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define KIN_LEAST 3 /* letters that two names share not by chance */

/**
 * tl_origin_part_is() - Is it called so?
 * @part: of a path or name
 * @text: what is asked
 *
 * Return: whether it is.
 */
bool tl_origin_part_is(const struct tl_origin_part *part, const char *text)
{
	return part->len == strlen(text) && !memcmp(part->text, text, part->len);
}

/**
 * tl_origin_part_in() - Is it called as one of several?
 * @part: of a path or name
 * @list: [@n] what is asked
 * @n: how many
 *
 * Return: whether it is.
 */
bool tl_origin_part_in(const struct tl_origin_part *part, const char *const *list, size_t n)
{
	while (n--)
		if (tl_origin_part_is(part, list[n]))
			return true;
	return false;
}

static void part_add(struct tl_origin_list *list, const char *text, size_t len)
{
	if (len && list->n < TL_ORIGIN_PARTS)
		list->at[list->n++] = (struct tl_origin_part){ text, len };
}

static void parts_of(const char *text, const char *end, char apart, struct tl_origin_list *list)
{
	const char *stop;

	for (; text < end; text = stop + 1) {
		stop = memchr(text, apart, (size_t)(end - text));
		stop = stop ? stop : end;
		part_add(list, text, (size_t)(stop - text));
	}
}

/**
 * tl_origin_is_number() - Is it a version, a date or a release, that is, mostly figures?
 * @part: of a path
 *
 * Return: whether it is.
 */
bool tl_origin_is_number(const struct tl_origin_part *part)
{
	size_t i, figures = 0;

	for (i = 0; i < part->len; i++)
		figures += isdigit((unsigned char)part->text[i]) != 0;
	return figures && 2 * figures + 1 >= part->len;
}

/**
 * tl_origin_split() - The words of a name
 * @name: in lower case
 * @words: set to them: letters that stand together, two or more
 */
void tl_origin_split(const struct tl_origin_part *name, struct tl_origin_list *words)
{
	size_t i, begin = 0;

	words->n = 0;
	for (i = 0; i <= name->len; i++) {
		if (i < name->len && isalpha((unsigned char)name->text[i]))
			continue;
		if (i - begin > 1)
			part_add(words, name->text + begin, i - begin);
		begin = i + 1;
	}
}

/* ---- the file's name --------------------------------------------------------------------- */

static const struct {
	const char *suffix;
	enum tl_origin_kind kind;
} suffixes[] = {
	{ ".jar", TL_ORIGIN_JAR }, { ".war", TL_ORIGIN_JAR }, { ".ear", TL_ORIGIN_JAR },
	{ ".jmod", TL_ORIGIN_JAR }, { ".class", TL_ORIGIN_CLASS }, { ".py", TL_ORIGIN_SCRIPT },
	{ ".pl", TL_ORIGIN_SCRIPT }, { ".pm", TL_ORIGIN_SCRIPT }, { ".rb", TL_ORIGIN_SCRIPT },
	{ ".sh", TL_ORIGIN_SCRIPT }, { ".js", TL_ORIGIN_SCRIPT }, { ".php", TL_ORIGIN_SCRIPT },
	{ ".lua", TL_ORIGIN_SCRIPT }, { ".tcl", TL_ORIGIN_SCRIPT },
};

static size_t numbers_in(const char *text, const char *end)
{
	size_t n = 0;

	for (; text < end; text++)
		n += isdigit((unsigned char)*text) && !isdigit((unsigned char)text[-1]);
	return n < 3 ? n : 3;
}

/* What stands behind ".so"; NULL for what is no shared library. */
static const char *library_end(const char *text, const char *end)
{
	const char *at;

	for (at = text; at + 3 <= end; at++)
		if (!memcmp(at, ".so", 3) && (at + 3 == end || at[3] == '.'))
			return at + 3;
	return NULL;
}

/* @text, @end: the name in lower case, with a character before it */
static void stem_read(struct tl_origin_names *names, const char *text, const char *end)
{
	const char *behind = library_end(text, end), *at;
	size_t i, len;

	names->kind = TL_ORIGIN_ELF;
	names->lib = end - text > 3 && !memcmp(text, "lib", 3);
	if (behind) {
		names->library = true;
		names->versions = numbers_in(behind, end);
		end = behind - 3;
	}
	for (i = 0; !behind && i < ARRAY_SIZE(suffixes); i++) {
		len = strlen(suffixes[i].suffix);
		if ((size_t)(end - text) <= len || memcmp(end - len, suffixes[i].suffix, len))
			continue;
		end -= len;
		names->kind = suffixes[i].kind;
		break;
	}
	for (at = text + 1; at + 1 < end; at++)
		if (strchr("-_.", *at) && isdigit((unsigned char)at[1])) {
			names->versions = max(names->versions, numbers_in(at, end));
			end = at;
		}
	if (names->library && names->lib)
		text += 3;
	names->stem = (struct tl_origin_part){ text, (size_t)(end - text) };
}

/* ---- classes ----------------------------------------------------------------------------- */

/* Folders in which packages begin, and what packages begin with. */
static const char *const roots[] = { "classes", "test-classes", "out", "production", "main", "java" };
static const char *const tops[] = { "org", "com", "net", "io", "java", "javax", "jdk", "sun", "de", "fr", "uk", "eu", "ch", "edu",
				    "gov", "it", "jp", "nl", "at", "cn", "ru", "br", "dk", "se", "no", "fi", "pl", "me", "dev",
				    "app", "jakarta", "scala", "kotlin", "groovy", "clojure" };

/* Of folders on the way to a class, how many are not packages. */
static size_t packages_begin(const struct tl_origin_list *folders)
{
	size_t i;

	for (i = folders->n; i--;)
		if (tl_origin_part_in(&folders->at[i], roots, ARRAY_SIZE(roots)))
			return i + 1;
	for (i = 0; i < folders->n; i++)
		if (tl_origin_part_in(&folders->at[i], tops, ARRAY_SIZE(tops)))
			return i;
	return folders->n;
}

/* Of what is in an archive: folders in which classes or other archives are. */
static size_t inner_begin(const struct tl_origin_list *inner, bool module)
{
	size_t i = 0;

	if (inner->n > 2 && tl_origin_part_is(&inner->at[0], "meta-inf") && tl_origin_part_is(&inner->at[1], "versions"))
		return 3;
	if (module && inner->n && memchr(inner->at[0].text, '.', inner->at[0].len))
		i = 1;
	if (inner->n > 1 && (tl_origin_part_is(&inner->at[0], "boot-inf") || tl_origin_part_is(&inner->at[0], "web-inf")))
		return 2;
	if (inner->n && tl_origin_part_is(&inner->at[0], "classes"))
		return 1;
	return i;
}

static bool module_is(const struct tl_origin_names *names, const char *file, const char *end)
{
	const char *name = end;

	while (name > file && name[-1] != '/')
		name--;
	return (end - name > 5 && !memcmp(end - 5, ".jmod", 5)) || (end - name == 7 && !memcmp(name, "modules", 7)) ||
	       !strncmp(names->text, "jrt:", 4);
}

static void inner_read(struct tl_origin_names *names, const char *inner, const char *class, bool module)
{
	struct tl_origin_list list = { .n = 0 };
	size_t i, begin;

	parts_of(inner, class, '/', &list);
	begin = inner_begin(&list, module);
	for (i = 0; i < list.n; i++)
		part_add(i < begin ? &names->folders : &names->packages, list.at[i].text, list.at[i].len);
}

/* @bang: where the archive's own path ends in the text */
static void archive_read(struct tl_origin_names *names, char *bang)
{
	bool module = module_is(names, names->text, bang);
	char *name = bang, *inner = bang + 2, *next = strstr(inner, "!/"), *class;

	while (name > names->text && name[-1] != '/')
		name--;
	parts_of(names->text, name, '/', &names->folders);
	names->archived = module ? "modules" : next ? "archive in an archive" : "archive";
	while (next) {
		bang = next;
		for (name = bang; name > inner && name[-1] != '/';)
			name--;
		parts_of(inner, name, '/', &names->folders);
		inner = bang + 2;
		next = strstr(inner, "!/");
	}
	stem_read(names, name, bang);
	class = strrchr(inner, '/');
	inner_read(names, inner, class ? class : inner, module);
	names->in_archive = true;
	names->kind = TL_ORIGIN_CLASS;
}

static void class_read(struct tl_origin_names *names, const char *name)
{
	struct tl_origin_list list = { .n = 0 };
	size_t i, begin;

	names->archived = "folder";
	if (names->text[0] != '/' && !strchr(names->text, '/')) {
		/* "org.shop.Cart" */
		const char *end = strrchr(name, '.');

		if (end && !strcmp(end, ".class"))
			for (; end > name && end[-1] != '.'; end--)
				;
		parts_of(name, end ? end : name, '.', &names->packages);
		names->archived = "a name only";
		return;
	}
	parts_of(names->text, name, '/', &list);
	begin = packages_begin(&list);
	for (i = 0; i < list.n; i++)
		part_add(i < begin ? &names->folders : &names->packages, list.at[i].text, list.at[i].len);
}

/* /lib is /usr/lib on most machines, and told either way. */
static void usr_add(struct tl_origin_list *folders)
{
	static const char *const merged[] = { "lib", "lib64", "bin", "sbin" };

	if (!folders->n || folders->n == TL_ORIGIN_PARTS || !tl_origin_part_in(&folders->at[0], merged, ARRAY_SIZE(merged)))
		return;
	memmove(folders->at + 1, folders->at, folders->n++ * sizeof(*folders->at));
	folders->at[0] = (struct tl_origin_part){ "usr", 3 };
}

/* ---- all of it --------------------------------------------------------------------------- */

/**
 * tl_origin_names() - Take a path to parts
 * @path: of a file, of a class in an archive, or a class's name
 * @kind: what it is; TL_ORIGIN_KINDS: as the name tells
 * @names: set to them
 *
 * Return: 0; -EINVAL for an empty path, -ENAMETOOLONG.
 */
int tl_origin_names(const char *path, enum tl_origin_kind kind, struct tl_origin_names *names)
{
	size_t len = strlen(path), i;
	char *bang, *name;

	memset(names, 0, sizeof(*names));
	names->archived = "folder";
	if (!len)
		return -EINVAL;
	if (len >= sizeof(names->file))
		return -ENAMETOOLONG;
	for (i = 0; i < len; i++)
		names->text[i] = (char)tolower((unsigned char)path[i]);
	bang = strstr(names->text, "!/");
	memcpy(names->file, path, bang ? (size_t)(bang - names->text) : len);
	if (bang) {
		archive_read(names, bang);
		return 0;
	}
	name = strrchr(names->text, '/');
	name = name ? name + 1 : names->text;
	stem_read(names, name, names->text + len);
	if (kind == TL_ORIGIN_CLASS || (kind == TL_ORIGIN_KINDS && names->kind == TL_ORIGIN_CLASS))
		class_read(names, name);
	else
		parts_of(names->text, name, '/', &names->folders);
	if (*path == '/')
		usr_add(&names->folders);
	return 0;
}

/* Folders that many programs have: they say nothing of whose they are. */
static const char *const parts_of_all[] = { "bin", "sbin", "lib", "lib64", "libexec", "libs", "jars", "target", "build", "current",
					    "dist", "release", "debug", "classes", "out", "web-inf", "src", "deploy", "cmd", "server" };
static const char *const homes[] = { "usr", "local", "opt", "srv", "home", "var", "www", "app", "apps", "data", "share", "root", "tmp",
				     "java", "webapps", "services", "x86_64-linux-gnu", "aarch64-linux-gnu" };

static const char *const others_of_all[] = { "etc", "jvm", "jre", "jdk", "jmods", "webapps", "boot-inf", "node_modules", "vendor", ".m2",
					     "repository", ".gradle", "site-packages", "dist-packages", "venv", ".venv", "python3",
					     "modules", "plugins", "releases", "third_party", "deps", "scripts", "gconv", "systemd",
					     "security", "perl", "perl5", "ruby", "php", "ext", "jars", "mods", "docker", "snap",
					     "flatpak", "nix", "store", "linuxbrew", "conda", ".local", "caches" };

/**
 * tl_origin_is_common() - Is a folder called so in many trees?
 * @folder: in lower case
 *
 * Return: whether it is.
 */
bool tl_origin_is_common(const struct tl_origin_part *folder)
{
	return tl_origin_part_in(folder, parts_of_all, ARRAY_SIZE(parts_of_all)) || tl_origin_part_in(folder, homes, ARRAY_SIZE(homes)) ||
	       tl_origin_part_in(folder, others_of_all, ARRAY_SIZE(others_of_all));
}

/* Of a program's folders, how many lead to the one that is all its own; 0 if it has none. */
static size_t tree_of(const struct tl_origin_list *folders)
{
	size_t n = folders->n;

	while (n && (tl_origin_part_in(&folders->at[n - 1], parts_of_all, ARRAY_SIZE(parts_of_all)) ||
		     tl_origin_is_number(&folders->at[n - 1])))
		n--;
	if (!n || tl_origin_part_in(&folders->at[n - 1], homes, ARRAY_SIZE(homes)))
		return n == 1 && tl_origin_part_is(&folders->at[0], "app") ? 1 : 0;
	return n == 2 && tl_origin_part_is(&folders->at[0], "home") ? 0 : n;
}

/**
 * tl_origin_names_program() - Take a program's path to parts, or its main class's name
 * @program: it
 * @names: set to them
 */
void tl_origin_names_program(const char *program, struct tl_origin_names *names)
{
	bool main = !strchr(program, '/') && strchr(program, '.') && !strstr(program, ".jar") && !strstr(program, ".war");
	size_t tree;

	if (tl_origin_names(program, main ? TL_ORIGIN_CLASS : TL_ORIGIN_KINDS, names))
		return;
	names->main = main;
	if (main) {
		if (names->packages.n)
			names->own[names->owns++] = names->packages.at[names->packages.n - 1];
		return;
	}
	if (names->stem.len)
		names->own[names->owns++] = names->stem;
	tree = tree_of(&names->folders);
	if (tree > 1)
		names->own[names->owns++] = names->folders.at[tree - 1];
}

/* The folder that people give to one application: /opt/shop, /home/jane/shop, /var/lib/tomcat9/webapps/shop. */
static const struct tl_origin_part *application_of(const struct tl_origin_list *folders)
{
	static const char *const places[] = { "opt", "srv", "home", "www", "apps", "webapps", "deployments", "src" };
	const struct tl_origin_part *found = NULL;
	size_t i, next;

	for (i = 0; i < folders->n; i++) {
		if (!tl_origin_part_in(&folders->at[i], places, ARRAY_SIZE(places)))
			continue;
		next = i + 1 + (tl_origin_part_is(&folders->at[i], "home") && i == 0);
		if (next < folders->n && folders->at[next].text[0] != '.' &&
		    !tl_origin_part_in(&folders->at[next], parts_of_all, ARRAY_SIZE(parts_of_all)))
			found = &folders->at[next];
	}
	return found;
}

/**
 * tl_origin_names_tree() - What an application is called is also what its folder is called
 * @file: by tl_origin_names(), of a file that may be the application's
 * @program: whose own names get the one of the folder that the file's application has to itself
 */
void tl_origin_names_tree(const struct tl_origin_names *file, struct tl_origin_names *program)
{
	const struct tl_origin_part *own = application_of(&file->folders);
	size_t i;

	if (!own || program->owns == ARRAY_SIZE(program->own))
		return;
	for (i = 0; i < program->owns; i++)
		if (program->own[i].len == own->len && !memcmp(program->own[i].text, own->text, own->len))
			return;
	program->own[program->owns++] = *own;
}

static bool begins(const struct tl_origin_part *a, const struct tl_origin_part *b)
{
	return a->len >= KIN_LEAST && a->len <= b->len && !memcmp(a->text, b->text, a->len);
}

static enum tl_origin_kin kin_of(const struct tl_origin_part *a, const struct tl_origin_part *b)
{
	struct tl_origin_list x, y;
	size_t i, k;

	if (a->len == b->len && !memcmp(a->text, b->text, a->len))
		return TL_ORIGIN_KIN_SAME;
	if (begins(a, b) || begins(b, a))
		return TL_ORIGIN_KIN_PART;
	tl_origin_split(a, &x);
	tl_origin_split(b, &y);
	for (i = 0; i < x.n; i++)
		for (k = 0; k < y.n; k++)
			if (begins(&x.at[i], &y.at[k]) || begins(&y.at[k], &x.at[i]))
				return TL_ORIGIN_KIN_WORD;
	return TL_ORIGIN_KIN_NONE;
}

/**
 * tl_origin_kin() - How much a name has in common with those of a program
 * @program: by tl_origin_names_program()
 * @name: in lower case
 *
 * Return: the most that it has with one of them.
 */
enum tl_origin_kin tl_origin_kin(const struct tl_origin_names *program, const struct tl_origin_part *name)
{
	enum tl_origin_kin kin, most = TL_ORIGIN_KIN_NONE;
	size_t i;

	for (i = 0; i < program->owns; i++) {
		kin = kin_of(&program->own[i], name);
		most = max(most, kin);
	}
	return most;
}

/**
 * tl_origin_near() - How near to its program a file lies
 * @file: by tl_origin_names()
 * @program: by tl_origin_names_program(), a path
 *
 * Return: that.
 */
enum tl_origin_near tl_origin_near(const struct tl_origin_names *file, const struct tl_origin_names *program)
{
	size_t tree = tree_of(&program->folders), len = strlen(program->file), same;

	if (!strcmp(file->file, program->file))
		return TL_ORIGIN_ITSELF;
	same = tl_origin_common(&file->folders, &program->folders);
	if (same == program->folders.n && file->folders.n == same)
		return TL_ORIGIN_FOLDER;
	if (!strncmp(file->file, program->file, len) && file->file[len] == '/')
		return TL_ORIGIN_TREE;
	return tree && same >= tree ? TL_ORIGIN_TREE : TL_ORIGIN_ELSEWHERE;
}

/**
 * tl_origin_common() - How many parts two lists begin with that are the same
 * @a: one
 * @b: the other
 *
 * Return: so many.
 */
size_t tl_origin_common(const struct tl_origin_list *a, const struct tl_origin_list *b)
{
	size_t i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (a->at[i].len != b->at[i].len || memcmp(a->at[i].text, b->at[i].text, a->at[i].len))
			break;
	return i;
}
