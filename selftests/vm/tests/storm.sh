#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1 timeout=600 machine=single
#
# What can go wrong goes wrong under load, with servers of every shape: tiers and rules
# come and go while requests are open, clients and servers are killed or break off in
# the midst of an answer, the cap is reached, measuring ends. Each time, when everybody
# has gone, nothing is left in any table.
#
#   STORMS="servers_killed" …  or all, one after the other; without it some, and those that
# leave the servers alone are one storm: to start and end all servers takes longest
. /job/lib.sh
. /job/chain.sh
# shellcheck source=selftests/vm/storm.sh
. /job/storm.sh

storms=${STORMS:-many_things servers_killed cap_reached} not_in_all=many_things

# Half of a large answer, then the end: in good order, or by a reset.
cat >/tmp/halfway.py <<'END'
import socket, struct, sys, threading

def serve(s, n):
    s.recv(4096)
    s.sendall(b'OK 1 100000\n' + b'x' * 50000)
    if n % 2:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()

listener = socket.create_server(('127.0.0.1', 9120), backlog=64)
n = 0
while True:
    threading.Thread(target=serve, args=(listener.accept()[0], n), daemon=True).start()
    n += 1
END

# Its threads ask below and tell by an eventfd or a pipe that they have done; nobody reads it.
cat >/tmp/unread.py <<'END'
import os, socket, threading, time
word, (_, pipe) = os.eventfd(0), os.pipe()

def work(n):
    s = socket.create_connection(('127.0.0.1', 9109))
    s.sendall(b'c01 id=1 size=10 sleep=0\n')
    s.recv(4096)
    if n % 2:
        os.eventfd_write(word, 1)
    else:
        os.write(pipe, b'x')
    time.sleep(1000)

listener = socket.create_server(('127.0.0.1', 9121), backlog=64)
kept = []
for n in range(1000):
    kept.append(listener.accept()[0])
    kept[-1].recv(4096)
    threading.Thread(target=work, args=(n,)).start()
END

# Opens connections and asks on all of them, for ever.
cat >/tmp/burst.py <<'END'
import socket, sys, time
held = []
for i in range(int(sys.argv[1])):
    s = socket.create_connection(('127.0.0.1', 9102))
    s.sendall(b'burst id=%d sleep=1000000 calls=0\n' % i)
    held.append(s)
    if len(held) % 250 == 0:
        print(len(held), flush=True)
print('all', flush=True)
time.sleep(1000)
END

# storm NAME FUNCTION
storm()
{
	chosen "$2" || return
	begin_storm
	$2
	end_storm "$1"
}

# ---- storms ---------------------------------------------------------------------

calm()
{
	sleep $pause
}

tiers_come_and_go()
{
	local i

	for i in {1..4}; do
		tlmnl tier-add "a$i" 9101 && tlmnl tier-add "b$i" 9109 && tlmnl tier-add "c$i" $socket ||
			not_ok 'tiers are added'
		sleep 0.2
		tlmnl tier-del "a$i" && tlmnl tier-del "b$i" && tlmnl tier-del "c$i" || not_ok 'tiers are deleted'
	done
}

rules_come_and_go()
{
	local i

	for i in {1..4}; do
		tlmnl class-add one c01 && tlmnl class-add two c02 && tlmnl class-add any c && tlmnl class-add all c0 ||
			not_ok 'rules are added'
		sleep 0.2
		tlmnl class-del one && tlmnl class-del two && tlmnl class-del any && tlmnl class-del all ||
			not_ok 'rules are deleted'
	done
}

clients_reset()
{
	end_loads
	start_loads --reset-every 2
	sleep $pause
}

clients_killed()
{
	local i

	for i in 1 2; do
		end_loads KILL
		start_loads
		sleep $pause
	done
	end_loads KILL
}

servers_killed()
{
	end_servers KILL
}

