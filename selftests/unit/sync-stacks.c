// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that records itself: sync-stacks FILE
 *
 * Writes records as the kernel does, with registers and a copy of the stack, from known
 * functions on two threads, then listens on FILE.sock and a port, which it prints, until its
 * input ends, so that it can be asked what is mapped where. Compiled as Debian's programs are: unwind tables, no frame pointers. Which
 * functions a record is from, says the table in test-user-tasks-record.sh.
 */
#include "sync-stacks.h"

#include <arpa/inet.h>
#include <linux/tierlens-sync.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_MAX 8192

#if defined(__x86_64__)
#define REGISTERS 17
#define SP 7
#elif defined(__aarch64__)
#define REGISTERS 33
#define SP 31
#endif

static FILE *to;
static uint64_t seq;
static int pipe_end[2];
static sem_t done;

static void registers_of(const ucontext_t *context, __u64 *value)
{
#if defined(__x86_64__)
	static const int order[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
				     REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };
	int i;

	for (i = 0; i < REGISTERS; i++)
		value[i] = (__u64)context->uc_mcontext.gregs[order[i]];
#else
	memcpy(value, context->uc_mcontext.regs, 31 * sizeof(*value));
	value[31] = context->uc_mcontext.sp;
	value[32] = context->uc_mcontext.pc;
#endif
}

/* As far as there is a stack. */
static size_t bytes_above(__u64 sp)
{
	pthread_attr_t attr;
	size_t size, left;
	void *low;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	left = (uintptr_t)low + size - sp;
	return (left < STACK_MAX ? left : STACK_MAX) & ~(size_t)7;
}

static void record_write(const ucontext_t *context, struct tierlens_sync_record *record)
{
	__u64 value[REGISTERS];
	struct timespec now;

	registers_of(context, value);
	clock_gettime(CLOCK_MONOTONIC, &now);
	record->stack = (uint32_t)bytes_above(value[SP]);
	record->registers = REGISTERS;
	record->size = (uint32_t)(sizeof(*record) + sizeof(value) + record->stack);
	record->seq = ++seq;
	record->time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	record->process = (uint32_t)getpid();
	record->thread = (uint32_t)syscall(SYS_gettid);
	record->position = record->bytes = TIERLENS_SYNC_UNKNOWN;
	fwrite(record, sizeof(*record), 1, to);
	fwrite(value, sizeof(value), 1, to);
	fwrite((void *)(uintptr_t)value[SP], record->stack, 1, to);
	fflush(to);
}

__attribute__((noipa)) void take(void)
{
	struct tierlens_sync_record record = { .op = TIERLENS_SYNC_LOCK, .kind = TIERLENS_SYNC_MEMORY,
					       .object = (uintptr_t)&seq };
	ucontext_t context;

	getcontext(&context);
	record_write(&context, &record);
}

/* ---- the functions that are known ---------------------------------------------------------- */

#define AFTER __asm__ volatile("" ::: "memory") /* a call before it is none that is a jump */

__attribute__((noipa)) static void three(void)
{
	take();
	AFTER;
}

/* As libraries have them, beside the name that is written in programs. */
void __three(void) __attribute__((alias("three")));

__attribute__((noipa)) static void two(void)
{
	volatile int room[100];

	room[5] = 1;
	three();
	room[6] = room[5];
}

__attribute__((noipa)) static void one(void)
{
	two();
	AFTER;
}

__attribute__((noipa)) static void again(int depth)
{
	if (depth)
		again(depth - 1);
	else
		take();
	AFTER;
}

/*
 * Its frame's address is not its stack pointer's so and so much: as many as it is told. It is
 * called as in C++.
 */
static void grows(size_t n) __asm__("_ZN5Stack5growsEmi");
__attribute__((noipa)) static void grows(size_t n)
{
	volatile char *room = __builtin_alloca(n);

	room[0] = 1;
	take();
	room[1] = room[0];
}

