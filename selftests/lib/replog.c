// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A replicated log with the fault that paper 002 finds in PacificA (5.2, fig. 5 to 7):
 *
 *   replog backup  --listen ADDR --log FILE [--record BYTES]
 *   replog primary --to ADDR --log FILE [--mode async|sync] [--senders N] [--record BYTES]
 *                  [--room BYTES] [--pause-ms N] [--seconds N] [--wait]
 *
 * The primary's senders write each record to its own log and send it to the backup, which
 * writes it to its log and acknowledges it. A call does not limit what is on its way. The session
 * below does: whoever finds more than --room bytes in its buffer sleeps --pause-ms with the lock
 * held that all senders need, and the link has nothing to do until it wakes. async: senders do not
 * wait for what they send; sync: each waits until its record is acknowledged, so no more is on its way
 * than there are senders. At the end the primary prints a JSON line. --wait: begin only when a line
 * comes on standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "addr.h"
#include "opt.h"

#define SENDERS_MAX 64
#define QUEUE 65536
#define SOCKET_BUFFER 32768 /* What waits shall wait in the session. */

/* Functions keep their names, and their callers. */
#define STEP __attribute__((noinline, noclone, used)) static

struct header {
	uint32_t sender, length;
};

static struct addr address;
static unsigned int record_bytes = 16384;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "replog: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* @reads: or it writes. Return: whether all of it went over. */
static bool all(int fd, void *data, size_t bytes, bool reads)
{
	char *p = data;
	ssize_t n;

	for (; bytes; bytes -= n, p += n) {
		n = reads ? read(fd, p, bytes) : write(fd, p, bytes);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return false;
	}
	return true;
}

/* ---- the log on disk ---------------------------------------------------------------------- */

static const char *log_name;
static int log_fd;

/* A file or a block device; only the last record is kept. */
static void log_open(void)
{
	log_fd = open(log_name, O_WRONLY | O_CREAT | O_DSYNC | O_CLOEXEC, 0600);
	if (log_fd < 0)
		die(log_name);
}

STEP void mutate(const void *record)
{
	if (pwrite(log_fd, record, record_bytes, 0) != (ssize_t)record_bytes)
		die(log_name);
}

/* ---- the session: a buffer, and a thread that empties it into the connection -------------- */

static struct session {
	pthread_mutex_t send_lock; /* of whoever sends */
	pthread_mutex_t lock; /* of the buffer */
	pthread_cond_t filled;
	unsigned int from[QUEUE]; /* senders of the records, which are all alike */
	unsigned int head, tail;
	unsigned long bytes; /* in it */
	int fd;
} session = {.send_lock = PTHREAD_MUTEX_INITIALIZER,
	     .lock = PTHREAD_MUTEX_INITIALIZER,
	     .filled = PTHREAD_COND_INITIALIZER};

static unsigned long room = 1 << 18;
static unsigned int pause_ms = 200;

static void nap(void)
{
	struct timespec t = {pause_ms / 1000, pause_ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
}

STEP void send_packet(unsigned int sender)
{
	pthread_mutex_lock(&session.send_lock);
	while (__atomic_load_n(&session.bytes, __ATOMIC_RELAXED) > room)
		nap();
	pthread_mutex_lock(&session.lock);
	session.from[session.tail++ % QUEUE] = sender;
	__atomic_fetch_add(&session.bytes, record_bytes, __ATOMIC_RELAXED);
	pthread_cond_signal(&session.filled);
	pthread_mutex_unlock(&session.lock);
	pthread_mutex_unlock(&session.send_lock);
}

STEP unsigned int next_packet(void)
{
	unsigned int sender;

	pthread_mutex_lock(&session.lock);
	while (session.head == session.tail)
		pthread_cond_wait(&session.filled, &session.lock);
	sender = session.from[session.head++ % QUEUE];
	pthread_mutex_unlock(&session.lock);
	return sender;
}

static void *write_out(void *unused)
{
	char *record = calloc(1, record_bytes);
	struct header *header = (void *)record;

	(void)unused;
	if (!record)
		die("memory");
	for (;;) {
		header->sender = next_packet();
		header->length = record_bytes;
		if (!all(session.fd, record, record_bytes, false))
			break;
		__atomic_fetch_sub(&session.bytes, record_bytes, __ATOMIC_RELAXED);
	}
	free(record);
	return NULL;
}

/* ---- calls --------------------------------------------------------------------------------- */

static struct call {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	bool answer;
} calls[SENDERS_MAX];

static unsigned long acknowledged;
static bool sync_mode, over;

STEP void call_async(unsigned int sender)
{
	send_packet(sender);
}

STEP void call_sync(unsigned int sender)
{
	struct call *call = &calls[sender];

	send_packet(sender);
	pthread_mutex_lock(&call->lock);
	while (!call->answer)
		pthread_cond_wait(&call->answered, &call->lock);
	call->answer = false;
	pthread_mutex_unlock(&call->lock);
}

STEP void receive_ack(struct header ack)
{
	struct call *call = &calls[ack.sender % SENDERS_MAX];

	acknowledged++;
	if (!sync_mode)
		return;
	pthread_mutex_lock(&call->lock);
	call->answer = true;
	pthread_cond_signal(&call->answered);
	pthread_mutex_unlock(&call->lock);
}

static void *read_acks(void *unused)
{
	struct header ack;

	(void)unused;
	while (all(session.fd, &ack, sizeof(ack), true))
		receive_ack(ack);
	return NULL;
}

static void *sender(void *arg)
{
	unsigned int self = (struct call *)arg - calls;
	char *record = calloc(1, record_bytes);

	if (!record)
		die("memory");
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		mutate(record);
		if (sync_mode)
			call_sync(self);
		else
			call_async(self);
	}
	free(record);
	return NULL;
}

