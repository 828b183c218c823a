// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings of the fake kernel: what is in the file that TIERLENS_FAKE_SYNC names. */
#include "user-fake.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tierlens.h>
#include <stdlib.h>
#include <unistd.h>

/* One that goes on until nobody reads it any more. */
static int endless(int from)
{
	char bytes[65536];
	int end[2];
	ssize_t got;

	if (pipe2(end, O_NONBLOCK | O_CLOEXEC))
		return -1;
	fcntl(end[1], F_SETPIPE_SZ, 1 << 20);
	while ((got = read(from, bytes, sizeof(bytes))) > 0)
		(void)!write(end[1], bytes, (size_t)got);
	close(from);
	return end[0];
}

void answer_sync(int fd, const struct nlmsghdr *request)
{
	const char *name = getenv("TIERLENS_FAKE_SYNC");
	int from = open(name ? name : "/dev/null", O_RDONLY | O_CLOEXEC);
	struct message m;

	request_log(request);
	if (plays("sync-old")) {
		answer(fd, request, -EOPNOTSUPP, NULL);
		return;
	}
	if (plays("sync-full")) {
		answer(fd, request, -ENOSPC, "no memory for such buffers: give less --buffer");
		return;
	}
	begin_genl(&m, TIERLENS_CMD_SYNC_START, 0, request);
	put_u32(&m, TIERLENS_A_SYNC_FD, (uint32_t)(plays("sync-endless") ? endless(from) : from));
	deliver(fd, &m);
	answer(fd, request, 0, NULL);
}
