// SPDX-License-Identifier: GPL-2.0-or-later
#include "opt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addr.h"

void opt_usage(const char *what, const char *value)
{
	const char *program = program_invocation_short_name;

	fprintf(stderr, "%s: %s '%s'; see %s --help\n", program, what, value, program);
	exit(2);
}

uint64_t opt_number(const char *text, uint64_t min, uint64_t max)
{
	char *end;
	unsigned long long v = strtoull(text, &end, 10);

	if (end == text || *end || *text == '-' || v < min || v > max)
		opt_usage("out of range or not a number:", text);
	return v;
}

/* Not negative. */
double opt_real(const char *text, double max)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= 0 && v <= max))
		opt_usage("out of range or not a number:", text);
	return v;
}

/* @words: ends with NULL. Return: which of them. */
unsigned int opt_word(const char *text, const char *const *words)
{
	for (unsigned int i = 0; words[i]; i++)
		if (!strcmp(words[i], text))
			return i;
	opt_usage("no such choice:", text);
}

void opt_addr(struct addr *a, const char *text)
{
	if (addr_parse(a, text))
		opt_usage("not PORT, HOST:PORT, [V6]:PORT or unix:PATH:", text);
}
