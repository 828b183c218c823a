#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts whose truth is known, as a store would have got their metrics; and stores that answer nonsense.

usage: user-fleet.py samples FORMAT SCENE...     one hour of three hosts, of each scene, which is a label;
                                                 FORMAT: openmetrics, or victoria (milliseconds)
       user-fleet.py truth                       what was so, as JSON
       user-fleet.py store [CERTIFICATE]         answers /KIND/… as KIND says, on a port of its own, which it prints
       user-fleet.py port                        a port that is free

Scenes: base, reset (tierlensd of app begins anew), missing (db is not scraped), gap (app is not heard of for four minutes),
silent (for ten), clock (that of app is an hour ahead), twice (a second job scrapes the same), single (all on one host),
slow (5 ms more from web to app), balanced (a second host like app, and an address in front of both).
"""
import json
import math
import socket
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BEGIN, SECONDS, SCRAPE = 1750003200, 3600, 15
OWN = {"nginx:80": {"/cart": 0.001, "/home": 0.001}, "php-fpm:9000": {"/cart": 0.006, "/home": 0.003}, "mariadb:3306": {"other": 0.002}}
NETWORK = {"php-fpm:9000": 0.0004, "mariadb:3306": 0.0005}
RATE = {"/cart": 4.0, "/home": 6.0}
QUERIES = {"/cart": 3, "/home": 1}
HOSTS = {"web": ("nginx:80", "10.0.0.1", 0), "app": ("php-fpm:9000", "10.0.0.2", 3), "db": ("mariadb:3306", "10.0.0.3", 7)}
BOUNDS = [2 ** e / 1e9 for e in range(15, 36)]


def load(cls, t):
    """Requests since the beginning, of a load that swings; whole ones."""
    period = 480 if cls == "/cart" else 700
    return math.floor(RATE[cls] * (t + 0.6 * period / (2 * math.pi) * (1 - math.cos(2 * math.pi * t / period))))


def network(tier, scene):
    return NETWORK[tier] + (0.005 if "slow" in scene and tier == "php-fpm:9000" else 0)


def response(tier, cls, scene):
    own = OWN[tier][cls]
    if tier == "nginx:80":
        return own + network("php-fpm:9000", scene) + response("php-fpm:9000", cls, scene)
    if tier == "php-fpm:9000":
        return own + QUERIES[cls] * (network("mariadb:3306", scene) + response("mariadb:3306", "other", scene))
    return own


def count(tier, cls, t, scene):
    if tier != "mariadb:3306":
        return load(cls, t)
    return sum(QUERIES[c] * load(c, t) for c in RATE) * (2 if "balanced" in scene else 1)


def text(labels):
    return "{" + ",".join(f'{k}="{v}"' for k, v in labels.items()) + "}"


def cell(tier, cls, t, scene):
    n, of = count(tier, cls, t, scene), {"tier": tier, "class": cls}
    yield "requests_total", of, n
    for name, each in (("response_seconds", response(tier, cls, scene)), ("own_seconds", OWN[tier][cls])):
        for bound in BOUNDS:
            yield name + "_bucket", of | {"le": f"{bound:.11g}"}, n if each < bound else 0
        yield name + "_bucket", of | {"le": "+Inf"}, n
        yield name + "_count", of, n
        yield name + "_sum", of, round(n * each, 9)
    yield "cpu_seconds_total", of, round(n * OWN[tier][cls] / 2, 9)


def edge(tier, cls, to, n, each, peer, peer_tier):
    of = {"tier": tier, "class": cls, "peer": peer, "peer_tier": peer_tier}
    yield "calls_total", of, n
    yield "call_seconds_total", of, round(n * each, 9)
    if peer_tier:
        yield "calls_joined_total", of, n
        yield "call_transit_seconds_total", of, round(n * NETWORK[to], 9)


def peers(tier, t, scene):
    """Calls of a tier; those of nginx to strangers, too."""
    single = "single" in scene
    below = {"nginx:80": "php-fpm:9000", "php-fpm:9000": "mariadb:3306"}.get(tier)
    for cls in RATE if below else ():
        host = next(h for h in HOSTS.values() if h[0] == below)
        n = load(cls, t) * (QUERIES[cls] if below == "mariadb:3306" else 1)
        each = network(below, scene) + response(below, "other" if below == "mariadb:3306" else cls, scene)
        port = below.rsplit(":", 1)[1]
        address = "127.0.0.1" if single else "10.0.0.100" if "balanced" in scene and below == "php-fpm:9000" else host[1]
        yield from edge(tier, cls, below, n, each, f"{address}:{port}", below if single else "")
    if tier == "nginx:80":
        for peer in "203.0.113.9:443", "10.0.0.2:6379", "172.17.0.1:8080", "more":
            yield from edge(tier, "/home", None, math.floor(t / 10), 0.02, peer, "")


def host_samples(tiers, addresses, t, wall, scene):
    yield "build_info", {"version": "0.1.0"}, 1
    yield "intervals_total", {}, math.floor(t)
    yield "intervals_missed_total", {}, 0
    yield "last_interval_timestamp_seconds", {}, wall
    yield "losses_total", {"kind": "probes_missed"}, 0
    for address in addresses:
        yield "host_address_info", {"address": address}, 1
    for tier in tiers:
        yield "tier_endpoint_info", {"tier": tier, "endpoint": tier.rsplit(":", 1)[1]}, 1
        yield "tier_processes", {"tier": tier}, 4
        cpu = sum(count(tier, c, t, scene) * OWN[tier][c] / 2 for c in OWN[tier])
        yield "tier_cpu_seconds_total", {"tier": tier}, round(cpu, 9)
        yield "tier_request_cpu_seconds_total", {"tier": tier}, round(cpu, 9)
        for level in "off", "trace", "server", "method":
            yield "level", {"tier": tier, "tierlens_level": level}, int(level == "server")
        before = sum(count(tier, c, t - SCRAPE, scene) * OWN[tier][c] / 2 for c in OWN[tier]) if t >= SCRAPE else 0
        yield "host_utilization_ratio", {"resource": tier + ".cpu"}, round((cpu - before) / SCRAPE, 9)
        for cls in OWN[tier]:
            yield from cell(tier, cls, t, scene)
        yield from peers(tier, t, scene)


def silence(name, t, scene):
    if name != "app":
        return name == "db" and "missing" in scene
    return ("gap" in scene and 1200 <= t < 1440) or ("silent" in scene and 1200 <= t < 1800)


def scene_add(out, scene):
    hosts = {"all": (None, "10.0.0.9", 0)} if "single" in scene else HOSTS
    if "balanced" in scene:
        hosts = hosts | {"app2": ("php-fpm:9000", "10.0.0.4", 5)}
    for name, (tier, address, phase) in hosts.items():
        for t in range(phase, SECONDS + 1, SCRAPE):
            if silence(name, t, scene):
                continue
            begun = 1500 if "reset" in scene and name == "app" and t >= 1500 else 0
            wall = BEGIN + t + (3600 if "clock" in scene and name == "app" else 0)
            now = list(host_samples([tier] if tier else list(OWN), [address] + (["172.17.0.1"] if name in ("app", "db") else []),
                                    t, wall, scene))
            then = {}
            if begun:
                then = {(n, text(l)): v for n, l, v in host_samples([tier], [], begun, wall, scene)}
            for metric, labels, value in now:
                grows = metric.endswith(("_total", "_bucket", "_count", "_sum"))
                value = round(value - then.get((metric, text(labels)), 0), 9) if grows else value
                for job in ("tierlens", "again") if "twice" in scene else ("tierlens",):
                    series = metric + text({"instance": f"{name}:19477", "job": job, "scene": scene} | labels)
                    out.setdefault(metric, {}).setdefault(series, []).append((BEGIN + t, value))


def samples(form, scenes):
    out = {}
    for scene in scenes:
        scene_add(out, scene)
    for metric, series in sorted(out.items()):
        if form == "openmetrics":
            print(f"# TYPE tierlens_{metric} unknown")
        for name, points in series.items():
            for at, value in points:
                print(f"tierlens_{name} {value} {at if form == 'openmetrics' else at * 1000}")
    if form == "openmetrics":
        print("# EOF")


def truth():
    tiers = {t: {c: {"response": response(t, c, ()), "own": OWN[t][c]} for c in OWN[t]} for t in OWN}
    print(json.dumps({"from": BEGIN, "to": BEGIN + SECONDS, "tiers": tiers, "network": NETWORK,
                      "requests": {c: load(c, SECONDS) for c in RATE}}))


# ---- stores that answer nonsense ------------------------------------------------

def matrix(*series):
    return {"status": "success", "data": {"resultType": "matrix", "result": list(series)}}


ME = {"instance": "a:1", "job": "j"}
LABELS = {"status": "success", "data": [ME | {"__name__": "tierlens_build_info", "version": "1"},
                                        ME | {"__name__": "tierlens_requests_total", "tier": "t", "class": "c"}]}


def values(form, of):
    """Every step, of a value that is a function of its number."""
    if "step" not in form:
        return []
    start, step, end = float(form["start"]), float(form["step"]), float(form["end"])
    n = int(round((end - start) / step)) + 1
    return [[start + i * step, of(i, start + i * step)] for i in range(n)]


def grown(form, of=lambda i, t: str(int(t))):
    cell = ME | {"tier": "t", "class": "c"}
    return matrix({"metric": ME | {"__name__": "tierlens_intervals_total"}, "values": values(form, of)},
                  {"metric": cell | {"__name__": "tierlens_requests_total"}, "values": values(form, of)},
                  {"metric": cell | {"__name__": "tierlens_response_seconds_sum"}, "values": values(form, of)})


def answer(kind, path, form):
    """(status, type, body); a str body is sent as it is."""
    query = form.get("query", "")
    if kind == "html":
        return 200, "text/html", "<html><body>It works!</body></html>"
    if kind == "empty":
        return 200, "application/json", ""
    if kind == "cut":
        return 200, "application/json", json.dumps(LABELS)[:40]
    if kind == "list":
        return 200, "application/json", "[1, 2, 3]"
    if kind == "deep":
        return 200, "application/json", "[" * 200000
    if kind in ("400", "401", "403", "404", "500", "503"):
        return int(kind), "application/json", json.dumps({"status": "error", "error": "bad \x1b[31m thing"})
    if kind == "302":
        return 302, "text/html", "elsewhere"
    if kind == "huge" or (kind == "manysteps" and "start" in form and len(values(form, lambda i, t: t)) > 5 and query.startswith("{")):
        return 200, "application/json", None
    if path.endswith("/series"):
        other = {"nodata": {"status": "success"}, "nohosts": {"status": "success", "data": []},
                 "nolabel": {"status": "success", "data": [{"__name__": "tierlens_build_info"}]},
                 "numbers": {"status": "success", "data": [1, None, "x"]},
                 "many": {"status": "success", "data": [{"instance": f"h{i}", "__name__": "tierlens_build_info"} for i in range(1200)]}}
        return 200, "application/json", json.dumps(other.get(kind, LABELS))
    if query.startswith("timestamp"):
        return 200, "application/json", json.dumps(matrix({"metric": ME, "values": values(form, lambda i, t: str(t))}))
    if query.startswith("avg"):
        return 200, "application/json", json.dumps(matrix())
    reply = {
        "vector": lambda: {"status": "success", "data": {"resultType": "vector", "result": []}},
        "novalues": lambda: matrix({"metric": ME | {"__name__": "tierlens_intervals_total"}}),
        "strings": lambda: matrix("x", 1),
        "nan": lambda: grown(form, lambda i, t: "NaN" if i % 3 else str(int(t))),
        "allnan": lambda: grown(form, lambda i, t: "NaN"),
        "infinite": lambda: grown(form, lambda i, t: "+Inf" if i % 2 else "-5"),
        "large": lambda: grown(form, lambda i, t: "1e300"),
        "words": lambda: grown(form, lambda i, t: "twelve"),
        "numbersvalue": lambda: grown(form, lambda i, t: 12),
        "pairs": lambda: matrix({"metric": ME | {"__name__": "tierlens_intervals_total"}, "values": [1, [], [None, None], {"a": 1}]}),
        "falling": lambda: grown(form, lambda i, t: str(1000000 - 10 * i)),
        "duplicate": lambda: matrix(*(2 * grown(form)["data"]["result"])),
        "othertimes": lambda: matrix({"metric": ME | {"__name__": "tierlens_intervals_total"}, "values": [[5, "1"], [1e18, "2"]]}),
        "error200": lambda: {"status": "error", "errorType": "execution", "error": "out of \u202ememory"},
    }.get(kind, lambda: grown(form))()
    return 200, "application/json", json.dumps(reply)


def store(certificate):
    from urllib.parse import parse_qsl

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            form = dict(parse_qsl(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()))
            kind = self.path.split("/")[1]
            status, content, body = answer(kind, self.path, form)
            if kind == "token":
                right = self.headers.get("Authorization") == "Bearer sesame"
                status, content, body = (200, content, body) if right else (401, "text/plain", "who?")
            self.send_response(status)
            self.send_header("Content-Type", content)
            if kind == "302":
                self.send_header("Location", "http://127.0.0.1:1/")
            if body is not None:
                self.send_header("Content-Length", str(len(body.encode()) + (1000 if kind == "truncated" else 0)))
            self.end_headers()
            try:
                for _ in range(40 if body is None else 0):
                    self.wfile.write(b" " * (1 << 20))
                self.wfile.write((body or "").encode())
            except OSError:
                pass

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if sys.argv[1] == "samples":
    samples(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "truth":
    truth()
elif sys.argv[1] == "store":
    store(sys.argv[2] if len(sys.argv) > 2 else None)
else:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        print(s.getsockname()[1])
