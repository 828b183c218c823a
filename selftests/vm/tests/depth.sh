#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
#
# Chains of 1 to 4 tiers under 1 to 64 connections at once, threads and event loops in turn:
# every call is put down to the right request, at every depth, and over the whole chain not
# a nanosecond is lost. Each class has endpoints of its own at every tier but the front: a call
# of class cNN at another endpoint is wrong, what no request was found for is unattributed.
#
#   DEPTHS="1 2 3 4" CONNECTIONS="1 8 64" REQUESTS=192 …
. /job/lib.sh
. /job/chain.sh

classes=4
requests=$((${REQUESTS:-192} / slow))

newest()
{
	tierlens status --json | jq '.newest // 0'
}

jqs()
{
	jq -s --argjson since "$since" "[.[] | select(.generation > \$since)] | $1" /tmp/r.jsonl
}

# judge CALLS: how many of so many calls were put down to the right request
judge()
{
	jqs "[.[].edges[] | select(.tier != null) |
			{calls, right: ((.class | ltrimstr(\"c\") | tonumber? // -1) ==
				(.peer | capture(\":[0-9]*(?<c>[0-9]{2})\$\").c | tonumber))}] |
		([.[] | select(.right) | .calls] | add // 0) as \$right | ([.[].calls] | add // 0) as \$all |
		\"right \(\$right), wrong \(\$all - \$right), unattributed \($1 - \$all) of $1 calls\""
}

# chain DEPTH CONNECTIONS
chain()
{
	local depth=$1 connections=$2 port=900$1 what="depth $1, $2 connections" since calls served

	case $depth in
	1)	calls=0 served=1 ;;
	2)	calls=1 served=2 ;;
	3)	calls=3 served=4 ;;
	4)	calls=4 served=5 ;;
	esac
	since=$(newest)
	load --to "$port" --classes $classes --in-order --connections "$connections" --seconds 60 \
		--requests $requests >/tmp/load.json || not_ok "$what: load"
	wait_for_interval
	wait_until 10 grep -q "\"generation\":$(newest)," /tmp/r.jsonl
	is "$(judge $((calls * requests)))" \
		"\"right $((calls * requests)), wrong 0, unattributed 0 of $((calls * requests)) calls\"" \
		"$what: all of $((calls * requests)) calls are put down to the right request"
	is "$(jqs '[.[].tiers[].cells[].count] | add')" $((served * requests)) "$what: every request counted once"
	is "$(jqs '[.[].paths[] | select([.path | match("/(c[0-9]+)"; "g").captures[0].string] |
		unique | length != 1) | .count] | add // 0')" 0 "$what: every path is of one class"
	is "$(jqs "[.[].paths[] | select([.path | match(\"/\"; \"g\")] | length == $depth) | .count] | add")" \
		$(((depth > 2 ? 2 : 1) * requests)) "$what: paths are as deep as the chain"
	is "$(jqs '([.[].tiers[].cells[].own_ns] | add) + ([.[].edges[].transit_ns] | add // 0)')" \
		"$(jqs "[.[].tiers[] | select(.name | endswith(\":$port\")) | .cells[].response_ns] | add")" \
		"$what: front response = own times + transit of calls to the nanosecond"
	is "$(jqs '[.[].losses | to_entries[] | select(.key != "quiet") | .value] | add')" 0 "$what: nothing is lost"
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
for depth in ${DEPTHS:-1 2 3 4}; do
	for connections in ${CONNECTIONS:-1 8 64}; do
		chain "$depth" "$connections"
	done
done
stop_record || not_ok 'record'
cp /tmp/r.jsonl /out/depth.jsonl
is "$(tierlens status --json | jq '.events | .unattributed, .seen - .attributed - .unattributed - .ignored' | xargs)" '0 0' \
	'no event is unattributed, none uncounted'
tierlens disable
stop_servers
for name in level-{2..4} front-{1..4}; do
	is "$(jq .misplaced "/tmp/$name.json")" 0 "$name: every request came to the endpoint of its class"
done
unload_module
done_testing
