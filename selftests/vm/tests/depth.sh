#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1 timeout=400
#
# Chains of 1 to 4 tiers under 1 to 64 connections at once, threads and event loops in turn:
# every call is put down to the right request, at every depth, and over the whole chain not
# a nanosecond is lost. Each class has endpoints of its own at every tier but the front: a call
# of class cNN at another endpoint is wrong, what no request was found for is unattributed.
#
#   CHAINS="DEPTH:CONNECTIONS…" REQUESTS=128 …
. /job/lib.sh
. /job/chain.sh

classes=4
requests=$((${REQUESTS:-128} / slow))

# What is to be known of the recording's lines since the last chain; $front is its port.
cat >/tmp/chain.jq <<'END'
[.[].edges[] | select(.tier != null) | {calls, right: ((.class | ltrimstr("c") | tonumber? // -1) ==
	(.peer | capture(":[0-9]*(?<c>[0-9]{2})$").c | tonumber))}] as $calls |
([$calls[] | select(.right) | .calls] | add // 0) as $right | ([$calls[].calls] | add // 0) as $all |
def slashes: [match("/"; "g")] | length;
def classes: [match("/(c[0-9]+)"; "g").captures[0].string] | unique | length;
{right: $right, wrong: ($all - $right), attributed: $all,
	served: ([.[].tiers[].cells[].count] | add),
	mixed: ([.[].paths[] | select(.path | classes != 1) | .count] | add // 0),
	deepest: ([.[].paths[] | select(.path | slashes == $depth) | .count] | add // 0),
	between: (([.[].tiers[].cells[].own_ns] | add) + ([.[].edges[].transit_ns] | add // 0) -
		([.[].tiers[] | select(.name | endswith($front)) | .cells[].response_ns] | add)),
	lost: ([.[].losses | to_entries[] | select(.key != "quiet") | .value] | add)}
END

# chain DEPTH CONNECTIONS
chain()
{
	local depth=$1 connections=$2 port=900$1 what="depth $1, $2 connections" before calls served

	case $depth in
	1)	calls=0 served=1 ;;
	2)	calls=1 served=2 ;;
	3)	calls=3 served=4 ;;
	4)	calls=4 served=5 ;;
	esac
	before=$(wc -l </tmp/r.jsonl)
	load --to "$port" --classes $classes --in-order --connections "$connections" --seconds $((60 * slow)) \
		--requests $requests >/tmp/load.json || not_ok "$what: load"
	wait_for_interval
	wait_until 10 grep -q "\"generation\":$(newest)," /tmp/r.jsonl
	tail -n +$((before + 1)) /tmp/r.jsonl | jq -s --arg front ":$port" --argjson depth "$depth" \
		-f /tmp/chain.jq >/tmp/chain.json
	calls=$((calls * requests))
	is "$(jq -r '"right \(.right), wrong \(.wrong)"' /tmp/chain.json), unattributed $((calls - $(jq .attributed /tmp/chain.json)))" \
		"right $calls, wrong 0, unattributed 0" "$what: all of $calls calls are put down to the right request"
	is "$(jq .served /tmp/chain.json)" $((served * requests)) "$what: every request counted once"
	is "$(jq -c '[.deepest, .mixed]' /tmp/chain.json)" "[$(((depth > 2 ? 2 : 1) * requests)),0]" \
		"$what: paths are as deep as the chain, and each of one class"
	is "$(jq .between /tmp/chain.json)" 0 \
		"$what: front response = own times + transit of calls to the nanosecond"
	is "$(jq .lost /tmp/chain.json)" 0 "$what: nothing is lost"
}

load_module || exit 1
serve level-4 9400 --mode thread --ports $classes --work-us 100
serve level-3 9300 --mode epoll --pool 64 --ports $classes --next-per-class 9400 --calls 2 --work-us 100
serve level-2 9200 --mode thread --ports $classes --next-per-class 9300 --calls 1 --work-us 100
serve front-1 9001 --mode thread --work-us 100
serve front-2 9002 --mode thread --next-per-class 9400 --calls 1 --work-us 100
serve front-3 9003 --mode thread --next-per-class 9300 --calls 1 --work-us 100
serve front-4 9004 --mode epoll --pool 64 --next-per-class 9200 --calls 1 --work-us 100
for ((i = 0; i < classes; i++)); do
	tierlens class add "$(printf c%02d $i)" "$(printf 'c%02d ' $i)" >/dev/null
done
tierlens enable --interval $((500 * slow))
record /tmp/r.jsonl
wait_until 10 test -e /tmp/r.jsonl
for pair in ${CHAINS:-1:64 2:8 3:8 4:1 4:64}; do
	chain "${pair%:*}" "${pair#*:}"
done
stop_record || not_ok 'record'
cp /tmp/r.jsonl /out/depth.jsonl
is "$(of_module unattributed) $(unaccounted)" '0 0' \
	'no event is unattributed, none uncounted'
tierlens disable
stop_servers
for name in level-{2..4} front-{1..4}; do
	is "$(jq .misplaced "/tmp/$name.json")" 0 "$name: every request came to the endpoint of its class"
done
unload_module
done_testing
