// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations that the hooks sit on, in loops, to see what the hooks add
 *
 * What takes two sides is done with another process, the peer, which serves; both stay
 * on one processor, so that the other processors' moods are not in the figures. It does
 * so many turns of what it is told through a pipe.
 */
#include "selftest/operation.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGE 64 /* bytes of a request, and of its answer */

enum order { ORDER_TCP, ORDER_UNIX, ORDER_ACCEPT, ORDER_YIELD };

struct command {
	enum order order;
	u64 n;
};

enum { TCP, UNIX, ENDS };

/* @near: our ends, @far: the peer's. @told: a pipe. @yielding: both of us read it */
struct tl_rig {
	int listener[ENDS], near[ENDS], far[ENDS], told[2];
	int epoll, event, pipe[2];
	struct sockaddr_storage address[ENDS];
	socklen_t length[ENDS];
	u32 word;
	pid_t peer;
	volatile bool *yielding;
	cpu_set_t before;
};

static void tell(struct tl_rig *rig, enum order order, u64 n)
{
	struct command command = { order, n };

	(void)!write(rig->told[1], &command, sizeof(command));
}

/* --- the peer --- */

static void serve(int fd, u64 n)
{
	char message[MESSAGE];

	while (n-- && recv(fd, message, sizeof(message), MSG_WAITALL) == MESSAGE)
		(void)!send(fd, message, sizeof(message), MSG_NOSIGNAL);
}

static void obey(struct tl_rig *rig, const struct command *command)
{
	u64 n = command->n;

	if (command->order == ORDER_ACCEPT)
		while (n--)
			close(accept4(rig->listener[TCP], NULL, NULL, SOCK_CLOEXEC));
	else if (command->order == ORDER_YIELD)
		while (*rig->yielding)
			sched_yield();
	else
		serve(rig->far[command->order == ORDER_TCP ? TCP : UNIX], n);
}

static void peer_run(struct tl_rig *rig, pid_t parent)
{
	struct command command;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	while (read(rig->told[0], &command, sizeof(command)) == sizeof(command))
		obey(rig, &command);
	_exit(0);
}

/* --- operations --- */

static u64 ask(int fd, u64 n)
{
	char message[MESSAGE] = { 0 };
	u64 i;

	for (i = 0; i < n; i++)
		if (send(fd, message, sizeof(message), MSG_NOSIGNAL) != MESSAGE ||
		    recv(fd, message, sizeof(message), MSG_WAITALL) != MESSAGE)
			return 0;
	return n;
}

static void tcp_prepare(struct tl_rig *rig, u64 n)
{
	tell(rig, ORDER_TCP, n);
}

static u64 tcp_repeat(struct tl_rig *rig, u64 n)
{
	return ask(rig->near[TCP], n);
}

static void unix_prepare(struct tl_rig *rig, u64 n)
{
	tell(rig, ORDER_UNIX, n);
}

static u64 unix_repeat(struct tl_rig *rig, u64 n)
{
	return ask(rig->near[UNIX], n);
}

static void connect_prepare(struct tl_rig *rig, u64 n)
{
	tell(rig, ORDER_ACCEPT, n);
}

/* Until the other side has closed, so that both ends are gone when we go on. */
static u64 connect_repeat(struct tl_rig *rig, u64 n)
{
	char byte;
	u64 i;
	int fd;

	for (i = 0; i < n; i++) {
		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(fd, (struct sockaddr *)&rig->address[TCP], rig->length[TCP])) {
			close(fd);
			return 0;
		}
		(void)!read(fd, &byte, 1);
		close(fd);
	}
	return n;
}

static u64 epoll_repeat(struct tl_rig *rig, u64 n)
{
	struct epoll_event event;
	u64 i;

	for (i = 0; i < n; i++)
		epoll_wait(rig->epoll, &event, 1, 0);
	return n;
}

static u64 poll_repeat(struct tl_rig *rig, u64 n)
{
	struct pollfd fd = { .fd = rig->near[TCP], .events = POLLIN };
	u64 i;

	for (i = 0; i < n; i++)
		poll(&fd, 1, 0);
	return n;
}

static u64 select_repeat(struct tl_rig *rig, u64 n)
{
	struct timeval none;
	fd_set set;
	u64 i;

	for (i = 0; i < n; i++) {
		none = (struct timeval){ 0 };
		FD_ZERO(&set);
		FD_SET(rig->near[TCP], &set);
		select(rig->near[TCP] + 1, &set, NULL, NULL, &none);
	}
	return n;
}

