// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of tiers, as status and tier list show it. */
#include "tiers.h"

#include "ctl.h"
#include "out.h"

/**
 * tl_tiers_json() - The tiers for programs
 * @tiers: array
 * @n: its length
 *
 * Return: a list, a new reference; NULL without memory.
 */
json_t *tl_tiers_json(const struct tl_tier_info *tiers, size_t n)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(array, json_pack(
			"{s:I, s:s, s:i, s:s?, s:I, s:s, s:I, s:s?, s:b, s:o}",
			"id", (json_int_t)tiers[i].id,
			"name", tiers[i].name,
			"port", (int)tiers[i].port,
			"path", tiers[i].path[0] ? tiers[i].path : NULL,
			"netns", (json_int_t)tiers[i].netns,
			"source", tl_tier_source_name(tiers[i].source),
			"connections", (json_int_t)tiers[i].connections,
			"level", tiers[i].level ? tl_at_name(tiers[i].level) : NULL,
			"own_level", (int)tiers[i].own_level,
			"lease_s", tiers[i].leased ? json_real(tiers[i].lease_ms / 1e3) : json_null()));
	return array;
}

/**
 * tl_tiers_level() - A tier's level for people
 * @to: filled in
 * @room: size of @to in bytes, 64 is plenty
 * @tier: the tier
 */
void tl_tiers_level(char *to, size_t room, const struct tl_tier_info *tier)
{
	const char *name = tier->level ? tl_at_name(tier->level) : "-";

	if (tier->leased)
		snprintf(to, room, "%s, %.1f s left", name, tier->lease_ms / 1e3);
	else
		snprintf(to, room, "%s%s", name, tier->own_level ? ", set" : "");
}

/**
 * tl_tiers_print() - The tiers for people
 * @tiers: array
 * @n: its length
 */
void tl_tiers_print(const struct tl_tier_info *tiers, size_t n)
{
	struct tl_grid *grid;
	char level[64];
	size_t i;

	if (!n) {
		puts("no tiers yet: a tier appears with its first connection");
		return;
	}
	grid = tl_grid_new("tier|>port or path|>netns|source|>connections|level");
	for (i = 0; i < n; i++) {
		tl_grid_add(grid, "%s", tiers[i].name);
		if (tiers[i].path[0])
			tl_grid_add(grid, "%s", tiers[i].path);
		else
			tl_grid_add(grid, "%u", tiers[i].port);
		if (tiers[i].netns == TIERLENS_NETNS_GONE)
			tl_grid_add(grid, "gone");
		else if (tiers[i].netns)
			tl_grid_add(grid, "%u", tiers[i].netns);
		else
			tl_grid_add(grid, "any");
		tl_grid_add(grid, "%s", tl_tier_source_name(tiers[i].source));
		tl_grid_add(grid, "%u", tiers[i].connections);
		tl_tiers_level(level, sizeof(level), &tiers[i]);
		tl_grid_add(grid, "%s", level);
	}
	tl_grid_print(grid, stdout, 0, 0);
	tl_grid_free(grid);
}
