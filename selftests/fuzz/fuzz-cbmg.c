// SPDX-License-Identifier: GPL-2.0-or-later
/* A customer behaviour model graph, as JSON or CSV. */
#include "fuzz.h"

#include "cbmg-graph.h"

static int read_matrix(const char *file, struct tl_error *err)
{
	const struct tl_cbmg_matrix_in in = { .file = file };
	struct tl_cbmg_graph graph = { 0 };
	int code = tl_cbmg_from_matrix(&graph, &in, err);

	if (!code)
		json_decref(tl_cbmg_json(&graph));
	tl_cbmg_graph_free(&graph);
	return code;
}

FUZZ_READS(read_matrix)
