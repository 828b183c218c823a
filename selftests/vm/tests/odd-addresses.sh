#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1,5.10 timeout=240
#
# A program that receives to, and sends from, addresses chosen to harm: the kernel's own, none at all, pages that are
# not there or not its own, the end of what is. While there are rules for classes, which look at bytes there. Nothing
# is read that the program could not read, nothing waits, each of its requests is counted as ever, and the kernel's log
# stays empty.
. /job/lib.sh
. /job/chain.sh

rounds=$((20 / slow))

cat >/tmp/odd.py <<'END'
import ctypes, errno, mmap, socket, sys, tempfile, threading

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for name in 'send', 'recv':
    getattr(libc, name).argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    getattr(libc, name).restype = ctypes.c_ssize_t
PAGE = mmap.PAGESIZE
READ, NONE = mmap.PROT_READ | mmap.PROT_WRITE, 0


def pages(n, prot=READ, fd=-1):
    flags = mmap.MAP_PRIVATE | (mmap.MAP_ANONYMOUS if fd < 0 else 0)
    at = libc.mmap(None, n * PAGE, prot, flags, fd, 0)
    assert at not in (None, 2 ** 64 - 1)
    return at


def before_nothing(n):
    """The last n bytes before a page that nobody may touch."""
    at = pages(2)
    assert libc.mprotect(ctypes.c_void_p(at + PAGE), PAGE, NONE) == 0
    ctypes.memset(at, ord('c'), PAGE)
    return at + PAGE - n


short = tempfile.TemporaryFile()
short.write(b'x')
short.flush()


def odd():
    yield from (0, 1, PAGE - 1, 2 ** 63, 2 ** 64 - 1, 2 ** 64 - 64, 0x0000800000000000, 0x7ffffffff000 - 3, 0xdead000000000000)
    yield from (0xffff888000000000, 0xffffffff81000000, 0xffffffffc0000000, 0xffff800000000000, 0xffffffffff600000)
    yield pages(1, NONE)
    yield pages(1, mmap.PROT_READ)
    yield pages(1)  # nobody has touched it
    yield pages(2, READ, short.fileno()) + PAGE  # behind the file's end
    for n in 1, 3, 15, 63:
        yield before_nothing(n)


class Iovec(ctypes.Structure):
    _fields_ = [('base', ctypes.c_void_p), ('len', ctypes.c_size_t)]


def vector(call, fd, parts):
    array = (Iovec * len(parts))(*[Iovec(*part) for part in parts])
    return getattr(libc, call)(fd, array, len(parts))


good = ctypes.create_string_buffer(4096)


def client():
    with socket.create_connection(('127.0.0.1', port)) as s:
        for _ in range(rounds):
            for _ in odd_list:
                s.sendall(REQUEST)
                answer = b''
                while not answer.endswith(b'!'):
                    part = s.recv(4096)
                    assert part
                    answer += part
                done[0] += 1


REQUEST = b'class request ' + b'r' * 50
port, rounds = int(sys.argv[1]), int(sys.argv[2])
odd_list = list(odd())
listener = socket.create_server(('127.0.0.1', port))
done, taken, refused = [0], 0, 0  # the first by the thread
thread = threading.Thread(target=client)
thread.start()
connection, _ = listener.accept()
fd = connection.fileno()
for _ in range(rounds):
    for at in odd_list:
        left = len(REQUEST)
        libc.recv(fd, at, 2 ** 40, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        for get in (lambda: libc.recv(fd, at, 10, 0),
                    lambda: vector('readv', fd, [(ctypes.addressof(good), 2), (at, 10)]),
                    lambda: vector('readv', fd, [(at, 0), (at, 2 ** 62), (at, 2 ** 62)])):
            # Who has taken all would wait for more.
            n = get() if left else 0
            refused += n < 0
            taken += n > 0
            assert n >= 0 or ctypes.get_errno() in (errno.EFAULT, errno.EINVAL), ctypes.get_errno()
            left -= max(n, 0)
        while left:
            left -= len(connection.recv(left))
        for n in (libc.send(fd, at, 64, 0), vector('writev', fd, [(at, 64), (at, 64)])):
            refused += n < 0
            assert n >= 0 or ctypes.get_errno() in (errno.EFAULT, errno.EINVAL)
        connection.sendall(b'answer!')
thread.join()
connection.close()
print(done[0], taken, refused)
END

load_module || exit 1
tierlens enable --interval 500 || exit 1
tierlens class add asked 'class request' >/dev/null || exit 1
# What kernels have at such places: a class that was read there would show.
tierlens class add kernel '\x0f\x1f' >/dev/null || exit 1
tierlens class add zero '\0' >/dev/null || exit 1
tierlens class add c 'ccc' >/dev/null || exit 1
record_new /tmp/r.jsonl
timeout 120 python3 /tmp/odd.py 9201 "$rounds" >/tmp/odd.out 2>/tmp/odd.err
is $? 0 'the program had its say'
read -r asked taken refused </tmp/odd.out || diag "$(cat /tmp/odd.err)"
diag "$asked requests, $taken receives to odd places, $refused refused"
check 'most was refused' test "${refused:-0}" -gt "${asked:-0}"
stop_record_new /tmp/r.jsonl
is "$(jq -c -s '[.[].tiers[] | select(.name | endswith(":9201")) | .cells[] | select((.class | IN("asked", "other") | not) and .count > 0) | .class] | unique' /tmp/r.jsonl)" \
	'[]' 'nothing was classified by what the program could not read'
is "$(cell_sum /tmp/r.jsonl 9201 count)" "$asked" 'each request is one'
# A few bytes here, the others there: only where the first are is looked.
others=$(jq -s '[.[].tiers[] | select(.name | endswith(":9201")) | .cells[] | select(.class == "other") | .count] | add // 0' /tmp/r.jsonl)
check "of the class that was asked for, but for $others in two places" test "$others" -le "$taken"
is "$(unaccounted)" 0 'events seen = attributed + unattributed + ignored'
unload_module
done_testing
