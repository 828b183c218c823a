#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,newest,6.1-arm64 timeout=300
#
# Requests go on while measuring begins, ends and begins anew, and while a lease ends: whose calls cannot be
# followed has no own time, none has that of its calls for its own.
. /job/lib.sh
. /job/chain.sh

front=7201 back=7202
waits_ms=$((400 * slow)) # of back: far more than front takes itself

# of_front KEY: over all intervals
of_front()
{
	jq -s "[.[].cells[] | select(.tier_name | endswith(\":$front\")) | .$1 // 0] | add // 0" "$read"
}

# own_times WHAT: since read_on
own_times()
{
	local worst

	! status_has '.enabled == 1' || wait_for_interval
	wait_until 20 read_until "$read" "$(newest)" || not_ok "$1: all is read"
	kill "$reader"
	wait "$reader" 2>/dev/null
	[ ! -s /tmp/read.err ] || { not_ok "$1: reading"; diag "$(cat /tmp/read.err)"; }
	# The sum of squares is more than any of them.
	worst=$(jq -s "[.[].cells[] | select(.tier_name | endswith(\":$front\")) | .own_sq_hi * 18446744073709551616 + .own_sq_lo] |
		max // 0 | sqrt / 1e6 | round" "$read")
	diag "$1: $(of_front count) requests, $(of_front traced) of them traced; own times of an interval are at most $worst ms"
	check "$1: some are followed" jq -en "$(of_front count) > $(of_front traced)"
	check "$1: no call's time is its caller's own" jq -en "$worst < $waits_ms"
	cp "$read" /out/
}

# read_on NAME: what is kept and all that follows
read_on()
{
	read=/tmp/$1.jsonl
	tlmnl follow "${2:-0}" 1000000 >"$read" 2>/tmp/read.err &
	reader=$!
}

load_module || exit 1
serve back $back --sleep-us $((waits_ms * 1000))
serve front $front --next $back
load --to $front --connections 16 --ask 'home calls=1' --requests 1000000 --seconds 600 >/tmp/load.json &
asker=$!
sleep "$slow"

check 'measuring begins' tierlens enable --interval 500
read_on begins
sleep $((2 * slow))
own_times 'it begins'

read_on anew "$(newest)"
for interval in 400 500 400 500; do
	tierlens enable --interval $interval || not_ok "intervals of $interval ms"
	sleep $((2 * slow))
done
own_times 'it begins anew'

read_on leased "$(newest)"
for level in off trace; do
	tlmnl level - $level $((1000 * slow)) || not_ok "$level for a second"
	wait_until 20 status_has '.level == 2'
	sleep $((2 * slow))
done
own_times 'a lease ends'

read_on ends "$(newest)"
sleep $((2 * slow))
check 'measuring ends' tierlens disable
own_times 'it ends'

kill $asker || not_ok 'those who ask have ended before'
wait $asker 2>/dev/null
stop_servers
unload_module
done_testing
