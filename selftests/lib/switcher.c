// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tier that does with its stacks what no compiler does:
 *
 *   switcher --port PORT
 *
 * Who connects gets a line. At SIGUSR1 it goes on with another stack just as another of its threads
 * changes functions. One thread calls hello() on a stack of its own. Who looks,
 * for that reason, at what another thread is in comes to a page of that one's stack that is not
 * there, and has to wait for it. Until it comes, that thread leaves first() and inner() by a jump,
 * and calls second() where it had called first(). Then second() returns: it must not do so to where
 * first() would have. It prints a line of JSON, and ends.
 *
 * At SIGUSR2 a thread enters bare(), by a jump, with a stack in a page that is not there and that
 * nobody brings; at SIGALRM another one does so with a page that nobody lets be written; at SIGHUP
 * another one enters pushing(), which begins by putting something on its stack, with a page that is not
 * there. Once somebody waits for the page, it prints a line of JSON. Who kills it ends that.
 *
 * At SIGVTALRM a thread enters bare(), by a jump, with a stack in a page that the kernel copies before
 * anybody writes there, as after any fork, and does so again. Then it prints a line of JSON.
 */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "addr.h"
#include "opt.h"

/* Functions keep their names, and their callers. */
#define STEP __attribute__((noinline, noclone, used)) static
#define STACK_BYTES (1024 * 1024)
#define PATIENCE_S 60

static long page_bytes;
static int fault_fd;
static jmp_buf back;
static sem_t ready, wanted, moved, said; /* what happens, in this order */
static volatile uintptr_t first_at, second_at;
static volatile unsigned int after_first, after_second, hellos;
static volatile bool jumps = true; /* what comes after the calls is there, too */
static volatile bool waited; /* somebody has, for the page that is not there */

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void await(sem_t *sem, const char *what)
{
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += PATIENCE_S;
	while (sem_timedwait(sem, &limit))
		if (errno != EINTR)
			fail(what);
}

/* ---- who changes functions --------------------------------------------------------- */

