// SPDX-License-Identifier: GPL-2.0-or-later
/* An access log, and the graph of it. The first line is its format as --format takes it; none if it is empty. */
#include "fuzz.h"

#include "cbmg-graph.h"
#include "weblog-read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_weblog log = { .broken_part = 0.05, .states.depth = 1, .sessions.gap_s = 1800 };
	char *format = fuzz_text(&data, &size), *file = strdup(fuzz_file(data, size));
	struct tl_cbmg_graph graph = { 0 };
	struct tl_error err = { "" };

	log.format_text = *format ? format : NULL;
	if (!fuzz_said(tl_weblog_read(&log, &file, 1, &err), &err)) {
		fuzz_said(tl_cbmg_from_log(&graph, &log, &err), &err);
		tl_cbmg_graph_free(&graph);
	}
	tl_weblog_free(&log);
	free(file);
	free(format);
	return 0;
}
