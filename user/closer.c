// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where tiers were looked at more closely while something was recorded, and why
 *
 * The levels are the recording's own. Decisions and findings are those of tierlensd's log for that time; without one the
 * recording is played through the adaptor, which then says what it would have done.
 */
#include "closer.h"

#include "error.h"
#include "out.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_MAX 4096

/* ---- levels --------------------------------------------------------------------------------- */

/* The tiers of an interval are in much the same order. */
static struct tl_closer_tier *tier_of(struct tl_closer *c, const char *name)
{
	struct tl_closer_tier *tier;
	size_t i, at;

	for (i = 0; i < c->tiers; i++) {
		at = (c->hint + i) % c->tiers;
		if (strcmp(c->tier[at].name, name))
			continue;
		c->hint = at + 1;
		return &c->tier[at];
	}
	tier = tl_array_append((void **)&c->tier, &c->tiers, sizeof(*tier));
	if (!tier)
		return NULL;
	*tier = (struct tl_closer_tier){ .name = strdup(name) };
	if (!tier->name)
		c->tiers--;
	return tier->name ? tier : NULL;
}

static enum tl_at level_of(const struct tl_tier *tier)
{
	enum tl_at level = TL_AT_UNKNOWN;
	size_t i;

	for (i = 0; i < tier->n_cells; i++)
		level = max(level, tier->cells[i].level);
	return level;
}

static int level_add(struct tl_closer *c, const char *name, enum tl_at level, const struct tl_interval *interval)
{
	u64 until_ns = interval->start_ns + interval->length_ns;
	struct tl_closer_tier *tier = tier_of(c, name);
	struct tl_closer_span *span;

	if (!tier)
		return -ENOMEM;
	if (tier->level == level) {
		if (tier->last)
			c->span[tier->last - 1].until_ns = until_ns;
		return 0;
	}
	tier->other |= level != TL_AT_SERVER;
	tier->level = level;
	tier->last = 0;
	if (c->spans == SPANS_MAX) {
		c->spans_more++;
		return 0;
	}
	span = tl_array_append((void **)&c->span, &c->spans, sizeof(*span));
	if (!span)
		return -ENOMEM;
	*span = (struct tl_closer_span){ (size_t)(tier - c->tier), level, interval->start_ns, until_ns };
	tier->last = c->spans;
	return 0;
}

/**
 * tl_closer_shows() - Is a level one that is worth a line?
 * @closer: of which
 * @span: it is
 *
 * Return: whether its tier was ever at another level than server.
 */
bool tl_closer_shows(const struct tl_closer *closer, const struct tl_closer_span *span)
{
	return closer->tier[span->tier].other;
}

/* ---- a recording --------------------------------------------------------------------------- */

/* Takes over @json. */
static void tell(json_t *json, void *arg)
{
	struct tl_closer *c = arg;

	if (json)
		tl_closer_row(c, json);
	else
		c->no_memory = true;
	json_decref(json);
}

/**
 * tl_closer_begin() - Before the first interval
 * @closer: filled in, to be given to tl_closer_free(), after an error too
 * @log: file with tierlensd's decisions, or NULL; must outlive @closer
 *
 * Return: 0 or -ENOMEM.
 */
int tl_closer_begin(struct tl_closer *closer, const char *log)
{
	struct tl_adapt_options options;

	memset(closer, 0, sizeof(*closer));
	closer->log = log;
	tl_adapt_defaults(&options);
	return log ? 0 : tl_adapt_play_begin(&closer->play, &options, 0, tell, closer);
}

/**
 * tl_closer_add() - The next interval
 * @closer: that has begun
 * @interval: the interval
 *
 * Return: 0 or a negative errno.
 */
int tl_closer_add(struct tl_closer *closer, const struct tl_interval *interval)
{
	struct tl_closer *c = closer;
	enum tl_at level;
	int code = 0;
	size_t i;

	if (!c->from_ns)
		c->from_ns = interval->start_ns;
	c->until_ns = interval->start_ns + interval->length_ns;
	for (i = 0; i < interval->n_tiers && !code; i++) {
		level = level_of(&interval->tiers[i]);
		if (level != TL_AT_UNKNOWN)
			code = level_add(c, interval->tiers[i].name, level, interval);
	}
	if (!code && !c->log)
		code = tl_adapt_play_add(&c->play, interval);
	return code ? code : c->no_memory ? -ENOMEM : 0;
}

/**
 * tl_closer_end() - After the last interval
 * @closer: to which all were added
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_closer_end(struct tl_closer *closer, struct tl_error *err)
{
	return closer->log ? tl_closer_log(closer, err) : 0;
}

static void rows_free(struct tl_closer_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->kept; i++)
		tl_adapt_row_free(&rows->row[i]);
}

/**
 * tl_closer_free() - Free what it holds
 * @closer: that has begun
 */
void tl_closer_free(struct tl_closer *closer)
{
	size_t i;

	for (i = 0; i < closer->tiers; i++)
		free(closer->tier[i].name);
	free(closer->tier);
	free(closer->span);
	rows_free(&closer->findings);
	rows_free(&closer->decisions);
	if (!closer->log)
		tl_adapt_play_end(&closer->play);
	memset(closer, 0, sizeof(*closer));
}

/* ---- for programs -------------------------------------------------------------------------- */

static json_t *rows_json(const struct tl_closer_rows *rows)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < rows->kept; i++)
		json_array_append(list, rows->row[i].json);
	return list;
}

/**
 * tl_closer_json() - The same for programs
 * @closer: at its end
 *
 * Return: an object, a new reference; NULL without memory.
 */
json_t *tl_closer_json(const struct tl_closer *closer)
{
	const struct tl_closer *c = closer;
	json_t *levels = json_array();
	size_t i;

	for (i = 0; i < c->spans; i++)
		if (tl_closer_shows(c, &c->span[i]))
			json_array_append_new(levels, json_pack("{s:s, s:s, s:f, s:f}", "tier",
								c->tier[c->span[i].tier].name, "level",
								tl_at_name(c->span[i].level), "from",
								tl_ns_to_s(c->span[i].from_ns), "to",
								tl_ns_to_s(c->span[i].until_ns)));
	return json_pack("{s:s, s:o, s:I, s:o, s:o, s:I, s:o, s:I, s:I}", "source", c->log ? "log" : "dry-run", "log",
			 c->log ? tl_out_name(c->log) : json_null(), "broken_lines", (json_int_t)c->broken, "levels",
			 levels, "findings", rows_json(&c->findings), "all_findings", (json_int_t)c->findings.all,
			 "decisions", rows_json(&c->decisions), "all_decisions", (json_int_t)c->decisions.all,
			 "levels_left_out", (json_int_t)c->spans_more);
}
