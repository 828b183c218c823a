#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1 machine=single timeout=400
#
# tierlens selftest, short: it passes on this kernel; and whatever becomes of it, the user's
# rules and settings are afterwards as they were, and no server is left.
. /job/lib.sh

# What must not change.
state()
{
	tierlens class list --json | jq -c 'del(.classes[].hits)'
	tierlens tier list --json | jq -c '[.tiers[] | select(.source == "rule") | {name, port, path}]'
	tierlens status --json | jq -c '[.enabled, .interval_s, .quiet_s]'
	ps -C tierserver,load -o pid=,stat= | awk '$2 !~ /^Z/'
	find /tmp -maxdepth 1 -name 'tierlens.*'
}

unchanged()
{
	is "$(state)" "$before" "$1: rules, settings and processes are as they were"
}

# broken_by NAME SIGNAL PROGRAM STATUS: that program gets the signal in the middle of a run
broken_by()
{
	local status pid victim

	tierlens selftest --shapes thread,depth-2 --connections 2 --requests 100000 --seconds 60 \
		>/tmp/run.out 2>/tmp/run.err &
	pid=$!
	wait_until 30 pgrep -x load
	sleep 1
	is "$(tierlens status --json | jq '[.enabled, .class_rules >= 18]' -c)" '[true,true]' "$1: it runs"
	victim=$pid
	[ "$3" = tierlens ] || victim=$(pgrep -o -x "$3")
	kill "-$2" "$victim"
	wait "$pid"
	status=$?
	is $status "$4" "$1: exit status"
	diag "$(tail -n 3 /tmp/run.err)"
	# After SIGKILL another process does it, which takes a moment.
	wait_until 20 settled
	unchanged "$1"
}

settled()
{
	[ "$(state)" = "$before" ]
}

refused()
{
	local sentence=$1
	shift

	"$@" >/tmp/out 2>/tmp/err
	is $? 1 "refused: $sentence"
	grep -qF "$sentence" /tmp/err && ok 'and it says so' || not_ok "it says $(cat /tmp/err)"
}

refused 'the kernel module is not loaded' tierlens selftest
load_module || exit 1
tierlens class add mine 'c0' >/dev/null
tierlens class add page 'GET /' >/dev/null
tierlens tier add web --port 8080 >/dev/null
# Settings that are not the self test's own.
tierlens enable --interval 3000 --quiet 400 >/dev/null
measuring=$(state)
refused 'measuring is on' tierlens selftest --shapes thread
is "$(state)" "$measuring" 'and measuring goes on'
tierlens disable >/dev/null
before=$(state)
refused 'needs CAP_NET_ADMIN' setpriv --reuid=65534 --clear-groups --bounding-set=-all --inh-caps=-all \
	tierlens selftest --shapes thread

# So few ports that trials are offered what others have had.
ports=$(</proc/sys/net/ipv4/ip_local_port_range)
echo '50000 50199' >/proc/sys/net/ipv4/ip_local_port_range
tierlens selftest --shapes thread,epoll,pool,unix,sendfile,uring-sync,depth-1,depth-3 --connections 2,8 \
	--requests 160 --seconds 60 >/tmp/out 2>/tmp/err
is $? 0 'it passes'
is "$(grep -c '^\(same thread or process\|event loop\|pool or hand-off\) .* > [0-9]*\.[0-9]* .* met$' /tmp/out)" 3 \
	'and says for each kind how small a part of wrong calls that rules out'
diag "$(cat /tmp/out /tmp/err)"
echo "$ports" >/proc/sys/net/ipv4/ip_local_port_range
unchanged 'after a run'
broken_by 'Ctrl-C' INT tierlens 1
broken_by 'SIGKILL' KILL tierlens 137
broken_by 'a server that dies' KILL tierserver 1
for ((i = 0; i < 50; i++)); do
	tierlens class add "c$i" "prefix $i" >/dev/null
done
before=$(state)
refused 'there are 64 rules already' tierlens selftest --shapes thread
unchanged 'no room for its rules'
unload_module
done_testing
