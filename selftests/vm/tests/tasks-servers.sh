#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=none timeout=300
#
# What tasks infer finds in servers that nobody wrote for it: Apache's event MPM, whose listener hands
# connections to workers over a queue in memory, and MariaDB with a pool of threads. The jobs have the steps
# that their programmers would name, in this order, told from stacks alone. REQUESTS: of each of 8 files (24).
. /job/lib.sh
. /job/recording.sh

requests=${REQUESTS:-24}

# record NAME COMM COMMAND...: while it runs
record()
{
	begin_recording "/tmp/$1.csv" --comm "$2"
	"${@:3}" || not_ok "$1 is asked"
	sleep 1
	end_recording
	is "$(recorded_lost)" 0 "$1: nothing is lost"
	tierlens tasks infer "/tmp/$1.csv" --json >"/tmp/$1.json" 2>/dev/null
	diag "$1: $(jq -c '[.trace.events, (.jobs | length)]' "/tmp/$1.json") events and jobs"
}

# found NAME STEP...
found()
{
	python3 /job/job-steps.py "/tmp/$1.csv" "/tmp/$1.json" "${@:2}"
}

# steps NAME JOBS STEP...: nearly that many jobs work, and nearly all of them have all steps. Those that were on
# their way when the recording began have not, and a sleep that nobody is seen to end makes two of one.
steps()
{
	local found

	found=$(found "$1" "${@:3}")
	diag "$found"
	check "$1: there are as many jobs as were asked for, $2, or nearly" jq -e ".jobs - $2 | fabs <= $2 / 50" <<<"$found"
	check "$1: nearly all go through $(sed 's/[^ ]*://g; s/ / → /g' <<<"${*:3}")" \
		jq -e '.all >= .jobs * 0.95' <<<"$found"
}

load_module || exit 1

# ---- Apache -----------------------------------------------------------------

start_event_apache || not_ok 'apache'
record apache apache2 ask_apache "$requests"
kill "$(cat /tmp/apache/pid)"
# Accept, hand to a worker, who takes it, reads, serves, and goes back for more.
steps apache $((requests * apache_files)) recv:ap_unixd_accept signal:ap_queue_push_socket \
	'wait|lock:ap_queue_pop_something' recv:ap_read_request '*send:ap_invoke_handler' lock:ap_queue_pop_something
check 'apache: who waits for the queue takes what was pushed, and nothing else' jq -e '[.objects[] |
	select(.use == "guarded queue" and .matched >= 0.95 * .given and .unmatched <= 0.01 * .taken)] | length >= 1' /tmp/apache.json

# ---- MariaDB ----------------------------------------------------------------

start_pooled_mariadb "$requests" || exit 1
record mariadb mariadbd ask_mariadb
# Who asks, and that what is sent was given before it was done, or then.
is "$(python3 -c 'if True:
	import csv
	rows = [row for row in csv.DictReader(open("/tmp/mariadb.csv")) if row["object"].startswith("tcp:")]
	print({row["end"] for row in rows}, {bool(row["given_us"]) == (row["op"] == "send") for row in rows},
		all(float(row["given_us"]) <= float(row["time_us"]) for row in rows if row["op"] == "send"))')" \
	"{'server'} {True} True" 'mariadb: it is who was asked, and when it gave what it sent is known'
# By a thread of the pool: read, carried out, answered.
steps mariadb $((requests * 2 * mariadb_clients)) 'recv:tp_callback;do_command' \
	'*lock:do_command;dispatch_command;mysql_parse' 'send:do_command;dispatch_command;net_flush'
# By who accepts: made ready for the pool.
steps mariadb "$mariadb_clients" '*recv:handle_connections_sockets' lock:create_new_thread \
	'lock:TP_pool_generic::new_connection'
# A thread that finds the next one there does not go back for it.
pooled=$(found mariadb 'wait|lock:get_event' 'recv:tp_callback;do_command' \
	'*lock:do_command;dispatch_command;mysql_parse' 'send:do_command;dispatch_command;net_flush' lock:get_event)
diag "$pooled"
check 'mariadb: threads take from the pool what they read, and go back to it' jq -e '.all >= 10' <<<"$pooled"
done_testing
