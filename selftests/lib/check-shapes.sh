#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every shape of the test server on loopback, judged by the logs alone: all was answered, the
# tiers count the same for each class, and each class has called its own endpoints and no other.
# Prints TAP. TIERSERVER and LOAD name the programs; without them they are built.
#
#   selftests/lib/check-shapes.sh [SHAPE…]        a shape, or SHAPE+MANNER
#
# REQUESTS: in each run (default 480); CONNECTIONS: list of how many (default "1 8 64").
set -euo pipefail

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "$0")/../unit/tap.sh"
need_programs
requests=${REQUESTS:-480}
classes=16

# NAME: options of the server, / options of the load. @ stands for the number of connections,
# % for a path.
shapes='
thread:		--mode thread
executor:	--mode executor
prefork:	--mode prefork --pool @
fork:		--mode fork / --reconnect-every 10
passfd:		--mode passfd --pool @
epoll:		--mode epoll --pool 64
exhausted:	--mode epoll --pool 1
pool:		--mode pool
pool-io:	--mode pool --answer io
pool-eventfd:	--mode pool-eventfd
pool-eventfd-io: --mode pool-eventfd --answer io
pool-lifo:	--mode pool --answer io --jobs lifo --results lifo
pool-random:	--mode pool-eventfd --answer io --jobs random --results random
pool-pipe:	--mode pool-pipe
pool-pipe-io:	--mode pool-pipe --answer io
fan-out:	--mode thread --calls 3 --parallel
fan-out-epoll:	--mode epoll --calls 3 --parallel
unix:		--mode thread --listen unix:%
unix-epoll:	--mode epoll --listen unix:%
unix-pool:	--mode pool --listen unix:%
sendfile:	--mode thread --send sendfile --size 300000
sendfile-epoll:	--mode epoll --send sendfile --size 300000 --sends 2
splice:		--mode thread --send splice --size 300000
splice-epoll:	--mode epoll --send splice --size 300000
splice-pool-io:	--mode pool --answer io --send splice --size 300000
chunked:	--mode epoll --size 3000 --sends 4 --gap-us 1000
uring:		--mode uring
uring-sync:	--mode uring-sync
coroutine:	--mode coroutine --pool 4
'

# The same of clients that do something out of the ordinary, with the shapes of $mannered.
manners='
pipeline:	/ --pipeline 4
half-close:	/ --half-close --reconnect-every 5
reset:		--size 2000000 / --reset-every 3 --requests 60
pieces:		/ --pieces 3 --piece-gap-ms 2 --requests 160
continue:	/ --knobs "body=20000 expect=1"
slow-reader:	--size 1000000 / --read-bytes 40000 --read-gap-ms 1 --requests 24
long-poll:	/ --knobs sleep=100000 --requests 40
'
mannered='thread prefork epoll pool-io coroutine uring uring-sync'

# Prints what does not hold, and then a word, so that silence is no success.
judge()
{
	jq -rn --slurpfile load "$dir/load.json" --slurpfile front "$dir/front.json" \
		--slurpfile mid "$dir/mid.json" --slurpfile back "$dir/back.json" \
		--argjson requests "$requests" --argjson classes "$classes" '
		def differ(what; a; b): if a == b then empty else "\(what): \(a) and \(b)" end;
		def class($t; $c; $key): $t.classes[$c][$key] // 0;
		$load[0] as $l | $front[0] as $f | $mid[0] as $m | $back[0] as $b |
		differ("asked and answered"; $requests; $l.count + $l.resets),
		differ("classes"; $classes; $l.targets | length),
		($l.targets[] | .name as $c |
			differ("\($c), client and front"; .count + .resets; class($f; $c; "count")),
			differ("\($c), front and mid"; class($f; $c; "calls"); class($m; $c; "count")),
			differ("\($c), mid and back"; class($m; $c; "calls"); class($b; $c; "count"))),
		($f, $m, $b |
			differ("\(.tier), requests and sum over classes"; .count;
				[.classes[].count] | add),
			differ("\(.tier), own + calls and response"; .own_ns + .call_ns; .response_ns),
			differ("\(.tier), lost, misplaced, errors"; [0, 0, 0];
				[.rows_lost, .misplaced, .errors]),
			(if .gone <= $l.resets then empty else "\(.tier): \(.gone) clients gone" end),
			(if .cpu_ns >= .work_ns then empty else "\(.tier): less CPU time than work" end),
			(if .cpu_ns <= (.process_user_ns + .process_system_ns) * 1.02 + 2e7 then empty
				else "\(.tier): more CPU time than the process" end)),
		"judged"'
}

# run CONNECTIONS "SERVER OPTIONS / LOAD OPTIONS"
run()
{
	local connections=$1 server client requests=$requests

	server=${2%%/ *}
	client=${2#*/ }
	[[ $2 = *'/ '* ]] || client=
	server=${server//@/$connections}
	server=${server//%/$dir/front}
	[[ $server = *--listen* ]] || server="--port 0 $server"
	[[ ! $client =~ --requests\ ([0-9]+) ]] || requests=${BASH_REMATCH[1]}
	rm -f "$dir"/*.{json,err}
	start back --mode thread --port 0 --ports "$classes" --work-us 20 || return 1
	start mid --mode epoll --port 0 --ports "$classes" --next-per-class "$addr" || return 1
	eval "start front --next-per-class $addr --work-us 50 $server" || return 1
	eval "$LOAD --to $addr --connections $connections --requests $requests \
		--classes $classes --seconds 30 $client" >"$dir/load.json" || return 1
	stop || { echo 'a tier did not end well'; return 1; }
	[[ $(judge | tee /dev/stderr) = judged ]]
}

# shape NAME CONNECTIONS OPTIONS: as a point
shape()
{
	local status=0

	run "$2" "$3" >"$dir/run.out" 2>&1 || status=$?
	if [ $status != 0 ] && grep -q -e 'built without liburing' -e 'opening a ring' "$dir"/*.err; then
		skip "$1" 'no io_uring here'
	else
		point $status "$1" "$dir/run.out" "$dir"/*.err
	fi
	[ $status = 0 ] || stop >/dev/null 2>&1 || true
}

# options_of TABLE NAME
options_of()
{
	sed -n "s/^$2:[[:space:]]*//p" <<<"$1"
}

# wanted NAME WORD...: whether it is among them, or there are none
wanted()
{
	[[ $# = 1 || " ${*:2} " = *" $1 "* ]]
}

mapfile -t names < <(sed -n 's/:.*//p' <<<"$shapes")
for name in "${names[@]}"; do
	wanted "$name" "$@" || continue
	for connections in ${CONNECTIONS:-1 8 64}; do
		shape "$name, $connections connections" "$connections" "$(options_of "$shapes" "$name")"
	done
done
mapfile -t names < <(sed -n 's/:.*//p' <<<"$manners")
for manner in "${names[@]}"; do
	for name in $mannered; do
		wanted "$name+$manner" "$@" || continue
		shape "$name, $manner" 8 \
			"$(options_of "$shapes" "$name") $(options_of "$manners" "$manner")"
	done
done
[ "$test_nr" != 0 ] || { echo "no such shape: $*" >&2; exit 2; }
finish
