#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that no server wishes for.

usage: user-http.py raw PORT         what is sent comes from stdin, as it is; prints the status of the answer, or "closed"
       user-http.py many PORT N      N connections at once, each with a request; prints how many were answered
       user-http.py slow PORT N      N connections that never end their request; ends when the server has ended them
       user-http.py unread PORT N    N connections that ask and never read; prints "asked" when they have, and waits for a signal
       user-http.py manager PATH FILE  a service manager's socket; appends what it is told to FILE
"""
import os
import select
import signal
import socket
import sys
import time


def connection(port, blocking=True):
    sock = socket.socket()
    sock.setblocking(blocking)
    try:
        sock.connect(("127.0.0.1", port))
    except BlockingIOError:
        pass
    return sock


def raw(port):
    sock = connection(port)
    sock.settimeout(60)
    answer = b""
    try:
        sock.sendall(sys.stdin.buffer.read())
        sock.shutdown(socket.SHUT_WR)
        while more := sock.recv(65536):
            answer += more
    except OSError:
        pass
    first = answer.split(b"\r\n")[0].split(b" ")
    print(first[1].decode() if len(first) > 1 else "closed")


def many(port, n):
    waiting, answered = {}, 0
    for _ in range(n):
        sock = connection(port, False)
        waiting[sock.fileno()] = sock
    poll = select.poll()
    for number in waiting:
        poll.register(number, select.POLLOUT)
    while waiting:
        for number, events in poll.poll():
            sock = waiting[number]
            try:
                if events & select.POLLOUT:
                    sock.send(b"GET /-/healthy HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                    poll.modify(number, select.POLLIN)
                    continue
                answered += sock.recv(65536).startswith(b"HTTP/1.1 200")
            except OSError:
                pass
            poll.unregister(number)
            waiting.pop(number).close()
    print(answered)


def slow(port, n):
    socks = [connection(port) for _ in range(n)]
    for sock in socks:
        sock.settimeout(0)
    while socks:
        for sock in list(socks):
            try:
                sock.send(b"G" if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0 else b"")
                if sock.recv(65536):
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            socks.remove(sock)
        time.sleep(0.5)


def unread(port, n):
    socks = [connection(port) for _ in range(n)]
    for sock in socks:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.send(b"GET /api/v1/intervals?last=60 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 40)
    print("asked", flush=True)
    signal.pause()


def manager(path, name):
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(path)
    os.chmod(path, 0o777)
    while True:
        told = sock.recv(4096).decode()
        with open(name, "a", encoding="utf-8") as file:
            file.write(told + "\n")


if sys.argv[1] == "manager":
    manager(*sys.argv[2:])
else:
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
