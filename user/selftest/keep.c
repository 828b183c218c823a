// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the self test changes in the kernel, and putting it back
 *
 * It adds rules for classes, switches measuring on and off, and perhaps the length of
 * an interval. All this is put back by a process of its own, the keeper, as soon as
 * the test's process is gone, whether it came to its end or was killed. It leads the
 * process group of the test's servers, and ends those that are left over first.
 *
 * The rules are for first bytes that only the test's own load sends, and have names
 * that only they have; so rules of others are neither in the way nor touched.
 */
#include "selftest/keep.h"

#include "ctl.h"
#include "error.h"
#include "out.h"
#include "selftest/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SERVERS_MS 8000 /* that they may take to end */
#define NAME "selftest-"

/**
 * tl_keep_class() - Name of one of the test's classes
 * @i: its number, below TL_KEEP_CLASSES
 *
 * Return: the name.
 */
const char *tl_keep_class(unsigned int i)
{
	static char names[TL_KEEP_CLASSES][sizeof(NAME) + 2];

	snprintf(names[i], sizeof(names[i]), NAME "%02u", i % 100);
	return names[i];
}

/**
 * tl_keep_class_number() - Which of the test's classes has that name
 * @name: name of a class
 *
 * Return: its number, -1 if it is none of them.
 */
int tl_keep_class_number(const char *name)
{
	unsigned int i;

	for (i = 0; i < TL_KEEP_CLASSES; i++)
		if (!strcmp(name, tl_keep_class(i)))
			return (int)i;
	return -1;
}

/* The load's requests begin so. */
static void rule(struct tl_class_info *class, unsigned int i)
{
	memset(class, 0, sizeof(*class));
	strcpy(class->name, tl_keep_class(i));
	class->prefix_len = (size_t)snprintf((char *)class->prefix, sizeof(class->prefix),
					     "c%02u id=", i % 100);
}

/**
 * tl_keep_refuse() - See that nobody else's rules have the test's names
 * @ctl: connection
 * @err: the sentence if somebody's do
 *
 * Return: 0 or a negative errno.
 */
int tl_keep_refuse(struct tl_ctl *ctl, struct tl_error *err)
{
	struct tl_class_info *classes = NULL;
	size_t n = 0, i;
	int code = tl_ctl_classes(ctl, &classes, &n, err);

	for (i = 0; !code && i < n; i++)
		if (tl_keep_class_number(classes[i].name) >= 0)
			code = tl_error_set(err, -EEXIST, "there is a class %s, which is what "
					    "the self test calls its own: tierlens class del %s",
					    classes[i].name, classes[i].name);
	free(classes);
	return code;
}

/**
 * tl_keep_rules_add() - Let the kernel tell the load's classes apart
 * @ctl: connection
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_keep_rules_add(struct tl_ctl *ctl, struct tl_error *err)
{
	struct tl_class_info class;
	unsigned int i;
	int code = 0;

	for (i = 0; i < TL_KEEP_CLASSES && !code; i++) {
		rule(&class, i);
		code = tl_ctl_class_add(ctl, &class, err);
	}
	return code;
}

/**
 * tl_keep_rules_del() - Take the rules back, those that are there
 * @ctl: connection
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_keep_rules_del(struct tl_ctl *ctl, struct tl_error *err)
{
	struct tl_class_info *classes = NULL, class;
	size_t n = 0, i;
	int code = tl_ctl_classes(ctl, &classes, &n, err), number;

	for (i = 0; !code && i < n; i++) {
		number = tl_keep_class_number(classes[i].name);
		if (number < 0)
			continue;
		rule(&class, (unsigned int)number);
		code = tl_ctl_class_del(ctl, &class, err);
	}
	free(classes);
	return code;
}

static int settings_restore(struct tl_ctl *ctl, const struct tl_keep *keep,
			    struct tl_error *err)
{
	struct tl_module now;
	int code = tl_ctl_module(ctl, &now, err);

	if (code || (now.interval_ms == keep->interval_ms && now.quiet_ms == keep->quiet_ms))
		return code;
	/* The only way to change them. */
	code = tl_ctl_enable(ctl, keep->interval_ms, keep->quiet_ms, err);
	return code ? code : tl_ctl_disable(ctl, err);
}