/* The page that @at is in goes, and whoever wants it waits. */
static void take_page(uintptr_t at)
{
	struct uffdio_register range = {
		.range = {at & -page_bytes, page_bytes},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (ioctl(fault_fd, UFFDIO_REGISTER, &range))
		fail("watching a page");
	if (madvise((void *)(at & -page_bytes), page_bytes, MADV_DONTNEED))
		fail("giving up a page");
}

/* Pages away from what lies in the one that goes. */
STEP void bottom(uintptr_t at)
{
	take_page(at);
	sem_post(&ready);
	await(&wanted, "nobody looks at the thread");
	if (jumps)
		longjmp(back, 1);
}

/* Its return address, and nothing that is needed any more, is in the page that goes. */
STEP void inner(void)
{
	volatile char *away = alloca(4 * page_bytes);

	away[0] = 1;
	bottom((uintptr_t)__builtin_frame_address(0));
	away[0] = 2;
}

STEP void first(void)
{
	volatile char *away = alloca(4 * page_bytes);

	first_at = (uintptr_t)__builtin_frame_address(0);
	away[0] = 1;
	inner();
	away[0] = 2;
}

STEP void second(void)
{
	second_at = (uintptr_t)__builtin_frame_address(0);
	sem_post(&moved);
	await(&said, "hello() has not returned");
}

static void *changes(void *arg)
{
	if (!setjmp(back))
		first();
	after_first++;
	if (after_first == 1) {
		second();
		after_second++;
	}
	return arg;
}

/* ---- who goes on with another stack -------------------------------------------------- */

static ucontext_t home, other;

STEP void hello(void)
{
	hellos++;
}

static void on_other_stack(void)
{
	hello();
}

static void *switches(void *arg)
{
	hello();
	await(&ready, "the other thread is not where it should be");
	getcontext(&other);
	other.uc_stack.ss_sp = arg;
	other.uc_stack.ss_size = STACK_BYTES;
	other.uc_link = &home;
	makecontext(&other, on_other_stack, 0);
	swapcontext(&home, &other);
	/* If nobody has looked, it goes on all the same. */
	if (!waited)
		sem_post(&wanted);
	sem_post(&said);
	return NULL;
}

/* ---- who brings the page --------------------------------------------------------------- */

static void *brings(void *arg)
{
	struct uffdio_zeropage zero = {.range.len = page_bytes};
	struct pollfd also = {fault_fd, POLLIN, 0};
	struct uffd_msg msg;

	if (read(fault_fd, &msg, sizeof(msg)) != sizeof(msg))
		fail("waiting for who wants the page");
	waited = true;
	sem_post(&wanted);
	/* It has changed functions, or waits for the page as well. */
	while (sem_trywait(&moved) && !poll(&also, 1, 10))
		;
	zero.range.start = msg.arg.pagefault.address & -page_bytes;
	if (ioctl(fault_fd, UFFDIO_ZEROPAGE, &zero))
		fail("bringing the page");
	return arg;
}

static void watch_pages(void)
{
	struct uffdio_api api = {.api = UFFD_API};

	fault_fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (fault_fd < 0 || ioctl(fault_fd, UFFDIO_API, &api))
		fail("userfaultfd");
}

/* A mapping of its own, and pages that go one by one. */
static void *stack_new(void)
{
	char *all = mmap(NULL, STACK_BYTES + 2 * page_bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (all == MAP_FAILED || mprotect(all + page_bytes, STACK_BYTES, PROT_READ | PROT_WRITE))
		fail("mapping a stack");
	madvise(all, STACK_BYTES + 2 * page_bytes, MADV_NOHUGEPAGE);
	return all + page_bytes;
}

static pthread_t start(void *(*run)(void *), void *arg, void *stack)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (stack && pthread_attr_setstack(&attr, stack, STACK_BYTES))
		fail("a thread's stack");
	if (pthread_create(&thread, &attr, run, arg))
		fail("a thread");
	return thread;
}

static void act(void)
{
	pthread_t changer, switcher;

	start(brings, NULL, NULL);
	changer = start(changes, NULL, stack_new());
	switcher = start(switches, stack_new(), NULL);
	pthread_join(switcher, NULL);
	pthread_join(changer, NULL);
	printf("{\"same_place\":%s,\"waited\":%s,\"hellos\":%u,\"after_first\":%u,\"after_second\":%u}\n",
	       first_at == second_at ? "true" : "false", waited ? "true" : "false", hellos,
	       after_first, after_second);
}

/* ---- who has a stack that never comes ------------------------------------------------------ */

#ifdef __x86_64__
/* Functions whose first instructions are known: what the kernel does at a probe depends on it. */
asm(".pushsection .text\n"
    ".type bare, @function\n"
    "bare: xor %eax, %eax\n"
    "	push %rax\n"
    "	pop %rax\n"
    "	ret\n"
    ".size bare, . - bare\n"
    ".type pushing, @function\n"
    "pushing: push %rbp\n"
    "	pop %rbp\n"
    "	ret\n"
    ".size pushing, . - pushing\n"
    /* Enters a function with another stack, which has come_back on it. */
    ".type jump_to, @function\n"
    "jump_to: push %rbx\n"
    "	mov %rsp, %rbx\n"
    "	mov %rdi, %rsp\n"
    "	jmp *%rsi\n"
    "come_back: mov %rbx, %rsp\n"
    "	pop %rbx\n"
    "	ret\n"
    ".size jump_to, . - jump_to\n"
    ".popsection");
extern char bare[], pushing[], come_back[];
void jump_to(uintptr_t *stack, char *function);

/* The page that @at is in is there, and whoever writes waits. */
static void protect_page(uintptr_t at)
{
	struct uffdio_register range = {
		.range = {at & -page_bytes, page_bytes},
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect protect = {
		.range = range.range,
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	*(volatile char *)at = 1;
	if (ioctl(fault_fd, UFFDIO_REGISTER, &range) || ioctl(fault_fd, UFFDIO_WRITEPROTECT, &protect))
		fail("protecting a page");
}

static const struct way {
	int signal;
	const char *name;
	char *function;
	void (*spoil)(uintptr_t at);
} ways[] = {
	{SIGUSR2, "bare", bare, take_page},
	{SIGALRM, "bare, protected", bare, protect_page},
	{SIGHUP, "pushing", pushing, take_page},
};

static void *never_comes(void *arg)
{
	const struct way *way = arg;
	char *stack = stack_new();

	way->spoil((uintptr_t)stack);
	asm volatile("mov %0, %%rsp\n\tjmp *%1"
		     : : "r"(stack + page_bytes / 2), "r"(way->function) : "memory");
	__builtin_unreachable();
}

static void *forks(void *arg)
{
	uintptr_t *stack = (uintptr_t *)((char *)stack_new() + page_bytes / 2);
	unsigned int i;
	pid_t child;

	for (i = 0; i < 2; i++) {
		*stack = (uintptr_t)come_back;
		child = fork();
		if (!child)
			_exit(0);
		if (child < 0 || waitpid(child, NULL, 0) != child)
			fail("forking");
		jump_to(stack, bare);
	}
	printf("{\"back\":%u}\n", i);
	fflush(stdout);
	return arg;
}

static void enter(int signal)
{
	const struct way *way = ways;
	struct uffd_msg msg;

	if (signal == SIGVTALRM) {
		start(forks, NULL, NULL);
		return;
	}
	while (way->signal != signal)
		way++;
	start(never_comes, (void *)way, NULL);
	if (read(fault_fd, &msg, sizeof(msg)) != sizeof(msg))
		fail("waiting for who wants the page");
	printf("{\"waits\":\"%s\"}\n", way->name);
	fflush(stdout);
}
#else
static void enter(int signal)
{
	fprintf(stderr, "signal %d does nothing on this processor\n", signal);
	exit(1);
}
#endif

static void *serves(void *arg)
{
	int fd;

	while ((fd = accept((int)(long)arg, NULL, NULL)) >= 0) {
		char line[100];

		if (read(fd, line, sizeof(line)) > 0)
			send(fd, "OK\n", 3, MSG_NOSIGNAL);
		close(fd);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {{"port", 1, NULL, 'p'}, {NULL, 0, NULL, 0}};
	struct addr at = {.len = 0};
	sigset_t set;
	int fd, got;

	if (getopt_long(argc, argv, "", longs, NULL) != 'p')
		opt_usage("--port is missing", "");
	opt_addr(&at, optarg);
	page_bytes = sysconf(_SC_PAGESIZE);
	sem_init(&ready, 0, 0);
	sem_init(&wanted, 0, 0);
	sem_init(&moved, 0, 0);
	sem_init(&said, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGVTALRM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = addr_listen(&at);
	/* It came as one that does not wait. */
	if (fd < 0 || fcntl(fd, F_SETFL, 0))
		fail("listening");
	start(serves, (void *)(long)fd, NULL);
	watch_pages();
	while (!sigwait(&set, &got) && got != SIGUSR1)
		enter(got);
	act();
	return 0;
}
