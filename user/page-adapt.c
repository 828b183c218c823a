// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of a report that tells where it was looked at more closely, and what was found. */
#include "report.h"

#include "html.h"
#include "table.h"

#include <inttypes.h>

#define DAY_NS 86400000000000ULL

struct page {
	FILE *to;
	const struct tl_closer *closer;
	const char *when; /* format of times */
};

static void when_print(const struct page *p, double t_s)
{
	char text[64];

	tl_adapt_time_text(text, sizeof(text), t_s, p->when);
	fputs(text, p->to);
}

static void cell_print(const struct page *p, const char *class, const char *text)
{
	fprintf(p->to, "<td class=\"%s\">", class);
	tl_html_text(p->to, text);
	fputs("</td>", p->to);
}

static void more_print(const struct page *p, u64 more, const char *what)
{
	if (more)
		fprintf(p->to, "<p class=\"soft\">%" PRIu64 " more %s%s not shown.</p>\n", more, what,
			more == 1 ? " is" : "s are");
}

/* ---- levels ------------------------------------------------------------------------------- */

static void span_print(const struct page *p, const struct tl_closer_span *span)
{
	fputs("<tr>", p->to);
	cell_print(p, "left", p->closer->tier[span->tier].name);
	cell_print(p, "left", tl_at_name(span->level));
	fputs("<td>", p->to);
	when_print(p, tl_ns_to_s(span->from_ns));
	fputs("</td><td>", p->to);
	when_print(p, tl_ns_to_s(span->until_ns));
	fprintf(p->to, "</td><td>%.3g</td></tr>\n", tl_ns_to_s(span->until_ns - span->from_ns));
}

static void levels_print(const struct page *p)
{
	const struct tl_closer *c = p->closer;
	size_t i, shown = 0;
	u64 more = c->spans_more;

	if (!c->spans) {
		fputs("<p>The recording does not tell at which level tiers were.</p>\n", p->to);
		return;
	}
	for (i = 0; i < c->spans; i++) {
		if (!tl_closer_shows(c, &c->span[i]))
			continue;
		if (shown == TL_CLOSER_ROWS) {
			more++;
			continue;
		}
		if (!shown++)
			fputs("<p>Tiers that were not at <b>server</b> all the time. The others were.</p>\n"
			      "<div class=\"wide\"><table><tr><th>tier</th><th class=\"left\">level</th><th>from</th>"
			      "<th>to</th><th>seconds</th></tr>\n", p->to);
		span_print(p, &c->span[i]);
	}
	if (shown)
		fputs("</table></div>\n", p->to);
	else
		fputs("<p>All tiers were at the level <b>server</b> all the time.</p>\n", p->to);
	more_print(p, more, "level");
}

/* ---- what was found, and decided -------------------------------------------------------------- */

static void finding_print(const struct page *p, const struct tl_adapt_row *row)
{
	double share = tl_adapt_row_share(row);

	fputs("<tr><td>", p->to);
	when_print(p, row->t_s);
	fputs("</td>", p->to);
	if (share < 0)
		fputs("<td class=\"soft\">–</td>", p->to);
	else
		fprintf(p->to, "<td>%.0f %%</td>", 100 * share);
	cell_print(p, "text", row->text);
	fputs("</tr>\n", p->to);
}

static void decision_print(const struct page *p, const struct tl_adapt_row *row)
{
	char change[32];

	tl_adapt_row_change(change, sizeof(change), row);
	fputs("<tr><td>", p->to);
	when_print(p, row->t_s);
	fputs("</td>", p->to);
	cell_print(p, "left", row->tier);
	cell_print(p, "left", change);
	cell_print(p, "text", row->text);
	fputs("</tr>\n", p->to);
}

static void source_print(const struct page *p)
{
	const struct tl_closer *c = p->closer;

	if (!c->log) {
		fputs(c->findings.all || c->decisions.all ?
		      "<p>No log of tierlensd was given: this is what it would have found and decided, as "
		      "<b>tierlens adapt --dry-run</b> plays the recording.</p>\n" :
		      "<p>No log of tierlensd was given. It would have decided nothing, as <b>tierlens adapt "
		      "--dry-run</b> plays the recording.</p>\n", p->to);
		return;
	}
	fputs(c->findings.all || c->decisions.all ? "<p>What tierlensd found and decided meanwhile, by its log " :
						    "<p>Of this time there is nothing in tierlensd's log ", p->to);
	tl_html_text(p->to, c->log);
	fputs(".</p>\n", p->to);
	if (c->broken)
		fprintf(p->to, "<p class=\"warn\">Lines of the log that are broken and were left out: %" PRIu64 ".</p>\n",
			c->broken);
}

static void rows_print(const struct page *p)
{
	const struct tl_closer_rows *findings = &p->closer->findings, *decisions = &p->closer->decisions;
	size_t i, room = TL_CLOSER_ROWS - findings->kept, n = min(decisions->kept, room);

	if (findings->kept)
		fputs("<div class=\"wide\"><table><tr><th>found</th><th>of the<br>extra time</th><th class=\"left\">what takes the time</th></tr>\n", p->to);
	for (i = 0; i < findings->kept; i++)
		finding_print(p, &findings->row[i]);
	if (findings->kept)
		fputs("</table></div>\n", p->to);
	more_print(p, findings->all - findings->kept, "finding");
	if (n)
		fputs("<div class=\"wide\"><table><tr><th>decided</th><th class=\"left\">tier</th><th class=\"left\">level</th>"
		      "<th class=\"left\">why</th></tr>\n", p->to);
	for (i = 0; i < n; i++)
		decision_print(p, &decisions->row[i]);
	if (n)
		fputs("</table></div>\n", p->to);
	more_print(p, decisions->all - n, "decision");
}

/**
 * tl_page_adapt() - Print where a recording was looked at more closely, and why
 * @to: where
 * @closer: at its end
 */
void tl_page_adapt(FILE *to, const struct tl_closer *closer)
{
	struct page p = { to, closer, closer->until_ns - closer->from_ns < DAY_NS ? "%T" : "%d %b %T" };

	fputs("<h2>Where it was looked at more closely</h2>\n", to);
	source_print(&p);
	rows_print(&p);
	levels_print(&p);
}
