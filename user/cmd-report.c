// SPDX-License-Identifier: GPL-2.0-or-later
/* tierlens report: a recording as one page. */
#include "cmd.h"
#include "demand-out.h"
#include "error.h"
#include "out.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>

static int write_page(const struct tl_report *report, const char *output,
		      struct tl_error *err)
{
	struct tl_bytes page = { 0 };
	FILE *to = open_memstream(&page.data, &page.len);
	int code = 0;

	if (to)
		tl_page_print(to, report);
	if (!to || fclose(to))
		code = tl_error_no_memory(err);
	code = code ? code : tl_out_file(output, &page, err);
	free(page.data);
	return code;
}

static void page_of_figures(FILE *to, const struct tl_costs *costs, const char *file)
{
	tl_page_begin(to, file);
	tl_costs_print(to, costs);
	tl_page_end(to, false);
}

/* A table of figures has no recording around it. */
static int report_figures(const char *file, const char *output, bool json)
{
	struct tl_bytes page = { 0 };
	struct tl_costs costs;
	struct tl_error err;
	int code = 0;
	FILE *to;

	tl_costs_make(&costs, file);
	if (*costs.windows.note)
		tl_out_error("%s", costs.windows.note);
	if (*costs.failed)
		code = tl_error_set(&err, -EINVAL, "%s", costs.failed);
	if (!code && output) {
		code = tl_costs_draw(&costs, &err);
		to = code ? NULL : open_memstream(&page.data, &page.len);
		if (to)
			page_of_figures(to, &costs, file);
		if (!code && (!to || fclose(to)))
			code = tl_error_no_memory(&err);
		code = code ? code : tl_out_file(output, &page, &err);
	}
	if (code)
		tl_out_failed(&err);
	else if (json)
		tl_out_json(tl_demand_json(&costs.demand));
	free(page.data);
	tl_costs_free(&costs);
	return code ? TL_EXIT_FAILED : TL_EXIT_OK;
}

static int run(const struct tl_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "decisions", required_argument, NULL, 'd' },
		TL_WHILE_OPTIONS,
		TL_COMMON_OPTIONS
	};
	const char *output = NULL, *file = NULL, *decisions = NULL;
	int option, code, status;
	struct tl_report report;
	struct tl_error err;
	bool json = false;

	while ((option = tl_args_next(cmd, argc, argv, "o:", options)) >= 0) {
		if (option == 'o')
			output = optarg;
		else if (option == 'd')
			decisions = optarg;
		else
			json = true;
	}
	status = tl_args_recording(cmd, option, argc, argv, &file);
	if (status != TL_GO_ON)
		return status;
	status = TL_EXIT_OK;
	if (!output && !json)
		return tl_args_usage(cmd, "report needs -o FILE.html");
	if (tl_windows_is_table(file) && decisions)
		return tl_args_usage(cmd, "--decisions goes with a recording, not with a table of figures");
	if (tl_windows_is_table(file))
		return report_figures(file, output, json);
	code = tl_report_make(&report, file, decisions, &err);
	if (!code && *report.warning)
		tl_out_error("%s", report.warning);
	if (!code && report.closer.broken)
		tl_out_error("%s: lines that are broken and were left out: %llu", decisions,
			     (unsigned long long)report.closer.broken);
	if (!code && output) {
		code = tl_report_draw(&report, &err);
		code = code ? code : write_page(&report, output, &err);
	}
	if (code)
		status = tl_out_failed(&err);
	else if (json)
		status = tl_out_json(tl_report_json(&report));
	tl_report_free(&report);
	return status;
}

const struct tl_cmd tl_cmd_report = {
	.name = "report",
	.args = "FILE -o FILE.html [--decisions LOG.jsonl] [--json]",
	.summary = "A recording, or figures, as one self-contained HTML page with plots",
	.help = "  -o, --output FILE.html\n"
		"                    where to write; \"-\" for standard output\n"
		"      --decisions LOG.jsonl\n"
		"                    tierlensd's log of that time; without it, what it would have\n"
		"                    decided is shown\n"
		TL_WHILE_HELP
		TL_COMMON_HELP
		"FILE is a recording, or a table of figures whose name ends with .csv, of which\n"
		"the demands are shown. The page needs no network and no scripts. --json prints\n"
		"its figures, with -o or instead of it. Needs graphviz and gnuplot.\n"
		"\nExample:\n"
		"  tierlens report evening.jsonl -o evening.html\n",
	.run = run,
};
