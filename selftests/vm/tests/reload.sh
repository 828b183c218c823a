#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=2700 machine=single
#
# The module comes and goes under traffic, on new and on kept connections, and
# nobody's request fails. RELOADS says how often.
. /job/lib.sh
. /job/chain.sh

# Many on the reference kernel; elsewhere that it works at all.
case $(uname -r) in
6.1.*)	reloads=${RELOADS:-8} ;;
*)	reloads=${RELOADS:-2} ;;
esac
serve back 9103 --mode thread --seconds 7000 --work-us 50
serve mid 9102 --mode epoll --seconds 7000 --next 9103 --calls 1 --pool 8
serve front 9101 --mode thread --seconds 7000 --next 9102 --calls 1
serve direct 9104 --mode thread --seconds 7000

load --to 9101 --ask home --connections 4 --think-ms $((40 * slow)) --requests 10000000 --seconds 7000 >/tmp/kept.json &
kept=$!
load --to 9104 --ask home --connections 2 --think-ms $((40 * slow)) --reconnect-every 3 --requests 10000000 \
	--seconds 7000 >/tmp/new.json &
new=$!
sleep 0.5

# attributed N: so many events or more
attributed()
{
	[ "$(of_module attributed)" -ge "$1" ]
}

# opened N: so many connections or more, of anybody
opened()
{
	[ "$(opens)" -ge "$1" ]
}

opens()
{
	awk '$1 == "Tcp:" && $6 ~ /^[0-9]+$/ { print $6 }' /proc/net/snmp
}

failed='' seen=0
for ((i = 1; i <= reloads; i++)); do
	before=$(opens)
	load_module && tierlens enable --interval 100 >/dev/null || failed+=" load-$i"
	wait_until 20 attributed 20
	# However fast the machine is: new ones each time, and enough of them in all.
	wait_until 20 opened $((before + 60 / reloads + 1)) || failed+=" traffic-$i"
	# Half of them go while a reader is at it, and half while it still measures.
	if ((i % 2)); then
		tierlens record -n 2 -o /dev/null 2>/dev/null &
		reader=$!
		tierlens disable >/dev/null || failed+=" disable-$i"
		kill "$reader" 2>/dev/null
		wait "$reader"
	fi
	((seen += $(of_module attributed)))
	unload_module || failed+=" unload-$i"
done

kill -INT $kept $new
wait $kept
kept_status=$?
wait $new
new_status=$?
stop_servers

is "$failed" '' "loaded, enabled and unloaded $reloads times"
[ "$seen" -gt $((reloads * 10)) ] && ok "measured in between ($seen events attributed)" ||
	not_ok "only $seen events attributed"
is "$kept_status" 0 'load on kept connections ended well'
is "$new_status" 0 'load on new connections ended well'
is "$(jq .errors /tmp/kept.json)" 0 'no request on a kept connection failed'
is "$(jq .errors /tmp/new.json)" 0 'no request on a new connection failed'
[ "$(jq .count /tmp/kept.json)" -gt 100 ] && ok 'there was traffic on kept connections' ||
	not_ok 'there was traffic on kept connections'
[ "$(jq .connects /tmp/new.json)" -gt 50 ] && ok 'there were new connections' ||
	not_ok 'there were new connections'

# floors: of the hooks that this kernel has, each once
floors()
{
	tierlens status --json | jq -c '[.hooks[] | select(.state != "absent") | .floor_ns] | unique'
}

load_module
known=$(floors)
unload_module
check 'what a hook takes that does nothing is known' jq -e 'length > 0 and all(. > 0)' <<<"$known"
# Where functions' entries are ftrace's (on arm64 they trap), and nobody else holds it on.
if [ "$(uname -m)" = x86_64 ] && echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled; then
	load_module
	unknown=$(floors)
	check 'and said not to be, where ftrace is switched off' jq -e 'any(. == null)' <<<"$unknown"
	refused=$(tierlens enable 2>&1) && not_ok 'nothing says that it measures there'
	check 'enable is refused there, and names the switch' grep -q ftrace_enabled <<<"$refused"
	echo 1 >/proc/sys/kernel/ftrace_enabled
	tierlens enable >/dev/null
	echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled &&
		not_ok 'while hooks are armed it cannot be switched off'
	is "$(cat /proc/sys/kernel/ftrace_enabled)" 1 'nor can it be switched off while hooks are armed'
	tierlens disable >/dev/null
	unload_module
	echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled
	is "$(cat /proc/sys/kernel/ftrace_enabled)" 0 'and can be when they are not'
	echo 1 >/proc/sys/kernel/ftrace_enabled
fi
diag "$known, with ftrace off ${unknown:-not tried}"
diag "$(jq -c '{count, connects}' /tmp/kept.json) $(jq -c '{count, connects}' /tmp/new.json)"
done_testing
