// SPDX-License-Identifier: GPL-2.0-or-later
/* A process, by its number. */
#include "process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/**
 * tl_process_read() - Look at a process
 * @pid: its number
 * @process: filled in
 *
 * Return: whether there is one.
 */
bool tl_process_read(u32 pid, struct tl_process *process)
{
	char path[64], text[1024], *behind = NULL;
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	from = fopen(path, "re");
	if (!from)
		return false;
	/* "number (name) state ppid …"; the name may have anything in it. */
	if (fgets(text, sizeof(text), from))
		behind = strrchr(text, ')');
	fclose(from);
	return behind && sscanf(behind, ") %c %*d %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
				&process->state, &process->flags, &process->started) == 3;
}

/**
 * tl_process_ended() - Is it only not waited for yet?
 * @process: that was looked at
 *
 * Return: whether it is.
 */
bool tl_process_ended(const struct tl_process *process)
{
	return process->state == 'Z' || process->state == 'X';
}
