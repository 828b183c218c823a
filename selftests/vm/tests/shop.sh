#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=300 machine=virtual
#
# A real service against its own word: nginx's log and MariaDB's counters. Counts
# exact, means within 3 % or 1 ms, whichever is larger.
. /job/lib.sh
. /job/chain.sh

requests=${REQUESTS:-400} connections=${CONNECTIONS:-4}

# near GOT WANTED NAME: means in seconds
near()
{
	if awk -v g="$1" -v w="$2" 'BEGIN { d = g - w; if (d < 0) d = -d
		b = 0.03 * w; if (b < 0.001) b = 0.001; exit !(w > 0 && d <= b) }'; then
		ok "$3 ($1 s; its own word $2 s)"
	else
		not_ok "$3"
		diag "measured $1 s, the server says $2 s"
	fi
}

# mean PORT KEY: seconds, over the recording
mean()
{
	jq -n "$(cell_sum /tmp/r.jsonl "$1" "$2") / $(cell_sum /tmp/r.jsonl "$1" count) / 1e9"
}

# A server's own word ends when it has put the request away, ours with the answer's last
# byte. On one processor the answer's receiver would run in between, and its time would
# be in the server's word: let who wakes somebody finish first.
echo NO_WAKEUP_PREEMPTION >/sys/kernel/debug/sched/features ||
	diag 'this kernel cannot switch wake-up preemption off'

cd /job/demo || exit 1
./start.sh >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
load_module || exit 1
tierlens enable
record /tmp/r.jsonl
./truth.sh before /tmp/truth
load --to 127.0.0.1:8080 --proto http --mix mix.txt --tail '</html>' \
	--seconds 150 --requests "$requests" --connections "$connections" >/tmp/load.json || not_ok 'load'
wait_for_interval
./truth.sh after /tmp/truth >/tmp/truth.json
stop_record
tierlens status --json >/out/shop-status.json
tierlens disable
unload_module
./stop.sh >/dev/null
cp /tmp/r.jsonl /out/shop.jsonl
cp /tmp/truth.json /tmp/load.json /out/

web=$(cell_sum /tmp/r.jsonl 8080 count)
db=$(cell_sum /tmp/r.jsonl 3306 count)
is "$(jq .errors /tmp/load.json)" 0 'no request failed'
is "$web" "$requests" 'nginx: every request counted once'
is "$web" "$(jq .nginx.count /tmp/truth.json)" 'nginx: as many as its log has'
near "$(mean 8080 response_ns)" "$(jq .nginx.request_mean_s /tmp/truth.json)" \
	'nginx: mean response against $request_time'
calls=$(edge_sum /tmp/r.jsonl 8080 9000 calls)
is "$calls" "$(jq .nginx.upstream_count /tmp/truth.json)" 'nginx: calls to php-fpm'
near "$(jq -n "$(edge_sum /tmp/r.jsonl 8080 9000 time_ns) / $calls / 1e9")" \
	"$(jq .nginx.upstream_mean_s /tmp/truth.json)" \
	'nginx: their mean time against $upstream_response_time'
is "$(cell_sum /tmp/r.jsonl 9000 count)" "$calls" 'php-fpm: as many requests as calls'
is "$(jq .mariadb.agree /tmp/truth.json)" true "MariaDB's own counters agree"
is "$db" "$(jq .mariadb.expected_round_trips /tmp/truth.json)" \
	'MariaDB: statements and logins'
is "$(edge_sum /tmp/r.jsonl 9000 3306 calls)" "$db" 'php-fpm: as many calls to MariaDB'
# Its timer knows statements only; a login takes it some 20 us, far within the bounds.
near "$(mean 3306 response_ns)" \
	"$(jq '.mariadb | .statement_s / .expected_round_trips' /tmp/truth.json)" \
	'MariaDB: mean response against its statement timer'
is "$(jq .events.unattributed /out/shop-status.json)" 0 'no event is unattributed'
is "$(jq '[.losses | to_entries[] | select(.key | IN("quiet", "unanswered", "push") | not) |
	.value] | add' /out/shop-status.json)" 0 'nothing is lost'
is "$(jq .losses.push /out/shop-status.json)" "$(jq .mariadb.connections /tmp/truth.json)" \
	"the only bytes that nobody asked for are MariaDB's greetings"
is "$(jq .losses.unanswered /out/shop-status.json)" "$(jq .mariadb.quits /tmp/truth.json)" \
	'the only requests without answer are Quit'
done_testing
