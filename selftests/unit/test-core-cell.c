// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of cells and edges. */
#include "cell.h"
#include "tap.h"

#define REQUESTS 1000
#define PARTS 7

static u64 state = 88172645463325252ULL;

static u64 random_u64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static struct tl_request request(u64 open_ns, u64 response_ns, u64 own_ns)
{
	struct tl_request ended;

	memset(&ended, 0, sizeof(ended));
	ended.open_ns = open_ns;
	ended.last_send_ns = open_ns + response_ns;
	ended.own_at_send_ns = own_ns;
	ended.bytes_in = 3;
	ended.bytes_out = 5;
	ended.queued = 1;
	ended.queue_ns = 11;
	ended.used = (struct tl_used){13, 17, true, 19, 23, {29, 31, 37, 41}};
	return ended;
}

static unsigned __int128 square_of(const struct tl_cell_sums *cell)
{
	return (unsigned __int128)cell->own_sq_hi << 64 | cell->own_sq_lo;
}

static void test_one(void)
{
	struct tl_cell_sums cell = {0};
	struct tl_request ended = request(500, 7000, 2000);

	tl_cell_add(&cell, &ended, 500);
	is_u64(cell.count, 1, "one request");
	is_u64(cell.response_ns, 7000, "its response time");
	is_u64(cell.own_ns, 2000, "its own time");
	is_u64(cell.own_sq_lo, 4000000, "its own time's square");
	is_u64(cell.own_sq_hi, 0, "which fits 64 bits");
	is_u64(cell.bytes_in, 3, "bytes in");
	is_u64(cell.bytes_out, 5, "bytes out");
	is_u64(cell.queue_ns, 11, "the time for which it lay unread");
	is_u64(cell.queue_count, 1, "known of one");
	is_u64(cell.used.cpu_ns, 13, "CPU");
	is_u64(cell.used.run_wait_ns, 17, "waiting for it");
	is_u64(cell.used.storage_read, 19, "read");
	is_u64(cell.used.storage_write, 23, "written");
	is_u64(cell.used.counts[0], 29, "what an event counted");
	is_u64(cell.used.counts[TL_USED_COUNTS - 1], 41, "and the last one");
	is_u64(cell.hist_response[tl_hist_bucket(7000)], 1, "in the response histogram");
	is_u64(cell.hist_own[tl_hist_bucket(2000)], 1, "in the own time histogram");
	is_u64(cell.hist_own[tl_hist_bucket(7000)], 0, "each by its own time");
	is_u64(cell.carried, 0, "begun with the interval: not carried");
	tl_cell_add(&cell, &ended, 501);
	is_u64(cell.carried, 1, "begun before the interval: carried");
	tl_cell_add(&cell, &ended, 499);
	is_u64(cell.carried, 1, "begun within it: not carried");
	is_u64(cell.count, 3, "all of them counted");
	ended.queued = 0;
	tl_cell_add(&cell, &ended, 499);
	is_u64(cell.queue_count, 3, "not known of another one");
	is_u64(cell.queue_ns, 33, "whatever it says");
	is_u64(cell.used.storage_write, 92, "all that they have used");
	is_u64(cell.used.counts[TL_USED_COUNTS - 1], 164, "and all that was counted");
	ended.used.more = false;
	tl_cell_add(&cell, &ended, 499);
	is_u64(cell.used.cpu_ns, 65, "one that used time only: its time");
	is_u64(cell.used.storage_read, 76, "and nothing that is left of one before");
}

/* 5 s squared is more than 64 bits hold; sums carry at any time. */
static void test_squares(void)
{
	struct tl_cell_sums cell = {0};
	unsigned __int128 want = 0;
	struct tl_request ended;
	unsigned int i, wrong = 0, carries = 0;

	for (i = 0; i < REQUESTS; i++) {
		u64 before = cell.own_sq_lo;

		ended = request(0, U64_MAX, random_u64() >> (4 + i % 30));
		want += (unsigned __int128)ended.own_at_send_ns * ended.own_at_send_ns;
		tl_cell_add(&cell, &ended, 0);
		wrong += square_of(&cell) != want;
		carries += cell.own_sq_lo < before;
	}
	is_u64(wrong, 0, "squares add up to the last bit");
	ok(carries > REQUESTS / 10, "with many carries among them (%u)", carries);
	memset(&cell, 0, sizeof(cell));
	cell.own_sq_lo = U64_MAX;
	ended = request(0, 1, 1);
	tl_cell_add(&cell, &ended, 0);
	is_u64(cell.own_sq_lo, 0, "a carry that leaves nothing below");
	is_u64(cell.own_sq_hi, 1, "and one above");
	ended = request(0, U64_MAX, U64_MAX);
	memset(&cell, 0, sizeof(cell));
	tl_cell_add(&cell, &ended, 0);
	ok(square_of(&cell) == (unsigned __int128)U64_MAX * U64_MAX,
	   "the largest square");
}

