#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: manual machine=single timeout=14000
#
# MINUTES of the shop under load (60), levels of its tiers switched all the time, the daemon beside it, built with
# sanitizers if /job/bin has such a one: memory of module, kernel and daemon stays what it is once all has been seen,
# nothing is lost, no request fails, and in the end the tables are as they were. Tables and memory by the
# minute are left in /out/soak.jsonl.
. /job/lib.sh
. /job/chain.sh

minutes=${MINUTES:-60}
tiers=(nginx php-fpm mariadb)
levels=(off trace server server method auto)
RANDOM=${SEED:-1}

# kb FILE KEY: a line of /proc
kb()
{
	awk -v key="$2:" '$1 == key { print $2 }' "$1"
}

# state: what is used, as a line of JSON
state()
{
	tierlens status --json | jq -c --argjson slab "$(kb /proc/meminfo SUnreclaim)" --argjson percpu "$(kb /proc/meminfo Percpu)" \
		--argjson vmalloc "$(kb /proc/meminfo VmallocUsed)" --argjson rss "$(kb "/proc/$daemon/status" VmRSS)" \
		'{memory_used_bytes, occupancy, losses: (.losses | with_entries(select(.value > 0))), slab_kb: $slab, percpu_kb: $percpu,
		vmalloc_kb: $vmalloc, daemon_kb: $rss}'
}

# switch_one: another level for a tier or for all that have none, of its own or for a time
switch_one()
{
	local tier=${tiers[RANDOM % 3]} level=${levels[RANDOM % 6]}

	case $((RANDOM % 8)) in
	0)	[ "$level" = auto ] || [ "$level" = method ] || tierlens level --default "$level" --lease 2 ;;
	# What was set for good is nobody's to lease.
	1)	[ "$level" = auto ] || { tierlens level "$tier" auto && tierlens level "$tier" "$level" --lease 3; } ;;
	*)	tierlens level "$tier" "$level" ;;
	esac >/tmp/switch.out 2>/tmp/switch.err || {
		# Somebody else's lease is no fault: the daemon's.
		grep -q 'lease' /tmp/switch.err || not_ok "switch of $tier to $level: $(cat /tmp/switch.err)"
	}
	switches=$((switches + 1))
}

# most KEY FROM TO: the highest of the minutes
most()
{
	jq -s "[.[$2:$3][] | $1] | max" /out/soak.jsonl
}

# flat KEY MORE WHAT: in the last third it is not above what it was in the second one, by more than MORE
flat()
{
	local before after third=$(($(wc -l </out/soak.jsonl) / 3))

	before=$(most "$1" $third $((2 * third)))
	after=$(most "$1" $((2 * third)) '')
	[ "$after" -le $((before + $2)) ] && ok "$3: not more and more: $before, then $after" ||
		not_ok "$3: more and more: $before, then $after"
}

cd /job/demo || exit 1
./start.sh --children 4 >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
load_module || exit 1
tierlens tier add nginx --port 8080 && tierlens tier add php-fpm --port 9000 && tierlens tier add mariadb --port 3306 || exit 1
tierlens enable --interval 1000 >/dev/null || exit 1
ask=(load --to 127.0.0.1:8080 --proto http --mix mix.txt --tail '</html>' --think-ms 20 --think-exp)
"${ask[@]}" --connections 4 --requests 40 --seconds 600 >/dev/null || not_ok 'load before'
program=$(command -v tierlensd-san || command -v tierlensd)
diag "$program, $minutes minutes"
# What was freed is kept by the sanitizer to find who uses it: not so much that nothing else can be seen.
export ASAN_OPTIONS=quarantine_size_mb=8
"$program" --config /dev/null --listen 127.0.0.1:19477 --history /tmp/soak.db --history-size 32 --log /tmp/soak-decisions.jsonl \
	2>/out/daemon.err &
daemon=$!
wait_until 60 curl -s -o /dev/null http://127.0.0.1:19477/metrics || { diag "$(tail -n 5 /out/daemon.err)"; exit 1; }
"${ask[@]}" --connections 8 --requests 10000000 --seconds $((minutes * 60)) >/tmp/load.json &
loading=$!
switches=0
: >/out/soak.jsonl
# As long as there is load: on a slow machine a minute takes longer.
while kill -0 $loading 2>/dev/null; do
	until=$((SECONDS + 60))
	while [ $SECONDS -lt $until ]; do
		switch_one
		sleep 1
	done
	curl -s http://127.0.0.1:19477/metrics >/tmp/metrics || not_ok 'metrics'
	state >>/out/soak.jsonl
	diag "$(tail -n 1 /out/soak.jsonl)"
done
wait $loading || not_ok "load: $(cat /tmp/load.json)"
diag "$switches switches, $(jq .count /tmp/load.json) pages"
is "$(jq .errors /tmp/load.json)" 0 'no request failed'
kill -TERM $daemon
wait $daemon
is $? 0 'the daemon ends well'
is "$(grep -cE 'ERROR: |runtime error' /out/daemon.err)" 0 'and had nothing against itself'
for tier in "${tiers[@]}"; do
	tierlens level "$tier" auto >/dev/null 2>&1
done
# Pools grow by 64 KiB, one at a time; a list that had no end would have hundreds in twenty minutes.
flat .memory_used_bytes $((2 << 16)) "the module's memory"
flat .slab_kb 600 "the kernel's slabs"
flat .percpu_kb 16 'memory by processor'
flat .vmalloc_kb 256 'mapped memory'
flat .daemon_kb 8192 "the daemon's memory"
flat '.occupancy | .servers + .clients' 30 'the tables of connections'
flat .occupancy.threads 20 'the table of threads'
flat '.occupancy | .errands + .ledgers + .handoffs' 40 'the tables of what is handed over'
jq -s last /out/soak.jsonl >/tmp/last
is "$(jq -c '.losses | del(.quiet, .unanswered, .late, .push, .ambiguous)' /tmp/last)" '{}' 'nothing is lost'
check 'and no more than one request a switch is not known to be one' \
	test "$(jq '.losses.ambiguous // 0' /tmp/last)" -le $switches
is "$(unaccounted)" 0 'events seen = attributed + unattributed + ignored'
./stop.sh >/dev/null
wait_until 30 no_connections
is "$(of_status '.occupancy | [.servers, .clients, .errands, .ledgers, .handoffs]')" '[0,0,0,0,0]' 'the tables are empty'
unload_module
done_testing
