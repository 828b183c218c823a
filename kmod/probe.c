// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hooks of include/tierlens-hooks.h
 *
 * Entry probes only, on functions that run in the caller's own context. Return
 * probes would run out on functions that block. A handler turns registers into
 * arguments and calls tl_track_*(), nothing more. The probes are registered when
 * the module is loaded, so that what a kernel lacks is known then, and armed
 * only while measuring: what is not armed costs nothing.
 */
#include <linux/kprobes.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/socket.h>
#include <linux/tracepoint.h>
#include <linux/uio.h>
#include <net/af_unix.h>
#include <net/mptcp.h>
#include <net/sock.h>
#include <uapi/linux/tierlens.h>

#include "class.h"
#include "compat/compat.h"
#include "compat/tracepoint.h"
#include "cost.h"
#include "fentry.h"
#include "probe.h"
#include "socket.h"
#include "tracepoint.h"
#include "track.h"
#include "usage.h"
#include "way.h"

struct hook {
	const char *name;
	const char *symbols[3]; /* the first that the kernel has is taken */
	u8 level; /* enum tierlens_level, from which on it is needed: TRACE or SERVER */
	bool required;
	void (*handler)(struct pt_regs *regs);
	void *traced; /* instead of a handler: the symbol is a tracepoint's, this its probe */
	const char *needs; /* a hook without which what this one sees means nothing */
	struct kprobe kp;
	struct tl_fentry fentry;
	struct tracepoint *tracepoint;
	bool registered;
	bool by_fentry; /* which catches it instead of the kprobe that has found it */
};

struct hits {
	struct tl_hook_hits of[64];
};

static struct hits __percpu *hits;
static bool armed[TIERLENS_LEVEL_METHOD]; /* those of a level */

static unsigned long arg(struct pt_regs *regs, unsigned int n)
{
	return regs_get_kernel_argument(regs, n);
}

static struct sock *sk_arg(struct pt_regs *regs)
{
	return (struct sock *)arg(regs, 0);
}

/* UNIX sockets' functions are handed the file's side of it, which may be closed. */
static struct sock *unix_arg(struct pt_regs *regs)
{
	struct sock *sk = ((struct socket *)arg(regs, 0))->sk;

	return sk && tl_socket_is_unix_stream(sk) ? sk : NULL;
}

static noinline void sending_first(struct sock *sk, unsigned long msg, size_t bytes)
{
	struct tl_class_bytes first = {};
	size_t room = 0;

	first.user = tl_compat_bytes((struct msghdr *)msg, &room);
	first.n = min_t(size_t, room, TL_CLASS_PREFIX);
	tl_track_sent(sk, bytes, &first);
}

static void sending(struct sock *sk, unsigned long msg, size_t bytes)
{
	if (tl_class_reads())
		sending_first(sk, msg, bytes);
	else
		tl_track_sent(sk, bytes, NULL);
}

static void on_sendmsg(struct pt_regs *regs)
{
	sending(sk_arg(regs), arg(regs, 1), arg(regs, 2));
}

static void on_sendpage(struct pt_regs *regs)
{
	tl_track_sent(sk_arg(regs), arg(regs, 3), NULL);
}

static void on_send_wait(struct pt_regs *regs)
{
	/* How long it may wait, is in the sending function's frame. */
	tl_track_still_sending(sk_arg(regs), 0, !*(long *)arg(regs, 1));
}

/*
 * Where the bytes will be is noted even if no rule asks: who waits for them now may get them
 * after there is one, and what is there is read only then.
 */
static void receiving(struct sock *sk, unsigned long msg, unsigned long flags)
{
	size_t room = 0;
	const void __user *base = tl_compat_bytes((struct msghdr *)msg, &room);

	tl_track_receiving(sk, flags & MSG_PEEK, base, room);
}

static void on_recvmsg(struct pt_regs *regs)
{
	receiving(sk_arg(regs), arg(regs, 1), arg(regs, TL_RECVMSG_FLAGS));
}

static void on_splice_read(struct pt_regs *regs)
{
	tl_track_receiving(NULL, false, NULL, 0);
}

static void on_received(struct pt_regs *regs)
{
	if (sk_is_mptcp(sk_arg(regs)))
		return;
	tl_track_received(sk_arg(regs), (int)arg(regs, 1));
}

