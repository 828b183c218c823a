#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,newest,6.1-arm64 timeout=180
#
# What the kernel records of sync points: each of a program's, with its thread, object, bytes, sleep and
# stack, in the order of cause and effect, of chosen processes only; what did not fit is missing by
# number; the recording ends with who reads it, and nothing is left behind.
. /job/lib.sh
. /job/recording.sh

# recorded FILTER: what jq makes of all records but the last, which tells the end
recorded()
{
	jq -s "map(select(.op != \"end\")) | $1" /tmp/sync.json
}

# true_of FILTER NAME
true_of()
{
	is "$(recorded "$1")" true "$2"
}

# record MS BUFFER STACK PIDS [FUNCTION...]: in the background, begun when this returns
record()
{
	tlmnl --pause 5 sync "$@" >/tmp/sync.json 2>/tmp/sync.err &
	recorder=$!
	wait_until 20 grep -q . /tmp/sync.err
}

# recorder_ends: well
recorder_ends()
{
	wait $recorder || not_ok "the recorder ends well: $(cat /tmp/sync.err)"
}

load_module || exit 1
probes=(pthread_mutex_lock:0 pthread_mutex_unlock:1 pthread_cond_wait:2 pthread_cond_signal:3)

# ---- a library's locks and conditions --------------------------------------------

n=150
hold /tmp/truth.json jobber --wait --jobs $n --workers 3 --pause-us 1000 pool
record 60000 4194304 8192 "$program" "${probes[@]}"
let_go
wait "$program"
kill $recorder
recorder_ends
true_of '[.[].seq] | length == (unique | length) and max == length' 'nothing is lost, nothing twice'
is "$(jq -s 'length == (map(select(.op == "end")) | .[0].seq)' /tmp/sync.json)" true 'also not at the end'
true_of "map(select(.op == \"signal\" and .kind == \"memory\")) | length == $n" 'each signal is there'
# A log line each, two if it is large, one put and one get with a lock each, and one get by each worker at the end.
lines=$(jq -s 'map(select(.job > 0)) | group_by(.job) | map(.[0].type + 1) | add' /tmp/truth.json)
waits=$(recorded 'map(select(.op == "wait" and .flags >= 2)) | length')
# The library locks things of its own when threads are made; the program's are the two that are locked most.
is "$(recorded 'map(select(.op == "lock" and .flags >= 2)) | group_by(.object) | map(length) | sort | .[-2:] | add')" $((lines + 2 * n + 3 + waits)) \
	'each lock is there, and one after each wait'
true_of 'group_by(.thread) | all(sort_by(.seq) | map(.op) | . as $ops | ([$ops[] | select(. == "lock")] | length) -
	([$ops[] | select(. == "unlock")] | length) | fabs <= 1)' 'who locks, unlocks'
true_of 'map(select(.op == "start")) | length == 3' 'threads begin'
true_of 'map(select(.op == "exit")) | length == 4' 'and end'
true_of 'group_by(.thread) | all(sort_by(.seq) | [.[] | select(.cpu_ns > 0) | .cpu_ns] | . == sort)' 'processor time only grows'
diag "slept: $(recorded 'map(select(.op == "wait" and .flags % 2 == 1) | .wait_ns) | [length, min]' | jq -c .)"
true_of 'map(select(.op == "wait" and .flags % 2 == 1)) | length > 10 and all(.wait_ns > 0)' 'who slept, says how long'
true_of 'map(select(.op != "start" and .op != "exit") | .registers) | unique | length == 1 and .[0] > 0' 'registers are there'
true_of 'map(select(.op == "lock") | .stack) | min >= 256' 'and stacks'
# 2 KiB of these are used. Above, or on arm64 among it, are 2 KiB of what the library knows of the thread, then others' memory.
true_of '(map(select(.op == "start")) | map(.thread)) as $made | map(select(.op == "lock" and (.thread | IN($made[]))) | .stack) |
	max < 5000' 'no further than they go'
# Each thread that waits gets what was signalled before: by number, not by time.
true_of '[.[] | select(.kind == "memory" and .flags >= 2)] | group_by(.object) | map(sort_by(.seq) | reduce .[] as $e
	({given: 0, bad: 0}; if $e.op == "signal" then .given += 1 elif $e.op == "wait" then .given -= 1 |
	if .given < 0 then .bad += 1 else . end else . end) | .bad) | add == 0' 'no wait comes back before its signal'

# ---- files -------------------------------------------------------------------------

cat >/tmp/files.py <<'END'
import os, select, socket, sys
sys.stdin.readline()
a, b = socket.socketpair()
r, w = os.pipe()
listener = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(listener.getsockname())
server = listener.accept()[0]
poll = select.epoll()
poll.register(server, select.EPOLLIN)
total = 0
for i in range(1, 41):
    a.send(b'u' * i)
    os.write(w, b'p' * i)
    client.send(b't' * i)
    total += i
    poll.poll()
    server.recv(1, socket.MSG_PEEK)
    got = 0
    while got < i:
        got += len(server.recv(7))
    os.read(r, i)
    b.recv(i)
client.setblocking(False)
try:
    client.recv(1)
except BlockingIOError:
    pass
server.close()
pid = os.fork()
if not pid:
    os.write(w, b'c')
    os.execv('/bin/true', ['true'])
os.waitpid(pid, 0)
print(total)
END

