// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync.h"

#include "json.h"
#include "tl.h"
#include "tlmnl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tierlens-sync.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define ROOM (1U << 20)

static const char *const ops[TIERLENS_SYNC_OPS] = {
	[TIERLENS_SYNC_LOCK] = "\"lock\"", [TIERLENS_SYNC_UNLOCK] = "\"unlock\"",
	[TIERLENS_SYNC_SIGNAL] = "\"signal\"", [TIERLENS_SYNC_WAIT] = "\"wait\"",
	[TIERLENS_SYNC_ENQ] = "\"enq\"", [TIERLENS_SYNC_DEQ] = "\"deq\"",
	[TIERLENS_SYNC_SEND] = "\"send\"", [TIERLENS_SYNC_RECV] = "\"recv\"",
	[TIERLENS_SYNC_START] = "\"start\"", [TIERLENS_SYNC_EXIT] = "\"exit\"",
	[TIERLENS_SYNC_EXEC] = "\"exec\"", [TIERLENS_SYNC_VOID] = "\"void\"",
	[TIERLENS_SYNC_END] = "\"end\"",
};

static const char *const kinds[TIERLENS_SYNC_KINDS] = {
	[TIERLENS_SYNC_NOTHING] = "\"nothing\"", [TIERLENS_SYNC_MEMORY] = "\"memory\"",
	[TIERLENS_SYNC_EVENTFD] = "\"eventfd\"", [TIERLENS_SYNC_PIPE] = "\"pipe\"",
	[TIERLENS_SYNC_EPOLL] = "\"epoll\"", [TIERLENS_SYNC_TCP] = "\"tcp\"",
	[TIERLENS_SYNC_UNIX] = "\"unix\"", [TIERLENS_SYNC_LISTENER] = "\"listener\"",
	[TIERLENS_SYNC_THREAD] = "\"thread\"", [TIERLENS_SYNC_OTHER] = "\"other\"",
};

static void known(struct json *json, const char *key, uint64_t value)
{
	if (value == TIERLENS_SYNC_UNKNOWN)
		json_raw(json, key, "null");
	else
		json_u64(json, key, value);
}

/* Large numbers are no numbers for who reads JSON. */
static void hex(struct json *json, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "\"%llx\"", (unsigned long long)value);
	json_raw(json, key, text);
}

/* What of a record is not as it must be, or NULL. */
static const char *wrong(const struct tierlens_sync_record *r, size_t left)
{
	if (left < sizeof(*r) || r->size > left || r->size % 8)
		return "size";
	if (r->size != sizeof(*r) + 8u * r->registers + r->stack || r->stack % 8)
		return "stack";
	if (r->op >= TIERLENS_SYNC_OPS || r->kind >= TIERLENS_SYNC_KINDS)
		return "op";
	if (r->began_ns > r->time_ns)
		return "began_ns";
	return r->reserved || r->reserved2 || !r->seq ? "reserved" : NULL;
}

static void print(const struct tierlens_sync_record *r, FILE *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_u64(&json, "seq", r->seq);
	json_raw(&json, "op", ops[r->op]);
	json_raw(&json, "kind", kinds[r->kind]);
	json_u64(&json, "flags", r->flags);
	json_u64(&json, "time_ns", r->time_ns);
	json_u64(&json, "began_ns", r->began_ns);
	json_u64(&json, "cpu_ns", r->cpu_ns);
	json_u64(&json, "wait_ns", r->wait_ns);
	hex(&json, "object", r->object);
	known(&json, "position", r->position);
	known(&json, "bytes", r->bytes);
	json_u64(&json, "read", r->read_bytes);
	json_u64(&json, "written", r->written_bytes);
	json_u64(&json, "process", r->process);
	json_u64(&json, "thread", r->thread);
	json_u64(&json, "end", r->end);
	json_u64(&json, "registers", r->registers);
	json_u64(&json, "stack", r->stack);
	json_close(&json, '}');
	fputc('\n', out);
}