# The fronts wait for an answer that will not come, or not to its end.
below_killed()
{
	kill -KILL "${server[below]}" "${server[below-unix]}"
	sleep $pause
}

servers_break_off()
{
	local halfway

	python3 /tmp/halfway.py &
	halfway=$!
	wait_until 20 listening 9120
	load --to 9120 --connections 8 --requests $((200 / slow)) --seconds 60 --ask half >/dev/null 2>&1
	kill -KILL $halfway
	wait $halfway 2>/dev/null
}

words_unread()
{
	local server client

	python3 /tmp/unread.py &
	server=$!
	wait_until 20 listening 9121
	load --to 9121 --connections 8 --requests 8 --seconds 60 --ask word >/dev/null 2>&1 &
	client=$!
	wait_until 20 words_kept 8 || not_ok "words are kept: $(left)"
	kill -KILL $server $client
	wait $server $client 2>/dev/null
}

words_kept()
{
	[ "$(of_module handoffs)" -ge "$1" ]
}

many_things()
{
	tiers_come_and_go
	rules_come_and_go
	servers_break_off
	words_unread
}

measuring_ends()
{
	tierlens disable >/dev/null
	is "$(left)" '{}' 'measuring ends: at once nothing is left'
	tierlens enable --interval $((200 * slow)) >/dev/null
	sleep $pause
}

cap_is_reached()
{
	[ "$(of_module connections_full)" -gt 0 ]
}

cap_reached()
{
	local burst n=0 now beyond=0

	# Or looking would take longer than what is looked at: the processor is full.
	renice -n -20 -p $$ >/dev/null
	coproc BURST { exec python3 /tmp/burst.py $((6000 / slow)); }
	burst=$BURST_PID
	# However long it takes, as long as it goes on; with the cap reached, for another thousand.
	until [ "$n" = all ] || ((beyond > 4)); do
		read -r -t 100 -u "${BURST[0]}" now || { not_ok "the burst goes on after $n connections"; break; }
		n=$now
		if cap_is_reached; then
			((beyond++)) || diag "the cap is reached: within $n connections"
		fi
	done
	[ "$slow" != 1 ] || cap_is_reached || not_ok 'the cap is reached'
	[ "$(of_module memory_used)" -le $((4 << 20)) ] || not_ok 'memory is under its cap'
	kill -KILL "$burst"
	wait "$burst" 2>/dev/null
	renice -n 0 -p $$ >/dev/null
}

# ---- the test -------------------------------------------------------------------

mkdir $group
load_module || exit 1
tierlens enable --interval $((200 * slow)) >/dev/null
before=$(occupancy)
storm 'no storm' calm
storm 'many things come and go, end early or are not read' many_things
storm 'tiers come and go' tiers_come_and_go
storm 'rules come and go' rules_come_and_go
storm 'clients reset' clients_reset
storm 'clients are killed' clients_killed
storm 'servers are killed' servers_killed
storm 'the tier below is killed' below_killed
storm 'servers break off' servers_break_off
storm 'words are not read' words_unread
storm 'measuring ends' measuring_ends
wait_until 20 no_sums
is "$(of_module sums)" 0 'no sums are left when all intervals with requests have gone'
tierlens disable >/dev/null
is "$(occupancy)" "$before" 'when measuring has ended all tables are as they were'
unload_module

load_module memory_mib=4 || exit 1
tierlens enable --interval $((200 * slow)) >/dev/null
storm 'the cap is reached' cap_reached
start_servers
record_new /tmp/r.jsonl
load --to 9101 --ask home --connections 2 --requests 100 >/dev/null || not_ok 'load afterwards'
stop_record_new /tmp/r.jsonl || not_ok 'record'
is "$(cell_sum /tmp/r.jsonl 9101 count)" 100 'the cap is reached: afterwards every request is counted'
end_servers
tierlens disable >/dev/null
is "$(left)" '{}' 'the cap is reached: nothing is left in the end'
unload_module
rmdir $group
done_testing