static void fill(struct tl_cell_sums *whole, struct tl_cell_sums *parts)
{
	unsigned int i;

	for (i = 0; i < REQUESTS; i++) {
		u64 response_ns = random_u64() >> (8 + i % 40);
		struct tl_request ended = request(random_u64() >> 8, response_ns,
						  random_u64() % (response_ns + 1));
		u64 start_ns = random_u64() >> 8;

		ended.bytes_in = random_u64() >> 20;
		ended.bytes_out = random_u64() >> 20;
		ended.queued = random_u64() % 2;
		ended.queue_ns = random_u64() >> 20;
		ended.used.cpu_ns = random_u64() >> 20;
		ended.used.storage_read = random_u64() >> 20;
		ended.used.more = random_u64() % 4;
		tl_cell_add(whole, &ended, start_ns);
		tl_cell_add(&parts[random_u64() % PARTS], &ended, start_ns);
	}
}

static void test_merge(void)
{
	struct tl_cell_sums whole = {0}, parts[PARTS] = {0}, sum = {0}, other = {0};
	u64 buckets = 0;
	unsigned int i;

	fill(&whole, parts);
	for (i = 0; i < PARTS; i++)
		tl_cell_merge(&sum, &parts[i]);
	for (i = PARTS; i-- > 0;)
		tl_cell_merge(&other, &parts[i]);
	ok(!memcmp(&whole, &sum, sizeof(sum)), "parts merged are the whole");
	ok(!memcmp(&whole, &other, sizeof(other)), "in the other order as well");
	ok(whole.own_sq_hi != 0 && whole.carried > 0 && whole.carried < REQUESTS,
	   "and the whole has something to show");
	for (i = 0; i < TL_HIST_BUCKETS; i++)
		buckets += sum.hist_response[i];
	is_u64(buckets, REQUESTS, "every response time in one bucket");
	for (i = 0, buckets = 0; i < TL_HIST_BUCKETS; i++)
		buckets += sum.hist_own[i];
	is_u64(buckets, REQUESTS, "every own time in one bucket");
}

static void test_edges(void)
{
	struct tl_call_sum sum = {.peer = 7,
				  .by = {1, 2, 3, 4, 5},
				  .joined = 6,
				  .time_ns = 50,
				  .transit_ns = 20,
				  .bytes_out = 70,
				  .bytes_in = 90};
	struct tl_edge_sums edge = {0}, other = {0};
	unsigned int i;

	tl_edge_add(&edge, &sum);
	tl_edge_add(&edge, &sum);
	tl_edge_merge(&other, &edge);
	sum.time_ns = 1;
	tl_edge_add(&other, &sum);
	tl_edge_merge(&edge, &other);
	for (i = 0; i < TL_BY_KINDS; i++)
		is_u64(edge.by[i], 5 * (i + 1), "edge: calls of kind %u", i);
	is_u64(edge.time_ns, 201, "edge: time");
	is_u64(edge.joined, 30, "edge: joined");
	is_u64(edge.transit_ns, 100, "edge: transit");
	is_u64(edge.bytes_out, 350, "edge: bytes out");
	is_u64(edge.bytes_in, 450, "edge: bytes in");
}

static void test_paths(void)
{
	struct tl_request ended = request(500, 7000, 2000);
	struct tl_path_sums path = {0}, other = {0};

	tl_path_add(&path, &ended);
	tl_path_add(&path, &ended);
	tl_path_add(&other, &ended);
	tl_path_merge(&other, &path);
	is_u64(other.count, 3, "path: requests");
	is_u64(other.response_ns, 21000, "path: response time");
	is_u64(other.own_ns, 6000, "path: own time");
	is_u64(other.cpu_ns, 39, "path: CPU");
}

/* A request whose own time is not known, and one whose is, which is 0. */
static void test_traced(void)
{
	struct tl_cell_sums cell = {0}, other = {0};
	struct tl_path_sums path = {0}, into = {0};
	struct tl_request ended = request(0, 7000, 2000), zero = request(0, 7000, 0);

	ended.coarse = 1;
	tl_cell_add(&cell, &ended, 0);
	is_u64(cell.count, 1, "traced: counted");
	is_u64(cell.traced, 1, "traced: as such");
	is_u64(cell.response_ns, 7000, "traced: its response time");
	is_u64(cell.own_ns | cell.own_sq_lo | cell.own_sq_hi, 0, "traced: no own time");
	is_u64(cell.hist_own[tl_hist_bucket(2000)] | cell.hist_own[tl_hist_bucket(0)], 0,
	       "traced: none in the histogram");
	is_u64(cell.hist_response[tl_hist_bucket(7000)], 1, "traced: its response is");
	tl_cell_add(&cell, &zero, 0);
	is_u64(cell.traced, 1, "one whose own time is 0 is not traced");
	is_u64(cell.hist_own[tl_hist_bucket(0)], 1, "and in the histogram");
	tl_cell_merge(&other, &cell);
	tl_cell_merge(&other, &cell);
	is_u64(other.traced, 2, "traced: merged");
	tl_path_add(&path, &ended);
	ended.coarse = 0;
	tl_path_add(&path, &ended);
	tl_path_merge(&into, &path);
	tl_path_merge(&into, &path);
	is_u64(into.count, 4, "a path: all");
	is_u64(into.traced, 2, "a path: those traced");
	is_u64(into.own_ns, 4000, "a path: own times of the others");
	is_u64(into.response_ns, 28000, "a path: response times of all");
}

int main(void)
{
	test_traced();
	test_one();
	test_squares();
	test_merge();
	test_edges();
	test_paths();
	return done();
}