/* Every protocol's accept() passes here. */
static void on_accepted(struct pt_regs *regs)
{
	struct sock *sk = sk_arg(regs);

	if (sk && (tl_socket_is_tcp(sk) || tl_socket_is_unix_stream(sk)))
		tl_track_accepted(sk);
}

static void on_connect(struct pt_regs *regs)
{
	/* A subflow goes by __tcp_close(), which no hook would see. */
	if (sk_is_mptcp(sk_arg(regs)))
		return;
	tl_track_connecting(sk_arg(regs));
}

static void on_shutdown(struct pt_regs *regs)
{
	if (arg(regs, 1) & SEND_SHUTDOWN)
		tl_track_shutdown(sk_arg(regs));
}

static void on_close(struct pt_regs *regs)
{
	tl_track_closed(sk_arg(regs));
}

static void on_unix_sendmsg(struct pt_regs *regs)
{
	struct sock *sk = unix_arg(regs);

	if (sk)
		sending(sk, arg(regs, 1), arg(regs, 2));
}

static void on_unix_sendpage(struct pt_regs *regs)
{
	struct sock *sk = unix_arg(regs);

	if (sk)
		tl_track_sent(sk, arg(regs, 3), NULL);
}

/* Each part of a large send takes a buffer, and waits for it if need be. */
static void on_unix_send_part(struct pt_regs *regs)
{
	if (tl_socket_is_unix_stream(sk_arg(regs)))
		tl_track_still_sending(sk_arg(regs), arg(regs, 1) + arg(regs, 2),
				       (int)arg(regs, 3));
}

static void on_unix_recvmsg(struct pt_regs *regs)
{
	struct sock *sk = unix_arg(regs);

	if (sk)
		receiving(sk, arg(regs, 1), arg(regs, 3));
}

static void on_unix_splice_read(struct pt_regs *regs)
{
	struct sock *sk = unix_arg(regs);

	if (sk)
		tl_track_receiving(sk, false, NULL, 0);
}

static void on_unix_received(struct pt_regs *regs)
{
	const struct sk_buff *skb = (struct sk_buff *)arg(regs, 0);
	unsigned int consumed = 0;

	if (!tl_compat_unix_consumed(skb, &consumed))
		skb = NULL;
	tl_track_received_part(skb, consumed + (int)arg(regs, 1), (int)arg(regs, 2));
}

static void on_unix_connect(struct pt_regs *regs)
{
	struct sock *sk = unix_arg(regs);

	if (sk)
		tl_track_connecting(sk);
}

static void on_unix_shutdown(struct pt_regs *regs)
{
	struct sock *sk = unix_arg(regs);

	/* What the caller says is one less than what the kernel keeps. */
	if (sk && ((arg(regs, 1) + 1) & SEND_SHUTDOWN))
		tl_track_shutdown(sk);
}

static void on_unix_release(struct pt_regs *regs)
{
	struct sock *sk = unix_arg(regs);

	if (sk)
		tl_track_closed(sk);
}

static void on_epoll_wait(struct pt_regs *regs)
{
	tl_track_dispatched(true);
}

/* Not only event loops poll: also who waits for one answer with a time limit. */
static void on_poll(struct pt_regs *regs)
{
	tl_track_dispatched(false);
}

static u64 iter_bytes(struct pt_regs *regs)
{
	return iov_iter_count((struct iov_iter *)arg(regs, 1));
}

/* The object behind a file, which its readers and writers share. */
static const void *iocb_object(struct pt_regs *regs)
{
	return ((struct kiocb *)arg(regs, 0))->ki_filp->private_data;
}

static const void *file_object(struct pt_regs *regs)
{
	return ((struct file *)arg(regs, 0))->private_data;
}

static void on_eventfd_write(struct pt_regs *regs)
{
	tl_track_wrote(file_object(regs), sizeof(u64));
}

static void on_eventfd_read(struct pt_regs *regs)
{
	tl_track_reads(iocb_object(regs), 0);
}

static void on_pipe_write(struct pt_regs *regs)
{
	tl_track_wrote(iocb_object(regs), iter_bytes(regs));
}

static void on_pipe_read(struct pt_regs *regs)
{
	tl_track_reads(iocb_object(regs), iter_bytes(regs));
}

static void on_release(struct pt_regs *regs)
{
	tl_track_released(((struct file *)arg(regs, 1))->private_data);
}

/* With its last end; one end may be closed long before what it wrote is read. */
static void on_pipe_gone(struct pt_regs *regs)
{
	tl_track_released((const void *)arg(regs, 0));
}