files()
{
	local kind more total

	hold /tmp/truth.json python3 -u /tmp/files.py
	record 60000 4194304 1024 "$program"
	let_go
	wait "$program"
	kill $recorder
	recorder_ends
	total=$(cat /tmp/truth.json)
	for kind in unix pipe tcp; do
		more=$([ $kind = pipe ] && echo 1 || echo 0)
		# What goes to standard output may be a pipe as well: only what has both directions counts.
		true_of "map(select(.kind == \"$kind\")) | group_by(.object) | map(select(map(.op) | contains([\"send\", \"recv\"]))) |
			length == 1 and (.[0] | (map(select(.op == \"send\") | .bytes) | add) == $total + $more and
			(map(select(.op == \"recv\") | .bytes) | add) == $total)" "$kind: all bytes, at both ends of one object"
	done
	true_of 'map(select(.kind == "tcp")) | [(map(select(.op == "send")) | sort_by(.seq) | map([.position, .position + .bytes])),
		(map(select(.op == "recv")) | sort_by(.seq) | map([.position, .position + .bytes]))] |
		map([.[0][0], .[-1][1], ([., .[1:]] | transpose | map(select(.[1]) | .[0][1] == .[1][0]) | all)]) |
		.[0] == .[1] and .[0][2]' 'tcp: the same positions, one after the other'
	true_of 'map(select(.kind == "tcp")) | (map(select(.op == "send") | .end) | unique | length) == 1 and
		([.[].end] | unique | length) == 2' 'tcp: each end is one'
	true_of 'map(select(.kind == "epoll" and .op == "wait")) | length == 40' 'each poll that had something'
	true_of 'map(select(.kind == "listener")) | length == 1' 'one connection was accepted'
	is "$(recorded '[.[].seq] as $seq | [range(1; ($seq | max) + 1)] - $seq')" '[]' 'nothing is lost'
	true_of 'map(.process) | unique | length == 2' 'who is forked, is recorded too'
	true_of 'map(select(.op == "exec")) | length == 1 and .[0].stack == 0' 'and that it runs something else'
}

if command -v python3 >/dev/null; then
	files
else
	diag 'no python3 here: files are looked at on other machines'
fi

# ---- too much, and bad input ---------------------------------------------------------

hold /tmp/truth.json jobber --wait --jobs 400 --workers 3 --pause-us 100 pool
tlmnl --pause 600 sync 60000 131072 8192 "$program" "${probes[@]}" >/tmp/sync.json 2>/tmp/sync.err &
recorder=$!
wait_until 20 grep -q . /tmp/sync.err
check 'there is one recording at a time' eval '! tlmnl sync 10 131072 0 $$ 2>/tmp/busy.err'
check 'which is said' grep -q 'another recording runs' /tmp/busy.err
check 'the module stays while one runs' eval '! rmmod tierlens 2>/dev/null'
let_go
wait "$program"
is "$(jq -s 'map(select(.job > 0)) | map(.job) | unique | length' /tmp/truth.json)" 400 'the program is not held up'
kill $recorder
recorder_ends
n=$(recorded length)
check 'what did not fit is missing by number' [ "$n" -gt 20 ] && check 'and so is how much' \
	[ $((n + 1)) -lt "$(jq -s 'map(select(.op == "end")) | .[0].seq' /tmp/sync.json)" ]

# refused SENTENCE ARGUMENT...
refused()
{
	local sentence=$1
	shift

	tlmnl sync "$@" >/tmp/refused.out 2>/tmp/refused.err && not_ok "$*: is not refused"
	check "$*: $sentence" grep -qF -- "$sentence" /tmp/refused.err
}

refused 'there is no such process' 100 131072 0 4194304
refused 'a process is a thread of the kernel' 100 131072 0 2
refused 'the time is out of range' 0 131072 0 $$
refused 'the time is out of range' 600001 131072 0 $$
refused 'the buffer is out of range' 100 131073 0 $$
refused 'the buffer is out of range' 100 65536 0 $$
refused 'the stack is out of range' 100 131072 12 $$
refused 'the stack is out of range' 100 131072 32776 $$
refused 'no such kind of function' 100 131072 0 $$ 0x1000:77
refused 'cannot be probed' 100 131072 0 $$ 0xffffffffff:0
refused 'too many processes' 100 131072 0 "$(seq -s, 65)"

# ---- ends -------------------------------------------------------------------------------

# all_sleep PID...: are waiting for room in their pipes
all_sleep()
{
	local pid

	for pid; do
		grep -q '^State:.S' "/proc/$pid/status" || return
	done
}

hold /tmp/truth.json bash -c 'read -r; head -c 1000000 /dev/zero | sleep 1000 & head -c 1000000 /dev/zero | sleep 1000'
record 60000 1048576 0 "$program"
let_go
wait_until 20 eval '[ $(pgrep -x head | wc -l) = 2 ]'
mapfile -t heads < <(pgrep -x head)
wait_until 20 all_sleep "${heads[@]}"
kill -9 "${heads[0]}"
wait_until 20 eval '! pgrep -x head | grep -qx ${heads[0]}'
kill $recorder
recorder_ends
is "$(jq -s 'length == (map(select(.op == "end")) | .[0].seq)' /tmp/sync.json)" true \
	'what ends by a signal, or not before the recording, is not lost'
true_of 'map(select(.op == "void")) | length >= 2' 'it has come to nothing'
pkill -x sleep
wait "$program"

hold /tmp/truth.json jobber --wait --jobs 3000 --workers 3 --pause-us 100 pool
record 60000 1048576 1024 "$program" "${probes[@]}"
let_go
sleep 0.3
kill -9 $recorder
wait $recorder 2>/dev/null
check 'who is killed leaves nothing behind' wait_until 60 rmmod tierlens
wait "$program"
is $? 0 'and the program goes on'
done_testing
