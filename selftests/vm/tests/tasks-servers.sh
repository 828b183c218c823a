#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1 timeout=300
#
# What tasks infer finds in servers that nobody wrote for it: Apache's event MPM, whose listener hands
# connections to workers over a queue in memory, and MariaDB with a pool of threads. The jobs have the steps
# that their programmers would name, in this order, told from stacks alone. REQUESTS: of each of 8 files (30).
. /job/lib.sh

requests=${REQUESTS:-30} files=8

# record NAME COMM COMMAND...: while it runs
record()
{
	local name=$1 recorder

	tierlens tasks record --comm "$2" --seconds 200 --buffer 67108864 -o "/tmp/$name.csv" --json >"/tmp/$name.rec" \
		2>/tmp/record.err &
	recorder=$!
	wait_until 30 eval 'ls -l /proc/$recorder/fd | grep -q tierlens-sync' || not_ok "$name: recording begins"
	"${@:3}"
	sleep 1
	kill -INT $recorder
	wait $recorder || { not_ok "$name: recording ends well"; diag "$(cat /tmp/record.err)"; }
	is "$(jq .lost "/tmp/$name.rec")" 0 "$name: nothing is lost"
	tierlens tasks infer "/tmp/$name.csv" --json >"/tmp/$name.json" 2>/dev/null
	diag "$name: $(jq -c '[.trace.events, (.jobs | length)]' "/tmp/$name.json") events and jobs"
}

# steps NAME JOBS STEP...: that many jobs work, and nearly all of them have all steps. Those that were on
# their way when the recording began have not.
steps()
{
	local found

	found=$(python3 /job/job-steps.py "/tmp/$1.csv" "/tmp/$1.json" "${@:3}")
	diag "$found"
	is "$(jq .jobs <<<"$found")" "$2" "$1: there are as many jobs as were asked for"
	check "$1: nearly all go through $(sed 's/[^ ]*://g; s/ / → /g' <<<"${*:3}")" \
		jq -e '.all >= .jobs * 0.95' <<<"$found"
}

ask_apache()
{
	local i

	for ((i = 1; i <= files; i++)); do
		ab -q -n "$requests" -c 3 "http://127.0.0.1:8080/f$i" >/dev/null 2>&1 || not_ok 'ab'
	done
}

ask_mariadb()
{
	local client

	for client in 1 2 3; do
		mariadb -u u -h 127.0.0.1 --batch --unbuffered d <"/tmp/queries$client" >/dev/null &
		clients[client]=$!
	done
	wait "${clients[@]}"
}

# Of client N: each a request of its own
queries()
{
	local i

	for ((i = 0; i < requests; i++)); do
		echo "select v from t where id = $(((i * 7 + $1) % 100 + 1));"
		echo "update t set v = repeat('y', 40) where id = $(((i * 3 + $1) % 100 + 1));"
	done
}

load_module || exit 1

# ---- Apache -----------------------------------------------------------------

modules=/usr/lib/apache2/modules
mkdir -p /tmp/www /tmp/apache
for ((i = 1; i <= files; i++)); do
	head -c $((i * 3000)) /dev/zero >/tmp/www/f$i
done
cat >/tmp/apache/conf <<END
ServerRoot /tmp/apache
PidFile /tmp/apache/pid
Listen 127.0.0.1:8080
ServerName localhost
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
DocumentRoot /tmp/www
ErrorLog /tmp/apache/error
EnableSendfile Off
StartServers 1
ServerLimit 1
ThreadsPerChild 8
MaxRequestWorkers 8
END
apache2 -f /tmp/apache/conf
wait_for_port 8080 30 || { not_ok 'apache'; diag "$(cat /tmp/apache/error)"; }
record apache apache2 ask_apache
kill "$(cat /tmp/apache/pid)"
# Accept, hand to a worker, who takes it, reads, serves, and goes back for more.
steps apache $((requests * files)) recv:ap_unixd_accept signal:ap_queue_push_socket 'wait|lock:ap_queue_pop_something' \
	recv:ap_read_request '*send:ap_invoke_handler' lock:ap_queue_pop_something
check 'apache: who waits for the queue takes what was pushed, and nothing else' jq -e '[.objects[] |
	select(.use == "guarded queue" and .matched >= 0.95 * .given and .unmatched <= 0.01 * .taken)] | length >= 1' /tmp/apache.json

# ---- MariaDB ----------------------------------------------------------------

start_mariadb --thread-handling=pool-of-threads --thread-pool-size=2 || exit 1
{
	echo 'create database d; use d; create table t (id int primary key, v varchar(100)) engine=innodb;'
	echo 'create user u@localhost; grant all on d.* to u@localhost;'
	for ((i = 1; i <= 100; i++)); do
		echo "insert into t values ($i, repeat('x', 50));"
	done
} | mariadb
for client in 1 2 3; do
	queries $client >/tmp/queries$client
done
record mariadb mariadbd ask_mariadb
# Who asks, and that what is sent was given before it was done, or then.
found=$(python3 -c 'if True:
	import csv, sys
	rows = [row for row in csv.DictReader(open("/tmp/mariadb.csv")) if row["object"].startswith("tcp:")]
	print({row["end"] for row in rows}, {bool(row["given_us"]) == (row["op"] == "send") for row in rows},
		all(float(row["given_us"]) <= float(row["time_us"]) for row in rows if row["op"] == "send"))')
is "$found" "{'server'} {True} True" 'mariadb: it is who was asked, and when it gave what it sent is known'
# By a thread of the pool: read, carried out, answered.
steps mariadb $((requests * 2 * 3)) 'recv:tp_callback;do_command' \
	'*lock:do_command;dispatch_command;mysql_parse' 'send:do_command;dispatch_command;net_flush'
# By who accepts: made ready for the pool.
steps mariadb 3 '*recv:handle_connections_sockets' lock:create_new_thread 'lock:TP_pool_generic::new_connection'
# A thread that finds the next one there does not go back for it.
found=$(python3 /job/job-steps.py /tmp/mariadb.csv /tmp/mariadb.json 'wait|lock:get_event' 'recv:tp_callback;do_command' \
	'*lock:do_command;dispatch_command;mysql_parse' 'send:do_command;dispatch_command;net_flush' lock:get_event)
diag "$found"
check 'mariadb: threads take from the pool what they read, and go back to it' jq -e '.all >= 10' <<<"$found"
done_testing
