// SPDX-License-Identifier: GPL-2.0-or-later
/* What the adaptor decides and finds, as sentences and for programs. */
#include "adapt-out.h"

#include "adapt-feed.h"
#include "figures.h"
#include "out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const whys[TL_ADAPT_WHYS] = {
	[TL_ADAPT_SLOW] = "slow",	[TL_ADAPT_TIMEOUT] = "timeout",	  [TL_ADAPT_OWN] = "own",
	[TL_ADAPT_QUIET] = "quiet",	[TL_ADAPT_ACCEPTED] = "accepted", [TL_ADAPT_GONE] = "gone",
	[TL_ADAPT_DEAR] = "budget",	[TL_ADAPT_HELD] = "held",	  [TL_ADAPT_PINNED] = "pinned",
	[TL_ADAPT_BETWEEN] = "between", [TL_ADAPT_SETTLED] = "settled",	  [TL_ADAPT_REST] = "rest",
};

static const char *name_at(const struct tl_adapt_names *names, size_t id)
{
	return id < names->n ? names->name[id].text : NULL;
}

/* The evidence, "" if there is none. */
static void evidence_text(char *to, size_t room, const struct tl_adapt_feed *feed, const struct tl_adapt_decision *d)
{
	const struct tl_evidence_now *now = &d->evidence;
	size_t tier = d->cell < feed->cells.n ? feed->cells.name[d->cell].of : TL_ADAPT_NONE;

	*to = '\0';
	if (tier == TL_ADAPT_NONE)
		return;
	snprintf(to, room, "%s times of %s at %s are %.2f times those before (z %.1f, %.0f requests)",
		 d->own ? "own" : "response", name_at(&feed->cells, d->cell), name_at(&feed->tiers, tier), now->ratio,
		 now->z, now->requests);
}

static void share_text(char *to, size_t room, const struct tl_adapt_decision *d, double budget)
{
	if (d->share < 0)
		snprintf(to, room, "what probes cost is not known");
	else
		snprintf(to, room, "probes cost %.2f %% of the processors, the budget is %.2f %%", 100 * d->share,
			 100 * budget);
}

/**
 * tl_adapt_decision_text() - Why a level is changed, or is not
 * @feed: names
 * @d: decision
 * @budget: part of the processors
 *
 * Return: a sentence, to be freed by the caller; NULL without memory.
 */
char *tl_adapt_decision_text(const struct tl_adapt_feed *feed, const struct tl_adapt_decision *d, double budget)
{
	char evidence[400], share[120], *text = NULL;
	const char *function = name_at(&feed->functions, d->function);
	int len = -1;

	evidence_text(evidence, sizeof(evidence), feed, d);
	share_text(share, sizeof(share), d, budget);
	switch (d->why) {
	case TL_ADAPT_SLOW:
	case TL_ADAPT_OWN:
		len = asprintf(&text, "%s", evidence);
		break;
	case TL_ADAPT_TIMEOUT:
		len = asprintf(&text, "requests time out: %s", evidence);
		break;
	case TL_ADAPT_QUIET:
		len = asprintf(&text, "times are as before again");
		break;
	case TL_ADAPT_ACCEPTED:
		len = asprintf(&text, "times have been longer for so long that they are normal now");
		break;
	case TL_ADAPT_GONE:
		len = asprintf(&text, "there have been no requests for a while");
		break;
	case TL_ADAPT_DEAR:
		len = function ? asprintf(&text, "function %s is called too often and dropped: %s", function, share) :
				 asprintf(&text, "%s", share);
		break;
	case TL_ADAPT_HELD:
		len = asprintf(&text, "not raised: %s; %s", share, evidence);
		break;
	case TL_ADAPT_PINNED:
		len = asprintf(&text, "not raised, its level was set by hand: %s", evidence);
		break;
	case TL_ADAPT_BETWEEN:
		len = asprintf(&text, "not raised, no tier's own time is longer, so it is between them: %s", evidence);
		break;
	case TL_ADAPT_SETTLED:
		len = asprintf(&text, "raised again to try: %s", share);
		break;
	default:
		len = asprintf(&text, "all is well");
	}
	return len < 0 ? NULL : text;
}