static void on_ring_receive(struct pt_regs *regs)
{
	tl_track_ring();
}

static void on_futex_wake(struct pt_regs *regs)
{
	tl_track_futex(TL_FUTEX_WAKES);
}

static void on_futex_wait(struct pt_regs *regs)
{
	tl_track_futex(TL_FUTEX_WAITS);
}

static void on_waking(void *data, struct task_struct *task)
{
	u64 began = tl_cost_begin(TL_COST_TRACEPOINT);

	tl_track_woken(task);
	tl_cost_end(TL_COST_TRACEPOINT, NULL, began);
}

/* The same; the scheduler's locks are held. */
static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next)
{
	u64 began = tl_cost_begin(TL_COST_TRACEPOINT);

	tl_usage_switched(prev, next);
	tl_cost_end(TL_COST_TRACEPOINT, NULL, began);
}

/* Newer kernels pass one argument more. */
static void on_exit(void *data, struct task_struct *task)
{
	tl_track_exit();
}

#define TL_HOOK(n, l, r, h, needed, ...) \
	{ n, { __VA_ARGS__ }, TIERLENS_LEVEL_##l, r, h, .needs = needed },
#define TL_TRACED(n, l, r, h, tracepoint) { n, { tracepoint }, TIERLENS_LEVEL_##l, r, NULL, h },

static struct hook hooks[] = {
#include <tierlens-hooks.h>
};

static int on_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	struct hook *hook = container_of(kp, struct hook, kp);

	BUILD_BUG_ON(ARRAY_SIZE(hooks) > ARRAY_SIZE(hits->of));
	tl_cost_handle(TL_COST_KPROBE, &hits->of[hook - hooks], hook->handler, regs);
	return 0;
}

static int probe_register(struct hook *hook, const char *symbol)
{
	int ret;

	memset(&hook->kp, 0, sizeof(hook->kp));
	hook->kp.symbol_name = symbol;
	hook->kp.pre_handler = on_kprobe;
	hook->kp.flags = KPROBE_FLAG_DISABLED;
	ret = register_kprobe(&hook->kp);
	hook->registered = !ret;
	return ret;
}

static int hook_find(struct hook *hook)
{
	unsigned int i;
	int ret = -ENOENT;

	if (hook->traced) {
		hook->tracepoint = tl_tracepoint_find(hook->symbols[0]);
		return hook->tracepoint ? 0 : ret;
	}
	for (i = 0; ret && i < ARRAY_SIZE(hook->symbols) && hook->symbols[i]; i++)
		ret = probe_register(hook, hook->symbols[i]);
	return ret;
}

static int hook_register(struct hook *hook)
{
	int ret = hook_find(hook);

	if (!ret || !hook->required)
		return 0;
	pr_err("tierlens: this kernel lets nobody probe %s (error %d), which measuring needs: see Documentation/kernels.md\n",
	       hook->symbols[0], ret);
	return ret;
}

static bool is_there(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(hooks[i].name, name))
			return hooks[i].registered;
	return false;
}

/* Half of a pair would take one socket's bytes for another's. */
static void drop_halves(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!hooks[i].registered || !hooks[i].needs || is_there(hooks[i].needs))
			continue;
		unregister_kprobe(&hooks[i].kp);
		hooks[i].registered = false;
	}
}

static unsigned int group_of(u8 level)
{
	return level - TIERLENS_LEVEL_TRACE;
}

/* Not all kernels have it, and not everywhere. */
static void use_fentry(void)
{
	struct hook *hook;

	for (hook = hooks; hook < hooks + ARRAY_SIZE(hooks); hook++) {
		if (!hook->registered || !(hook->kp.flags & KPROBE_FLAG_FTRACE))
			continue;
		hook->fentry.ip = (unsigned long)hook->kp.addr;
		hook->fentry.handler = hook->handler;
		hook->fentry.hits = &hits->of[hook - hooks];
		hook->fentry.group = group_of(hook->level);
		hook->by_fentry = !tl_fentry_add(&hook->fentry);
	}
}

static int hook_arm(struct hook *hook)
{
	int ret = 0;

	if (hook->tracepoint) {
		ret = tracepoint_probe_register(hook->tracepoint, hook->traced, NULL);
		hook->registered = !ret;
	} else if (hook->registered && !hook->by_fentry) {
		ret = enable_kprobe(&hook->kp);
	}
	return ret;
}

