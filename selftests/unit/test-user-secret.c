// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The token of tierlensd: whether a wrong one is told apart by how long that takes. What takes time is
 * instructions, which are counted one by one: as many, however much of the token was right.
 */
#include "daemon/secret.h"
#include "tap.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEN 48

static struct tl_token token = { .len = LEN };

/* What is right in the first so many bytes. */
static const char *guess(size_t right)
{
	static char given[LEN + 1];

	memcpy(given, token.bytes, LEN);
	for (; right < LEN; right++)
		given[right] ^= 1;
	return given;
}

/* Stops before it asks and after. */
static void ask(size_t right)
{
	const char *given = guess(right);

	/* What is bound at its first call is bound. */
	tl_token_is(&token, given);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGSTOP);
	tl_token_is(&token, given);
	raise(SIGSTOP);
	_exit(0);
}

static bool stops(pid_t pid, int *signal)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return false;
	*signal = WSTOPSIG(status);
	return true;
}

/* Instructions from one stop to the next; 0 if they cannot be counted. */
static long instructions(size_t right)
{
	int signal = 0;
	long n = 0;
	pid_t pid = fork();

	if (!pid)
		ask(right);
	if (pid < 0 || !stops(pid, &signal))
		return 0;
	do {
		n++;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || !stops(pid, &signal))
			n = 0;
	} while (n && signal == SIGTRAP);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return n;
}

int main(void)
{
	bool same;
	long none;
	size_t i;

	for (i = 0; i < LEN; i++)
		token.bytes[i] = 'A' + i % 26;
	ok(tl_token_is(&token, guess(LEN)), "the token");
	for (i = 0; i < LEN; i++)
		if (tl_token_is(&token, guess(i)))
			break;
	ok(i == LEN, "is not what is right in part");
	ok(!tl_token_is(&token, "") && !tl_token_is(&token, "A"), "nor a part of it");
	none = instructions(0);
	same = none > LEN;
	for (i = 1; i < LEN; i++) {
		const long n = instructions(i);

		if (n != none)
			printf("# %zu bytes right: %ld instructions, none: %ld\n", i, n, none);
		same = same && n == none;
	}
	ok(same, "to find out takes as many instructions, however much is right");
	return done();
}
