// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of hooks
 *
 * Entry probes only, on functions that run in the caller's own context. Return
 * probes would run out on functions that block. A handler turns registers into
 * arguments and calls tl_track_*(), nothing more. The probes are registered when
 * the module is loaded, so that what a kernel lacks is known then, and armed
 * only while measuring: what is not armed costs nothing.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/socket.h>
#include <net/mptcp.h>
#include <net/sock.h>
#include <uapi/linux/tierlens.h>

#include "compat/compat.h"
#include "probe.h"
#include "track.h"

struct hook {
	const char *name;
	const char *symbols[3]; /* the first that the kernel has is taken */
	bool required;
	kprobe_pre_handler_t handler;
	struct kprobe kp;
	bool registered;
};

static DEFINE_PER_CPU(u64, hits[16]);
static bool armed;

static unsigned long arg(struct pt_regs *regs, unsigned int n)
{
	return regs_get_kernel_argument(regs, n);
}

static struct sock *sk_arg(struct pt_regs *regs)
{
	return (struct sock *)arg(regs, 0);
}

static bool is_tcp(const struct sock *sk)
{
	return (sk->sk_family == AF_INET || sk->sk_family == AF_INET6) &&
	       sk->sk_protocol == IPPROTO_TCP;
}

static void count(struct kprobe *kp);

static int on_sendmsg(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	tl_track_sent(sk_arg(regs), arg(regs, 2));
	return 0;
}

static int on_sendpage(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	tl_track_sent(sk_arg(regs), arg(regs, 3));
	return 0;
}

static int on_send_wait(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	tl_track_still_sending(sk_arg(regs));
	return 0;
}

static int on_recvmsg(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	tl_track_receiving(sk_arg(regs), arg(regs, TL_RECVMSG_FLAGS) & MSG_PEEK);
	return 0;
}

static int on_splice_read(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	tl_track_receiving(NULL, false);
	return 0;
}

static int on_received(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	if (sk_is_mptcp(sk_arg(regs)))
		return 0;
	tl_track_received(sk_arg(regs), (int)arg(regs, 1));
	return 0;
}

/* Every protocol's accept() passes here. */
static int on_accepted(struct kprobe *kp, struct pt_regs *regs)
{
	struct sock *sk = sk_arg(regs);

	count(kp);
	if (sk && is_tcp(sk))
		tl_track_accepted(sk);
	return 0;
}

static int on_connect(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	/* A subflow goes by __tcp_close(), which no hook would see. */
	if (sk_is_mptcp(sk_arg(regs)))
		return 0;
	tl_track_connecting(sk_arg(regs));
	return 0;
}

static int on_shutdown(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	if (arg(regs, 1) & SEND_SHUTDOWN)
		tl_track_shutdown(sk_arg(regs));
	return 0;
}

static int on_close(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	tl_track_closed(sk_arg(regs));
	return 0;
}

static int on_exit(struct kprobe *kp, struct pt_regs *regs)
{
	count(kp);
	tl_track_exit();
	return 0;
}

static struct hook hooks[] = {
	{ "send", { "tcp_sendmsg" }, true, on_sendmsg },
	/* Since 6.5 pages go through sendmsg, too. */
	{ "sendpage", { "tcp_sendpage" }, false, on_sendpage },
	{ "send-wait", { "sk_stream_wait_memory" }, false, on_send_wait },
	/* Armed from the end: how somebody receives is seen before what he received. */
	{ "received", { "tcp_cleanup_rbuf" }, true, on_received },
	{ "receive", { "tcp_recvmsg" }, true, on_recvmsg },
	{ "splice-read", { "tcp_splice_read" }, false, on_splice_read },
	{ "accept", { "security_sock_graft" }, false, on_accepted },
	{ "connect", { "tcp_v4_connect" }, true, on_connect },
	{ "connect-v6", { "tcp_v6_connect" }, false, on_connect },
	{ "shutdown", { "tcp_shutdown" }, false, on_shutdown },
	{ "close", { "tcp_close" }, true, on_close },
	{ "disconnect", { "tcp_disconnect" }, false, on_close },
	{ "exit", { "do_exit" }, true, on_exit },
};

static void count(struct kprobe *kp)
{
	struct hook *hook = container_of(kp, struct hook, kp);

	BUILD_BUG_ON(ARRAY_SIZE(hooks) > ARRAY_SIZE(hits));
	this_cpu_inc(hits[hook - hooks]);
}

static int hook_register(struct hook *hook)
{
	unsigned int i;
	int ret = -ENOENT;

	for (i = 0; i < ARRAY_SIZE(hook->symbols) && hook->symbols[i]; i++) {
		memset(&hook->kp, 0, sizeof(hook->kp));
		hook->kp.symbol_name = hook->symbols[i];
		hook->kp.pre_handler = hook->handler;
		hook->kp.flags = KPROBE_FLAG_DISABLED;
		ret = register_kprobe(&hook->kp);
		if (!ret) {
			hook->registered = true;
			return 0;
		}
	}
	if (!hook->required)
		return 0;
	pr_err("tierlens: this kernel lets nobody probe %s (error %d), which measuring needs: see Documentation/kernels.md\n",
	       hook->symbols[0], ret);
	return ret;
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

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		ret = hook_register(&hooks[i]);
		if (ret) {
			tl_probe_exit();
			return ret;
		}
	}
	return 0;
}

void tl_probe_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (hooks[i].registered)
			unregister_kprobe(&hooks[i].kp);
}

/**
 * tl_probe_arm() - Begin to see events
 *
 * Context: process.
 * Return: 0, or the kernel's error, and none is armed.
 */
int tl_probe_arm(void)
{
	unsigned int i;
	int ret;

	armed = true;
	/* From the end: who forgets is armed before who remembers. */
	for (i = ARRAY_SIZE(hooks); i--;) {
		if (!hooks[i].registered)
			continue;
		ret = enable_kprobe(&hooks[i].kp);
		if (ret) {
			tl_probe_disarm();
			return ret;
		}
	}
	return 0;
}

/**
 * tl_probe_disarm() - See no more events
 *
 * Context: process. When it returns, no handler is running.
 */
void tl_probe_disarm(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (hooks[i].registered)
			disable_kprobe(&hooks[i].kp);
	armed = false;
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

/**
 * tl_probe_get() - Look at a hook
 * @i: its place in the table
 * @view: filled
 *
 * Return: false if there is no such place.
 */
bool tl_probe_get(unsigned int i, struct tl_hook_view *view)
{
	int cpu;

	if (i >= ARRAY_SIZE(hooks))
		return false;
	view->name = hooks[i].name;
	view->symbol = hooks[i].registered ? hooks[i].kp.symbol_name : hooks[i].symbols[0];
	view->state = !hooks[i].registered ? TIERLENS_HOOK_STATE_ABSENT :
		      armed		   ? TIERLENS_HOOK_STATE_ACTIVE :
					     TIERLENS_HOOK_STATE_IDLE;
	view->required = hooks[i].required;
	view->missed = hooks[i].kp.nmissed;
	view->hits = 0;
	for_each_possible_cpu(cpu)
		view->hits += per_cpu(hits[i], cpu);
	return true;
}
