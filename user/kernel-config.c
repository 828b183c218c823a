// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of a kernel that matter to the module, and why. */
#include "kernel-config.h"

#include "error.h"
#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const struct tl_kernel_option known[] = {
	{ "MODULES", TL_OPTION_NEEDED, "no module can be loaded", "" },
	{ "KPROBES", TL_OPTION_NEEDED, "no function can be probed", "" },
	{ "TRACEPOINTS", TL_OPTION_NEEDED, "it is not seen when threads end", "" },
	{ "INET", TL_OPTION_NEEDED, "there is no TCP", "" },
	{ "HAVE_REGS_AND_STACK_ACCESS_API", TL_OPTION_NEEDED, "arguments of functions cannot be read", "" },
	{ "SECURITY_NETWORK", TL_OPTION_USED, "accept is not seen: a connection's request begins with what it receives",
	  "" },
	{ "IPV6", TL_OPTION_USED, "no calls over IPv6", "" },
	{ "UNIX", TL_OPTION_USED, "no UNIX sockets", "" },
	{ "EPOLL", TL_OPTION_USED, "no epoll: event loops are told by poll and select", "" },
	{ "EVENTFD", TL_OPTION_USED, "no hand-offs over eventfds", "" },
	{ "IO_URING", TL_OPTION_USED, "no requests by io_uring", "" },
	{ "FUTEX", TL_OPTION_USED, "no hand-offs over futexes: pools of threads are not followed", "" },
	{ "KPROBES_ON_FTRACE", TL_OPTION_USED, "each probe costs a breakpoint", "" },
	{ "DYNAMIC_FTRACE_WITH_ARGS", TL_OPTION_USED, "probes cost more: all registers are saved", "" },
	{ "SCHEDSTATS", TL_OPTION_USED, "no time waiting for a processor", "" },
	{ "TASK_IO_ACCOUNTING", TL_OPTION_USED, "no bytes of storage", "" },
	{ "PERF_EVENTS", TL_OPTION_USED, "no counters (tierlens pmu)", "" },
	{ "UPROBES", TL_OPTION_USED, "no functions (level method), no library's locks (tasks record)", "" },
	{ "HAVE_SYSCALL_TRACEPOINTS", TL_OPTION_USED, "no sync points (tierlens tasks record)", "" },
	{ "FTRACE_SYSCALLS", TL_OPTION_USED, "no sync points (tierlens tasks record)", "" },
	{ "X86_64", TL_OPTION_TELLS, "a kernel for x86-64", "" },
	{ "ARM64", TL_OPTION_TELLS, "a kernel for arm64", "" },
	{ "MODVERSIONS", TL_OPTION_TELLS, "the module fits kernels whose symbols have the same versions", "" },
	{ "TRIM_UNUSED_KSYMS", TL_OPTION_TELLS, "symbols that nobody used when it was built are not exported", "" },
	{ "MODULE_SIG", TL_OPTION_TELLS, "an unsigned module taints the kernel", "" },
	{ "MODULE_SIG_FORCE", TL_OPTION_TELLS, "an unsigned module is refused: sign it", "" },
	{ "MODULE_SIG_HASH", TL_OPTION_TELLS, "the digest to sign with", "" },
	{ "SECURITY_LOCKDOWN_LSM", TL_OPTION_TELLS, "where lockdown is on, an unsigned module is refused", "" },
	{ "LOCK_DOWN_KERNEL_FORCE_INTEGRITY", TL_OPTION_TELLS, "lockdown is always on: sign the module", "" },
	{ "LOCK_DOWN_KERNEL_FORCE_CONFIDENTIALITY", TL_OPTION_TELLS, "lockdown is always on: sign the module", "" },
	{ "LOCK_DOWN_IN_EFI_SECURE_BOOT", TL_OPTION_TELLS, "lockdown is on with Secure Boot: sign the module there", "" },
	{ "CC_VERSION_TEXT", TL_OPTION_TELLS, "the compiler that it was built with", "" },
};

static_assert(ARRAY_SIZE(known) <= TL_KERNEL_OPTIONS_MAX, "make room for all options");

/**
 * tl_kernel_options() - The options that matter
 * @options: filled, TL_KERNEL_OPTIONS_MAX places; their values are not known yet
 *
 * Return: how many there are.
 */
size_t tl_kernel_options(struct tl_kernel_option *options)
{
	memcpy(options, known, sizeof(known));
	return ARRAY_SIZE(known);
}

/* CONFIG_NAME=VALUE, the value in quotes or not. */
static void line_read(struct tl_kernel_option *options, size_t n, char *line)
{
	char *equals = strchr(line, '='), *value;
	size_t i;

	if (!equals || strncmp(line, "CONFIG_", 7))
		return;
	*equals = '\0';
	value = equals + 1;
	value += *value == '"';
	value[strcspn(value, "\"\n")] = '\0';
	for (i = 0; i < n; i++)
		if (!strcmp(options[i].name, line + 7))
			snprintf(options[i].value, sizeof(options[i].value), "%s", value);
}

/**
 * tl_kernel_config_read() - Read options from a kernel's .config, auto.conf or /boot/config
 * @options: their values are filled
 * @n: how many
 * @path: the file
 * @err: why it failed
 *
 * Return: 0 or a negative errno.
 */
int tl_kernel_config_read(struct tl_kernel_option *options, size_t n, const char *path,
			  struct tl_error *err)
{
	FILE *from = fopen(path, "re");
	char *line = NULL;
	size_t i, room = 0, lines = 0;

	if (!from)
		return tl_error_set(err, -errno, "%s: cannot read it (%s): give a file that can be read", path,
				    strerror(errno));
	for (i = 0; i < n; i++)
		snprintf(options[i].value, sizeof(options[i].value), "n");
	while (getline(&line, &room, from) > 0) {
		lines += !strncmp(line, "CONFIG_", 7);
		line_read(options, n, line);
	}
	free(line);
	fclose(from);
	if (lines)
		return 0;
	return tl_error_set(err, -EINVAL, "%s: there is no option in it: give the kernel's .config or "
			    "/boot/config-VERSION", path);
}

/**
 * tl_kernel_option() - Value of an option
 * @options: all of them
 * @n: how many
 * @name: without CONFIG_
 *
 * Return: its value, "" if nobody knows.
 */
const char *tl_kernel_option(const struct tl_kernel_option *options, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(options[i].name, name))
			return options[i].value;
	return "";
}

bool tl_kernel_option_is_on(const struct tl_kernel_option *option)
{
	return *option->value && strcmp(option->value, "n");
}
