// SPDX-License-Identifier: GPL-2.0-or-later
/* Work that is handed on in the module: how much of it is kept, and how much is taken at once. */
#include "kernel.h"
#include "handoff.h"
#include "ledger.h"
#include "tap.h"

#define KEPT 64
#define OBJECTS_KEPT 128
#define ENDLESS 1000

extern unsigned long *bench_param_memory_mib;

static struct tl_task writer = {.hands_back = true};
static struct tl_task reader = {.thread.dispatches = true};
static const void *feeds; /* written to again for each that is taken */
static unsigned int taken, missed;

void __wrap_tl_ledger_told(struct tl_task *task, const void *key, const struct tl_told *told);

/* Another thread writes as fast as this one takes. */
void __wrap_tl_ledger_told(struct tl_task *task, const void *key, const struct tl_told *told)
{
	missed += told->missed;
	if (++taken < ENDLESS && feeds)
		tl_handoff_wrote(&writer, feeds, 8);
}

static void write_to(const void *key, unsigned int times)
{
	while (times--)
		tl_handoff_wrote(&writer, key, 8);
}

static unsigned int read_from(const void *key)
{
	taken = missed = 0;
	tl_handoff_reads(&reader, key, 0);
	return taken;
}

int main(void)
{
	static char objects[10 * OBJECTS_KEPT];
	unsigned int i;

	*bench_param_memory_mib = 4;
	ok(!tl_handoff_init(), "it begins");
	write_to(objects, KEPT);
	ok(tl_handoff_count() == KEPT, "so many writes are kept that nobody has read");
	ok(read_from(objects) == KEPT && !missed && !tl_handoff_count(), "and are read");
	write_to(objects, 3 * KEPT);
	ok(tl_handoff_count() == KEPT, "of more the last ones");
	ok(read_from(objects) == KEPT && missed == 1, "which says that some are missing");

	write_to(objects, 1);
	feeds = objects;
	ok(read_from(objects) == KEPT, "who reads while others write takes no more than that at once");
	feeds = NULL;
	tl_handoff_closed(objects);
	ok(!tl_handoff_count(), "nothing is kept of what is closed");

	for (i = 0; i < sizeof(objects); i++)
		write_to(&objects[i], 1);
	ok(tl_handoff_count() <= OBJECTS_KEPT, "of so many objects at most");
	tl_handoff_forget_all();
	ok(!tl_handoff_count(), "all are forgotten");
	tl_handoff_exit();
	return done();
}
