# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What a user would take instead, doing the same work: each send and each receive at a TCP socket, with its time, its thread and
# its connection. Programs of Debian's, from a drive of their own, at /tools; ftrace is the kernel's.

trace=/sys/kernel/tracing other=''

tools_mount()
{
	local of

	modprobe erofs
	mkdir -p /tools
	mount -t erofs -o ro /dev/vdc /tools || return 1
	for of in proc sys dev; do
		mount --rbind /$of /tools/$of
	done
	for of in run tmp root var/log; do
		mount -t tmpfs tmpfs /tools/$of
	done
	mountpoint -q $trace || mount -t tracefs tracefs $trace
	# Names of the kernel's functions, with their addresses.
	echo 0 >/proc/sys/kernel/kptr_restrict
}

# run_other WORD COMMAND...: in the background, until it has said that word
run_other()
{
	local word=$1
	shift

	"$@" >/tmp/other.out 2>/tmp/other.err &
	other=$!
	wait_until 100 grep -q "$word" /tmp/other.out /tmp/other.err || not_ok "$1 begins: $(tail -n 3 /tmp/other.err)"
}

end_other()
{
	kill -INT "$other"
	wait "$other"
	diag "$(wc -c </tmp/other.out) bytes were printed, $(tail -n 1 /tmp/other.err)"
	rm -f /tmp/other.out
}

# Each event is printed.
bpftrace_print_begin()
{
	run_other ready chroot /tools bpftrace -e 'BEGIN { printf("ready\n"); }
		kprobe:tcp_sendmsg { printf("%lu %d s %lx %d\n", nsecs, tid, arg0, arg2); }
		kprobe:tcp_recvmsg { @sk[tid] = arg0; }
		kretprobe:tcp_recvmsg /@sk[tid]/ { printf("%lu %d r %lx %d\n", nsecs, tid, @sk[tid], retval); delete(@sk[tid]); }'
}
bpftrace_print_end() { end_other; }

# It only counts, and sums the time from what was received to what was sent.
bpftrace_count_begin()
{
	run_other ready chroot /tools bpftrace -e 'BEGIN { printf("ready\n"); }
		kprobe:tcp_recvmsg { @sk[tid] = arg0; }
		kretprobe:tcp_recvmsg /@sk[tid]/ { @at[@sk[tid]] = nsecs; delete(@sk[tid]); }
		kprobe:tcp_sendmsg { @n = count(); if (@at[arg0]) { @ns = sum(nsecs - @at[arg0]); delete(@at[arg0]); } }'
}
bpftrace_count_end() { end_other; }

# Into the kernel's ring, of which somebody takes whole pages.
ftrace_begin()
{
	printf '%s\n' 'p:tiers/send tcp_sendmsg sk=%di size=%dx' 'p:tiers/receive tcp_recvmsg sk=%di' \
		'r:tiers/received tcp_recvmsg got=$retval' >$trace/kprobe_events
	echo 1 >$trace/events/tiers/enable
	cat $trace/per_cpu/cpu0/trace_pipe_raw >/dev/null &
	other=$!
}

ftrace_end()
{
	kill "$other"
	wait "$other"
	echo 0 >$trace/events/tiers/enable
	echo >$trace/kprobe_events
}

# System calls instead: what can be a socket's is told by number of file and process only.
perf_trace_begin()
{
	chroot /tools perf trace -a -e sendto,recvfrom,sendmsg,recvmsg,read,write,readv,writev,sendfile -o /dev/null 2>/tmp/other.err &
	other=$!
	sleep 5
}

perf_trace_end()
{
	kill -INT "$other"
	wait "$other"
}

# lttng_with [CONTEXT]: its kernel part's own records, to files; which connection it is they cannot tell
lttng_with()
{
	local step

	chroot /tools lttng-sessiond --daemonize >/tmp/other.err 2>&1
	for step in 'create tiers --output=/tmp/tiers' 'enable-channel --kernel --subbuf-size=1M tiers' \
		'enable-event --kernel --channel=tiers --probe=tcp_sendmsg send' \
		'enable-event --kernel --channel=tiers --function=tcp_recvmsg receive' \
		"${1:+add-context --kernel --channel=tiers --type=$1}" start; do
		[ -n "$step" ] || continue
		# shellcheck disable=SC2086
		chroot /tools lttng $step >>/tmp/other.err 2>&1 || { not_ok "lttng $step"; diag "$(cat /tmp/other.err)"; }
	done
}

lttng_begin() { lttng_with; }
lttng_thread_begin() { lttng_with tid; }
lttng_thread_end() { lttng_end; }

lttng_end()
{
	chroot /tools lttng destroy >>/tmp/other.err 2>&1
	diag "$(du -sb /tools/tmp/tiers | cut -f 1) bytes were recorded"
	rm -rf /tools/tmp/tiers
	kill "$(cat /tools/run/lttng/lttng-sessiond.pid)"
	while pidof lttng-sessiond lttng-consumerd >/dev/null; do sleep 0.1; done
}

# Each event is printed; its module takes all system calls.
sysdig_begin()
{
	chroot /tools modprobe scap || not_ok 'modprobe scap'
	chroot /tools sysdig -p '%evt.rawtime %thread.tid %evt.dir %evt.type %fd.name %evt.rawres' 'fd.l4proto=tcp and evt.is_io=true' \
		>/tmp/other.out 2>/tmp/other.err &
	other=$!
	wait_until 100 grep -q /dev/scap "/proc/$other/maps" || not_ok "sysdig begins: $(tail -n 3 /tmp/other.err)"
}

sysdig_end()
{
	end_other
	chroot /tools rmmod scap
}
