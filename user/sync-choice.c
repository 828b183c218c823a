// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which processes are recorded: by their numbers, by what they call themselves, or those that
 * have a socket of a tier, whether they listen on it or serve a connection
 */
#include "sync-choice.h"

#include "ctl.h"
#include "error.h"
#include "process.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMM_BYTES 15
#define KERNEL_THREAD 0x200000 /* PF_KTHREAD in /proc/PID/stat */

/* ---- one process ------------------------------------------------------------------------------- */

static FILE *process_open(u32 pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return fopen(path, "re");
}

static void comm_read(u32 pid, char comm[32])
{
	FILE *from = process_open(pid, "comm");

	*comm = '\0';
	if (!from)
		return;
	if (fgets(comm, 32, from))
		comm[strcspn(comm, "\n")] = '\0';
	fclose(from);
}

/* A thread has a folder, too, which just is not listed. */
static bool process_of(u32 pid, u32 *process)
{
	char *line = NULL;
	size_t room = 0;
	FILE *from = process_open(pid, "status");
	bool found = false;

	while (from && !found && getline(&line, &room, from) > 0)
		found = sscanf(line, "Tgid: %u", process) == 1;
	free(line);
	if (from)
		fclose(from);
	return found;
}

static int program_check(u32 pid, const char *comm, struct tl_error *err)
{
	unsigned char head[EI_NIDENT] = { 0 };
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tl_error_set(err, -errno, "process %u (%s): its program cannot be read (%s): %s", pid, comm,
				    strerror(errno), errno == EACCES ? "run as root" : "choose another one");
	got = read(fd, head, sizeof(head));
	close(fd);
	if (got == sizeof(head) && !memcmp(head, ELFMAG, SELFMAG) && head[EI_CLASS] == ELFCLASS32)
		return tl_error_set(err, -ENOEXEC, "process %u (%s) is a 32-bit program: its system calls cannot be told: "
				    "choose another one", pid, comm);
	return 0;
}

static int process_check(u32 pid, struct tl_error *err)
{
	struct tl_process seen;
	u32 process = pid;
	char comm[32];

	if (!tl_process_read(pid, &seen))
		return tl_error_set(err, -ESRCH, "there is no process %u: see ps", pid);
	comm_read(pid, comm);
	if (process_of(pid, &process) && process != pid)
		return tl_error_set(err, -EINVAL, "%u (%s) is a thread of process %u: give that", pid, comm, process);
	if (seen.flags & KERNEL_THREAD)
		return tl_error_set(err, -EINVAL, "%u (%s) is a thread of the kernel: choose a program", pid, comm);
	if (tl_process_ended(&seen))
		return tl_error_set(err, -ESRCH, "process %u (%s) has ended: choose another one", pid, comm);
	return program_check(pid, comm, err);
}

/**
 * tl_sync_choose_pid() - Record a process
 * @request: gets it, if it has it not yet
 * @pid: its number
 * @err: the sentence if it cannot be recorded
 *
 * Return: 0 or a negative errno.
 */
int tl_sync_choose_pid(struct tl_sync_request *request, u32 pid, struct tl_error *err)
{
	size_t i;
	int code;

	for (i = 0; i < request->processes; i++)
		if (request->process[i] == pid)
			return 0;
	code = process_check(pid, err);
	if (code)
		return code;
	if (request->processes == TIERLENS_SYNC_PROCESSES_MAX)
		return tl_error_set(err, -E2BIG, "more than %d processes: choose some of them", TIERLENS_SYNC_PROCESSES_MAX);
	request->process[request->processes++] = pid;
	return 0;
}

/* ---- all processes ------------------------------------------------------------------------------- */

struct search {
	struct tl_sync_request *request;
	struct tl_error *err;
	const char *comm;
	const struct tl_tier_info *tier;
	u64 *inode; /* [inodes] of the tier's sockets */
	ino_t *netns; /* [namespaces] that were looked at */
	size_t inodes, namespaces, found;
};

/* Calls @each for every process but ourselves, until it fails. One that ends is none. */
static int processes_walk(struct search *s, int (*each)(struct search *s, u32 pid))
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	int code = 0;

	if (!folder)
		return tl_error_set(s->err, -errno, "cannot list processes (%s): mount /proc", strerror(errno));
	while (!code && (entry = readdir(folder)))
		if (isdigit((unsigned char)*entry->d_name) && atoi(entry->d_name) != getpid())
			code = each(s, (u32)atoi(entry->d_name));
	closedir(folder);
	return code;
}

static int choose(struct search *s, u32 pid)
{
	int code = tl_sync_choose_pid(s->request, pid, s->err);

	s->found += !code;
	return code == -ESRCH ? 0 : code;
}

static int by_comm(struct search *s, u32 pid)
{
	char comm[32];

	comm_read(pid, comm);
	/* The kernel keeps no more of it. */
	return strncmp(comm, s->comm, COMM_BYTES) ? 0 : choose(s, pid);
}

