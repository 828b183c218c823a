// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes of a history, behind their checksum. The first two bytes tell where sums end and histograms begin, and
 * whether one tier is asked for. What was read is written and read again: it must be the same.
 */
#include "fuzz.h"

#include "history-code.h"
#include "table.h"

static int same(const struct tl_code_to *a, const struct tl_code_to *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->byte, b->byte, a->n));
}

static void again(const struct tl_interval *interval)
{
	struct tl_code_to sums[2] = { { 0 } }, hists[2] = { { 0 } };
	struct tl_interval *copy = NULL;

	fuzz_must(!tl_history_encode(interval, &sums[0], &hists[0]), "what was read cannot be written");
	fuzz_must(!tl_history_decode(sums[0].byte, sums[0].n, hists[0].byte, hists[0].n, NULL, &copy),
		  "what was written cannot be read");
	fuzz_must(!tl_history_encode(copy, &sums[1], &hists[1]), "what was read cannot be written");
	fuzz_must(same(&sums[0], &sums[1]) && same(&hists[0], &hists[1]), "what was written is not what is read");
	tl_interval_free(copy);
	free(sums[0].byte);
	free(sums[1].byte);
	free(hists[0].byte);
	free(hists[1].byte);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_interval *interval = NULL;
	void *sums, *hists;
	size_t cut;

	if (size < 2)
		return 0;
	cut = (size_t)(data[0] << 8 | data[1]) % (size - 1);
	/* Of their own size, so that one byte beyond is seen. */
	sums = fuzz_copy(data + 2, cut);
	hists = fuzz_copy(data + 2 + cut, size - 2 - cut);
	if (!tl_history_decode(sums, cut, hists, size - 2 - cut, data[1] & 1 ? "web" : NULL, &interval)) {
		again(interval);
		tl_interval_free(interval);
	}
	free(sums);
	free(hists);
	return 0;
}
