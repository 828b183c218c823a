#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 timeout=120
#
# A pool gives each result back through a pipe of its own, and closes its end at once:
# what was written is still there to be read, and tells whose work it was.
. /job/lib.sh
. /job/chain.sh

requests=60
cat >/tmp/pool.py <<'END'
"""A thread reads and answers; others call port 9302 for it, and tell it by a pipe."""
import os, select, socket, sys, threading, time

def worker(jobs):
    call = socket.create_connection(('127.0.0.1', 9302))
    while True:
        result = int(os.read(jobs, 8))
        call.send(b'home\n')
        call.recv(4000)
        os.write(result, b'x')
        os.close(result)

def serve(port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('127.0.0.1', port))
    listener.listen()
    jobs, to_workers = os.pipe()
    for _ in range(2):
        threading.Thread(target=worker, args=(jobs,), daemon=True).start()
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN)
    clients, waiting = {}, {}
    while True:
        for fd, _ in poll.poll():
            if fd == listener.fileno():
                s, _ = listener.accept()
                clients[s.fileno()] = s
                poll.register(s, select.EPOLLIN)
            elif fd in waiting:
                # By now the other end is closed.
                time.sleep(0.005)
                os.read(fd, 1)
                clients[waiting.pop(fd)].send(b'OK 1 0\n')
                poll.unregister(fd)
                os.close(fd)
            elif clients[fd].recv(1000):
                done, result = os.pipe()
                waiting[done] = fd
                poll.register(done, select.EPOLLIN)
                os.write(to_workers, b'%8d' % result)
            else:
                poll.unregister(fd)
                clients.pop(fd).close()

serve(int(sys.argv[1]))
END

cat >/tmp/ask.py <<'END'
import socket, sys
s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
print(sum(s.send(b'ask') and s.recv(100) == b'OK 1 0\n' for _ in range(int(sys.argv[2]))))
END

load_module || exit 1
tierlens enable --interval 500 >/dev/null
serve back 9302 --mode thread
python3 /tmp/pool.py 9301 &
pool=$!
wait_until 10 listening 9301
record /tmp/r.jsonl
is "$(python3 /tmp/ask.py 9301 $requests)" $requests 'served'
wait_for_interval
stop_record
is "$(cell_sum /tmp/r.jsonl 9301 count)" $requests 'every request counted once'
is "$(edge_sum /tmp/r.jsonl 9301 9302 calls)" $requests 'and the call that was made for it'
gone=$(tierlens status --json | jq '.hooks[] | select(.name == "pipe-close") | .hits')
[ "$gone" -ge $requests ] && ok "the end of each pipe is seen ($gone)" ||
	not_ok "the end of only $gone pipes is seen"
diag "$(of_status '.events, .losses')"
kill $pool
stop_servers
tierlens disable >/dev/null
unload_module
done_testing
