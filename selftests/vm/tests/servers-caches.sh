#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=1800 machine=virtual
#
# Redis and memcached against their own counters: one event loop, and an event loop in
# each of several threads. Neither gets a tier of its own for its loop.
. /job/servers.sh

requests=${REQUESTS:-2000}

# What Redis counts, but for what is asked here; "COMMAND CALLS MICROSECONDS" a line.
redis_commands()
{
	redis-cli info commandstats | tr -d '\r' |
		sed -n 's/^cmdstat_\([^:]*\):calls=\([0-9]*\),usec=\([0-9]*\),.*/\1 \2 \3/p' |
		grep -v -e '^info ' -e '^config|resetstat ' -e '^shutdown'
}

# redis_load NAME CONNECTIONS REQUESTS KINDS WHAT...: as many requests of each kind
redis_load()
{
	local name=$1 clients=$2 n=$3 kinds=$4 commands
	shift 4

	redis-cli config resetstat >/dev/null
	measure "redis-$name"
	redis-benchmark -q -c "$clients" -n "$n" "$@" >/tmp/bench.log 2>&1 ||
		{ not_ok "$name: redis-benchmark"; diag "$(cat /tmp/bench.log)"; }
	measured
	redis_commands >/tmp/commands
	commands=$(awk '{ n += $2 } END { print n }' /tmp/commands)
	is "$commands" $((n * kinds + 2)) "Redis, $name: it has all of them"
	# redis-benchmark asks for two settings first, in one go, which is one request.
	is "$(count 6379)" $((commands - 1)) "Redis, $name: every command is one request"
	is "$(tiers)" 'redis-server:6379' "Redis, $name: one tier"
	nothing_lost
}

redis()
{
	redis-server --daemonize yes --port 6379 --save '' >/dev/null
	wait_for_port 6379 10
	redis_load many 8 "$requests" 3 -t get,set,lpush
	# Its timer knows the execution alone, and answers go out when all that had come in
	# was executed: only with one client, and long commands, are the two the same.
	redis_load long 1 40 1 eval 'local s = 0; for i = 1, 300000 do s = s + i end; return s' 0
	near "$(mean 6379 response_ns)" "$(awk '{ n += $2; us += $3 } END { print us / (n - 1) / 1e6 }' /tmp/commands)" \
		'Redis, long: mean response against its command timer' 0.0003
	redis-cli shutdown nosave
}

memcached_stat()
{
	local line

	exec {stats}<>/dev/tcp/127.0.0.1/11211
	printf 'stats\r\n' >&$stats
	while read -r line <&$stats; do
		line=${line%$'\r'}
		[ "$line" != END ] || break
		[[ $line != "STAT $1 "* ]] || echo "${line##* }"
	done
	exec {stats}>&-
}

memcached_client()
{
	php -r '
		$m = new Memcached();
		$m->setOption(Memcached::OPT_TCP_NODELAY, true);
		$m->addServer("127.0.0.1", 11211);
		for ($i = 0; $i < $argv[1]; $i++)
			if (!$m->set("k$i", str_repeat("v", $i)) || strlen($m->get("k$i")) != $i)
				exit(1);' "$1"
}

# It has no timer: only counts can be compared.
memcached_threads()
{
	local clients=4 each=$((requests / 8)) gets sets pids=() pid

	start_memcached -t 3
	gets=$(memcached_stat cmd_get)
	sets=$(memcached_stat cmd_set)
	measure memcached
	for _ in $(seq $clients); do
		memcached_client $each &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || not_ok 'memcached: a client'
	done
	measured
	gets=$(($(memcached_stat cmd_get) - gets))
	sets=$(($(memcached_stat cmd_set) - sets))
	is "$gets $sets" "$((clients * each)) $((clients * each))" 'memcached: it has all of them'
	is "$(count 11211)" $((gets + sets)) 'memcached: every command is one request'
	is "$(tiers)" 'memcached:11211' 'memcached: one tier'
	# "quit" has no answer.
	nothing_lost unanswered=$clients
}

finish_first
redis
memcached_threads
done_testing