static void hook_disarm(struct hook *hook)
{
	if (!hook->registered)
		return;
	if (hook->tracepoint) {
		tracepoint_probe_unregister(hook->tracepoint, hook->traced, NULL);
		hook->registered = false;
	} else if (!hook->by_fentry) {
		disable_kprobe(&hook->kp);
	}
}

/**
 * tl_probe_init() - Register all hooks, disarmed
 *
 * Return: 0, or the error of a required one.
 */
int tl_probe_init(void)
{
	unsigned int i;
	int ret;

	hits = alloc_percpu(struct hits);
	if (!hits)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		ret = hook_register(&hooks[i]);
		if (ret) {
			tl_probe_exit();
			return ret;
		}
	}
	drop_halves();
	use_fentry();
	return 0;
}

void tl_probe_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (hooks[i].registered && hooks[i].handler)
			unregister_kprobe(&hooks[i].kp);
	tl_fentry_forget_all();
	free_percpu(hits);
}

/* Where functions' entries are kprobes' alone; fentry.c holds ftrace for its own. */
static bool holds(u8 level)
{
	return !TL_HAS_FENTRY && level == TIERLENS_LEVEL_TRACE;
}

/**
 * tl_probe_arm() - Begin to see events
 * @level: those that it takes from this level on, TRACE or SERVER
 *
 * Context: process.
 * Return: 0, or the kernel's error, and none of them is armed.
 */
int tl_probe_arm(u8 level)
{
	unsigned int i;
	int ret = 0;

	armed[level] = true;
	if (holds(level))
		ret = tl_fentry_hold();
	/* From the end: who forgets is armed before who remembers. */
	for (i = ARRAY_SIZE(hooks); !ret && i--;)
		if (hooks[i].level == level)
			ret = hook_arm(&hooks[i]);
	ret = ret ? ret : tl_fentry_arm(group_of(level));
	if (ret)
		tl_probe_disarm(level);
	return ret;
}

/**
 * tl_probe_disarm() - See no more events
 * @level: of those of this level
 *
 * Context: process. When it returns, none of their handlers is running.
 */
void tl_probe_disarm(u8 level)
{
	unsigned int i;
	int ret;

	ret = tl_fentry_disarm(group_of(level));
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (hooks[i].level == level)
			hook_disarm(&hooks[i]);
	if (holds(level))
		ret = tl_fentry_let_go();
	if (ret)
		pr_err("tierlens: ftrace has failed and cannot be left: the module stays until the host is restarted\n");
	armed[level] = false;
	tl_compat_tracepoint_wait();
	synchronize_rcu();
}

/**
 * tl_probe_missed() - How many hits the kernel dropped, over all hooks
 */
u64 tl_probe_missed(void)
{
	unsigned int i;
	u64 missed = 0;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		missed += hooks[i].kp.nmissed;
	return missed;
}

static enum tl_cost_kind way_of(const struct hook *hook)
{
	if (hook->tracepoint)
		return TL_COST_TRACEPOINT;
	return hook->by_fentry ? TL_COST_FENTRY : TL_COST_KPROBE;
}

/**
 * tl_probe_get() - Look at a hook
 * @i: its place in the table
 * @view: filled
 *
 * Return: false if there is no such place.
 */
bool tl_probe_get(unsigned int i, struct tl_hook_view *view)
{
	const struct tl_hook_hits *of;
	int cpu;

	if (i >= ARRAY_SIZE(hooks))
		return false;
	view->name = hooks[i].name;
	view->symbol = hooks[i].kp.symbol_name ? hooks[i].kp.symbol_name : hooks[i].symbols[0];
	view->state = !hooks[i].registered && !hooks[i].tracepoint ?
		      TIERLENS_HOOK_STATE_ABSENT :
		      armed[hooks[i].level] ? TIERLENS_HOOK_STATE_ACTIVE :
					     TIERLENS_HOOK_STATE_IDLE;
	view->required = hooks[i].required;
	view->missed = hooks[i].kp.nmissed;
	view->floor_ns = tl_way_floor_ns(way_of(&hooks[i]));
	view->of = (struct tl_hook_hits){};
	for_each_possible_cpu(cpu) {
		of = &per_cpu_ptr(hits, cpu)->of[i];
		view->of.hits += of->hits;
		view->of.timed += of->timed;
		view->of.ns += of->ns;
	}
	return true;
}
