#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1,newest timeout=120
#
# A program calls while it serves nobody, and serves somebody by the time of the answer: that call is
# one that no request was found for. It lasts from its own first byte on, whatever the connection was used for before.
. /job/lib.sh
. /job/chain.sh

cat >/tmp/late-server.py <<'END'
import multiprocessing, os, socket, time

def answerer():
    conn, _ = below.accept()
    while conn.recv(100):
        os.read(may_answer[0], 1)
        conn.send(b'answer')

def asker():
    os.read(may_ask[0], 1)
    conn = socket.create_connection(('127.0.0.1', 7302))
    conn.send(b'ask')
    conn.recv(100)

may_answer, may_ask = os.pipe(), os.pipe()
below = socket.create_server(('127.0.0.1', 7301))
processes = [multiprocessing.Process(target=run) for run in (answerer, asker)]
processes[0].start()
below.close()
own = socket.create_server(('127.0.0.1', 7302))
processes[1].start()
call = socket.create_connection(('127.0.0.1', 7301))

def ask(size):
    call.send(b'a' * size)

def answered():
    os.write(may_answer[1], b'x')
    call.recv(100)

# For nobody, in two calls of which nothing is known.
for i in range(2):
    ask(70)
    answered()
time.sleep(3)
begun = time.monotonic_ns()
ask(50)
# Now it serves somebody.
os.write(may_ask[1], b'x')
conn, _ = own.accept()
conn.recv(100)
time.sleep(0.2)
answered()
print(time.monotonic_ns() - begun)
call.close()
conn.send(b'answer')
conn.close()
for process in processes:
    process.join()
END

load_module || exit 1
tierlens enable --interval 500 || exit 1
record_new /tmp/stray.jsonl
took=$(python3 /tmp/late-server.py) || not_ok 'late-server.py'
stop_record_new /tmp/stray.jsonl || not_ok 'record'
cp /tmp/stray.jsonl /out/
jq -s '[.[].edges[] | select(.tier == null)]' /tmp/stray.jsonl >/tmp/edges
is "$(jq -c '[map(.calls) | add, length]' /tmp/edges)" '[1,1]' 'one call is nobody'\''s'
is "$(jq -c '.[0] | [.peer, .bytes_out, .bytes_in]' /tmp/edges)" '["127.0.0.1:7301",50,6]' 'it is the last one'
diag "it took $took ns, and $(jq '.[0].time_ns' /tmp/edges) ns are told"
check 'it took no longer than who called says' jq -e ".[0].time_ns <= $took" /tmp/edges
check 'and not less than was waited for' jq -e '.[0].time_ns >= 2e8' /tmp/edges
is "$(unaccounted)" 0 'seen = attributed + unattributed + ignored'
tierlens disable
unload_module
done_testing
