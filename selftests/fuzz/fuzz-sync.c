// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of sync points, as the kernel or whoever takes its place hands them out. */
#include "fuzz.h"

#include "sync-feed.h"

#include <fcntl.h>
#include <linux/tierlens-sync.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_sync_feed feed = { .limit = 1 << 20 };
	struct tl_sync_events events = { 0 };
	struct tl_error err = { "" };
	size_t i;

	if (fuzz_said(tl_sync_feed_open(&feed, "/tmp/input", &err), &err))
		return 0;
	feed.fd = open(fuzz_file(data, size), O_RDONLY | O_CLOEXEC);
	fuzz_said(tl_sync_feed_read(&feed, &err) < 0, &err);
	if (!fuzz_said(tl_sync_events_read(&feed, &events, &err), &err))
		for (i = 0; i < events.n; i++)
			fuzz_must(events.event[i].record->size >= sizeof(*events.event[i].record), "a record cut off");
	tl_sync_events_free(&events);
	tl_sync_feed_close(&feed);
	return 0;
}
