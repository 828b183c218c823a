// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parts of recordings of sync points: objects, positions in streams, registers of both
 * architectures, steps by frame pointers, and records of this very program that were damaged,
 * which must neither harm nor last. SYNC_MUTANTS: how many (400).
 */
#include "damage.h"
#include "tap.h"

#include "binary.h"
#include "error.h"
#include "maps.h"
#include "sync-feed.h"
#include "sync-object.h"
#include "sync-table.h"
#include "sync-watch.h"
#include "unwind.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES 4096

/* ---- objects ---------------------------------------------------------------------------- */

static void object_is(const struct tl_maps *maps, u8 kind, u64 object, const char *wanted)
{
	struct tierlens_sync_record record = { .kind = kind, .object = object, .process = (u32)getpid() };
	char text[100];

	tl_sync_object(text, sizeof(text), maps, &record);
	ok(!strcmp(text, wanted), "object of kind %u: %s", kind, wanted);
	if (strcmp(text, wanted))
		printf("#      got %s\n", text);
}

static void objects(void)
{
	int fd = memfd_create("shared", MFD_CLOEXEC);
	char *one, *two, *own = malloc(100), at_one[100], at_two[100], wanted[100];
	struct tierlens_sync_record record = { .kind = TIERLENS_SYNC_MEMORY, .process = (u32)getpid() };
	struct tl_maps maps = { 0 };

	(void)!ftruncate(fd, 16384);
	one = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 8192);
	ok(one != MAP_FAILED && two != MAP_FAILED && !tl_maps_look(&maps, (u32)getpid(), NULL), "our maps can be read");
	record.object = (uintptr_t)one + 8200;
	tl_sync_object(at_one, sizeof(at_one), &maps, &record);
	record.object = (uintptr_t)two + 8;
	tl_sync_object(at_two, sizeof(at_two), &maps, &record);
	ok(!strcmp(at_one, at_two) && strstr(at_one, "+0x2008"), "shared memory has one name wherever it is: %s", at_one);
	snprintf(wanted, sizeof(wanted), "%d:0x%lx", getpid(), (unsigned long)own);
	object_is(&maps, TIERLENS_SYNC_MEMORY, (uintptr_t)own, wanted);
	object_is(&maps, TIERLENS_SYNC_EVENTFD, 5, "eventfd:5");
	object_is(&maps, TIERLENS_SYNC_PIPE, UINT64_MAX, "pipe:18446744073709551615");
	object_is(&maps, TIERLENS_SYNC_EPOLL, 1, "epoll:1");
	object_is(&maps, TIERLENS_SYNC_TCP, 2, "tcp:2");
	object_is(&maps, TIERLENS_SYNC_UNIX, 3, "unix:3");
	object_is(&maps, TIERLENS_SYNC_LISTENER, 4, "listener:4");
	object_is(&maps, TIERLENS_SYNC_THREAD, 6, "thread:6");
	object_is(&maps, TIERLENS_SYNC_OTHER, 7, "other:7");
	munmap(one, 16384);
	munmap(two, 8192);
	close(fd);
	free(own);
	tl_maps_free(&maps);
}

