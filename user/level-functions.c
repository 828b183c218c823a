// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of a tier that somebody has set to method by hand. */
#include "level-functions.h"

#include "ctl.h"
#include "error.h"
#include "origin.h"
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int probe_all(struct tl_ctl *ctl, const struct tl_choice *choice, const char *tier, size_t most,
		     struct tl_probed *probed, struct tl_error *err)
{
	size_t i;
	int code = 0;
	u32 id;

	for (i = 0; i < choice->functions && probed->n < most && !tl_choice_is_over(code); i++) {
		code = tl_choice_probe(choice, &choice->function[i], ctl, tier, 0, &id, err);
		probed->n += !code || code == -EEXIST;
		if (!code || code == -EEXIST)
			continue;
		probed->refused++;
		snprintf(probed->why, sizeof(probed->why), "%s", err->text);
	}
	return probed->n ? 0 : code;
}

/**
 * tl_level_functions() - Probe functions of a tier
 * @ctl: connection
 * @options: which; whose a library is, is found out here
 * @tier: that is at method
 * @most: how many
 * @probed: filled in
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, then none is probed.
 */
int tl_level_functions(struct tl_ctl *ctl, const struct tl_choose_options *options, const char *tier, size_t most,
		       struct tl_probed *probed, struct tl_error *err)
{
	struct tl_origin origin = { .sure = TL_ORIGIN_SURE };
	struct tl_choose_options all = *options;
	struct tl_tier_info *tiers = NULL;
	struct tl_choice choice = { 0 };
	size_t n = 0;
	int code;

	memset(probed, 0, sizeof(*probed));
	if (!tl_origin_open(&origin, NULL, "", err))
		all.origin = &origin;
	code = tl_ctl_tiers(ctl, &tiers, &n, err);
	code = code ? code : tl_choose(&choice, &all, tiers, n, tier, err);
	snprintf(probed->note, sizeof(probed->note), "%.300s%s%.290s", origin.note,
		 *origin.note && *choice.note ? "; " : "", choice.note);
	probed->known = choice.functions;
	code = code ? code : probe_all(ctl, &choice, tier, most, probed, err);
	tl_choice_free(&choice);
	tl_origin_close(&origin);
	free(tiers);
	return code;
}