static int print_all(const char *bytes, size_t n, FILE *out)
{
	const struct tierlens_sync_record *r;
	const char *what;
	size_t at;

	for (at = 0; at < n; at += r->size) {
		r = (const void *)(bytes + at);
		what = wrong(r, n - at);
		if (what) {
			fprintf(stderr, "tlmnl: a record's %s is wrong\n", what);
			return -EPROTO;
		}
		print(r, out);
	}
	return 0;
}

/* Until the recording's time is over, or it is told to end; a pause after each reading. */
static int follow(int fd, uint64_t pause_ms, FILE *out)
{
	struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000};
	char *bytes = malloc(ROOM);
	ssize_t got = 1;
	int ret = bytes ? 0 : -ENOMEM;

	end_when_told();
	while (!ret && got) {
		if (told_to_end)
			ioctl(fd, TIERLENS_SYNC_STOP);
		got = read(fd, bytes, ROOM);
		if (got > 0)
			ret = print_all(bytes, got, out);
		else if (got < 0 && errno != EAGAIN)
			ret = -errno;
		else if (got)
			nanosleep(&pause, NULL);
	}
	free(bytes);
	return ret;
}

/* ---- asking for it ----------------------------------------------------------- */

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

/* What this program is linked with, programs beside it are. */
static int open_library(const char *name, uint64_t *offset)
{
	void *address = dlsym(RTLD_DEFAULT, name);
	Dl_info info;
	int fd;

	if (!address || !dladdr(address, &info))
		return -ENOENT;
	/* Libraries' first segment begins at 0, and the others follow as in the file. */
	*offset = (char *)address - (char *)info.dli_fbase;
	fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* NAME:FUNCTION, or OFFSET:FUNCTION of this program. The file stays open until the end. */
static int put_probe(struct nlmsghdr *nlh, char *text)
{
	char *function = strchr(text, ':');
	struct nlattr *nest;
	uint64_t offset;
	int fd;

	if (!function)
		return -EINVAL;
	*function++ = 0;
	if (*text >= '0' && *text <= '9') {
		offset = number(text);
		fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	} else {
		fd = open_library(text, &offset);
	}
	if (fd < 0)
		return fd;
	nest = mnl_attr_nest_start(nlh, TIERLENS_A_SYNC_PROBE);
	mnl_attr_put_u32(nlh, TIERLENS_A_SYNC_PROBE_FILE, fd);
	mnl_attr_put_u64(nlh, TIERLENS_A_SYNC_PROBE_OFFSET, offset);
	mnl_attr_put_u32(nlh, TIERLENS_A_SYNC_PROBE_FUNCTION, number(function));
	mnl_attr_nest_end(nlh, nest);
	return 0;
}

static int take_fd(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == TIERLENS_A_SYNC_FD)
			*(int *)arg = mnl_attr_get_u32(attr);
	return 0;
}

/* MS BUFFER STACK PID[,PID...] [NAME:FUNCTION...] */
int sync_record(struct tl *tl, int argc, char **argv, uint64_t pause_ms)
{
	char buffer[8 * TL_REQUEST_BYTES], *pid;
	struct nlmsghdr *nlh = tl_request(tl, buffer, TIERLENS_CMD_SYNC_START, NLM_F_ACK);
	int i, fd = -1, ret = 0;

	mnl_attr_put_u32(nlh, TIERLENS_A_SYNC_MS, number(argv[0]));
	mnl_attr_put_u32(nlh, TIERLENS_A_SYNC_BUFFER, number(argv[1]));
	mnl_attr_put_u32(nlh, TIERLENS_A_SYNC_STACK, number(argv[2]));
	for (pid = strtok(argv[3], ","); pid; pid = strtok(NULL, ","))
		mnl_attr_put_u32(nlh, TIERLENS_A_SYNC_PROCESS, number(pid));
	for (i = 4; i < argc && !ret; i++)
		ret = put_probe(nlh, argv[i]);
	if (!ret)
		ret = tl_ask(tl, nlh, take_fd, &fd);
	if (ret)
		return ret;
	fputs("recording\n", stderr);
	return fd < 0 ? -EPROTO : follow(fd, pause_ms, stdout);
}
