// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel's own files tell of functions and tracepoints
 *
 * A map (System.map, /proc/kallsyms) has all of them. Module.symvers has those that modules may
 * use. Headers declare functions that several files of the kernel share: where there is no map
 * that is the best hint. What is static to a file is in a map only.
 */
#include "kernel-symbols.h"

#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Between these nobody may probe. */
struct span {
	const char *begin, *end;
	u64 from, to;
};

struct map {
	struct tl_kernel_symbol *symbols;
	size_t n, functions;
	struct span spans[2];
};

/* ---- maps ----------------------------------------------------------------------------------- */

static bool is_code(char type)
{
	return strchr("tTwW", type);
}

static bool is_tracepoint(const char *name, const char *tracepoint)
{
	return (!strncmp(name, "__tracepoint_", 13) && !strcmp(name + 13, tracepoint)) ||
	       (!strncmp(name, "__traceiter_", 12) && !strcmp(name + 12, tracepoint));
}

static void code_seen(struct tl_kernel_symbol *symbol, u64 address, const char *name, const char *module)
{
	size_t len = strlen(symbol->name);

	if (strncmp(name, symbol->name, len))
		return;
	if (!name[len]) {
		symbol->mapped = true;
		symbol->address = address;
		snprintf(symbol->module, sizeof(symbol->module), "%s", module);
	} else if (name[len] == '.' && strcmp(name + len, ".cold")) {
		snprintf(symbol->renamed, sizeof(symbol->renamed), "%.95s", name);
	}
}

static void symbol_seen(struct map *map, u64 address, char type, const char *name, const char *module)
{
	struct tl_kernel_symbol *symbol;
	size_t i;

	map->functions += is_code(type);
	for (i = 0; i < ARRAY_SIZE(map->spans); i++) {
		if (!strcmp(name, map->spans[i].begin))
			map->spans[i].from = address;
		else if (!strcmp(name, map->spans[i].end))
			map->spans[i].to = address;
	}
	for (symbol = map->symbols; symbol < map->symbols + map->n; symbol++) {
		if (symbol->traced)
			symbol->mapped |= is_tracepoint(name, symbol->name);
		else if (!strncmp(name, "_kbl_addr_", 10) && !strcmp(name + 10, symbol->name))
			symbol->refused = true;
		else if (is_code(type))
			code_seen(symbol, address, name, module);
	}
}

static void spans_apply(struct map *map)
{
	struct tl_kernel_symbol *symbol;
	size_t i;

	for (symbol = map->symbols; symbol < map->symbols + map->n; symbol++)
		for (i = 0; i < ARRAY_SIZE(map->spans); i++)
			if (symbol->mapped && symbol->address && symbol->address >= map->spans[i].from &&
			    symbol->address < map->spans[i].to)
				symbol->refused = true;
}

/* ADDRESS TYPE NAME [MODULE] */
static int map_line(struct map *map, char *line, const char *path, unsigned long nr, struct tl_error *err)
{
	char name[512], module[64] = "", type;
	u64 address;

	if (sscanf(line, "%" SCNx64 " %c %511s [%63[^]]", &address, &type, name, module) < 3)
		return tl_error_set(err, -EINVAL, "%s:%lu: not an address, a type and a name: give a System.map or "
				    "/proc/kallsyms", path, nr);
	symbol_seen(map, address, type, name, module);
	return 0;
}

/**
 * tl_kernel_map_read() - Look for symbols in a System.map or /proc/kallsyms
 * @symbols: what is looked for; what is found is noted in them
 * @n: how many
 * @path: the map
 * @err: why it failed
 *
 * Return: 0 or a negative errno.
 */
