#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 kernels=6.1 timeout=1500 machine=single
#
# Many connections and threads at once, with requests on all of them: memory under its
# cap, losses zero or counted, and when all is over the tables are as they were. Then the
# same with a cap that is too small for it. 10,000 connections and 1,000 threads are
#
#   HELD=9000 THREADS=1000 TIERS=20 SHORT=1000000 …
#
# TIERS: so many more tiers with ten classes each, all of them in every interval. SHORT: so many connections
# of one request each, one after the other, after which no more memory is used than after the first of them.
. /job/lib.sh
. /job/chain.sh

threads=$((${THREADS:-200} / slow))
held=$((${HELD:-4000} / slow))
tiers=${TIERS:-8}
short=$((${SHORT:-3000} / slow))
# Of servers and loads, in seconds: a million connections take theirs.
lifetime=7200
# Each thread has one to the tier below, too, from when it has worked.
connections=$((held + threads))

# Holds COUNT connections to PORT. Each line read is a round: a request on each of them.
cat >/tmp/hold.py <<'END'
import socket, sys
port, count = int(sys.argv[1]), int(sys.argv[2])

def ask(s, i):
    s.sendall(b'held id=%d size=10\n' % i)
    got = b''
    while got.count(b'\n') < 1 or len(got) < got.index(b'\n') + 11:
        part = s.recv(4096)
        if not part:
            return False
        got += part
    return got.startswith(b'OK %d 10\n' % i)

held = []
for i in range(count):
    held.append(socket.create_connection(('127.0.0.1', port)))
print('open', len(held), flush=True)
for line in sys.stdin:
    print('right', sum(ask(s, i) for i, s in enumerate(held)), flush=True)
END

# ---- helpers ----------------------------------------------------------------

# hold COUNT: opens them; round: a request on each
hold()
{
	coproc HOLD { exec python3 /tmp/hold.py 9102 "$1"; }
	holder=$HOLD_PID
	answered "open $1" "$name: $1 connections are open"
}

round()
{
	echo >&"${HOLD[1]}"
	answered "right $1" "$name: each of them has had its answer"
}

answered()
{
	local line

	read -r -t 600 -u "${HOLD[0]}" line
	is "$line" "$1" "$2"
}

release()
{
	eval "exec ${HOLD[1]}>&-"
	wait "$holder"
}

# The highest value of a filter over the states that were looked at.
highest()
{
	jq -s "[.[] | $1] | max" /tmp/states.jsonl
}

# Looks at the state until it is told to end.
watch_states()
{
	while :; do
		tierlens status --json
		sleep 1
	done >/tmp/states.jsonl
}

lost()
{
	jq '[.losses | to_entries[] | select(.key | IN("quiet", "unanswered") | not) | .value] | add' <<<"$1"
}

# ask_tier I [OPTION...]: for all ten classes in turn
ask_tier()
{
	load --to $((9201 + $1)) --classes 10 --in-order "${@:2}"
}

# tiers_serve: tiers with ten classes each, all of which were asked for
tiers_serve()
{
	local i

	for ((i = 0; i < 10; i++)); do
		tierlens class add "class$i" "c0$i" >/dev/null || not_ok "$name: class$i"
	done
	for ((i = 0; i < tiers; i++)); do
		serve "tier$i" $((9201 + i)) --mode epoll --requests 10000000 --seconds $lifetime
		ask_tier $i --requests 10 >/dev/null || not_ok "$name: load of a tier before"
	done
}

# tiers_begin: they are asked without a pause
tiers_begin()
{
	local i

	tier_loads=()
	for ((i = 0; i < tiers; i++)); do
		ask_tier $i --think-ms $((10 * slow)) --requests 1000000 --seconds 20 >"/tmp/tier$i.load" &
		tier_loads+=($!)
	done
}

# tiers_end: $asked requests they had
tiers_end()
{
	local pid

	for pid in "${tier_loads[@]}"; do
		wait "$pid" || not_ok "$name: load of a tier"
	done
	asked=$(cat /tmp/tier*.load | jq -s '[.[].count] | add')
}

# One after the other, and memory stays what it was.
short_connections()
{
	local first

	load --to 9102 --ask short --reconnect-every 1 --requests $((short / 10)) --seconds $lifetime >/dev/null || not_ok "$name: short connections"
	first=$(tierlens status --json | jq .memory_used_bytes)
	load --to 9102 --ask short --reconnect-every 1 --requests "$short" --seconds $lifetime >/dev/null || not_ok "$name: short connections"
	is "$(tierlens status --json | jq .memory_used_bytes)" "$first" "$name: $short short connections later as much memory is used"
}

