#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What selftests/deb/boot.sh runs in its machine: "ok NAME" or "not ok NAME" for each thing, other lines are for people.
set -u

page=http://127.0.0.1:19477

# check NAME COMMAND...
check()
{
	local name=$1 output
	shift

	if output=$("$@" 2>&1); then
		echo "ok $name"
	else
		echo "not ok $name"
		printf '%s\n' "$output" | tail -n 15
	fi
}

# in_time SECONDS COMMAND...
in_time()
{
	local end=$((SECONDS + $1))
	shift

	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.5
	done
}

property()
{
	systemctl show -P "$1" tierlensd
}

is()
{
	[ "$1" = "$2" ] || { echo "$1, wanted $2"; return 1; }
}

active()
{
	is "$(property ActiveState)" active
}

told()
{
	journalctl -q -o cat -u tierlensd | grep -q -- "$1"
}

# begun_again N: so often
begun_again()
{
	active && is "$(property NRestarts)" "$1"
}

# counted N: so many requests of nginx are in the metrics, or more
counted()
{
	local n

	n=$(curl -sf $page/metrics | awk '/^tierlens_requests_total\{.*tier="nginx:80"/ { n += $NF } END { print n + 0 }')
	[ "$n" -ge "$1" ] || { echo "$n, wanted $1"; return 1; }
}

ask()
{
	local i

	for ((i = 0; i < $1; i++)); do
		curl -sf http://127.0.0.1/ -o /dev/null || return 1
	done
}

begun_with()
{
	journalctl -q -o cat -u tierlensd | jq -ceR 'fromjson? | select(.kind == "begin")' | tail -n 1 | jq -e "$1"
}

# Each capability that it may have stands in its unit.
capabilities()
{
	local mask

	mask=$(sed -n 's/^CapEff:\t0*//p' "/proc/$(property MainPID)/status")
	echo "CapEff $mask" >&2
	[ $((0x$mask & ~(1 << 12 | 1 << 38 | 1 << 19 | 1 << 40 | 1 << 2))) = 0 ] && [ $((0x$mask & 1 << 12)) != 0 ]
}

said_nothing_bad()
{
	! journalctl -q -o cat -u tierlensd | grep -v CAP_SYS_ADMIN | grep -iE 'not permitted|denied|cannot|warning'
}

gone()
{
	is "$(cat /sys/module/tierlens/refcnt 2>/dev/null)$(command -v tierlens tierlensd)" '' && ! modinfo tierlens
}

check 'what is installed does not begin by itself' is "$(systemctl is-active tierlensd)" inactive
check 'systemctl enable --now' systemctl enable --now tierlensd
check 'it is active' active
check 'the module is loaded' grep -q '^tierlens ' /proc/modules
check 'nginx answers' ask 20
check 'and is in the metrics' in_time 60 counted 20
check 'its capabilities' capabilities
check 'what a probe costs, it must not measure, and says why' begun_with '.why_not | contains("CAP_SYS_ADMIN is")'
check 'it has its folders' test -d /run/tierlens -a -d /var/lib/tierlens -a -s /run/tierlens/now.json
pid=$(property MainPID)
check 'systemctl reload' systemctl reload tierlensd
check 'and it is the same' is "$(property MainPID)" "$pid"
echo 'interval = 5;' >/etc/tierlens/tierlensd.conf
check 'systemctl reload, with wrong settings' systemctl reload tierlensd
check 'which are told' in_time 60 told 'tierlensd.conf:1: --interval 5 is out of range'
check 'and it goes on' is "$(property ActiveState) $(property MainPID)" "active $pid"
echo 'history = "/var/lib/tierlens/history.db";' >/etc/tierlens/tierlensd.conf
mkdir -p /run/systemd/system/tierlensd.service.d
printf '[Service]\nCapabilityBoundingSet=CAP_SYS_ADMIN\n' >/run/systemd/system/tierlensd.service.d/measure.conf
systemctl daemon-reload
check 'systemctl restart' systemctl restart tierlensd
check 'the history is in its place' test -s /var/lib/tierlens/history.db
check 'nginx answers again' ask 10
check 'and is counted' in_time 60 counted 10
check 'what a probe costs, it has measured, where it may' begun_with '.measured'
check 'and has let go what it took for that' capabilities
kill -9 "$(property MainPID)"
check 'killed, it is there again' in_time 60 begun_again 1
kill -STOP "$(property MainPID)"
check 'stopped, the watchdog ends it, and it is there again' in_time 180 begun_again 2
check 'nothing that it wanted was denied' said_nothing_bad
systemd-analyze security tierlensd --no-pager 2>&1 | tail -n 1
systemctl show tierlensd -p MemoryCurrent -p CPUUsageNSec -p TasksCurrent
check 'systemctl stop' systemctl stop tierlensd
check 'a clean end' is "$(property Result)" success
check 'apt purges the packages' apt-get -qq -y purge tierlens tierlens-dkms
check 'nothing of it runs or is loaded' gone
echo 'ok all was tried'