int tl_kernel_map_read(struct tl_kernel_symbol *symbols, size_t n, const char *path, struct tl_error *err)
{
	struct map map = {
		.symbols = symbols, .n = n,
		.spans = { { "__noinstr_text_start", "__noinstr_text_end", 0, 0 },
			   { "__kprobes_text_start", "__kprobes_text_end", 0, 0 } },
	};
	FILE *from = fopen(path, "re");
	unsigned long nr = 0;
	char *line = NULL;
	size_t room = 0;
	int code = 0;

	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read it (%s): give a map that can be read", path,
				    strerror(errno));
	while (!code && getline(&line, &room, from) > 0)
		code = map_line(&map, line, path, ++nr, err);
	if (!code && ferror(from))
		code = tl_error_set(err, -EIO, "%s: cannot read all of it: give a map that can be read", path);
	free(line);
	fclose(from);
	if (code)
		return code;
	if (!map.functions)
		return tl_error_set(err, -EINVAL, "%s: there is no function in it: give the System.map of the kernel, "
				    "not of something else", path);
	spans_apply(&map);
	return 0;
}

/* ---- exports -------------------------------------------------------------------------------- */

/**
 * tl_kernel_exports_read() - Look for symbols in a Module.symvers
 * @symbols: what is looked for; what is found is noted in them
 * @n: how many
 * @path: the file
 * @err: why it failed
 *
 * Return: 0 or a negative errno.
 */
int tl_kernel_exports_read(struct tl_kernel_symbol *symbols, size_t n, const char *path, struct tl_error *err)
{
	FILE *from = fopen(path, "re");
	char *line = NULL, name[512];
	size_t i, room = 0;

	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read it (%s): install the kernel's headers again", path,
				    strerror(errno));
	while (getline(&line, &room, from) > 0) {
		if (sscanf(line, "%*s %511s", name) != 1)
			continue;
		for (i = 0; i < n; i++)
			if (symbols[i].traced ? is_tracepoint(name, symbols[i].name) :
						!strcmp(name, symbols[i].name))
				symbols[i].exported = true;
	}
	free(line);
	fclose(from);
	return 0;
}

/* ---- headers -------------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A function's name is followed by its arguments; a tracepoint's stands in the macro that makes it. */
static bool declares(const char *line, const struct tl_kernel_symbol *symbol)
{
	size_t len = strlen(symbol->name);
	const char *at, *event;

	for (at = strstr(line, symbol->name); at; at = strstr(at + 1, symbol->name)) {
		if ((at > line && is_word(at[-1])) || at[len] != (symbol->traced ? ',' : '('))
			continue;
		event = strstr(line, "EVENT");
		if (!symbol->traced || (event && event < at))
			return true;
	}
	return false;
}

static void header_read(const char *path, bool traced, struct tl_kernel_symbol *symbols, size_t n)
{
	FILE *from = fopen(path, "re");
	char *line = NULL;
	size_t i, room = 0;

	while (from && getline(&line, &room, from) > 0)
		for (i = 0; i < n; i++)
			if (symbols[i].traced == traced && !symbols[i].declared)
				symbols[i].declared = declares(line, &symbols[i]);
	free(line);
	if (from)
		fclose(from);
}

/**
 * tl_kernel_headers_read() - Look for symbols in a kernel's headers
 * @symbols: what is looked for; what is found is noted in them
 * @n: how many
 * @source: the directory that has include/
 * @err: why it failed
 *
 * Return: 0 or a negative errno.
 */
int tl_kernel_headers_read(struct tl_kernel_symbol *symbols, size_t n, const char *source,
			   struct tl_error *err)
{
	static const char *const places[] = { "include/linux", "include/net", "include/trace/events" };
	char *path[2] = { NULL, NULL };
	FTSENT *entry;
	size_t i;
	FTS *fts;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (asprintf(path, "%s/%s", source, places[i]) < 0)
			return tl_error_no_memory(err);
		fts = fts_open(path, FTS_LOGICAL | FTS_NOCHDIR, NULL);
		while (fts && (entry = fts_read(fts)))
			if (entry->fts_info == FTS_F)
				header_read(entry->fts_path, i == 2, symbols, n);
		if (fts)
			fts_close(fts);
		free(path[0]);
	}
	return 0;
}
