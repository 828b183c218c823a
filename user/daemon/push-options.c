// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of remote write: looked at, and what they name read, before anything is sent. */
#include "daemon/push.h"

#include "daemon/push-series.h"
#include "error.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_MOST 64
#define VALUE_MOST 256

static bool is_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!(name[i] == '_' || (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
		      (i && name[i] >= '0' && name[i] <= '9')))
			return false;
	return len && len <= NAME_MOST && strncmp(name, "__", 2);
}

static bool is(const char *name, const char *text, size_t len)
{
	return name && !strncmp(name, text, len) && !name[len];
}

/* Names of ours say something else of each series. */
static bool is_ours(const char *text, size_t len)
{
	size_t i, k;

	for (i = 0; i < TL_ROWS_KINDS; i++)
		for (k = 0; k < tl_rows_shapes[i].labels; k++)
			if (is(tl_rows_shapes[i].label[k], text, len))
				return true;
	for (i = 0; i < tl_families_n; i++)
		if (is(tl_families[i].label, text, len))
			return true;
	return is("le", text, len);
}

static bool has(const struct tl_push_naming *naming, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < naming->labels; i++)
		if (is(naming->label[i].name, text, len))
			return true;
	return false;
}

static bool is_utf8(const char *text)
{
	json_t *json = json_string(text);
	bool well = json;

	json_decref(json);
	return well;
}

static int label_add(struct tl_push_naming *naming, const char *name, size_t len, const char *value, struct tl_error *err)
{
	struct tl_push_label *label = tl_array_append((void **)&naming->label, &naming->labels, sizeof(*label));

	if (!label)
		return tl_error_no_memory(err);
	label->name = strndup(name, len);
	label->value = strdup(value);
	return label->name && label->value ? 0 : tl_error_no_memory(err);
}

static int label_read(struct tl_push_naming *naming, const char *text, struct tl_error *err)
{
	size_t len = strcspn(text, "=");
	const char *value = text + len + !!text[len];

	if (!text[len] || !is_name(text, len))
		return tl_error_set(err, -EINVAL, "--label \"%.100s\" is no label: give NAME=VALUE, NAME of letters, digits and _",
				    text);
	if (is_ours(text, len))
		return tl_error_set(err, -EINVAL, "--label \"%.100s\": figures have a label of that name already: give another one",
				    text);
	if (has(naming, text, len))
		return tl_error_set(err, -EINVAL, "--label \"%.100s\": there is another one of that name: give each once", text);
	if (!*value || strlen(value) > VALUE_MOST || !is_utf8(value))
		return tl_error_set(err, -EINVAL, "--label \"%.100s\": a value has 1 to %d bytes of UTF-8", text, VALUE_MOST);
	if (naming->labels == TL_PUSH_COMMON - 2)
		return tl_error_set(err, -EINVAL, "--label \"%.100s\": there are more than %d", text, TL_PUSH_COMMON - 2);
	return label_add(naming, text, len, value, err);
}

/* Whose figures they are, as whoever collects them would have it. */
static int self_add(struct tl_push_naming *naming, struct tl_error *err)
{
	char host[HOST_NAME_MAX + 1] = "";
	int code = 0;

	gethostname(host, sizeof(host) - 1);
	if (!has(naming, "job", 3))
		code = label_add(naming, "job", 3, "tierlens", err);
	if (!code && !has(naming, "instance", 8))
		code = label_add(naming, "instance", 8, *host ? host : "localhost", err);
	return code;
}

static int skip_add(struct tl_push_naming *naming, const char *pattern, struct tl_error *err)
{
	char **to = tl_array_append((void **)&naming->skip, &naming->skips, sizeof(*to));

	if (to)
		*to = strdup(pattern);
	return to && *to ? 0 : tl_error_no_memory(err);
}

static int naming_read(struct tl_push_naming *naming, const struct tl_push_options *options, tl_push_mistake_fn *mistake,
		       void *arg)
{
	struct tl_error err;
	int code = 0;
	size_t i;

	for (i = 0; i < options->labels; i++)
		if (label_read(naming, options->label[i], &err)) {
			code = -EINVAL;
			mistake(&err, arg);
		}
	for (i = 0; i < options->skips && !code; i++)
		code = skip_add(naming, options->skip[i], &err);
	return code ? code : self_add(naming, &err);
}

static int target_read(struct tl_push_plan *plan, const struct tl_push_options *options, tl_push_mistake_fn *mistake,
		       void *arg)
{
	struct tl_error err;
	int code = 0;

	if (tl_post_check(options->url, &plan->bare, &err)) {
		code = -EINVAL;
		mistake(&err, arg);
	}
	if (options->token_file && tl_token_read(&plan->target.token, options->token_file, &err)) {
		code = -EINVAL;
		mistake(&err, arg);
	}
	if (options->ca && tl_post_check_ca(options->ca, &err)) {
		code = -EINVAL;
		mistake(&err, arg);
	}
	plan->bare &= !!options->token_file;
	return code;
}

static int alone(const struct tl_push_options *options, tl_push_mistake_fn *mistake, void *arg)
{
	const char *what = options->token_file ? "--remote-write-token-file" :
			   options->ca	       ? "--remote-write-ca" :
			   options->labels     ? "--label" :
			   options->skips      ? "--remote-write-skip" :
						 NULL;
	struct tl_error err;

	if (!what)
		return 0;
	tl_error_set(&err, -EINVAL, "%s is of no use alone: give --remote-write", what);
	mistake(&err, arg);
	return -EINVAL;
}

/**
 * tl_push_plan() - Look at the options, and read what they name
 * @plan: filled in, to be given to tl_push_plan_free(); without an address if nothing is to be sent
 * @options: options
 * @mistake: told of each mistake
 * @arg: for it
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int tl_push_plan(struct tl_push_plan *plan, const struct tl_push_options *options, tl_push_mistake_fn *mistake, void *arg)
{
	int code, also;

	memset(plan, 0, sizeof(*plan));
	if (!options->url)
		return alone(options, mistake, arg);
	code = target_read(plan, options, mistake, arg);
	also = naming_read(&plan->naming, options, mistake, arg);
	plan->target.url = strdup(options->url);
	plan->target.ca = options->ca ? strdup(options->ca) : NULL;
	plan->queue = strdup(options->queue ? options->queue : TL_PUSH_QUEUE_DEFAULT);
	plan->queue_bytes = options->queue_mb * 1000000;
	if (!plan->target.url || !plan->queue || (options->ca && !plan->target.ca))
		code = -ENOMEM;
	code = code ? code : also;
	if (code)
		tl_push_plan_free(plan);
	return code;
}

/**
 * tl_push_plan_free() - Forget it
 * @plan: plan, also one that came to nothing
 */
void tl_push_plan_free(struct tl_push_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->naming.labels; i++) {
		free(plan->naming.label[i].name);
		free(plan->naming.label[i].value);
	}
	for (i = 0; i < plan->naming.skips; i++)
		free(plan->naming.skip[i]);
	free(plan->naming.label);
	free(plan->naming.skip);
	free((char *)plan->target.url);
	free((char *)plan->target.ca);
	free(plan->queue);
	explicit_bzero(plan, sizeof(*plan));
}
