/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_ADAPTOR_H
#define TL_ADAPTOR_H

#include "adapt-row.h"
#include "hist.h"

#define TL_ADAPTOR_FILE "/run/tierlens/now.json"
#define TL_ADAPTOR_FORMAT 1
#define TL_ADAPTOR_ROWS 20

/* A tier that tierlensd holds at a level. */
struct tl_adaptor_level {
	const char *tier;
	enum tl_at level;
	double since_s;
};

/**
 * struct tl_adaptor - What a tierlensd on this host is doing, from the file that it keeps
 * @file: that file
 * @wrong: why the file was not understood, "" if it was or there is none
 * @alive: there is one; else the rest means nothing
 * @json: what stands in the file; all texts are in there
 * @pid: its process, @began_s: when it began, since the epoch
 * @budget: part of the processors that probes may take, @share: that they take, negative if it is not known
 * @level: [@levels]
 * @row: [@rows] the last decisions and findings, the oldest first
 */
struct tl_adaptor {
	const char *file;
	char wrong[400];
	bool alive;
	json_t *json;
	u32 pid;
	double began_s, budget, share;
	struct tl_adaptor_level *level;
	size_t levels, rows;
	struct tl_adapt_row row[TL_ADAPTOR_ROWS];
};

bool tl_adaptor_look(struct tl_adaptor *adaptor);
void tl_adaptor_free(struct tl_adaptor *adaptor);
json_t *tl_adaptor_json(const struct tl_adaptor *adaptor);

#endif