/**
 * tl_adapt_finding_text() - What takes the time
 * @feed: names
 * @f: finding
 *
 * Return: a sentence, to be freed by the caller; NULL without memory.
 */
char *tl_adapt_finding_text(const struct tl_adapt_feed *feed, const struct tl_adapt_finding *f)
{
	const char *tier = name_at(&feed->tiers, f->tier), *class = name_at(&feed->cells, f->cell);
	const char *function = name_at(&feed->functions, f->function);
	char *text = NULL;
	int len;

	if (function)
		len = asprintf(&text, "%s of %s: %.3g of %.3g ms extra per request in %s, %.3g ms of it on a processor",
			       class, tier, 1e3 * fmin(f->more_s, f->extra_s), 1e3 * f->extra_s, function,
			       1e3 * fmin(f->cpu_s, f->more_s));
	else if (f->probed)
		len = asprintf(&text, "%s of %s: none of %zu functions explains %.3g ms extra per request, the most that one "
			       "takes is %.3g ms", class, tier, f->probed, 1e3 * f->extra_s, 1e3 * f->more_s);
	else
		len = asprintf(&text, "%s of %s: %.3g ms extra per request, and no function of it returned", class, tier,
			       1e3 * f->extra_s);
	return len < 0 ? NULL : text;
}

static json_t *names_json(const struct tl_adapt_feed *feed, double t_s, size_t node, size_t cell, size_t tier)
{
	const char *path = name_at(&feed->paths, node), *class = name_at(&feed->cells, cell);
	size_t of = cell < feed->cells.n ? feed->cells.name[cell].of : TL_ADAPT_NONE;

	return json_pack("{s:f, s:s?, s:s?, s:s?, s:s?}", "t", t_s, "path", path, "tier", name_at(&feed->tiers, tier),
			 "class", class, "seen_at", name_at(&feed->tiers, of));
}

/**
 * tl_adapt_decision_json() - A decision for programs
 * @feed: names
 * @d: decision
 * @t_s: when
 * @budget: part of the processors
 *
 * Return: an object, a new reference; NULL without memory.
 */
json_t *tl_adapt_decision_json(const struct tl_adapt_feed *feed, const struct tl_adapt_decision *d, double t_s,
			       double budget)
{
	const struct tl_evidence_now *now = &d->evidence;
	json_t *object = names_json(feed, t_s, d->node, d->cell, d->tier), *evidence = json_null();

	if (d->cell < feed->cells.n)
		evidence = json_pack("{s:s, s:o, s:o, s:o, s:i, s:o}", "of", d->own ? "own" : "response", "z",
				     tl_out_real(now->z), "ratio", tl_out_real(now->ratio), "requests",
				     tl_out_real(now->requests), "windows", (int)now->windows, "base_s",
				     tl_out_real(now->base_s));
	if (json_object_update_new(object, json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:{s:o, s:f}, s:o}", "kind", "decision",
						     "from", tl_at_name(d->from), "to", tl_at_name(d->to), "why",
						     d->why < TL_ADAPT_WHYS ? whys[d->why] : "", "function",
						     name_at(&feed->functions, d->function), "evidence", evidence,
						     "cost", "share", tl_known_json(d->share), "budget", budget, "text",
						     tl_out_text(tl_adapt_decision_text(feed, d, budget))))) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/**
 * tl_adapt_finding_json() - A finding for programs
 * @feed: names
 * @f: finding
 * @t_s: when
 *
 * Return: an object, a new reference; NULL without memory.
 */
json_t *tl_adapt_finding_json(const struct tl_adapt_feed *feed, const struct tl_adapt_finding *f, double t_s)
{
	json_t *object = names_json(feed, t_s, f->node, f->cell, f->tier);

	if (json_object_update_new(object, json_pack("{s:s, s:s?, s:f, s:f, s:f, s:f, s:f, s:I, s:b, s:o}", "kind", "finding",
						     "function", name_at(&feed->functions, f->function), "extra_s",
						     f->extra_s, "own_s", f->own_s, "in_function_s", f->in_s,
						     "more_in_function_s", f->more_s, "cpu_s", f->cpu_s, "functions",
						     (json_int_t)f->probed, "compared", (int)f->compared, "text",
						     tl_out_text(tl_adapt_finding_text(feed, f))))) {
		json_decref(object);
		return NULL;
	}
	return object;
}
