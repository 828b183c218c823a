// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The configuration file: "key = value;" with the long options of the command line as keys (libconfig's format)
 *
 * All settings are looked at, whatever is wrong with the others, and each mistake is told with its line. Where the
 * file cannot be parsed, that is told, too, and what stands before that place is looked at.
 */
#include "daemon/settings.h"

#include "cmd.h"
#include "error.h"
#include "out.h"

#include <ctype.h>
#include <errno.h>
#include <libconfig.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACE_MOST 300

/* A value as it would stand on the command line; NULL if it is none. */
static const char *value_text(const config_setting_t *setting, char *room, size_t size)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_STRING:
		return config_setting_get_string(setting);
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		snprintf(room, size, "%lld", config_setting_get_int64(setting));
		return room;
	case CONFIG_TYPE_FLOAT:
		snprintf(room, size, "%.15g", config_setting_get_float(setting));
		return room;
	default:
		return NULL;
	}
}

static int one_take(struct tl_settings *settings, const struct tl_cmd *cmd, const struct option *option,
		    const config_setting_t *setting)
{
	char room[40];
	const char *text = value_text(setting, room, sizeof(room));

	if (text && *text)
		return tl_settings_take(settings, cmd, option->val, text);
	tl_out_error("%s wants a number, or a text in quotation marks that is not empty", option->name);
	return TL_EXIT_USAGE;
}

/* Something that is on or off. */
static int flag_take(struct tl_settings *settings, const struct tl_cmd *cmd, const struct option *option,
		     const config_setting_t *setting)
{
	if (config_setting_type(setting) != CONFIG_TYPE_BOOL) {
		tl_out_error("%s is true or false", option->name);
		return TL_EXIT_USAGE;
	}
	return config_setting_get_bool(setting) ? tl_settings_take(settings, cmd, option->val, NULL) : TL_EXIT_OK;
}

static int list_take(struct tl_settings *settings, const struct tl_cmd *cmd, const struct option *option,
		     const config_setting_t *setting)
{
	int i, status = TL_EXIT_OK, n = config_setting_length(setting);

	if (!strchr("fxueK", option->val)) {
		tl_out_error("%s has one value, not a list", option->name);
		return TL_EXIT_USAGE;
	}
	for (i = 0; i < n; i++)
		if (one_take(settings, cmd, option, config_setting_get_elem(setting, (unsigned int)i)))
			status = TL_EXIT_USAGE;
	return status;
}

static int setting_take(struct tl_settings *settings, const struct tl_cmd *cmd, const config_setting_t *setting)
{
	const char *file = config_setting_source_file(setting), *name = config_setting_name(setting);
	const struct option *option = tl_settings_find(name);
	char place[PLACE_MOST];
	int status;

	snprintf(place, sizeof(place), "%s:%u", file ? file : settings->config, config_setting_source_line(setting));
	tl_out_place(place);
	if (!option) {
		tl_out_error("there is no key %s: they are the long options of tierlensd --help, without dashes", name);
		status = TL_EXIT_USAGE;
	} else if (config_setting_is_group(setting)) {
		tl_out_error("%s has a value, not a group of settings", name);
		status = TL_EXIT_USAGE;
	} else if (option->has_arg == no_argument) {
		status = flag_take(settings, cmd, option, setting);
	} else if (config_setting_is_aggregate(setting)) {
		status = list_take(settings, cmd, option, setting);
	} else {
		status = one_take(settings, cmd, option, setting);
	}
	tl_out_place(NULL);
	return status;
}

static int parse_failed(const struct tl_settings *settings, const config_t *config)
{
	const char *file = config_error_file(config);

	if (config_error_type(config) == CONFIG_ERR_FILE_IO)
		tl_out_error("%s: cannot be read: see that it is there and may be read", settings->config);
	else
		tl_out_error("%s:%d: %s: write key = value; with texts in quotation marks, each key once; what "
			     "follows was not looked at", file ? file : settings->config, config_error_line(config),
			     config_error_text(config));
	return TL_EXIT_USAGE;
}

/* Return: behind a comment or a text in quotation marks that begins there; @at if none does. */
static const char *skip(const char *at)
{
	const char *end;

	if (*at == '#' || !strncmp(at, "//", 2))
		return at + strcspn(at, "\n");
	if (!strncmp(at, "/*", 2)) {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (*at != '"')
		return at;
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

static unsigned int lines(const char *from, const char *to)
{
	unsigned int n = 1;

	for (; from < to; from++)
		n += *from == '\n';
	return n;
}

/* libconfig takes a whole number of more than 32 bits for what is left of it: 4294967796 for 500. */
static int numbers_check(const struct tl_settings *settings, const char *text)
{
	const char *at = text, *next;
	int status = TL_EXIT_OK;
	long long value;
	char *end;

	while (*at) {
		next = skip(at);
		if (next == at && isdigit((unsigned char)*at)) {
			errno = 0;
			value = strtoll(at, &end, 0);
			next = at + strspn(at, "0123456789.eExXabcdfABCDFL+-_");
			if (next == end && (errno || value > INT_MAX)) {
				tl_out_error("%s:%u: %.*s is larger than any number here", settings->config,
					     lines(text, at), (int)(end - at), at);
				status = TL_EXIT_USAGE;
			}
		} else if (next == at) {
			/* Digits in a name are not meant. */
			while (isalnum((unsigned char)*next) || *next == '_')
				next++;
			next += next == at;
		}
		at = next;
	}
	return status;
}

/* Return: what is in the file, NULL if it cannot be read, which is told by who parses it. */
static char *file_text(const char *name)
{
	FILE *from = fopen(name, "re");
	char *text = NULL;
	size_t room = 0;

	if (from && getdelim(&text, &room, '\0', from) < 0) {
		free(text);
		text = NULL;
	}
	if (from)
		fclose(from);
	return text;
}

/**
 * tl_settings_file() - Read the configuration file
 * @settings: changed; it says which file
 * @cmd: the command, for sentences
 *
 * Return: TL_EXIT_OK, or the exit status after a sentence for each mistake.
 */
int tl_settings_file(struct tl_settings *settings, const struct tl_cmd *cmd)
{
	const config_setting_t *root, *setting;
	config_t config;
	char *text = file_text(settings->config);
	int i, n, read, status = text ? numbers_check(settings, text) : TL_EXIT_OK;

	free(text);
	config_init(&config);
	read = config_read_file(&config, settings->config);
	root = config_root_setting(&config);
	n = root ? config_setting_length(root) : 0;
	for (i = 0; i < n; i++) {
		setting = config_setting_get_elem(root, (unsigned int)i);
		/* One in which the parser stopped has no type. */
		if (config_setting_type(setting) != CONFIG_TYPE_NONE && setting_take(settings, cmd, setting))
			status = TL_EXIT_USAGE;
	}
	if (!read)
		status = parse_failed(settings, &config);
	config_destroy(&config);
	return status;
}
