// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals as the history's bytes: the same to the bit, and nothing to fear from bytes that are damaged. */
#include "made-intervals.h"
#include "tap.h"

#include "recording.h"

#include <errno.h>

#define S 1000000000ULL
#define BEGIN_NS (1763683200ULL * S) /* a midnight */

static bool same_text(const struct tl_interval *a, const struct tl_interval *b)
{
	json_t *x = tl_interval_json(a), *y = tl_interval_json(b);
	bool is = json_equal(x, y);

	json_decref(x);
	json_decref(y);
	return is;
}

static struct tl_interval *odd(void)
{
	struct tl_interval *interval = made_interval(7, BEGIN_NS, S, 3, 2, 4);
	struct tl_cell *cell = tl_interval_cell(interval, "x\"\xc3\xa9\n", "other");
	struct tl_edge *edge = tl_interval_edge(interval, &(struct tl_edge){ .class = (char *)"other", .peer = (char *)"more" });

	cell->count = UINT64_MAX;
	cell->traced = UINT64_MAX - 1;
	cell->own_sq_s2 = 1.0 / 3;
	cell->level = TL_AT_METHOD;
	cell->response_hist[0] = 1;
	cell->response_hist[TL_HIST_BUCKETS - 1] = UINT64_MAX;
	cell->own_hist[TL_HIST_BUCKETS / 2] = 1;
	cell->sum[TL_CELL_QUEUE] = (struct tl_sum){ 5, TL_SUM_UNKNOWN };
	edge->calls = 3;
	edge->sum[TL_EDGE_TRANSIT].state = TL_SUM_UNKNOWN;
	tl_interval_tier(interval, "none");
	tl_interval_count(interval, &(struct tl_count){ "cycles", 3, 1ULL << 60, 7, 5 });
	tl_interval_charge(interval, &(struct tl_charge){ (char *)"web", (char *)"other", (char *)"cycles", 9 });
	tl_interval_called(interval, &(struct tl_called){ 7, (char *)"web", (char *)"buy", (char *)"f", 1, 2, 3, 4 });
	tl_interval_called(interval, &(struct tl_called){ 8, (char *)"web", NULL, (char *)"g", 1, 2, 3, 4 });
	tl_interval_path(interval, NULL, "other")->id = 1;
	tl_paths_link(interval);
	interval->cost[TL_COST_FUNCTION] = (struct tl_sum){ 0, TL_SUM_UNKNOWN };
	return interval;
}

static void test_bytes(void)
{
	struct tl_interval *before = odd(), *after = NULL, *part = NULL;
	struct tl_packer *packer = tl_packer_new();
	struct tl_packed packed;

	ok(!tl_packer_pack(packer, before, 3, &packed) && !tl_packer_unpack(packer, &packed, NULL, &after),
	   "an interval is packed and unpacked");
	ok(after && made_same(before, after) && same_text(before, after), "it is the same, to the bit");
	ok(after && after->n_paths == before->n_paths &&
		   !memcmp(&after->paths[4].up, &before->paths[4].up, sizeof(size_t)) &&
		   after->paths[4].depth == before->paths[4].depth && after->paths[4].parent == before->paths[4].parent,
	   "its paths are linked");
	tl_interval_free(after);
	ok(!tl_packer_unpack(packer, &(struct tl_packed){ { packed.byte[0] }, { packed.n[0] } }, NULL, &after) &&
		   after->n_tiers == before->n_tiers && !after->tiers[0].cells[0].response_hist[90] &&
		   after->tiers[0].cells[0].count == before->tiers[0].cells[0].count,
	   "without histograms");
	ok(!tl_packer_unpack(packer, &packed, "service-1:8001", &part) && part->n_tiers == 1 &&
		   !strcmp(part->tiers[0].name, "service-1:8001") && part->n_edges == 2 &&
		   !memcmp(part->tiers[0].cells[1].own_hist, before->tiers[1].cells[1].own_hist,
			   sizeof(part->tiers[0].cells[1].own_hist)),
	   "one tier alone, with the edges to it");
	tl_interval_free(after);
	tl_interval_free(part);
	packed.byte[1][packed.n[1] / 2] ^= 4;
	ok(tl_packer_unpack(packer, &packed, NULL, &after) == -EBADMSG, "a bit that a disk has turned is found");
	tl_packed_free(&packed);
	tl_packer_free(packer);
	tl_interval_free(before);
}

/* Whoever makes a file with the right sum of its bytes is not to make us fall. */
static void test_bytes_damaged(void)
{
	struct tl_interval *before = odd(), *after;
	struct tl_code_to sums = { 0 }, hists = { 0 };
	unsigned int i, k, read = 0, refused = 0;
	u8 *bad[2];

	if (tl_history_encode(before, &sums, &hists))
		abort();
	for (i = 0; i < 20000; i++) {
		/* Exact sizes, so that one byte beyond is seen. */
		size_t n[2] = { sums.n, hists.n };

		if (i % 5 == 0)
			n[i / 5 % 2] = (size_t)(made_part() * (double)n[i / 5 % 2]);
		bad[0] = malloc(n[0] + 1);
		bad[1] = malloc(n[1] + 1);
		memcpy(bad[0], sums.byte, n[0]);
		memcpy(bad[1], hists.byte, n[1]);
		for (k = 0; k < 1 + i % 3; k++) {
			u8 *part = bad[i % 2];

			if (n[i % 2])
				part[(size_t)(made_part() * (double)n[i % 2])] = (u8)(made_part() * 256);
		}
		bad[0] = realloc(bad[0], n[0] ? n[0] : 1);
		bad[1] = realloc(bad[1], n[1] ? n[1] : 1);
		if (tl_history_decode(bad[0], n[0], bad[1], n[1], i % 4 ? NULL : "service-1:8001", &after)) {
			refused++;
		} else {
			struct tl_interval *total = tl_interval_new();

			read++;
			tl_interval_add(total, after);
			tl_interval_free(total);
			tl_interval_free(after);
		}
		free(bad[0]);
		free(bad[1]);
	}
	ok(read > 1000 && refused > 1000, "damaged bytes: %u read as something, %u refused", read, refused);
	free(sums.byte);
	free(hists.byte);
	tl_interval_free(before);
}

int main(void)
{
	test_bytes();
	test_bytes_damaged();
	return done();
}