/* What is mapped now counts, also what was not when it was first looked. */
static void looked_again(void)
{
	int one = memfd_create("one", MFD_CLOEXEC), two = memfd_create("two", MFD_CLOEXEC);
	struct tierlens_sync_record record[3] = { { .registers = 17, .process = (u32)getpid() } };
	u64 *registers = (u64 *)(record + 1);
	static struct tl_sync_watch watch;
	struct tl_map_process *process;
	const struct tl_map *map;
	char *at, *code;
	size_t n;

	(void)!ftruncate(one, 16384);
	(void)!ftruncate(two, 16384);
	at = mmap(NULL, 16384, PROT_READ, MAP_SHARED, one, 0);
	tl_sync_watch_record(&watch, record);
	process = tl_maps_process(&watch.maps, (u32)getpid());
	map = tl_maps_find(process, (uintptr_t)at + 5000);
	ok(map && strstr(watch.maps.file[map->file].path, "one"), "a process is looked at when it is first seen");
	mmap(at + 4096, 8192, PROT_READ, MAP_SHARED | MAP_FIXED, two, 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	registers[16] = (uintptr_t)code + 100;
	tl_sync_watch_record(&watch, record);
	ok(!tl_maps_find(process, (uintptr_t)code), "not again at once");
	usleep(60000);
	tl_sync_watch_record(&watch, record);
	process = tl_maps_process(&watch.maps, (u32)getpid());
	map = tl_maps_find(process, (uintptr_t)code + 4095);
	ok(map && map->code && map->file == TL_MAPS_NO_FILE, "but for code that nobody has seen");
	map = tl_maps_find(process, (uintptr_t)at + 5000);
	ok(map && strstr(watch.maps.file[map->file].path, "two") && map->offset == 0, "what is in a place now counts");
	map = tl_maps_find(process, (uintptr_t)at + 13000);
	ok(map && strstr(watch.maps.file[map->file].path, "one") && map->offset == 12288, "beside it what was there");
	ok(!tl_maps_find(process, 8), "at no address is nothing");
	n = process->n;
	tl_maps_look(&watch.maps, (u32)getpid(), NULL);
	is_u64(process->n, n, "and nothing is there twice");
	munmap(at, 16384);
	munmap(code, 4096);
	close(one);
	close(two);
	tl_sync_watch_free(&watch);
}

/* ---- positions -------------------------------------------------------------------------- */

static struct tl_sync_streams streams;

static void position_is(u8 kind, u8 op, u32 end, u64 position, u64 bytes, u64 wanted, const char *what)
{
	struct tierlens_sync_record record = { .op = op, .kind = kind, .object = 9, .end = end, .position = position,
					       .bytes = bytes };
	u64 got = 0;

	ok(!tl_sync_position(&streams, &record, &got), "%s", what);
	is_u64(got, wanted, "%s", what);
}

#define NOT_KNOWN TIERLENS_SYNC_UNKNOWN
#define TURN (1ULL << 32)

static void positions_tcp(void)
{
	const u8 tcp = TIERLENS_SYNC_TCP, send = TIERLENS_SYNC_SEND, recv = TIERLENS_SYNC_RECV;

	position_is(tcp, send, 0, 0xfffffff0, 32, TURN + 0xfffffff0, "before sequence numbers begin anew");
	position_is(tcp, send, 0, 0x10, 8, 2 * TURN + 0x10, "and after");
	position_is(tcp, recv, 1, 0xfffffff0, 16, TURN + 0xfffffff0, "the other end is behind, and the same");
	position_is(tcp, recv, 1, 0, 16, 2 * TURN, "until it comes there, too");
	position_is(tcp, send, 1, 0x80000000, 1, TURN + 0x80000000, "the other way has its own");
	position_is(tcp, send, 0, NOT_KNOWN, 1, NOT_KNOWN, "what is not told is not known");
	position_is(tcp, TIERLENS_SYNC_WAIT, 0, 5, 1, NOT_KNOWN, "no stream");
	tl_sync_streams_free(&streams);
}

static void positions_summed(u8 kind)
{
	const u8 send = TIERLENS_SYNC_SEND, recv = TIERLENS_SYNC_RECV;

	position_is(kind, send, 0, NOT_KNOWN, 10, 0, "first sent");
	position_is(kind, send, 0, NOT_KNOWN, 5, 10, "then sent");
	position_is(kind, recv, 1, NOT_KNOWN, 12, 0, "received of both");
	position_is(kind, recv, 1, NOT_KNOWN, 8, 7, "more than was sent: the first was there before");
	position_is(kind, recv, 1, NOT_KNOWN, 100, NOT_KNOWN, "much more: began before we did");
	position_is(kind, send, 0, NOT_KNOWN, 4, 15, "sent is as it was");
	position_is(kind, send, 0, NOT_KNOWN, 6, 19, "and goes on");
	position_is(kind, recv, 1, NOT_KNOWN, 4, 15, "and so does received");
	streams.lost = true;
	position_is(kind, send, 0, NOT_KNOWN, 4, NOT_KNOWN, "nothing is known once something was lost");
	tl_sync_streams_free(&streams);
	position_is(kind, send, 0, NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, "how much is not known");
	position_is(kind, send, 0, NOT_KNOWN, 4, NOT_KNOWN, "so where the next is, is not either");
	tl_sync_streams_free(&streams);
}

/* ---- registers and frame pointers --------------------------------------------------------- */

static void machines(void)
{
	const struct tl_machine *x86 = tl_machine_of(17), *arm = tl_machine_of(33);
	u64 stack[8] = { 0, 0, 0x1028, 0x77, 0, 0x1000, 0x88, 0 };
	struct tl_frame_stack copy = { (const unsigned char *)stack, sizeof(stack), 0x1000 };
	struct tl_frame frame = { .known = U64_MAX };

	ok(x86 && x86->sp == 7 && x86->fp == 6 && x86->pc == 16, "x86-64: rsp 7, rbp 6, rip 16");
	ok(arm && arm->sp == 31 && arm->fp == 29 && arm->pc == 32, "arm64: sp 31, x29, pc 32");
	ok(!tl_machine_of(0) && !tl_machine_of(16) && !tl_machine_of(65535), "no others");
	frame.value[7] = 0x1000;
	frame.value[6] = 0x1010;
	ok(tl_frame_up_by_pointer(x86, &copy, &frame) == TL_FRAME_GOES_ON && frame.pc == 0x77 &&
	   frame.value[7] == 0x1020 && frame.value[6] == 0x1028 && !frame.exact, "one step by rbp");
	ok(tl_frame_up_by_pointer(x86, &copy, &frame) == TL_FRAME_GOES_ON && frame.pc == 0x88, "another");
	ok(tl_frame_up_by_pointer(x86, &copy, &frame) == TL_FRAME_LOST, "none downwards");
	frame.value[6] = 0x1034;
	ok(tl_frame_up_by_pointer(x86, &copy, &frame) == TL_FRAME_LOST, "none to a crooked place");
	frame.value[6] = 0x1038;
	ok(tl_frame_up_by_pointer(x86, &copy, &frame) == TL_FRAME_LOST, "none beyond the copy");
	frame = (struct tl_frame){ .known = U64_MAX };
	frame.value[31] = 0x1000;
	frame.value[29] = 0x1010;
	stack[3] = 0x00ff000000000077 | 0xbeULL << 56;
	ok(tl_frame_up_by_pointer(arm, &copy, &frame) == TL_FRAME_GOES_ON && frame.pc == 0x77,
	   "a step by x29, without what signs the address");
	ok(!(frame.known >> 31 & 1), "after which sp is not known");
}

/* ---- damage --------------------------------------------------------------------------------- */

/* Records of ourselves, each from another depth. */
static size_t own_record(unsigned char *to, u64 seq, u8 op, u8 kind)
{
	struct tierlens_sync_record record = { .op = op, .kind = kind, .registers = 17, .seq = seq, .object = seq % 5,
					       .process = (u32)getpid(), .thread = (u32)syscall(SYS_gettid), .bytes = 10 };
	u64 value[TL_FRAME_REGISTERS] = { 0 };
	pthread_attr_t attr;
	ucontext_t context;
	size_t size, left;
	int memory;
	void *low;

	getcontext(&context);
#if defined(__x86_64__)
	value[6] = (u64)context.uc_mcontext.gregs[REG_RBP];
	value[3] = (u64)context.uc_mcontext.gregs[REG_RBX];
	value[7] = (u64)context.uc_mcontext.gregs[REG_RSP];
	value[16] = (u64)context.uc_mcontext.gregs[REG_RIP];
#else
	record.registers = 33;
	memcpy(value, context.uc_mcontext.regs, 31 * sizeof(*value));
	value[31] = context.uc_mcontext.sp;
	value[32] = context.uc_mcontext.pc;
#endif
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	left = (uintptr_t)low + size - value[tl_machine_of(record.registers)->sp];
	record.stack = (u32)min(left & ~(size_t)7, (size_t)STACK_BYTES);
	record.size = (u32)(sizeof(record) + record.registers * sizeof(u64) + record.stack);
	memcpy(to, &record, sizeof(record));
	memcpy(to + sizeof(record), value, record.registers * sizeof(u64));
	/* The sanitizer has made unreadable for us what is around variables. */
	memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	(void)!pread(memory, to + record.size - record.stack, record.stack,
		     (off_t)value[tl_machine_of(record.registers)->sp]);
	close(memory);
	return record.size;
}

struct ended {
	size_t events, strange, stacks;
	u64 lost;
};

/* As the command does it: a file with records becomes a table, which goes to @to. */
static bool whole_way(const char *file, FILE *to, struct ended *ended)
{
	static struct tl_sync_watch watch;
	struct tl_sync_feed feed = { .fd = open(file, O_RDONLY | O_CLOEXEC), .seconds = 1, .limit = 1 << 24,
				     .seen = tl_sync_watch_record, .arg = &watch };
	struct tl_sync_events events = { 0 };
	struct tl_sync_table table = { .events = &events, .watch = &watch };
	struct tl_error err;
	bool good;

	good = !tl_sync_feed_open(&feed, file, &err) && !tl_sync_feed_read(&feed, &err) &&
	       !tl_sync_events_read(&feed, &events, &err) && !tl_sync_table_write(&table, to, &err);
	*ended = (struct ended){ table.written, feed.damaged + events.doubled + table.strange, table.stacks,
				    events.lost };
	good = good && table.written + table.strange <= events.n && table.cut <= table.stacks;
	fclose(to);
	close(feed.fd);
	tl_sync_events_free(&events);
	tl_sync_feed_close(&feed);
	tl_sync_watch_free(&watch);
	tl_faults_free(&table.notes);
	return good;
}

static void file_write(const char *file, const void *bytes, size_t n)
{
	FILE *to = fopen(file, "we");

	fwrite(bytes, 1, n, to);
	fclose(to);
}

/* Mostly what is in heads and registers, of which there are far fewer bytes than of stacks. */
static size_t mutate(unsigned char *bytes, size_t n, size_t room)
{
	static const char *const pieces[] = { "\xff\xff\xff\xff", "\x01", "\x80", "\x08\x00\x00", "\xff\x7f" };
	size_t i, at = 0, record = damage_below(12);

	if (!damage_below(4))
		return damage((char *)bytes, n, room, pieces, 5);
	for (i = 0; i < record && at + 8 < n; i++)
		at += ((struct tierlens_sync_record *)(bytes + at))->size;
	for (i = damage_below(4) + 1; i--;) {
		size_t place = at + damage_below(sizeof(struct tierlens_sync_record) + 17 * 8 + 64);

		if (place < n)
			bytes[place] = (unsigned char)(damage_below(3) ? damage_below(256) : 0);
	}
	return n;
}

static void damaged(const char *file)
{
	static const u8 ops[] = { TIERLENS_SYNC_SEND, TIERLENS_SYNC_RECV, TIERLENS_SYNC_LOCK, TIERLENS_SYNC_WAIT,
				  TIERLENS_SYNC_START, TIERLENS_SYNC_EXIT };
	static unsigned char sound[1 << 17] __attribute__((aligned(8))), bytes[1 << 17] __attribute__((aligned(8)));
	size_t n = 0, mutants = getenv("SYNC_MUTANTS") ? (size_t)atol(getenv("SYNC_MUTANTS")) : 400, i, wrong = 0;
	size_t events = 0, strange = 0;
	struct ended ended;
	u64 seq;

	for (seq = 1; seq <= 14; seq++)
		n += own_record(sound + n, seq, ops[seq % 6], (u8)(seq % TIERLENS_SYNC_KINDS));
	file_write(file, sound, n);
	ok(whole_way(file, fopen("/dev/null", "we"), &ended) && ended.events == 14 && !ended.strange &&
	   ended.stacks == 14, "of what is sound everything is written");
	for (i = 0; i < mutants; i++) {
		memcpy(bytes, sound, n);
		file_write(file, bytes, mutate(bytes, n, sizeof(bytes)));
		wrong += !whole_way(file, fopen("/dev/null", "we"), &ended);
		events += ended.events;
		strange += ended.strange > 0;
	}
	is_u64(wrong, 0, "%zu that were damaged: %zu events, in %zu something was not understood", mutants, events, strange);
	ok(events > 3 * mutants && strange > mutants / 20, "some of both");
	unlink(file);
}

/* One line of a table: from the op to the stack, which is only there or not. */
static void line_is(const char *table, u64 seq, const char *thread, const char *wanted)
{
	char begin[40], got[200] = "", *at, *end;
	const char *line;

	snprintf(begin, sizeof(begin), "\n%u,", (unsigned int)seq);
	line = strstr(table, begin);
	if (line)
		snprintf(got, sizeof(got), "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
	at = strchr(got, '/');
	end = at ? strstr(at, ",own_") : NULL;
	/* Where the program begins differs. */
	if (at && !end && (end = strstr(at, ",main;")))
		strcpy(end, ",F");
	else if (at && (end = strstr(at, ",,")))
		end[1] = '\0';
	ok(at && strstr(at, thread) && strlen(at) > strlen(wanted) && !strcmp(at + strlen(at) - strlen(wanted), wanted),
	   "%s: %s%s", begin + 1, thread, wanted);
	printf("# got %s\n", at ? at : "none");
}

/* What becomes of a thread's number, of a process that runs another program, of numbers of nothing. */
static void lives(const char *file)
{
	static const struct { u8 op, kind; } event[] = {
		{ TIERLENS_SYNC_START, TIERLENS_SYNC_THREAD }, { TIERLENS_SYNC_LOCK, TIERLENS_SYNC_OTHER },
		{ TIERLENS_SYNC_EXEC + 1, TIERLENS_SYNC_NOTHING }, { TIERLENS_SYNC_EXIT, TIERLENS_SYNC_NOTHING },
		{ TIERLENS_SYNC_START, TIERLENS_SYNC_NOTHING }, { TIERLENS_SYNC_UNLOCK, TIERLENS_SYNC_OTHER },
		{ TIERLENS_SYNC_EXEC, TIERLENS_SYNC_NOTHING }, { TIERLENS_SYNC_WAIT, TIERLENS_SYNC_EPOLL },
	};
	static unsigned char bytes[1 << 16] __attribute__((aligned(8)));
	char *table = NULL, again[40], first[40];
	size_t n = 0, size, i;
	struct ended ended;

	for (i = 0; i < ARRAY_SIZE(event); i++)
		n += own_record(bytes + n, i + 1, event[i].op, event[i].kind);
	file_write(file, bytes, n);
	ok(whole_way(file, open_memstream(&table, &size), &ended) && ended.events == 7 && !ended.strange, "a short life");
	snprintf(first, sizeof(first), "/%d ", (int)syscall(SYS_gettid));
	snprintf(again, sizeof(again), "/%d.2 ", (int)syscall(SYS_gettid));
	line_is(table, 1, first, ",start,thread:1,F");
	line_is(table, 2, first, ",lock,other:2,F");
	line_is(table, 3, first, ",exit,,F");
	line_is(table, 4, again, ",start,,F");
	line_is(table, 5, again, ",unlock,other:1,F");
	line_is(table, 6, again, ",start,");
	line_is(table, 7, again, ",wait,epoll:3,");
	ok(!strstr(table, "\n8,"), "what came to nothing has no number");
	free(table);
}

static struct tierlens_sync_record *at_of(unsigned char *bytes, size_t at)
{
	return (struct tierlens_sync_record *)(bytes + at);
}

/* A process that nobody can look at any more is what it was made as. */
static void forked(const char *file)
{
	static unsigned char bytes[1 << 16] __attribute__((aligned(8)));
	const u32 child = 4194305; /* more than there can be */
	size_t n = 0, child_at, size;
	char *table = NULL;
	struct ended ended;

	n += own_record(bytes, 1, TIERLENS_SYNC_SIGNAL, TIERLENS_SYNC_THREAD);
	at_of(bytes, 0)->object = child;
	child_at = n;
	n += own_record(bytes + n, 2, TIERLENS_SYNC_LOCK, TIERLENS_SYNC_OTHER);
	at_of(bytes, child_at)->process = at_of(bytes, child_at)->thread = child;
	memset(bytes + n, 0, sizeof(struct tierlens_sync_record));
	*at_of(bytes, n) = (struct tierlens_sync_record){ .size = sizeof(struct tierlens_sync_record),
							 .op = TIERLENS_SYNC_END, .seq = 8 };
	n += sizeof(struct tierlens_sync_record);
	file_write(file, bytes, n);
	ok(whole_way(file, open_memstream(&table, &size), &ended) && ended.events == 2 && !ended.strange, "a fork");
	line_is(table, 2, "/4194305", ",lock,other:2,F");
	is_u64(ended.lost, 5, "what was lost at the end is known by the last record");
	free(table);
	file_write(file, bytes + n - sizeof(struct tierlens_sync_record), sizeof(struct tierlens_sync_record));
	ok(whole_way(file, fopen("/dev/null", "we"), &ended) && !ended.events, "everything may be lost");
	is_u64(ended.lost, 7, "and is known to be");
}

static void records(void)
{
	struct tierlens_sync_record record[2] = { { .size = sizeof(*record) } };

	ok(tl_sync_record(record, sizeof(*record)), "a record without anything behind it");
	ok(!tl_sync_record(record, sizeof(*record) - 8), "one that is cut");
	record->size = 0;
	ok(!tl_sync_record(record, sizeof(record)), "one of no size");
	record->size = sizeof(*record) + 4;
	ok(!tl_sync_record(record, sizeof(record)), "one of a size that is not a multiple of 8");
	record->size = sizeof(*record) + 16;
	record->registers = 1;
	record->stack = 8;
	ok(tl_sync_record(record, sizeof(record)), "one that is full");
	record->stack = 9;
	ok(!tl_sync_record(record, sizeof(record)), "one with more stack than it is long");
	record->stack = UINT32_MAX;
	ok(!tl_sync_record(record, sizeof(record)), "much more");
	record->stack = 0;
	record->registers = UINT16_MAX;
	ok(!tl_sync_record(record, sizeof(record)), "or registers");
}

/* Of damaged files libelf forgets to free some sections itself. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so";
}

const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

/* What is asked of a file, at some places in it. Return: how many had an answer. */
static size_t asked(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct tl_binary *binary = tl_binary_open(fd, NULL);
	struct tl_frame_rules *rules = NULL;
	struct tl_export *exports;
	size_t i, n, answers = 0;
	u64 address, start;

	for (i = 0; binary && i < 64; i++) {
		if (!tl_binary_address(binary, damage_below(16384), &address))
			continue;
		answers += tl_binary_name(binary, address, &start) != NULL;
		answers += !tl_frame_rules(tl_machine_of(17), binary, address, &rules);
		free(rules);
		rules = NULL;
	}
	if (binary && !tl_binary_exports(binary, &exports, &n)) {
		for (i = 0; i < n; i++)
			answers += strlen(exports[i].name) > 0;
		free(exports);
	}
	tl_binary_close(binary);
	close(fd);
	return answers;
}

/* Programs may be anything; the smallest library that there is, is the kernel's in each process. */
static void damaged_program(const char *file)
{
	static unsigned char sound[16384], bytes[16384];
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t n, i, k, mutants = getenv("SYNC_MUTANTS") ? (size_t)atol(getenv("SYNC_MUTANTS")) : 400, answers = 0;

	if (!image)
		return;
	n = min(image->e_shoff + (size_t)image->e_shnum * image->e_shentsize, sizeof(sound));
	memcpy(sound, image, n);
	file_write(file, sound, n);
	ok(asked(file) > 10, "a sound file has answers");
	for (i = 0; i < mutants; i++) {
		memcpy(bytes, sound, n);
		for (k = damage_below(8) + 1; k--;)
			bytes[damage_below(damage_below(3) ? n : 1024)] = (unsigned char)damage_below(256);
		file_write(file, bytes, damage_below(8) ? n : damage_below(n));
		answers += asked(file);
	}
	ok(answers > mutants, "%zu that were damaged still have %zu", mutants, answers);
}

int main(void)
{
	char file[] = "/tmp/test-user-sync-XXXXXX";

	close(mkstemp(file));
	objects();
	looked_again();
	positions_tcp();
	positions_summed(TIERLENS_SYNC_UNIX);
	positions_summed(TIERLENS_SYNC_PIPE);
	machines();
	records();
	lives(file);
	forked(file);
	damaged_program(file);
	damaged(file);
	return done();
}
