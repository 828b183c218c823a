#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 timeout=240
#
# More connections than the cap on memory allows: what does not fit is counted,
# traffic does not suffer, and afterwards everything is as it was before.
. /job/lib.sh
. /job/chain.sh

pairs=9000
cat >/tmp/many.py <<'END'
import socket, sys
pairs = int(sys.argv[1])
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
print(good)
END

load_module memory_mib=4 || exit 1
tierlens enable --interval 500
serve back 9101 --mode thread
load --to 9101 --ask home --connections 2 --requests 100 >/dev/null || not_ok 'load before'
wait_for_interval
before=$(tierlens status --json)
is "$(python3 /tmp/many.py $pairs)" $pairs 'every connection was served'
wait_for_interval
after=$(tierlens status --json)
[ "$(jq .losses.connections_full <<<"$after")" -gt 0 ] &&
	ok "connections that did not fit are counted ($(jq .losses.connections_full <<<"$after"))" ||
	not_ok 'connections that did not fit are counted'
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
done_testing