__attribute__((noipa)) static int compares(const void *a, const void *b)
{
	take();
	AFTER;
	return *(const int *)a - *(const int *)b;
}

__attribute__((noipa)) static void sorts(void)
{
	int two_of[2] = { 2, 1 };

	qsort(two_of, 2, sizeof(two_of[0]), compares);
	AFTER;
}

__attribute__((noipa)) static void handles(int number)
{
	(void)number;
	take();
	AFTER;
}

__attribute__((noipa)) static void raises(void)
{
	signal(SIGUSR1, handles);
	raise(SIGUSR1);
	AFTER;
}

static jmp_buf back;

__attribute__((noipa, noreturn)) static void leaves(int number)
{
	(void)number;
	take();
	longjmp(back, 1);
}

/* Its last instruction is a call: what that would return to is no longer in it. */
__attribute__((noipa)) static void ends_with_a_call(void)
{
	leaves(0);
}

/* It comes to a signal before it has done anything: where it is, no call was before. */
__asm__(".text\n.p2align 4\n.type traps, %function\nnop\nnop\nnop\nnop\n"
	"traps:\n.cfi_startproc\n"
#if defined(__x86_64__)
	"ud2\n"
#else
	"udf #0\n"
#endif
	".cfi_endproc\n.size traps, . - traps\n");
void traps(void);

__attribute__((noipa)) static void is_trapped(void)
{
	signal(SIGILL, leaves);
	traps();
	AFTER;
}

/* What a thread that is in a system call looks like to the kernel. */
static void look_in(int number, siginfo_t *info, void *context)
{
	struct tierlens_sync_record record = { .op = TIERLENS_SYNC_RECV, .kind = TIERLENS_SYNC_PIPE, .object = 7 };

	(void)number;
	(void)info;
	record_write(context, &record);
	(void)!write(pipe_end[1], "", 1);
}

__attribute__((noipa)) static void waits(void)
{
	char byte;

	while (read(pipe_end[0], &byte, 1) != 1)
		;
	AFTER;
}

__attribute__((noipa)) static void *works(void *arg)
{
	/* A name that has to be quoted. */
	pthread_setname_np(pthread_self(), "a,\"b;\t");
	one();
	waits();
	sem_post(&done);
	pause(); /* so that it still has a name */
	return arg;
}

/* Once it sleeps in there. */
static void look_when_it_waits(pthread_t thread)
{
	struct timespec moment = { .tv_nsec = 100000000 };
	struct sigaction action = { .sa_sigaction = look_in, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(SIGUSR2, &action, NULL);
	nanosleep(&moment, NULL);
	pthread_kill(thread, SIGUSR2);
}

static int listens(int family, void *address, socklen_t len)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, address, len) || listen(fd, 5) || getsockname(fd, address, &len))
		exit(1);
	return fd;
}

static void listens_on_both(const char *name)
{
	struct sockaddr_in port = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_un path = { .sun_family = AF_UNIX };

	snprintf(path.sun_path, sizeof(path.sun_path), "%s.sock", name);
	listens(AF_UNIX, &path, sizeof(path));
	listens(AF_INET, &port, sizeof(port));
	printf("port %d\n", ntohs(port.sin_port));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char byte;

	to = argc > 1 ? fopen(argv[1], "we") : NULL;
	if (!to || pipe(pipe_end))
		return 1;
	one();
	again(9);
	again(400);
	grows(300);
	sorts();
	raises();
	by_pointer(one);
	by_nothing(one);
	sem_init(&done, 0, 0);
	pthread_create(&thread, NULL, works, NULL);
	look_when_it_waits(thread);
	while (sem_wait(&done))
		;
	if (!setjmp(back))
		ends_with_a_call();
	if (!setjmp(back))
		is_trapped();
	listens_on_both(argv[1]);
	return read(STDIN_FILENO, &byte, 1) > 0;
}