static void primary(unsigned int senders, unsigned int seconds)
{
	int bytes = SOCKET_BUFFER;
	pthread_t thread;
	unsigned int i;

	log_open();
	session.fd = addr_connect(&address, 0);
	if (session.fd < 0) {
		errno = -session.fd;
		die(address.text);
	}
	(void)setsockopt(session.fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	pthread_create(&thread, NULL, write_out, NULL);
	pthread_create(&thread, NULL, read_acks, NULL);
	for (i = 0; i < senders; i++) {
		pthread_mutex_init(&calls[i].lock, NULL);
		pthread_cond_init(&calls[i].answered, NULL);
		pthread_create(&thread, NULL, sender, &calls[i]);
	}
	sleep(seconds);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	printf("{\"pid\": %d, \"seconds\": %u, \"records\": %lu, \"record_bytes\": %u}\n", getpid(), seconds,
	       __atomic_load_n(&acknowledged, __ATOMIC_RELAXED), record_bytes);
	fflush(stdout);
	_exit(0);
}

/* ---- the other side ------------------------------------------------------------------------ */

STEP bool receive_record(int fd, void *record)
{
	return all(fd, record, record_bytes, true);
}

STEP bool acknowledge(int fd, void *record)
{
	return all(fd, record, sizeof(struct header), false);
}

/* One connection after the other. */
static void __attribute__((noreturn)) backup(void)
{
	struct pollfd ready = {.events = POLLIN};
	char *record = calloc(1, record_bytes);
	int fd;

	log_open();
	ready.fd = addr_listen(&address);
	if (ready.fd < 0 || !record)
		die(address.text);
	for (;;) {
		fd = poll(&ready, 1, -1) == 1 ? accept4(ready.fd, NULL, NULL, SOCK_CLOEXEC) : -1;
		if (fd < 0)
			continue;
		addr_nodelay(fd);
		while (receive_record(fd, record)) {
			mutate(record);
			if (!acknowledge(fd, record))
				break;
		}
		close(fd);
	}
}

/* ---- the command line ---------------------------------------------------------------------- */

static const struct option longs[] = {
	{"listen", required_argument, NULL, 'a'}, {"to", required_argument, NULL, 'a'},
	{"mode", required_argument, NULL, 'm'},	  {"senders", required_argument, NULL, 'n'},
	{"record", required_argument, NULL, 'r'}, {"room", required_argument, NULL, 'o'},
	{"pause-ms", required_argument, NULL, 'p'},  {"seconds", required_argument, NULL, 's'},
	{"log", required_argument, NULL, 'l'},	  {"wait", no_argument, NULL, 'w'},
	{"help", no_argument, NULL, 'h'},	  {NULL, 0, NULL, 0},
};

static const char *const modes[] = {"async", "sync", NULL};

int main(int argc, char **argv)
{
	unsigned int senders = 4, seconds = 10;
	bool wait = false;
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (option) {
		case 'a':
			opt_addr(&address, optarg);
			break;
		case 'm':
			sync_mode = opt_word(optarg, modes);
			break;
		case 'n':
			senders = opt_number(optarg, 1, SENDERS_MAX);
			break;
		case 'r':
			record_bytes = opt_number(optarg, sizeof(struct header), 1 << 20);
			break;
		case 'o':
			room = opt_number(optarg, 0, INT_MAX);
			break;
		case 'p':
			pause_ms = opt_number(optarg, 1, 60000);
			break;
		case 's':
			seconds = opt_number(optarg, 1, 3600);
			break;
		case 'l':
			log_name = optarg;
			break;
		case 'w':
			wait = true;
			break;
		default:
			fputs("usage: replog backup  --listen ADDR --log FILE [--record BYTES]\n"
			      "       replog primary --to ADDR --log FILE [--mode async|sync] [--senders N]\n"
			      "                      [--record BYTES] [--room BYTES] [--pause-ms N] [--seconds N] [--wait]\n",
			      option == 'h' ? stdout : stderr);
			return option == 'h' ? 0 : 2;
		}
	if (optind + 1 != argc || !address.len || !log_name)
		opt_usage("an address, a log and a role are wanted, not", argv[optind] ? argv[optind] : "");
	if (room / record_bytes >= QUEUE - 1)
		opt_usage("more than 65534 records have", "--room");
	if (!strcmp(argv[optind], "backup"))
		backup();
	if (strcmp(argv[optind], "primary"))
		opt_usage("neither backup nor primary:", argv[optind]);
	if (wait)
		getchar();
	primary(senders, seconds);
}