static int restore(const struct tl_keep *keep, struct tl_error *err)
{
	struct tl_ctl *ctl;
	int code = tl_ctl_open(&ctl, err);

	if (code == -ENODEV)
		return 0; /* unloaded meanwhile, and everything with it */
	code = code ? code : tl_ctl_disable(ctl, err);
	code = code ? code : tl_keep_rules_del(ctl, err);
	code = code ? code : settings_restore(ctl, keep, err);
	tl_ctl_close(ctl);
	return code;
}

/* Returns at the other side's end, or after the time. */
static void wait_for_end(int fd, int timeout_ms)
{
	struct pollfd end = { .fd = fd };

	while (poll(&end, 1, timeout_ms) < 0 && errno == EINTR)
		;
}

/* The keeper. @test: readable end while the test lives, @all: while any of us does. */
static void watch(const struct tl_keep *keep, const struct tl_programs *programs, int test,
		  int all)
{
	struct tl_error err;
	int code;

	wait_for_end(test, -1);
	kill(0, SIGTERM); /* all but us, who ignore it */
	wait_for_end(all, SERVERS_MS);
	code = restore(keep, &err);
	if (code)
		tl_out_error("the self test could not put everything back: %s", err.text);
	tl_programs_close(programs);
	fflush(stderr);
	_exit(!!code);
}

static void become_keeper(const struct tl_keep *keep, const struct tl_programs *programs,
			  int test, int all)
{
	setpgid(0, 0);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* All others are the test's: what it holds open must close with it. */
	dup2(test, STDIN_FILENO);
	dup2(all, STDERR_FILENO + 1);
	close_range(STDERR_FILENO + 2, ~0U, 0);
	watch(keep, programs, STDIN_FILENO, STDERR_FILENO + 1);
}

/**
 * tl_keep_begin() - From now on things will be put back
 * @keep: filled in
 * @programs: the test programs, which will be in the keeper's group; opened
 * @before: the module's settings now, measuring being off
 * @err: the sentence if it fails
 *
 * Return: 0 or a negative errno.
 */
int tl_keep_begin(struct tl_keep *keep, struct tl_programs *programs,
		  const struct tl_module *before, struct tl_error *err)
{
	int test[2] = { -1, -1 }, all[2] = { -1, -1 }, code = 0;

	*keep = (struct tl_keep){ .interval_ms = before->interval_ms,
				  .quiet_ms = before->quiet_ms };
	/* The second one is for whoever we start, too. */
	if (pipe2(test, O_CLOEXEC) || pipe(all))
		code = -errno;
	else
		keep->pid = fork();
	if (keep->pid < 0)
		code = -errno;
	if (!code && !keep->pid)
		become_keeper(keep, programs, test[0], all[0]);
	close(test[0]);
	close(all[0]);
	if (code) {
		close(test[1]);
		close(all[1]);
		keep->pid = 0;
		return tl_error_set(err, code, "cannot start a process (%s): try again",
				    strerror(-code));
	}
	setpgid(keep->pid, keep->pid); /* whoever of us is first */
	programs->group = keep->pid;
	keep->held[0] = test[1];
	keep->held[1] = all[1];
	return 0;
}

/**
 * tl_keep_end() - Put things back now
 * @keep: begun, or not
 * @err: the sentence if the keeper was killed and it fails
 *
 * Return: 0, or a negative errno; of what the keeper could not do it has told.
 */
int tl_keep_end(struct tl_keep *keep, struct tl_error *err)
{
	int status = 0, code;

	if (!keep->pid)
		return 0;
	close(keep->held[0]);
	close(keep->held[1]);
	do {
		code = waitpid(keep->pid, &status, 0);
	} while (code < 0 && errno == EINTR);
	keep->pid = 0;
	if (code > 0 && WIFEXITED(status))
		return WEXITSTATUS(status) ? tl_error_set(err, -EIO, "the module is not as it was "
					"before: see tierlens status and tierlens class list") : 0;
	return restore(keep, err);
}