/**
 * tl_sync_choose_comm() - Record all processes of a name
 * @request: gets them
 * @comm: what they call themselves, as ps -o comm shows it
 * @err: the sentence if there are none, or one cannot be recorded
 *
 * Return: 0 or a negative errno.
 */
int tl_sync_choose_comm(struct tl_sync_request *request, const char *comm, struct tl_error *err)
{
	struct search s = { .request = request, .err = err, .comm = comm };
	int code = processes_walk(&s, by_comm);

	if (!code && !s.found)
		return tl_error_set(err, -ESRCH, "no process calls itself \"%s\": see ps -eo pid,comm", comm);
	return code;
}

/* ---- a tier's ------------------------------------------------------------------------------------ */

static int inode_add(struct search *s, u64 inode)
{
	u64 *grown = reallocarray(s->inode, s->inodes + 1, sizeof(*grown));

	if (!grown)
		return tl_error_no_memory(s->err);
	s->inode = grown;
	s->inode[s->inodes++] = inode;
	return 0;
}

/* "sl local:port remote:port st tx:rx tr:when retr uid timeout inode" */
static bool tcp_line(const struct tl_tier_info *tier, const char *line, u64 *inode)
{
	unsigned int port;

	return sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*s %*s %*s %*s %*s %*s %*s %" SCNu64, &port, inode) == 2 &&
	       port == tier->port && *inode;
}

/* "num: refs protocol flags type st inode path" */
static bool unix_line(const struct tl_tier_info *tier, const char *line, u64 *inode)
{
	int path = 0;

	if (sscanf(line, " %*[0-9a-f]: %*s %*s %*s %*s %*s %" SCNu64 " %n", inode, &path) != 1 || !path)
		return false;
	return strlen(line + path) == strlen(tier->path) + 1 && !strncmp(line + path, tier->path, strlen(tier->path));
}

static int sockets_read(struct search *s, u32 pid, const char *name)
{
	char *line = NULL;
	size_t room = 0;
	FILE *from = process_open(pid, name);
	u64 inode;
	int code = 0;

	while (from && !code && getline(&line, &room, from) > 0)
		if (*s->tier->path ? unix_line(s->tier, line, &inode) : tcp_line(s->tier, line, &inode))
			code = inode_add(s, inode);
	free(line);
	if (from)
		fclose(from);
	return code;
}

/* Each namespace has sockets of its own; they are read once. */
static int netns_read(struct search *s, u32 pid)
{
	char path[64];
	struct stat stat_;
	ino_t *grown;
	size_t i;
	int code;

	snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	if (stat(path, &stat_) || (s->tier->netns && stat_.st_ino != s->tier->netns))
		return 0;
	for (i = 0; i < s->namespaces; i++)
		if (s->netns[i] == stat_.st_ino)
			return 0;
	grown = reallocarray(s->netns, s->namespaces + 1, sizeof(*grown));
	if (!grown)
		return tl_error_no_memory(s->err);
	s->netns = grown;
	s->netns[s->namespaces++] = stat_.st_ino;
	code = *s->tier->path ? sockets_read(s, pid, "net/unix") : sockets_read(s, pid, "net/tcp");
	return code || *s->tier->path ? code : sockets_read(s, pid, "net/tcp6");
}

static bool is_socket(const struct search *s, int folder, const char *name)
{
	char to[64] = "";
	u64 inode;
	size_t i;

	if (readlinkat(folder, name, to, sizeof(to) - 1) < 0 || sscanf(to, "socket:[%" SCNu64 "]", &inode) != 1)
		return false;
	for (i = 0; i < s->inodes; i++)
		if (s->inode[i] == inode)
			return true;
	return false;
}

static int by_socket(struct search *s, u32 pid)
{
	char path[64];
	struct dirent *entry;
	bool has = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	folder = opendir(path);
	while (folder && !has && (entry = readdir(folder)))
		has = is_socket(s, dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
	return has ? choose(s, pid) : 0;
}

/**
 * tl_sync_choose_tier() - Record the processes that have a tier's sockets
 * @request: gets them
 * @tiers: [@n] all
 * @name: of the tier
 * @err: the sentence if there are none, or one cannot be recorded
 *
 * Return: 0 or a negative errno.
 */
int tl_sync_choose_tier(struct tl_sync_request *request, const struct tl_tier_info *tiers, size_t n,
			const char *name, struct tl_error *err)
{
	struct search s = { .request = request, .err = err };
	bool known = false;
	size_t i;
	int code = 0;

	for (i = 0; i < n && !code; i++) {
		if (strcmp(tiers[i].name, name) || (!tiers[i].port && !*tiers[i].path))
			continue;
		known = true;
		s.tier = &tiers[i];
		s.inodes = s.namespaces = 0;
		code = processes_walk(&s, netns_read);
		code = code ? code : processes_walk(&s, by_socket);
	}
	free(s.inode);
	free(s.netns);
	if (!known)
		return tl_error_set(err, -ENOENT, "there is no tier \"%s\": see tierlens tier list", name);
	if (!code && !s.found)
		return tl_error_set(err, -ESRCH, "no process has a socket of tier %s: is it running?", name);
	return code;
}