# all_at_once MEMORY-MIB
all_at_once()
{
	local before watcher after held_rounds=2

	serve idle 9102 --mode epoll --requests 10000000 --seconds $lifetime
	# Long enough that all threads are there before the first has done.
	serve busy 9101 --mode thread --next 9102 --calls 1 --sleep-us $((2000000 + threads * 8000)) --requests 1000000 --seconds $lifetime
	load --to 9101 --ask 'warm sleep=0' --connections 2 --requests 4 >/dev/null || not_ok "$name: load before"
	load --to 9102 --ask warm --requests 2 >/dev/null || not_ok "$name: load before"
	tiers_serve
	wait_until 20 no_connections
	before=$(occupancy)
	record_new /tmp/r.jsonl
	watch_states &
	watcher=$!
	hold "$held"
	tiers_begin
	round "$held"
	load --to 9101 --ask 'busy' --connections "$threads" --requests $((2 * threads)) --seconds 600 >/tmp/load.json ||
		not_ok "$name: load"
	round "$held"
	tiers_end
	wait_for_interval
	kill $watcher
	wait $watcher 2>/dev/null
	release
	wait_until 20 back_to "$before"
	is "$(occupancy)" "$before" "$name: all tables are as they were"
	stop_record_new /tmp/r.jsonl || not_ok "$name: record"
	after=$(tierlens status --json)
	is "$(jq .count /tmp/load.json)" $((2 * threads)) "$name: each of the $threads threads has answered"
	[ "$(highest .memory_used_bytes)" -le $(($1 << 20)) ] &&
		ok "$name: memory was under its cap ($(highest .memory_used_bytes) of $(($1 << 20)) bytes)" ||
		not_ok "$name: memory was at $(highest .memory_used_bytes) bytes"
	is "$(unaccounted "$after")" 0 \
		"$name: events seen = attributed + unattributed + ignored"
	diag "$name: at most $(highest .occupancy.servers) servers, $(highest .occupancy.clients) clients," \
		"$(highest .occupancy.threads) threads; lost: $(jq -c '.losses | with_entries(select(.value > 0))' <<<"$after")"
	wanted=$((2 * threads + 2 * threads + held_rounds * held + asked))
	most_cells=$(jq -s '[.[] | [.tiers[].cells[] | select(.class | test("^class"))] | length] | max' /tmp/r.jsonl)
	counted=$(recorded)
	status=$after
}

recorded()
{
	jq -s '[.[].tiers[].cells[].count] | add' /tmp/r.jsonl
}

# A load that fits, and nothing is lost any more.
afterwards()
{
	local lost

	lost=$(lost "$(tierlens status --json)")
	record_new /tmp/r.jsonl
	load --to 9101 --ask 'after sleep=0' --connections 4 --requests 100 >/dev/null || not_ok "$name: load after"
	stop_record_new /tmp/r.jsonl || not_ok "$name: record after"
	is "$(recorded)" 200 "$name: afterwards every request is counted"
	is "$(lost "$(tierlens status --json)")" "$lost" "$name: and nothing more is lost"
	short_connections
	stop_servers
	tierlens disable >/dev/null
	unload_module
}

# ---- the test ---------------------------------------------------------------

echo 4096 >/proc/sys/net/core/somaxconn
echo 8192 >/proc/sys/net/ipv4/tcp_max_syn_backlog

name='room enough'
load_module || exit 1
tierlens enable --interval 500 >/dev/null
all_at_once 32
[ "$(highest '.occupancy | [.servers, .clients] | min')" -ge $connections ] &&
	ok "$name: both ends of $connections connections at once" ||
	not_ok "$name: $connections connections at once"
[ "$(highest .occupancy.threads)" -ge $((2 * threads)) ] && ok "$name: $threads threads at once, and as many of the load's" ||
	not_ok "$name: $threads threads at once"
is "$most_cells" $((10 * tiers)) "$name: ten classes of each of $tiers tiers in one interval"
if [ "$(lost "$status")" = 0 ]; then
	is "$counted" $wanted "$name: nothing is lost, and every request is counted"
else
	[ "$counted" -le $wanted ] && [ $((wanted - counted)) -le "$(lost "$status")" ] &&
		ok "$name: what is not counted ($((wanted - counted)) of $wanted) is counted as lost" ||
		not_ok "$name: $counted of $wanted are counted, $(lost "$status") are lost"
fi
afterwards

name='no room'
load_module memory_mib=4 || exit 1
tierlens enable --interval 500 >/dev/null
all_at_once 4
[ "$(jq .losses.connections_full <<<"$status")" -gt 0 ] && ok "$name: connections that did not fit are counted" ||
	not_ok "$name: connections that did not fit are counted"
[ "$counted" -le $wanted ] && ok "$name: no request is made up ($counted of $wanted)" ||
	not_ok "$name: $counted requests of $wanted"
afterwards
done_testing
