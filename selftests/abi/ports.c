// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many tiers: one process that listens on many ports and answers, one that asks them
 * all at once. So an interval has more cells than fit into one message.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORTS_MAX 256

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_in address(unsigned int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void listen_all(struct pollfd *fds, unsigned int first, unsigned int n)
{
	struct sockaddr_in addr;
	unsigned int i;
	int on = 1;

	for (i = 0; i < n; i++) {
		addr = address(first + i);
		fds[i].fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		fds[i].events = POLLIN;
		setsockopt(fds[i].fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(fds[i].fd, (void *)&addr, sizeof(addr)) || listen(fds[i].fd, 16))
			die("ports: listen");
	}
}

/* fds holds the n listening sockets, then a connection of each. */
static void serve(struct pollfd *fds, unsigned int n)
{
	char bytes[64];
	unsigned int i;
	ssize_t got;

	for (i = n; i < 2 * n; i++)
		fds[i] = (struct pollfd){.fd = -1, .events = POLLIN};
	while (poll(fds, 2 * n, -1) > 0)
		for (i = 0; i < 2 * n; i++) {
			if (!(fds[i].revents & (POLLIN | POLLHUP)))
				continue;
			if (i < n) {
				fds[n + i].fd = accept(fds[i].fd, NULL, NULL);
				continue;
			}
			got = read(fds[i].fd, bytes, sizeof(bytes));
			if (got > 0 && write(fds[i].fd, bytes, got) == got)
				continue;
			close(fds[i].fd);
			fds[i].fd = -1;
		}
}

static void ask_all(unsigned int first, unsigned int n, unsigned int pause_ms)
{
	struct timespec pause = {0, pause_ms * 1000000L};
	int fds[PORTS_MAX];
	struct sockaddr_in addr;
	unsigned int i;
	char byte;

	for (i = 0; i < n; i++) {
		addr = address(first + i);
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(fds[i], (void *)&addr, sizeof(addr)))
			die("ports: connect");
	}
	while (!stop) {
		for (i = 0; i < n; i++)
			if (write(fds[i], "x", 1) != 1)
				die("ports: write");
		for (i = 0; i < n; i++)
			if (read(fds[i], &byte, 1) != 1)
				die("ports: read");
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	static struct pollfd fds[2 * PORTS_MAX];
	unsigned int first, n;
	pid_t child;

	if (argc != 4) {
		fprintf(stderr,
			"usage: ports FIRST N PAUSE_MS\n"
			"Listens on N (up to 256) ports from FIRST on and asks them\n"
			"all, pausing after each round, until SIGTERM.\n");
		return 2;
	}
	first = atoi(argv[1]);
	n = atoi(argv[2]);
	if (!n || n > PORTS_MAX)
		return 2;
	listen_all(fds, first, n);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(fds, n);
		_exit(0);
	}
	signal(SIGTERM, on_signal);
	ask_all(first, n, atoi(argv[3]));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
