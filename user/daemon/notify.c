// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the service manager is told (systemd's sd_notify(3), whose protocol is a promise)
 *
 * A datagram with lines "NAME=VALUE" to the socket that the environment names. Where it names none, nobody wants to know.
 */
#include "daemon/notify.h"

#include "clock.h"
#include "hist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/**
 * tl_notify() - Tell the service manager
 * @state: lines, such as "READY=1"
 */
void tl_notify(const char *state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *name = getenv("NOTIFY_SOCKET");
	size_t len = name ? strlen(name) : 0;
	int fd;

	if (len < 2 || len >= sizeof(to.sun_path) || (*name != '/' && *name != '@'))
		return;
	memcpy(to.sun_path, name, len);
	if (*name == '@')
		*to.sun_path = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* Whether it is heard is the manager's business: it has a time limit. */
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

/**
 * tl_notify_reloading() - The configuration is being read; READY=1 when that is over
 */
void tl_notify_reloading(void)
{
	char state[80];

	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, tl_clock_ns(CLOCK_MONOTONIC) / 1000);
	tl_notify(state);
}

/**
 * tl_notify_watchdog() - We are alive, if somebody wants to know, four times in the time that he waits
 */
void tl_notify_watchdog(void)
{
	static u64 last_us;
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	u64 every_us = usec ? strtoull(usec, NULL, 10) / 4 : 0, now = tl_clock_ns(CLOCK_MONOTONIC) / 1000;

	if (!every_us || (pid && strtoul(pid, NULL, 10) != (unsigned long)getpid()) || now - last_us < every_us)
		return;
	last_us = now;
	tl_notify("WATCHDOG=1");
}
