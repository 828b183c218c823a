#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
#
# What SECURITY.md says of those who may not: every command of the header is refused to other users, to root of
# another user namespace and of another network namespace, by their own sockets and by those of others; what all
# messages tell has no byte of what was sent, no command line and no address of the kernel in it.
. /job/lib.sh

marker=tierlens-marker-4b1d

# Takes over the points of a program that prints TAP itself.
take_tap()
{
	local label=$1 line plan=-1 points=0
	shift

	while IFS= read -r line; do
		case $line in
		'ok '*)		points=$((points + 1))
				ok "$label: ${line#* - }" ;;
		'not ok '*)	points=$((points + 1))
				not_ok "$label: ${line#* - }" ;;
		1..*)		plan=${line#1..} ;;
		*)		diag "${line#\# }" ;;
		esac
	done < <("$@" 2>&1)
	is "$points" "$plan" "$label: came to its end"
}

unprivileged()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
}

# with CAPABILITIES COMMAND...: root with these alone, as +net_admin,+perfmon
with()
{
	setpriv --inh-caps=-all --bounding-set="-all,$1" "${@:2}"
}

settings()
{
	tlmnl status | jq -c '[.abi, .enabled, .interval_ms, .quiet_ms, .tiers, .class_rules, .functions, .level]'
	tlmnl tier-list
	tlmnl class-list
	tlmnl pmu-list
	tlmnl function-list
}

# Nothing of ours is to be seen by those who may not.
ours_in()
{
	find "$@" -xdev -iname '*tierlens*' 2>/dev/null
}

# asks TEXT: the service gets it, and sends it back
asks()
{
	local answer

	exec 5<>/dev/tcp/127.0.0.1/7400 || return 1
	printf '%s' "$1" >&5
	IFS= read -r -t 10 -N "${#1}" -u 5 answer
	exec 5>&-
	[ "$answer" = "$1" ]
}

# told FILE: there is no byte of the marker in it, and nothing that looks like an address of the kernel
told()
{
	! grep -qaF "$marker" "$1" && ! grep -qaiE '(0x)?ffff[089a-f][0-9a-f]{11}' "$1"
}

interval_with_class()
{
	tlmnl since 0 | grep -q '"class_name":"asked"'
}

# ---- who may ----------------------------------------------------------------

check 'the module is loaded' load_module
take_tap root abi-security allowed
family=$(abi-security family)
check 'measuring begins' tlmnl enable 1000 250
check 'a tier' tlmnl tier-add kept 7100
check 'a rule' tlmnl class-add kept 'GET /kept' kept
check 'an event' tlmnl pmu-add kept 1 0

before=$(settings)
take_tap 'another user' unprivileged abi-security denied
take_tap 'a user namespace' unshare -Ur abi-security denied
take_tap "another user's user namespace" unprivileged unshare -Ur abi-security denied
take_tap 'a network namespace' unshare -n abi-security elsewhere "$family"
take_tap 'a user and a network namespace' unshare -Urn abi-security elsewhere "$family"
take_tap "another user's user and network namespace" unprivileged unshare -Urn abi-security elsewhere "$family"
take_tap "root without CAP_NET_ADMIN" with +perfmon,+sys_ptrace,+sys_admin abi-security denied
is "$(settings)" "$before" 'nothing was changed by those'

# The two that may ask for something at last leave measuring off.
take_tap "others' sockets" abi-security opened
take_tap 'root with CAP_NET_ADMIN alone' with +net_admin abi-security few
tlmnl disable
is "$(with +net_admin tlmnl sync 100 131072 0 1 2>&1)" \
	'Operation not permitted: recording stacks needs CAP_SYS_PTRACE, too' 'a recording needs CAP_SYS_PTRACE, too'
is "$(with +net_admin,+sys_ptrace tlmnl sync 100 131072 0 $$ 0x1000:0 2>&1)" \
	'Operation not permitted: probing functions needs CAP_PERFMON or CAP_SYS_ADMIN, too' 'with functions of libraries CAP_PERFMON, too'
is "$(with +net_admin tlmnl pmu-add fresh 1 0 2>&1)" \
	'Operation not permitted: counting events needs CAP_PERFMON or CAP_SYS_ADMIN, too' 'an event needs CAP_PERFMON, too'
check 'which is enough' with +net_admin,+perfmon tlmnl pmu-add fresh 1 0
check 'and goes with less' with +net_admin tlmnl pmu-del fresh

# ---- what there is beside the family ------------------------------------------

is "$(ours_in /dev /proc/sys /proc/net)" '' 'no device, no setting, no file of /proc'
is "$(find /sys/module/tierlens -perm /022 2>/dev/null)" '' 'nothing of the module can be written but by root'
is "$(unprivileged cat /sys/module/tierlens/sections/.text 2>&1 | grep -c '^0xffff')" 0 'its addresses are not told'

# ---- what is told -------------------------------------------------------------

# Answers with what it gets; the marker is in its command line, in its environment and in what is sent.
(export TL_MARKER=$marker; exec -a "ports --secret=$marker" ports 7400 1 500) >/dev/null 2>&1 &
service=$!
wait_for_port 7400 20
is "$(tr '\0' ' ' </proc/$service/cmdline | grep -c "$marker")" 1 'a service with a secret in its command line'
check 'a rule by which its bytes are read' tlmnl class-add asked 'GET /'
check 'measuring begins' tlmnl enable 1000 250
for i in 1 2 3 4 5 6 7 8 9 10; do
	asks "GET /$marker?n=$i" || not_ok "request $i"
	asks "$marker" || not_ok "request $i without a class"
done
check 'its requests are measured' wait_until 30 interval_with_class
abi-security dump >/tmp/told 2>/tmp/told.err
is $? 0 'all that can be asked is told'
diag "$(cat /tmp/told.err)"
check 'there is the service' grep -qaF ports:7400 /tmp/told
check 'no byte that was sent, no command line, no address' told /tmp/told
is "$(grep -c 'an address' /tmp/told.err)" 0 'no number that would be an address'
{ cat /tmp/told; echo "$marker"; } >/tmp/with-marker
check 'they would be found: a marker' eval '! told /tmp/with-marker'
{ cat /tmp/told; grep -m 1 ' tcp_sendmsg$' /proc/kallsyms; } >/tmp/with-address
check 'they would be found: an address' eval '! told /tmp/with-address'

tlmnl tier-list >/tmp/tiers
check 'nor by the other client' told /tmp/tiers
dmesg >/tmp/log
is "$(grep -cF "$marker" /tmp/log)" 0 'nor by the log'

# A notification can be had without the capability on some kernels: it says that there is an interval.
unprivileged timeout 20 tlmnl listen 1 >/tmp/notification 2>&1
check 'a notification tells no more than its interval' eval \
	'! grep -q cmd /tmp/notification || jq -e "del(.cmd) | keys == [\"a2\",\"a4\",\"a5\"]" /tmp/notification'

kill -KILL $service
check 'the module is unloaded' unload_module
done_testing
