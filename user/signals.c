// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ctrl-C and a resized terminal, for the commands that go on until told to stop
 *
 * The handlers only set flags. They do not restart system calls, so a wait or a
 * write to a reader that stands still ends, and the loop sees the flag. A signal
 * that falls between the look at the flag and the wait is seen when the wait's
 * time is over: nobody waits longer than a second at once.
 */
#include "signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t stopped, resized, reload;

static void on_stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static void on_resize(int signal)
{
	(void)signal;
	resized = 1;
}

static void on_reload(int signal)
{
	(void)signal;
	reload = 1;
}

/**
 * tl_signals_catch() - From now on a signal sets a flag instead of ending us
 */
void tl_signals_catch(void)
{
	struct sigaction stop = { .sa_handler = on_stop };
	struct sigaction resize = { .sa_handler = on_resize };

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGWINCH, &resize, NULL);
}

/**
 * tl_signals_catch_reload() - From now on SIGHUP does not end us, but asks to read the configuration again
 */
void tl_signals_catch_reload(void)
{
	struct sigaction action = { .sa_handler = on_reload };

	sigaction(SIGHUP, &action, NULL);
}

/**
 * tl_signals_reload() - Were we told to read the configuration since the last call?
 *
 * Return: true once after each time.
 */
bool tl_signals_reload(void)
{
	bool was = reload;

	reload = 0;
	return was;
}

/**
 * tl_signals_stopped() - Were we told to stop?
 *
 * Return: true from then on.
 */
bool tl_signals_stopped(void)
{
	return stopped;
}

/**
 * tl_signals_resized() - Was the terminal resized since the last call?
 *
 * Return: true once after each time.
 */
bool tl_signals_resized(void)
{
	bool was = resized;

	resized = 0;
	return was;
}

/**
 * tl_signals_sleep() - Sleep, but not through a signal
 * @seconds: how long at most; 1 s is the longest
 */
void tl_signals_sleep(double seconds)
{
	poll(NULL, 0, seconds < 1 ? (int)(seconds * 1e3) : 1000);
}
