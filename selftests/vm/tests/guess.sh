#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: arch=amd64 brief=6.1,5.10,newest timeout=120
#
# Both ends of a connection are joined by two sequence numbers, 64 bits. Who has guessed half of them is nobody's
# caller, though he may be looked for in the same bucket; and however many are looked for there, a bucket
# has 32: the oldest goes, and is found by its next call. Sequence numbers are chosen as checkpoints are restored, which root can.
. /job/lib.sh
. /job/chain.sh

cat >/tmp/guess.py <<'END'
# guess.py OTHERS HALF|ALL: a call, while so many others are looked for in its bucket, and a second one
import multiprocessing, os, random, socket, struct, sys

REPAIR, QUEUE, SEQUENCE = 19, 20, 21
RECEIVED, SENT = 1, 2
others, known = int(sys.argv[1]), sys.argv[2]

def repair(sock, on):
    sock.setsockopt(socket.IPPROTO_TCP, REPAIR, 1 if on else -1)

def numbers(sock):
    repair(sock, True)
    got = []
    for queue in SENT, RECEIVED:
        sock.setsockopt(socket.IPPROTO_TCP, QUEUE, queue)
        got.append(sock.getsockopt(socket.IPPROTO_TCP, SEQUENCE) % 2**32)
    repair(sock, False)
    return got

# A connection with these, to nobody.
def pretend(sent, received):
    sock = socket.socket()
    repair(sock, True)
    for queue, number in (SENT, sent), (RECEIVED, received):
        sock.setsockopt(socket.IPPROTO_TCP, QUEUE, queue)
        sock.setsockopt(socket.IPPROTO_TCP, SEQUENCE, struct.pack('I', number))
    sock.connect(('192.0.2.2', 9))
    repair(sock, False)
    return sock

# See hash_64() and kmod/join.c.
def bucket(sent, received):
    return ((sent << 32 | received) * 0x61c8864680b583eb % 2**64) >> 54

# Others of the same bucket that are right in one half.
def guesses(sent, received):
    found = []
    while len(found) < others:
        guess = (sent, random.getrandbits(32)) if len(found) % 2 else (random.getrandbits(32), received)
        if guess != (sent, received) and bucket(*guess) == bucket(sent, received):
            found.append(guess)
    return found

def crowd():
    sent, received = struct.unpack('II', os.read(told[0], 8))
    socks = [pretend(*guess) for guess in (guesses(sent, received) if known == 'half' else [(sent, received)] * others)]
    for sock in socks:
        assert sock.send(b'x') == 1
    os.write(done[1], b'x')
    os.read(ended[0], 1)

def answerer():
    conn, _ = below.accept()
    while os.read(may_answer[0], 1) and conn.recv(100):
        conn.send(b'answer')

def asker():
    conn = socket.create_connection(('127.0.0.1', 7322))
    conn.send(b'ask')
    conn.recv(100)

told, done, ended, may_answer = (os.pipe() for i in range(4))
below = socket.create_server(('127.0.0.1', 7321))
processes = [multiprocessing.Process(target=run) for run in (answerer, crowd, asker)]
for process in processes[:2]:
    process.start()
below.close()
own = socket.create_server(('127.0.0.1', 7322))
processes[2].start()
conn, _ = own.accept()
conn.recv(100)
call = socket.create_connection(('127.0.0.1', 7321))
at = numbers(call)
call.send(b'call')
os.write(told[1], struct.pack('II', *at))
os.read(done[0], 1)
for i in range(2):
    os.write(may_answer[1], b'x')
    call.recv(100)
    if not i:
        call.send(b'call')
call.close()
os.write(may_answer[1], b'x')
conn.send(b'answer')
conn.close()
os.write(ended[1], b'x')
for process in processes:
    process.join()
END

# calls_with OTHERS HALF|ALL WANTED NAME: calls, and of how many the other end was seen
calls_with()
{
	record_new /tmp/guess.jsonl
	python3 /tmp/guess.py "$1" "$2" || not_ok "guess.py $1 $2"
	stop_record_new /tmp/guess.jsonl || not_ok 'record'
	cp /tmp/guess.jsonl "/out/guess-$1-$2.jsonl"
	is "$(jq -sc '[.[].edges[] | select(.peer_tier == "python3:7321")] | [(map(.calls) | add), (map(.joined) | add)]' /tmp/guess.jsonl)" "$3" "$4"
}

load_module || exit 1
modprobe dummy || skip_all 'this kernel has no dummy device'
ip link add nobody type dummy
ip addr add 192.0.2.1/24 dev nobody
ip link set nobody up
tierlens enable --interval 500 || exit 1
calls_with 0 half '[2,2]' 'a call and its callee'
calls_with 31 half '[2,2]' 'with 31 others in the bucket, right in a half: it is found, and they are not'
calls_with 32 half '[2,1]' 'with 32 the oldest goes, and is found by its next call'
calls_with 1 all '[2,0]' 'who has guessed all 64 bits would be taken for it'
is "$(unaccounted)" 0 'seen = attributed + unattributed + ignored'
tierlens disable
ip link del nobody
check 'the module is unloaded' unload_module
done_testing
