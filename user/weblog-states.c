// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which requests of an access log are which state of a customer behaviour model graph
 *
 * With rules: as the module tells classes, by the first bytes of "METHOD /path?query"; the
 * longest prefix that matches decides, and what none matches is "other". A prefix that
 * begins with a slash is for any method. Without rules: the path up to its first component.
 * What a page is made up of (pictures, style sheets) is no request of a person and no state,
 * unless a rule says so.
 */
#include "weblog-states.h"

#include "error.h"
#include "escape.h"
#include "hist.h"
#include "model/cbmg-fit.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PREFIX_MAX 200
#define NAME_BYTES_MAX 100

static const char *const embedded[] = {
	"avif", "bmp", "css", "cur", "eot", "gif", "ico", "jpeg", "jpg", "js", "map", "mjs", "mp3",
	"mp4", "ogg", "otf", "png", "svg", "ttf", "wasm", "webm", "webmanifest", "webp", "woff",
	"woff2",
};

/* ---- rules ------------------------------------------------------------------------- */

static int rule_check(const struct tl_weblog_states *s, const char *name, const char *prefix,
		      size_t len, struct tl_error *err)
{
	size_t i;

	if (!*name || strlen(name) > NAME_BYTES_MAX || !strcmp(name, "(start)") ||
	    !strcmp(name, "(exit)"))
		return tl_error_set(err, -EINVAL, "the name \"%.120s\" of a state must have 1 to %d "
				    "bytes and not be \"(start)\" or \"(exit)\"", name,
				    NAME_BYTES_MAX);
	if (!len)
		return tl_error_set(err, -EINVAL, "the prefix of state \"%s\" is empty: give the "
				    "first bytes of its requests, such as /cart", name);
	for (i = 0; i < s->rules; i++)
		if (s->rule[i].len == len && !memcmp(s->rule[i].prefix, prefix, len))
			return tl_error_set(err, -EEXIST, "the prefix of state \"%s\" is that of state "
					    "\"%s\", too: delete one of them", name, s->rule[i].name);
	return 0;
}

/**
 * tl_weblog_rule_add() - Say of which state some requests are
 * @states: states
 * @name: of the state; "-" for requests that are none
 * @prefix: first bytes of "METHOD /path", or of the path if it begins with '/'; with the
 *          escapes of tl_escape_read()
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_weblog_rule_add(struct tl_weblog_states *states, const char *name, const char *prefix,
		       struct tl_error *err)
{
	struct tl_weblog_rule *grown, rule = { 0 };
	unsigned char bytes[PREFIX_MAX];
	int code = tl_escape_read(prefix, bytes, sizeof(bytes), &rule.len, err);

	code = code ? code : rule_check(states, name, (char *)bytes, rule.len, err);
	if (code)
		return code;
	rule.name = tl_text_utf8(name, strlen(name));
	rule.prefix = malloc(rule.len);
	grown = reallocarray(states->rule, states->rules + 1, sizeof(*grown));
	if (grown)
		states->rule = grown;
	if (!grown || !rule.name || !rule.prefix) {
		free(rule.name);
		free(rule.prefix);
		return tl_error_no_memory(err);
	}
	memcpy(rule.prefix, bytes, rule.len);
	grown[states->rules++] = rule;
	states->ruled = states->ruled || strcmp(name, "-");
	return 0;
}

/* As "tierlens class list --json" prints them. */
static int rules_json(struct tl_weblog_states *states, const json_t *object, const char *file,
		      struct tl_error *err)
{
	const json_t *list = json_object_get(object, "classes"), *rule;
	const char *name, *prefix;
	struct tl_error why;
	size_t i;

	if (!json_is_array(list))
		return tl_error_set(err, -EINVAL, "%s: no key \"classes\": give what tierlens class "
				    "list --json prints, or lines of NAME PREFIX", file);
	json_array_foreach(list, i, rule) {
		name = json_string_value(json_object_get(rule, "name"));
		prefix = json_string_value(json_object_get(rule, "prefix"));
		if (!name || !prefix)
			return tl_error_set(err, -EINVAL, "%s: class %zu has no name or no prefix",
					    file, i + 1);
		if (tl_weblog_rule_add(states, name, prefix, &why))
			return tl_error_set(err, -EINVAL, "%s: class %zu: %s", file, i + 1, why.text);
	}
	return 0;
}

static int rules_text(struct tl_weblog_states *states, char *text, const char *file,
		      struct tl_error *err)
{
	char *line, *name, *prefix;
	struct tl_error why;
	size_t nr;

