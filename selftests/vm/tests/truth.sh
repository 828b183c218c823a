#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=200 machine=virtual
#
# Against servers that know the truth: counts exact, mean response and own time of
# every tier within 2 % or 50 us, whichever is larger.
. /job/lib.sh
. /job/chain.sh

requests=$((600 / slow))

# compare SHAPE TIER PORT COUNT
compare()
{
	local count key mean

	count=$(cell_sum /tmp/r.jsonl "$3" count)
	is "$(jq .count "/tmp/$2.json")" "$4" "$1, $2: as many requests as were asked for"
	is "$count" "$4" "$1, $2: count"
	for key in response_ns own_ns; do
		mean=$(jq -n "$(cell_sum /tmp/r.jsonl "$3" $key) / $count | round")
		near_ns "$mean" "$(jq ".$key / .count | round" "/tmp/$2.json")" "$1, $2: mean $key"
	done
}

# shape NAME CONNECTIONS BACK-COUNT: runs a load against what is served, then compares
shape()
{
	tierlens enable --interval 500
	record /tmp/r.jsonl
	load --to 9101 --connections "$2" --ask home --seconds 110 --requests $requests >/tmp/load.json || not_ok "$1: load"
	wait_for_interval
	stop_record || not_ok "$1: record"
	cp /tmp/r.jsonl "/out/truth-${1// /-}.jsonl"
	is "$(of_module unattributed)" 0 "$1: nothing unattributed"
	stop_servers
	tierlens disable
	compare "$1" front 9101 $requests
	compare "$1" mid 9102 $requests
	compare "$1" back 9103 "$3"
	is "$(edge_sum /tmp/r.jsonl 9102 9103 calls)" "$(jq .calls /tmp/mid.json)" \
		"$1: calls of the middle tier"
	near_ns "$(jq -n "$(edge_sum /tmp/r.jsonl 9102 9103 time_ns) / $requests | round")" \
		"$(jq ".call_sum_ns / $requests | round" /tmp/mid.json)" "$1: their time"
	near_ns "$(jq -n "$(edge_sum /tmp/r.jsonl 9102 9103 transit_ns) / $requests | round")" \
		"$(jq -n --slurpfile m /tmp/mid.json --slurpfile b /tmp/back.json \
			"(\$m[0].call_sum_ns - \$b[0].response_ns) / $requests | round")" \
		"$1: their transit"
}

load_module || exit 1
serve back 9103 --mode thread --work-us 400 --sleep-us 2000
serve mid 9102 --mode thread --next 9103 --calls 2 --work-us 200
serve front 9101 --mode thread --next 9102 --calls 1 --work-us 100
shape 'threads' 3 $((2 * requests))
unload_module

load_module
serve back 9103 --mode thread --work-us 400 --sleep-us 2000
serve mid 9102 --mode epoll --next 9103 --calls 1 --work-us 200 --pool 8
serve front 9101 --mode thread --next 9102 --calls 1 --work-us 100
shape 'event loop' 4 $requests
unload_module
done_testing
