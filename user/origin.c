// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where code comes from: the user's own, the system's, or a third party's
 *
 * What somebody says by a pattern is right; else the model is asked, and what is not likely enough is
 * unsure. Only code that is the user's for sure gets method probes by itself.
 */
#include "origin.h"

#include "binary.h"
#include "error.h"
#include "origin-features.h"
#include "origin-file.h"
#include "origin-packages.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const tl_origin_labels[TL_ORIGIN_LABELS + 1] = { "user", "system", "third-party", "unsure" };
const char *const tl_origin_kinds[TL_ORIGIN_KINDS] = { "elf", "script", "jar", "class" };
const char *const tl_origin_families[TL_ORIGIN_FAMILIES] = { "native", "java" };

/**
 * tl_origin_family() - Which features a kind of file has
 * @kind: of file; of those that are not known it is native
 *
 * Return: the family.
 */
enum tl_origin_family tl_origin_family(enum tl_origin_kind kind)
{
	return kind == TL_ORIGIN_JAR || kind == TL_ORIGIN_CLASS ? TL_ORIGIN_JAVA : TL_ORIGIN_NATIVE;
}

/**
 * tl_origin_open() - Get all that is needed to tell where code comes from
 * @origin: set up, but for what the caller has set: patterns and @origin->sure
 * @model: file; NULL for the one that came with the program
 * @root: folder where files are looked at, "" for the machine's own
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno; to be closed in any case.
 */
int tl_origin_open(struct tl_origin *origin, const char *model, const char *root, struct tl_error *err)
{
	char *shipped = model ? NULL : tl_origin_model_shipped();
	struct tl_error note;
	int code;

	origin->root = root;
	if (!model && !shipped)
		return tl_error_set(err, -ENOENT, "the model that comes with tierlens is not installed: give one by --model");
	code = tl_origin_model_read(&origin->model, model ? model : shipped, err);
	free(shipped);
	if (code)
		return code;
	if (tl_origin_packages_read(&origin->packages, root, &note))
		return tl_error_no_memory(err);
	snprintf(origin->note, sizeof(origin->note), "%s", note.text);
	return 0;
}

/**
 * tl_origin_close() - Give back what was taken
 * @origin: opened, or all zero
 */
void tl_origin_close(struct tl_origin *origin)
{
	tl_origin_model_free(&origin->model);
	tl_origin_packages_free(origin->packages);
	free(origin->pattern);
	*origin = (struct tl_origin){ .sure = 0 };
}

/**
 * tl_origin_pattern() - Somebody knows better
 * @origin: gets it; it is asked last, so what comes later overrules what came before
 * @label: what it is
 * @text: pattern, which stays where it is
 *
 * Return: 0 or -ENOMEM.
 */
int tl_origin_pattern(struct tl_origin *origin, enum tl_origin_label label, const char *text)
{
	struct tl_origin_pattern *grown = reallocarray(origin->pattern, origin->patterns + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	origin->pattern = grown;
	grown[origin->patterns++] = (struct tl_origin_pattern){ text, label };
	return 0;
}

/* "/opt/shop.jar!/org/shop/Cart.class" is org.shop.Cart, too. */
static void dotted(const char *path, char *text, size_t room)
{
	const char *inner = strstr(path, "!/"), *next;
	size_t i, len;

	while (inner && (next = strstr(inner + 2, "!/")))
		inner = next;
	path = inner ? inner + 2 : path;
	for (i = 0; path[i] && i + 1 < room; i++)
		text[i] = path[i] == '/' ? '.' : path[i];
	text[i] = '\0';
	len = strlen(".class");
	if (i > len && !strcmp(text + i - len, ".class"))
		text[i - len] = '\0';
}

static const struct tl_origin_pattern *pattern_of(const struct tl_origin *origin, const char *path)
{
	const char *name = strrchr(path, '/');
	char class[4200];
	size_t i;

	dotted(path, class, sizeof(class));
	for (i = origin->patterns; i--;) {
		const char *text = origin->pattern[i].text;

		if (!fnmatch(text, path, 0) || (name && !fnmatch(text, name + 1, 0)) || !fnmatch(text, class, 0))
			return &origin->pattern[i];
	}
	return NULL;
}

/**
 * tl_origin_judge() - Where something comes from
 * @origin: opened
 * @item: what it is
 * @verdict: set to the answer
 *
 * Return: 0; -EINVAL for a path of nothing, -ENAMETOOLONG.
 */
int tl_origin_judge(const struct tl_origin *origin, const struct tl_origin_item *item, struct tl_origin_verdict *verdict)
{
	const struct tl_origin_pattern *pattern = pattern_of(origin, item->path);
	struct tl_origin_words words;
	int code = tl_origin_words(item, origin->root, origin->packages, &origin->model.asked, &words);

	*verdict = (struct tl_origin_verdict){ .label = TL_ORIGIN_UNSURE, .kind = words.kind };
	if (code)
		return code;
	verdict->refused = words.refused;
	code = tl_bayes_judge(&origin->model.family[tl_origin_family(words.kind)], words.word, words.n, &verdict->bayes);
	verdict->likeliest = (enum tl_origin_label)verdict->bayes.best;
	verdict->posterior = verdict->bayes.posterior[verdict->bayes.best];
	if (verdict->bayes.known && verdict->posterior >= origin->sure)
		verdict->label = verdict->likeliest;
	if (pattern) {
		verdict->label = verdict->likeliest = pattern->label;
		verdict->pattern = pattern->text;
		verdict->posterior = 1;
	}
	return code;
}

/**
 * tl_origin_probed() - Does code get method probes, if nobody says otherwise?
 * @verdict: where it comes from
 *
 * Return: whether it does.
 */
bool tl_origin_probed(const struct tl_origin_verdict *verdict)
{
	return verdict->label == TL_ORIGIN_USER;
}

/**
 * tl_origin_functions() - The functions of a file that a method probe can be put on
 * @root: folder where files are looked at, "" for the machine's own
 * @path: the file's
 * @each: called for each with its name and where it begins in the file; ends with what is not 0
 * @arg: given to it
 * @err: the sentence if the file cannot be read
 *
 * Return: 0, a negative errno or what @each returned.
 */
int tl_origin_functions(const char *root, const char *path, tl_origin_function *each, void *arg, struct tl_error *err)
{
	const char *why = NULL;
	int fd = tl_origin_open_at(root, path), code;
	struct tl_binary *binary = fd >= 0 ? tl_binary_open(fd, &why) : NULL;
	struct tl_code *function;
	size_t n, i;

	if (!binary) {
		if (fd < 0)
			return tl_error_set(err, fd, "%s: its functions cannot be read (%s): is it an ELF file?", path,
					    strerror(-fd));
		close(fd);
		return tl_error_set(err, -ENOEXEC, "%s: %s", path, why);
	}
	code = tl_binary_code(binary, &function, &n);
	for (i = 0; !code && i < n; i++)
		code = each(arg, function[i].name, function[i].offset);
	free(function);
	if (!code && tl_binary_refused(binary))
		code = tl_error_set(err, -EFBIG, "%s: %s", path, tl_binary_refused(binary));
	tl_binary_close(binary);
	close(fd);
	return code == -ENOMEM ? tl_error_no_memory(err) : code;
}