	for (nr = 1; (line = strsep(&text, "\n")); nr++) {
		name = line + strspn(line, " \t\r");
		if (!*name || *name == '#')
			continue;
		prefix = name + strcspn(name, " \t\r");
		if (*prefix)
			*prefix++ = '\0';
		prefix += strspn(prefix, " \t\r");
		prefix[strcspn(prefix, "\r")] = '\0';
		if (tl_weblog_rule_add(states, name, prefix, &why))
			return tl_error_set(err, -EINVAL, "%s:%zu: %s", file, nr, why.text);
	}
	return 0;
}

/**
 * tl_weblog_rules_read() - Read rules from a file
 * @states: states
 * @file: lines of a name, a space and a prefix; or what tierlens class list --json prints
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_weblog_rules_read(struct tl_weblog_states *states, const char *file,
			 struct tl_error *err)
{
	char text[1 << 16];
	FILE *from = fopen(file, "re");
	json_t *object;
	size_t len;
	int code;

	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give a file with lines of "
				    "NAME PREFIX", file, strerror(errno));
	len = fread(text, 1, sizeof(text) - 1, from);
	code = ferror(from) ? -EIO : 0;
	fclose(from);
	text[len] = '\0';
	if (code || strlen(text) != len || len == sizeof(text) - 1)
		return tl_error_set(err, -EINVAL, "%s: cannot read, or more than 64 KiB, or no text: "
				    "give a file with lines of NAME PREFIX", file);
	object = json_loadb(text, len, 0, NULL);
	code = json_is_object(object) ? rules_json(states, object, file, err) :
					rules_text(states, text, file, err);
	json_decref(object);
	return code;
}

/* ---- requests ---------------------------------------------------------------------- */

struct request {
	const char *method;
	size_t method_len;
	const char *path; /* with its query */
	size_t len;
};

static size_t word_len(const char *text)
{
	return strcspn(text, " \t");
}

/* What an address has before the path, in a proxy's log for example. */
static void host_skip(struct request *r)
{
	const char *host = memmem(r->path, r->len, "://", 3), *path;

	if (!host || *r->path == '/')
		return;
	host += 3;
	path = memchr(host, '/', r->len - (size_t)(host - r->path));
	r->len = path ? r->len - (size_t)(path - r->path) : 1;
	r->path = path ? path : "/";
}

/* "METHOD /path HTTP/1.1", or both apart. */
static bool request_read(struct request *r, const char *request, const char *method,
			 const char *url)
{
	if (url) {
		*r = (struct request){ method ? method : "GET", 0, url, strlen(url) };
		r->method_len = strlen(r->method);
	} else {
		if (!request)
			return false;
		*r = (struct request){ request, word_len(request), NULL, 0 };
		r->path = request + r->method_len + strspn(request + r->method_len, " \t");
		r->len = word_len(r->path);
	}
	host_skip(r);
	return r->len && *r->path == '/' && r->method_len && isalpha((unsigned char)*r->method);
}

static bool begins(const struct request *r, const struct tl_weblog_rule *rule)
{
	size_t method = r->method_len;

	if (*rule->prefix == '/')
		return rule->len <= r->len && !memcmp(r->path, rule->prefix, rule->len);
	if (rule->len <= method)
		return !memcmp(r->method, rule->prefix, rule->len);
	return !memcmp(r->method, rule->prefix, method) && rule->prefix[method] == ' ' &&
	       rule->len - method - 1 <= r->len &&
	       !memcmp(r->path, rule->prefix + method + 1, rule->len - method - 1);
}

static const struct tl_weblog_rule *rule_of(const struct tl_weblog_states *s,
					    const struct request *r)
{
	const struct tl_weblog_rule *best = NULL;
	size_t i;

	for (i = 0; i < s->rules; i++)
		if ((!best || s->rule[i].len > best->len) && begins(r, &s->rule[i]))
			best = &s->rule[i];
	return best;
}

/* Without query, fragment and parameters. */
static size_t path_len(const struct request *r)
{
	size_t len = 0;

	while (len < r->len && !strchr("?#;", r->path[len]))
		len++;
	return len;
}

static bool is_embedded(const char *path, size_t len)
{
	const char *point = memrchr(path, '.', len);
	size_t i, suffix;

	if (!point || memchr(point, '/', len - (size_t)(point - path)))
		return false;
	suffix = len - (size_t)(point + 1 - path);
	for (i = 0; i < ARRAY_SIZE(embedded); i++)
		if (strlen(embedded[i]) == suffix && !strncasecmp(point + 1, embedded[i], suffix))
			return true;
	return false;
}

