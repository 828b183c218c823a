#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A receiver of remote write that answers as it is told, and what it was sent held against /metrics.

usage: user-push.py serve FOLDER [CERT KEY]   FOLDER/how says how to answer, FOLDER/port where, or will;
                                              samples are appended to FOLDER/samples, heads to FOLDER/heads
       user-push.py equal FOLDER PAGE         each figure of the page was sent with its time and value
       user-push.py asked ANSWER PAGE         a receiver's answer to a query has each figure of the page
       user-push.py whole FOLDER [FIRST]      of each interval there is a sample (counted by its own counter), times of
                                              series only grow, counters begin with zero; prints how many intervals

Nothing of it is shared with the sender: the protocol is read by hand. Prints what is wrong, and nothing if nothing is.
"""
import json
import math
import os
import re
import ssl
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STALE = 0x7FF0000000000002


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def unsnappy(data):
    size, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            n = tag >> 2
            if n >= 60:
                extra = n - 59
                n = int.from_bytes(data[at:at + extra], "little")
                at += extra
            out += data[at:at + n + 1]
            at += n + 1
            continue
        if tag & 3 == 1:
            n, back = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at]
            at += 1
        else:
            wide = 2 if tag & 3 == 2 else 4
            n, back = (tag >> 2) + 1, int.from_bytes(data[at:at + wide], "little")
            at += wide
        while n:
            piece = out[len(out) - back:len(out) - back + min(n, back)]
            out += piece
            n -= len(piece)
    assert len(out) == size, "snappy: another length than it says"
    return bytes(out)


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
        yield key >> 3, value
    assert at == len(data), "cut off"


def samples(body):
    for number, series in fields(unsnappy(body)):
        assert number == 1
        labels, found = [], []
        for kind, part in fields(series):
            if kind == 1:
                pair = dict(fields(part))
                labels.append((pair[1].decode(), pair[2].decode()))
            else:
                assert kind == 2
                sample = dict(fields(part))
                bits = struct.unpack("<Q", sample.get(1, bytes(8)))[0]
                value = "stale" if bits == STALE else repr(struct.unpack("<d", struct.pack("<Q", bits))[0])
                found.append((sample[2], value))
        names = [name for name, _ in labels]
        assert names == sorted(set(names)), f"labels are not in order: {names}"
        assert all(value for _, value in labels), f"an empty label: {labels}"
        assert found, "series without samples"
        for when, value in found:
            yield json.dumps(labels), when, value


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = ""
    one = threading.Lock()

    def log_message(self, *_):
        pass

    def note(self, name, line):
        with open(os.path.join(self.folder, name), "a", encoding="utf-8") as file:
            file.write(line)

    def take(self, body):
        lines = [f"{labels}\t{when}\t{value}\n" for labels, when, value in samples(body)]
        self.note("samples", "".join(lines))

    def do_POST(self):
        with open(os.path.join(self.folder, "how"), encoding="utf-8") as file:
            how = file.read().split()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.note("heads", json.dumps({"how": how, "t": time.time(), "path": self.path, **dict(self.headers)}) + "\n")
        with self.one:
            getattr(self, "answer_" + how[0])(body, *how[1:])

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def answer_ok(self, body):
        try:
            self.take(body)
        except (AssertionError, IndexError, KeyError, struct.error) as why:
            self.note("wrong", f"{why!r}\n")
        self.answer(204)

    def answer_status(self, _body, status, *after):
        self.answer(int(status), b"out of order sample\nsecond line\x07", **({"Retry_After": after[0]} if after else {}))

    def answer_redirect(self, _body, to):
        self.answer(307, Location=to)

    def answer_huge(self, body):
        self.take(body)
        self.send_response(200)
        self.send_header("Content-Length", str(1 << 40))
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True

    def answer_nonsense(self, _body):
        self.wfile.write(os.urandom(2000))
        self.close_connection = True

    def answer_cut(self, _body):
        self.wfile.write(b"HTTP/1.1 20")
        self.close_connection = True

    def answer_lost(self, body):
        """Taken, but nobody is told."""
        self.take(body)
        self.close_connection = True

    def answer_twice(self, body):
        """As Prometheus: what was taken before is refused, with all that comes with it."""
        have = {}
        with open(os.path.join(self.folder, "samples"), encoding="utf-8") as file:
            for line in file:
                labels, when, _ = line.split("\t")
                have[labels] = int(when)
        if any(have.get(labels, 0) >= when for labels, when, _ in samples(body)):
            self.answer(400, b"out of order sample")
        else:
            self.answer_ok(body)

    def answer_slow(self, body):
        time.sleep(1)
        self.answer_ok(body)


def serve(folder, cert=None, key=None):
    Receiver.folder = folder
    where = os.path.join(folder, "port")
    server = ThreadingHTTPServer(("127.0.0.1", int(open(where, encoding="utf-8").read()) if os.path.exists(where) else 0),
                                 Receiver)
    if cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(where + ".new", "w", encoding="utf-8") as file:
        file.write(str(server.server_port))
    os.rename(where + ".new", where)
    server.serve_forever()


def sent(folder):
    """Series by their labels, each a list of times and values."""
    series = {}
    with open(os.path.join(folder, "samples"), encoding="utf-8") as file:
        for line in file:
            labels, when, value = line.rstrip("\n").split("\t")
            series.setdefault(labels, []).append((int(when), value))
    return {tuple(sorted((name, value) for name, value in json.loads(labels))): all_of
            for labels, all_of in series.items()}


def page_figures(name):
    text = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$')
    label = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
    with open(name, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            metric, labels, value = text.match(line).groups()
            pairs = [(key, re.sub(r'\\(.)', lambda m: "\n" if m[1] == "n" else m[1], raw))
                     for key, raw in label.findall(labels or "")]
            yield metric, {key: value for key, value in pairs if value}, float(value)


def key_of(labels):
    named = dict(labels)
    return named.pop("__name__"), tuple(sorted((k, v) for k, v in named.items() if k not in ("job", "instance", "site")))


# A store may keep fewer digits than it was sent: VictoriaMetrics 15 decimal ones.
AS_SENT, FIFTEEN_DIGITS = 1e-15, 1e-14


def compare(page, have, close):
    figures = list(page_figures(page))
    if len(figures) < 100:
        print(f"the page has {len(figures)} figures only")
    for name, labels, value in figures:
        key = (name, tuple(sorted(labels.items())))
        if key not in have:
            print(f"{key}: is not there")
        elif not math.isclose(float(have[key]), value, rel_tol=close, abs_tol=0):
            print(f"{key}: {have[key]} is there, the page has {value}")


def equal(folder, page):
    when = next(round(value * 1000) for name, _, value in page_figures(page)
                if name == "tierlens_last_interval_timestamp_seconds")
    have = {key_of(labels): dict(values).get(when) for labels, values in sent(folder).items()}
    compare(page, {key: value for key, value in have.items() if value is not None}, AS_SENT)


def asked(answer, page):
    with open(answer, encoding="utf-8") as file:
        result = json.load(file)["data"]["result"]
    compare(page, {key_of(one["metric"]): one["value"][1] for one in result}, FIFTEEN_DIGITS)


def steps(name, values):
    """Each interval is counted by tierlens_intervals_total, which is one more in each sample, from zero on: how many."""
    intervals, last = 0, None
    for when, value in values:
        number = None if value in ("stale", "NaN") else float(value)
        if number is None or number == 0:
            last = number
            continue
        intervals += 1
        if last is None or number != last + 1:
            print(f"{name} at {when}: {value} after {last}")
        last = number
    return intervals


def stored(answer):
    """The same of what a store has, its answer to a query for all samples of tierlens_intervals_total."""
    with open(answer) as f:
        series = json.load(f)["data"]["result"]
    print(sum(steps("tierlens_intervals_total", each["values"]) for each in series))


def whole(folder):
    intervals = 0
    for labels, values in sent(folder).items():
        name = dict(labels)["__name__"]
        times = [when for when, _ in values]
        if times != sorted(set(times)):
            print(f"{labels}: times do not grow")
        if (name.endswith("_total") or name.endswith("_bucket")) and values[0][1] != "0.0":
            print(f"{labels}: begins with {values[0]}")
        if name != "tierlens_intervals_total":
            continue
        intervals += steps(name, values)
    print(intervals)


if sys.argv[1] == "serve":
    serve(*sys.argv[2:])
else:
    {"equal": equal, "asked": asked, "stored": stored, "whole": whole}[sys.argv[1]](*sys.argv[2:])
