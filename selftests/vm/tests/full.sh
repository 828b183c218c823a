#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=newest timeout=240
#
# More connections and threads than the cap on memory allows, and more endpoints than there are places for:
# what does not fit is counted, traffic does not suffer, and afterwards everything is as it was before.
. /job/lib.sh
. /job/chain.sh

pairs=9000 threads=1500 endpoints=800
cat >/tmp/many.py <<'END'
import socket, sys, threading
pairs, threads = int(sys.argv[1]), int(sys.argv[2])
listener = socket.create_server(('127.0.0.1', 9200), backlog=128)
both = []
for i in range(pairs):
    client = socket.create_connection(('127.0.0.1', 9200))
    server, _ = listener.accept()
    both.append((client, server))
good = 0
for client, server in both:
    client.send(b'ask')
    if server.recv(10) == b'ask':
        server.send(b'answer')
    good += client.recv(10) == b'answer'
# Memory is at its cap: there is no place for so many threads. What they receive comes through UNIX sockets.
ends = [socket.socketpair() for i in range(threads)]
all_there = threading.Barrier(threads + 1)
def receive(end):
    all_there.wait()
    end.recv(10)
    all_there.wait()
threading.stack_size(65536)
for end, _ in ends:
    threading.Thread(target=receive, args=(end,)).start()
all_there.wait()
for _, end in ends:
    end.send(b'x')
all_there.wait()
print(good)
END
# For each of so many requests, of each of so many classes, its server calls an endpoint of its own, twice, in two
# pieces each.
cat >/tmp/endpoints.py <<'END'
import multiprocessing, socket, sys
endpoints, classes = int(sys.argv[1]), int(sys.argv[2])
def below():
    here = [listener.accept()[0] for i in range(endpoints)]
    for n in range(endpoints * classes * 2):
        conn = here[n // 2 % endpoints]
        conn.recv(4, socket.MSG_WAITALL)
        conn.send(b'answer')
def asker():
    conn = socket.create_connection(('127.0.0.1', 9201))
    for n in range(endpoints * classes):
        conn.send(b'c%02d ' % (n // endpoints))
        conn.recv(10)
listener = socket.create_server(('0.0.0.0', 9202), backlog=endpoints)
processes = [multiprocessing.Process(target=run) for run in (below, asker)]
processes[0].start()
front = socket.create_server(('127.0.0.1', 9201))
processes[1].start()
conn, _ = front.accept()
calls = []
for i in range(endpoints):
    call = socket.socket()
    call.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    call.connect((f'127.1.{i >> 8}.{i & 255}', 9202))
    calls.append(call)
for n in range(endpoints * classes):
    conn.recv(10)
    for turn in range(2):
        calls[n % endpoints].send(b'as')
        calls[n % endpoints].send(b'k!')
        calls[n % endpoints].recv(10)
    conn.send(b'answer')
for process in processes:
    process.join()
END

# of_calls KEY: of the calls of their server, over all intervals
of_calls()
{
	jq -s "[.[].edges[] | select(.tier // \"\" | endswith(\":9201\")) | $1] | add // 0" /tmp/calls.jsonl
}

# endpoints N CLASSES: all calls are counted, those to endpoints beyond what there are places for in one sum
endpoints()
{
	record_new /tmp/calls.jsonl
	check "$1 endpoints, $2 classes" taskset -c 0 python3 /tmp/endpoints.py "$1" "$2"
	stop_record_new /tmp/calls.jsonl || not_ok 'record'
	is "$(of_calls .calls)" $((2 * $1 * $2)) "$1 endpoints, $2 classes: no call is missing"
	is "$(jq -s '[.[].losses.peers_full] | add' /tmp/calls.jsonl)" "$(of_calls 'select(.peer == "more") | .calls')" \
		"$1 endpoints, $2 classes: those in \`more\` are counted"
}

load_module memory_mib=4 || exit 1
tierlens enable --interval 500
serve back 9101 --mode thread
load --to 9101 --ask home --connections 2 --requests 100 >/dev/null || not_ok 'load before'
wait_for_interval
before=$(tierlens status --json)
is "$(python3 /tmp/many.py $pairs $threads)" $pairs 'every connection was served'
wait_for_interval
after=$(tierlens status --json)
[ "$(jq .losses.connections_full <<<"$after")" -gt 0 ] &&
	ok "connections that did not fit are counted ($(jq .losses.connections_full <<<"$after"))" ||
	not_ok 'connections that did not fit are counted'
[ "$(jq .losses.threads_full <<<"$after")" -gt 0 ] &&
	ok "what threads receive that did not fit is counted ($(jq .losses.threads_full <<<"$after"))" ||
	not_ok 'what threads receive that did not fit is counted'
[ "$(jq .memory_used_bytes <<<"$after")" -le $((4 << 20)) ] && ok 'memory stays under its cap' ||
	not_ok "memory: $(jq .memory_used_bytes <<<"$after")"
is "$(unaccounted "$after")" 0 \
	'events seen = attributed + unattributed + ignored'
is "$(jq .connections <<<"$after")" "$(jq .connections <<<"$before")" \
	'the table of connections is as it was before'
record_new /tmp/r.jsonl
load --to 9101 --ask home --connections 2 --requests 100 >/dev/null || not_ok 'load after'
stop_record_new /tmp/r.jsonl || not_ok 'record'
is "$(cell_sum /tmp/r.jsonl 9101 count)" 100 'measuring goes on, and every request is counted'
stop_servers
tierlens disable
unload_module

load_module || exit 1
tierlens enable --interval 500
endpoints $endpoints 1
check 'some were beyond the places for endpoints' [ "$(of_calls 'select(.peer == "more") | .calls')" -ge $((2 * (endpoints - 768))) ]
tierlens disable
# More kinds of calls than there are places for in an interval: 70 endpoints and 64 classes.
for ((i = 0; i < 64; i++)); do
	tierlens class add "$(printf c%02d $i)" "$(printf 'c%02d ' $i)" >/dev/null
done
if [ "$slow" = 1 ]; then
	tierlens enable --interval 3600000
	check '70 endpoints, 64 classes' taskset -c 0 python3 /tmp/endpoints.py 70 64
	tierlens disable
	# All in one interval, the last.
	tlmnl get | jq -c '(.edges | map(select(.tier != 0))) as $edges | ($edges | map(select(.peer_addr == null))) as $more |
		[($edges | map(.calls) | add), ($edges | length) - ($more | length), ($more | map(.calls) | add), .losses.peers_full]' >/tmp/kinds
	diag "calls, kinds of them, those in \`more\`, those counted there: $(cat /tmp/kinds)"
	is "$(jq -c '[.[0], .[1], .[2] == .[3]]' /tmp/kinds)" "[$((70 * 64 * 2)),4096,true]" \
		'an interval has only so many kinds of calls, none is missing, and those in `more` are counted'
fi
unload_module
done_testing