/* "/a/b/c" up to so many components, without an empty one. */
static size_t components_len(const char *path, size_t len, size_t depth)
{
	size_t i, parts = 0;

	for (i = 1; i < len; i++)
		if (path[i] == '/' && ++parts == depth)
			return i;
	return len > 1 && path[len - 1] == '/' ? len - 1 : len;
}

/* ---- states ------------------------------------------------------------------------ */

static bool named(const char *name, const char *text, size_t len)
{
	return !strncmp(name, text, len) && !name[len];
}

/* Return: its index, or -ENOMEM. */
static int state_add(struct tl_weblog_states *s, const char *text, size_t len)
{
	char **grown = reallocarray(s->name, s->n + 1, sizeof(*grown));

	if (grown)
		s->name = grown;
	if (!grown || !(grown[s->n] = strndup(text, len)))
		return -ENOMEM;
	return (int)s->n++;
}

static int other_find(struct tl_weblog_states *s)
{
	int at = (int)s->other;

	if (!at)
		at = state_add(s, "other", strlen("other"));
	if (at > 0)
		s->other = (size_t)at;
	return at;
}

/* One that has come before, a new one if there is room, or other. */
static int state_find(struct tl_weblog_states *s, const char *text, size_t len)
{
	size_t i;

	for (i = TL_CBMG_FIRST; i < s->n; i++)
		if (named(s->name[i], text, len))
			return (int)i;
	if (s->n < TL_WEBLOG_STATES_MAX)
		return state_add(s, text, len);
	s->crowded = true;
	return other_find(s);
}

/* Paths that are no UTF-8 get another name. */
static int path_state(struct tl_weblog_states *s, const char *path, size_t len)
{
	char *name;
	size_t i;
	int at;

	if (len > NAME_BYTES_MAX)
		len = NAME_BYTES_MAX;
	for (i = TL_CBMG_FIRST; i < s->n; i++)
		if (named(s->name[i], path, len))
			return (int)i;
	name = tl_text_utf8(path, len);
	at = name ? state_find(s, name, strlen(name)) : -ENOMEM;
	free(name);
	return at;
}

static int states_begin(struct tl_weblog_states *s)
{
	static const char *const first[] = { "(start)", "(exit)" };
	size_t i;

	for (i = s->n; i < ARRAY_SIZE(first); i++)
		if (state_add(s, first[i], strlen(first[i])) < 0)
			return -ENOMEM;
	return 0;
}

/**
 * tl_weblog_state() - Of which state a request is
 * @states: states; a new one may be added
 * @request: "METHOD /path HTTP/1.1" or NULL
 * @method: the method by itself, or NULL
 * @url: the address by itself, or NULL
 * @state: set to its index, or to TL_WEBLOG_EMBEDDED and the like for none
 *
 * Return: 0 or -ENOMEM.
 */
int tl_weblog_state(struct tl_weblog_states *states, const char *request, const char *method,
		    const char *url, int *state)
{
	const struct tl_weblog_rule *rule;
	struct request r;
	size_t len;
	int at = states_begin(states);

	*state = TL_WEBLOG_NO_REQUEST;
	if (at || !request_read(&r, request, method, url))
		return at;
	rule = rule_of(states, &r);
	len = path_len(&r);
	if (rule && !strcmp(rule->name, "-"))
		at = TL_WEBLOG_LEFT_OUT;
	else if (rule)
		at = state_find(states, rule->name, strlen(rule->name));
	else if (!states->embedded && is_embedded(r.path, len))
		at = TL_WEBLOG_EMBEDDED;
	else if (states->ruled)
		at = state_find(states, "other", strlen("other"));
	else
		at = path_state(states, r.path, components_len(r.path, len, states->depth));
	*state = at;
	return at == -ENOMEM ? -ENOMEM : 0;
}

/**
 * tl_weblog_states_free() - Free rules and names
 * @states: states
 */
void tl_weblog_states_free(struct tl_weblog_states *states)
{
	size_t i;

	for (i = 0; i < states->rules; i++) {
		free(states->rule[i].name);
		free(states->rule[i].prefix);
	}
	for (i = 0; i < states->n; i++)
		free(states->name[i]);
	free(states->rule);
	free(states->name);
}
