#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 timeout=120
#
# Who does not wait for room in a socket has a part of what he offers taken, and offers
# the rest again: bytes are counted once, and as many as were taken. The service says
# itself how many that were, over TCP and UNIX sockets, of calls and of answers.
. /job/lib.sh
. /job/chain.sh

cat >/tmp/service.py <<'END'
"""A front that offers everything at once and again, and a slow back that reads it."""
import os, select, socket, sys, time

SIZE = 3000000

def listen(at):
    if isinstance(at, int):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(('127.0.0.1', at))
    else:
        s = socket.socket(socket.AF_UNIX)
        s.bind(at)
    s.listen()
    return s

def connect(at):
    s = socket.socket(socket.AF_INET if isinstance(at, int) else socket.AF_UNIX)
    s.connect(('127.0.0.1', at) if isinstance(at, int) else at)
    return s

def send(s, n):
    """Return: how many offers it took, and how many bytes were out at the first long wait."""
    # No more room than this, whatever the kernel would like to give it.
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 100000)
    s.setblocking(False)
    offers, out, stalled = 0, 0, None
    room = select.epoll()
    room.register(s, select.EPOLLOUT | select.EPOLLET)
    while n:
        offers += 1
        try:
            taken = s.send(bytes(n))
        except BlockingIOError:
            taken = 0
        n, out = n - taken, out + taken
        began = time.monotonic()
        if n:
            room.poll(5)
        if stalled is None and time.monotonic() - began > 1:
            stalled = out
    s.setblocking(True)
    return offers, stalled

def take(s, n, pause):
    while n:
        part = s.recv(min(n, 100000))
        if not part:
            sys.exit('short')
        n -= len(part)
        time.sleep(pause)

def back(at):
    listener = listen(at)
    while True:
        s, _ = listener.accept()
        while s.recv(4) == b'take':
            take(s, SIZE, 0.005)
            s.send(b'done')

def front(at, below, log):
    listener, call = listen(at), None
    while True:
        s, _ = listener.accept()
        call = call or connect(below)
        while s.recv(4) == b'give':
            call.send(b'take')
            asked = send(call, SIZE)
            call.recv(4)
            print(*asked, *send(s, SIZE), file=log, flush=True)

def child(log):
    pid = os.fork()
    if pid:
        print(pid, file=open(log + '.pids', 'a'))
    return not pid

def service(at, below, log):
    if child(log):
        back(below)
    while True:
        try:
            connect(below).close()
            break
        except OSError:
            time.sleep(0.1)
    if child(log):
        front(at, below, open(log, 'w'))

def ask(at, n, stall):
    for _ in range(100):
        try:
            s = connect(at)
            break
        except OSError:
            time.sleep(0.1)
    for _ in range(n):
        s.send(b'give')
        time.sleep(stall)
        take(s, SIZE, 0.005)
    print(n)

def name(text):
    return int(text) if text.isdigit() else text

if sys.argv[1] == 'serve':
    service(name(sys.argv[2]), name(sys.argv[3]), sys.argv[4])
else:
    ask(name(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
END

size=3000000

# last LOG COLUMN: of the request that ended last
last()
{
	tail -n 1 "$1" | cut -d' ' -f"$2"
}

# measured ADDRESS N STALL: asks, and leaves what was measured in /tmp/r.jsonl
measured()
{
	record_new /tmp/r.jsonl
	is "$(python3 /tmp/service.py ask "$@")" "$2" "$1: served"
	stop_record_new /tmp/r.jsonl || not_ok 'record'
}

# counted NAME FRONT BACK LOG: by port or path
counted()
{
	measured "$2" 3 0
	is "$(cell_sum /tmp/r.jsonl "$2" count)" 3 "$1: requests"
	is "$(cell_sum /tmp/r.jsonl "$2" bytes_out)" $((3 * size)) "$1: bytes of the answers"
	is "$(edge_sum /tmp/r.jsonl "$2" "$3" bytes_out)" $((3 * (size + 4))) "$1: bytes of the calls"
	[ "$(last "$4" 1)" -gt 1 ] && [ "$(last "$4" 3)" -gt 1 ] &&
		ok "$1: they were offered again ($(last "$4" 1) and $(last "$4" 3) times)" ||
		not_ok "$1: nothing was offered again"
}

# Nobody reads the answer for longer than the quiet time: it ends with what was taken.
stalled()
{
	measured "$2" 1 3
	is "$(cell_sum /tmp/r.jsonl "$2" count)" 1 "$1: a request whose answer nobody reads ends"
	is "$(cell_sum /tmp/r.jsonl "$2" bytes_out)" "$(last "$4" 4)" "$1: with the bytes that were taken"
}

load_module || exit 1
tierlens enable --interval 500 --quiet 250 >/dev/null
python3 /tmp/service.py serve 9301 9302 /tmp/tcp.log
python3 /tmp/service.py serve /tmp/front.sock /tmp/back.sock /tmp/unix.log
for kind in counted stalled; do
	$kind TCP 9301 9302 /tmp/tcp.log
	$kind UNIX /tmp/front.sock /tmp/back.sock /tmp/unix.log
done
is "$(unaccounted)" 0 \
	'events seen = attributed + unattributed + ignored'
mapfile -t services < <(cat /tmp/{tcp,unix}.log.pids)
kill "${services[@]}" || not_ok 'the services have run to the end'
tierlens disable >/dev/null
unload_module
done_testing