static u64 event_write(struct tl_rig *rig, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		eventfd_write(rig->event, 1);
	return n;
}

static void event_fill(struct tl_rig *rig, u64 n)
{
	eventfd_write(rig->event, n);
}

static u64 event_read(struct tl_rig *rig, u64 n)
{
	eventfd_t one;
	u64 i;

	for (i = 0; i < n; i++)
		if (eventfd_read(rig->event, &one))
			return 0;
	return n;
}

static void event_clear(struct tl_rig *rig, u64 n)
{
	event_read(rig, n);
}

static u64 pipe_write(struct tl_rig *rig, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		if (write(rig->pipe[1], "", 1) != 1)
			return 0;
	return n;
}

static void pipe_fill(struct tl_rig *rig, u64 n)
{
	pipe_write(rig, n);
}

static u64 pipe_read(struct tl_rig *rig, u64 n)
{
	char byte;
	u64 i;

	for (i = 0; i < n; i++)
		if (read(rig->pipe[0], &byte, 1) != 1)
			return 0;
	return n;
}

static void pipe_clear(struct tl_rig *rig, u64 n)
{
	pipe_read(rig, n);
}

/* Nobody waits there. */
static u64 futex_wake(struct tl_rig *rig, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		syscall(SYS_futex, &rig->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return n;
}

/* It has another value, so that we do not wait either. */
static u64 futex_wait(struct tl_rig *rig, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		syscall(SYS_futex, &rig->word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	return n;
}

static u64 switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (u64)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/*
 * Of two that are of equal real-time priority, sched_yield() always goes to the other; of
 * any others now and then. Where we may not have it, that has to do.
 */
static void take_turns(const struct tl_rig *rig, bool real_time)
{
	struct sched_param param = { .sched_priority = real_time };
	int policy = real_time ? SCHED_FIFO : SCHED_OTHER;

	/* Ours is the first to rise and the last to fall, lest we never run again. */
	if (real_time)
		sched_setscheduler(0, policy, &param);
	sched_setscheduler(rig->peer, policy, &param);
	if (!real_time)
		sched_setscheduler(0, policy, &param);
}

static void yield_prepare(struct tl_rig *rig, u64 n)
{
	(void)n;
	*rig->yielding = true;
	tell(rig, ORDER_YIELD, 0);
	take_turns(rig, true);
}

/* Each time that we were switched away from, the peer was as well. */
static u64 yield_repeat(struct tl_rig *rig, u64 n)
{
	u64 before = switches(), i;

	(void)rig;
	for (i = 0; i < n; i++)
		sched_yield();
	return 2 * (switches() - before);
}

static void yield_clear(struct tl_rig *rig, u64 n)
{
	(void)n;
	*rig->yielding = false;
	take_turns(rig, false);
}

static void *thread_run(void *arg)
{
	return arg;
}

static u64 thread_repeat(struct tl_rig *rig, u64 n)
{
	pthread_t thread;
	u64 i;

	(void)rig;
	for (i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, thread_run, NULL) ||
		    pthread_join(thread, NULL))
			return 0;
	return n;
}

static u64 nothing_repeat(struct tl_rig *rig, u64 n)
{
	u64 i;

	(void)rig;
	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	return n;
}

/* The last one has no hook: what is measured there is how well this can measure. */
const struct tl_operation tl_operations[] = {
	{ "TCP request and answer", tcp_prepare, tcp_repeat, NULL },
	{ "TCP connection", connect_prepare, connect_repeat, NULL },
	{ "UNIX request and answer", unix_prepare, unix_repeat, NULL },
	{ "epoll_wait", NULL, epoll_repeat, NULL },
	{ "poll", NULL, poll_repeat, NULL },
	{ "select", NULL, select_repeat, NULL },
	{ "eventfd write", NULL, event_write, event_clear },
	{ "eventfd read", event_fill, event_read, NULL },
	{ "pipe write", NULL, pipe_write, pipe_clear },
	{ "pipe read", pipe_fill, pipe_read, NULL },
	{ "futex wake", NULL, futex_wake, NULL },
	{ "futex wait", NULL, futex_wait, NULL },
	{ "context switch", yield_prepare, yield_repeat, yield_clear },
	{ "thread's life", NULL, thread_repeat, NULL },
	{ "no hook: getppid", NULL, nothing_repeat, NULL },
};

const size_t tl_operations_n = ARRAY_SIZE(tl_operations);

/* --- the rig --- */

/* A listener on loopback or on a name of the kernel's choice, and a connection to it. */
static int connection_open(struct tl_rig *rig, int which, int family)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr *address = (struct sockaddr *)&rig->address[which];
	struct timeval limit = { .tv_sec = 10 };
	int type = SOCK_STREAM | SOCK_CLOEXEC, one = 1, code;

	rig->length[which] = family == AF_INET ? sizeof(in) : sizeof(sa_family_t);
	memcpy(address, &in, sizeof(in));
	address->sa_family = (sa_family_t)family;
	rig->listener[which] = socket(family, type, 0);
	code = bind(rig->listener[which], address, rig->length[which]);
	rig->length[which] = sizeof(rig->address[which]);
	code = code ? code : listen(rig->listener[which], 16);
	code = code ? code : getsockname(rig->listener[which], address, &rig->length[which]);
	rig->near[which] = socket(family, type, 0);
	code = code ? code : connect(rig->near[which], address, rig->length[which]);
	if (code)
		return -errno;
	rig->far[which] = accept4(rig->listener[which], NULL, NULL, SOCK_CLOEXEC);
	setsockopt(rig->near[which], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(rig->near[which], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(rig->far[which], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return rig->far[which] < 0 ? -errno : 0;
}

static int files_open(struct tl_rig *rig)
{
	struct epoll_event event = { .events = EPOLLIN };
	int code = connection_open(rig, TCP, AF_INET);

	code = code ? code : connection_open(rig, UNIX, AF_UNIX);
	if (code)
		return code;
	rig->epoll = epoll_create1(EPOLL_CLOEXEC);
	rig->event = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE | EFD_NONBLOCK);
	if (rig->epoll < 0 || rig->event < 0 || pipe2(rig->pipe, O_CLOEXEC | O_NONBLOCK) ||
	    pipe2(rig->told, O_CLOEXEC) ||
	    epoll_ctl(rig->epoll, EPOLL_CTL_ADD, rig->near[TCP], &event))
		return -errno;
	return 0;
}

/* Both of us on the processor where we are now. */
static int peer_start(struct tl_rig *rig)
{
	pid_t parent = getpid();
	int cpu = sched_getcpu(), i;
	cpu_set_t one;

	sched_getaffinity(0, sizeof(rig->before), &rig->before);
	CPU_ZERO(&one);
	CPU_SET((size_t)max(cpu, 0), &one);
	sched_setaffinity(0, sizeof(one), &one);
	rig->peer = fork();
	if (rig->peer < 0)
		return -errno;
	if (!rig->peer) {
		close(rig->told[1]);
		for (i = 0; i < ENDS; i++)
			close(rig->near[i]);
		peer_run(rig, parent);
	}
	/* The accepted ends are the peer's alone: it serves, and we do not. */
	for (i = 0; i < ENDS; i++) {
		close(rig->listener[i]);
		close(rig->far[i]);
		rig->listener[i] = -1;
		rig->far[i] = -1;
	}
	return 0;
}

/**
 * tl_rig_open() - Make ready for the operations
 * @rig: set, to be given to tl_rig_close()
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno, with *@rig then NULL.
 */
int tl_rig_open(struct tl_rig **rig, struct tl_error *err)
{
	struct tl_rig *r = malloc(sizeof(*r));
	int code;

	*rig = NULL;
	if (!r)
		return tl_error_no_memory(err);
	memset(r, 0xff, sizeof(*r)); /* no file is open */
	r->peer = 0;
	r->word = 0;
	r->yielding = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			   0);
	code = r->yielding == MAP_FAILED ? -errno : files_open(r);
	code = code ? code : peer_start(r);
	if (!code) {
		*rig = r;
		return 0;
	}
	tl_rig_close(r);
	return tl_error_set(err, code, "cannot make ready to measure the cost (%s): try again",
			    strerror(-code));
}

/**
 * tl_rig_close() - Free all of it
 * @rig: rig or NULL
 */
void tl_rig_close(struct tl_rig *rig)
{
	int *fds, i;

	if (!rig)
		return;
	fds = (int[]){ rig->near[TCP], rig->near[UNIX], rig->far[TCP], rig->far[UNIX],
		       rig->listener[TCP], rig->listener[UNIX], rig->told[0], rig->told[1],
		       rig->epoll, rig->event, rig->pipe[0], rig->pipe[1], -2 };
	for (i = 0; fds[i] != -2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (rig->peer > 0) {
		kill(rig->peer, SIGKILL);
		waitpid(rig->peer, NULL, 0);
		sched_setaffinity(0, sizeof(rig->before), &rig->before);
	}
	if (rig->yielding != MAP_FAILED)
		munmap((void *)rig->yielding, 4096);
	free(rig);
}
