// SPDX-License-Identifier: GPL-2.0-or-later
/* What the files of the module that are measured ask of the kernel, and of those that are not. */
#include "kernel.h"

#include "class.h"
#include "frames.h"
#include "level.h"
#include "scoped.h"
#include "thread.h"

#define DYNAMIC (256 * 1024)

unsigned int bench_cpus = 1;
long bench_cpu_offset[BENCH_CPUS];
__thread long bench_this_offset;
__thread u64 bench_now_ns;
__thread struct task_struct *bench_current;

static DEFINE_PER_CPU(u8, dynamic[DYNAMIC]) __aligned(64);
static size_t dynamic_used;
extern u8 __start_percpu[], __stop_percpu[];

/* All processors have the same, so a pointer into the first one's is one for all of them. */
void *bench_percpu_alloc(size_t bytes)
{
	size_t at = ALIGN(dynamic_used, 64);

	dynamic_used = at + bytes;
	return dynamic_used <= DYNAMIC ? &dynamic[at] : NULL;
}

void bench_percpu_init(unsigned int cpus)
{
	/* cppcheck-suppress comparePointers ; the linker names both ends of one section */
	size_t bytes = __stop_percpu - __start_percpu;
	unsigned int cpu;

	bench_cpus = cpus;
	for (cpu = 1; cpu < cpus; cpu++)
		bench_cpu_offset[cpu] = (u8 *)bench_alloc(bytes + 64) + (unsigned long)__start_percpu % 64 -
					__start_percpu;
}

/* Not the kernel's, which nobody needs here: as good, and only for names and endpoints. */
u32 jhash(const void *key, u32 length, u32 initval)
{
	const u8 *at = key;
	u64 x = initval;

	while (length--)
		x = (x ^ *at++) * 0x100000001b3;
	return x ^ x >> 32;
}

u32 full_name_hash(const void *salt, const char *name, unsigned int len)
{
	return jhash(name, len, 0);
}

/* level.c: on, and calls are followed. */
u32 tl_level_epoch = 1;
bool tl_level_follows = true;

u8 tl_level_default(void)
{
	return TIERLENS_LEVEL_SERVER;
}

/* scoped.c: no event is counted for requests. */
bool tl_scoped_on;

void tl_scoped_skip(void)
{
}

void tl_scoped_switched(struct task_struct *prev)
{
}

void tl_scoped_take_counted(struct tl_task *task, u64 *sum)
{
}

void tl_scoped_name(unsigned int slot, u64 generation, u64 value, char *name)
{
	name[0] = '\0';
}

/* frames.c: no function is probed. */
void tl_frames_forget(struct tl_task *task)
{
}
