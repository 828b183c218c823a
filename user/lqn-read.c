// SPDX-License-Identifier: GPL-2.0-or-later
/* A layered queueing network from a file, in the format that its name says. */
#include "lqn-read.h"

#include "error.h"
#include "hist.h"
#include "lqn-draft.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (256U << 20)

static const struct {
	const char *suffix;
	bool xml;
} formats[] = {
	{ ".lqn", false }, { ".in", false }, { ".xlqn", false }, { ".lqnx", true }, { ".xml", true },
};

static int format_of(const char *file, bool *xml, struct tl_error *err)
{
	size_t i, len = strlen(file), suffix;

	/* What another command writes into a pipe has no name of its own; ours write text. */
	*xml = false;
	if (!strncmp(file, "/dev/", 5) || !strncmp(file, "/proc/", 6))
		return 0;
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		suffix = strlen(formats[i].suffix);
		if (len < suffix || strcmp(file + len - suffix, formats[i].suffix))
			continue;
		*xml = formats[i].xml;
		return 0;
	}
	return tl_error_set(err, -EINVAL, "%s: the name does not say the format: end it with .lqn, "
			    ".in or .xlqn for text, with .lqnx or .xml for XML", file);
}

static int file_read(const char *file, char **text, size_t *len, struct tl_error *err)
{
	FILE *from = fopen(file, "re"), *to;
	char block[65536];
	int code = 0;
	size_t n;

	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read (%s): give a model", file,
				    strerror(errno));
	to = open_memstream(text, len);
	errno = 0;
	while (to && *len <= FILE_BYTES_MAX && (n = fread(block, 1, sizeof(block), from)) > 0) {
		fwrite(block, 1, n, to);
		fflush(to);
	}
	if (ferror(from))
		code = tl_error_set(err, -EIO, "%s: cannot read (%s): give a model", file,
				    strerror(errno));
	if (!code && to && *len > FILE_BYTES_MAX)
		code = tl_error_set(err, -E2BIG, "%s: more than 256 MiB: give a smaller model", file);
	fclose(from);
	if (!to || fclose(to))
		code = code ? code : tl_error_no_memory(err);
	return code;
}

/**
 * tl_lqn_parse() - Read a network from memory
 * @lqn: empty; filled in, and sound if there are no faults
 * @text: the file, followed by a NUL
 * @len: its length
 * @xml: whether it is LQNX, else LQN's text
 * @faults: what is wrong with it, and what may be meant so
 *
 * Return: 0; -EINVAL if there are faults.
 */
int tl_lqn_parse(struct tl_lqn *lqn, const char *text, size_t len, bool xml,
		 struct tl_faults *faults)
{
	struct tl_draft draft = { .lqn = lqn, .faults = faults };
	int code;

	if (xml)
		tl_lqn_xml(&draft, text, len);
	else
		tl_lqn_text(&draft, text, len);
	code = tl_draft_end(&draft);
	tl_draft_free(&draft);
	if (!code)
		tl_lqn_check(lqn, faults);
	return faults->faults || faults->no_memory ? -EINVAL : 0;
}

/**
 * tl_lqn_read() - Read a network from a file
 * @lqn: empty; filled in, and sound if there are no faults
 * @file: its name, whose end says the format
 * @faults: what is wrong with it, and what may be meant so
 * @err: the sentence if it cannot be used: that it cannot be read, or the first fault
 *
 * Return: 0 or a negative errno.
 */
int tl_lqn_read(struct tl_lqn *lqn, const char *file, struct tl_faults *faults,
		struct tl_error *err)
{
	bool xml = false;
	char *text = NULL;
	size_t len = 0;
	int code;

	faults->file = file;
	code = format_of(file, &xml, err);
	code = code ? code : file_read(file, &text, &len, err);
	if (!code) {
		tl_lqn_parse(lqn, text, len, xml, faults);
		code = tl_faults_error(faults, err);
	}
	free(text);
	return code;
}
