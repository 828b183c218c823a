#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of a service of which everything is known.

recording.py KIND [INTERVALS]: to standard output. Three tiers on a host of two processors: front, app and db, of
two classes. Of an interval the counts vary, what a request costs does not, so that all that is built
from it is known exactly. KIND:

  plain    as described below in DEMAND, PAUSE and CALLS
  shared   app asks db in two ways: also through cache, of which class is none
  mesh     app asks itself; requests for db come from outside, too; front asks another host
  loose    every fifth call of app is of no known request
  free     no processor times are known
  crowd    five times as many
  wake     each request of app takes WAKE more of a processor before it is there
  calm     as many requests come as chance has it, and what tiers use without any changes all the time and is
           not known
"""
import json
import random
import sys

PROCESSORS = 2
# Seconds of a processor that a request takes at each tier, while it is served, and pauses in it.
DEMAND = {"front": {"buy": 0.0002, "look": 0.0001}, "app": {"buy": 0.003, "look": 0.001},
          "db": {"buy": 0.0005, "look": 0.0004}}
PAUSE = {"front": 0.0, "app": 0.0002, "db": 0.001}
READY = 0.00005  # waits for a processor, a request
TRANSIT = 0.0003  # between the ends of a call
CALLS = {("front", "app"): {"buy": 1, "look": 1}, ("app", "db"): {"buy": 6, "look": 2}}
WAKE = 0.0001
CACHE = 2  # calls of app to cache, each of which asks db once
OUTSIDE = {"front": 0.001, "app": 0.002, "db": 0.003}  # of a processor, without any request
REST_S, REST = 0.0005, 0.01  # what the host does beside: a request, and always, of all processors


class Interval:
    def __init__(self, kind, generation, counts, outside):
        self.kind, self.counts, self.outside = kind, counts, outside
        self.line = {"format": 1, "generation": generation, "t": 1700000000.0 + generation, "seconds": 1.0,
                     "tiers": [], "edges": [], "paths": [], "hosts": {}, "events": {}, "losses": {}}
        self.cells, self.busy = {}, {}
        for name, count in counts.items():
            self.request(None, "front", name, count, name)
        if kind == "mesh":
            self.request(None, "db", "look", 3, "look")
        self.finish()

    def path(self, parent, tier, name, count, response, own, cpu):
        self.line["paths"].append({"id": len(self.line["paths"]) + 2, "parent": parent, "tier": tier,
                                   "class": name, "path": "", "count": count, "response_s": response * count,
                                   "own_s": own * count})
        if self.kind != "free":
            self.line["paths"][-1]["cpu_s"] = cpu * count
        return self.line["paths"][-1]["id"]

    def edge(self, tier, name, peer_tier, calls, time, peer=None):
        known = peer_tier is not None
        self.line["edges"].append({"tier": tier, "class": name, "peer": peer or "127.0.0.1:1", "peer_tier": peer_tier,
                                   "calls": calls, "time_s": time * calls, "by": {"thread": calls}})
        if known:
            self.line["edges"][-1].update(joined=calls, transit_s=TRANSIT * calls)

    def below(self, tier, name):
        """What a request asks for: (tier, class, calls)."""
        asked = []
        for (caller, callee), calls in CALLS.items():
            if caller == tier:
                asked.append((callee, name, calls[name]))
        if tier == "app" and self.kind == "shared":
            asked.append(("cache", "other", CACHE))
        if tier == "cache":
            asked.append(("db", "look", 1))
        return asked

    def request(self, parent, tier, name, count, root, again=0):
        """The node of so many requests, and all below it. Return: response time."""
        demand = DEMAND.get(tier, {"other": 0.0001}).get(name, 0.0001)
        own = demand + PAUSE.get(tier, 0) + READY
        at = len(self.line["paths"])
        me = self.path(parent, tier, name, count, 0, own, demand)
        response = own
        asked = self.below(tier, name)
        if self.kind == "mesh" and tier == "app" and not again:
            asked.append(("app", name, 1))
        for callee, its, calls in asked:
            time = self.request(me, callee, its, count * calls, root, again + (callee == tier)) + TRANSIT
            self.edge(tier, name, callee, count * calls, time)
            if self.kind == "loose" and tier == "app":
                self.edge(None, "other", "db", count * calls // 4, time)
            response += time * calls
        if self.kind == "mesh" and tier == "front":
            self.edge(tier, name, None, count * 2, 0.01, "10.0.0.7:80")
            response += 2 * 0.01
        self.line["paths"][at]["response_s"] = response * count
        cell = self.cells.setdefault((tier, name), {"class": name, "count": 0, "response_s": 0.0, "own_s": 0.0,
                                                    "own_sq_s2": 0.0, "cpu_s": 0.0, "run_wait_s": 0.0})
        for key, value in (("count", 1), ("response_s", response), ("own_s", own), ("own_sq_s2", own * own),
                           ("cpu_s", demand), ("run_wait_s", READY)):
            cell[key] += value * count
        self.busy[tier] = self.busy.get(tier, 0) + demand * count
        return response

    def finish(self):
        total = 0
        for tier, busy in self.busy.items():
            cells = [dict(c) for (t, _), c in self.cells.items() if t == tier]
            used = busy + OUTSIDE.get(tier, 0) * self.outside
            if self.kind == "wake" and tier == "app":
                used += WAKE * sum(self.counts.values())
            entry = {"name": tier, "cells": cells}
            if self.kind == "free":
                for c in cells:
                    del c["cpu_s"], c["run_wait_s"]
            else:
                entry["usage"] = {"processes": 4, "cpu_s": used, "request_cpu_s": busy}
                if self.kind == "calm":
                    del entry["usage"]["request_cpu_s"]
                self.line["hosts"][tier + ".cpu"] = used / PROCESSORS
            self.line["tiers"].append(entry)
            total += used
        rest = REST_S * sum(self.counts.values()) / PROCESSORS + REST
        if self.kind != "free":
            self.line["hosts"]["cpu"] = total / PROCESSORS + rest


def main():
    kind = sys.argv[1]
    rng = random.Random(7)
    for generation in range(1, int(sys.argv[2]) + 1 if len(sys.argv) > 2 else 41):
        counts = {"buy": 8 + rng.randrange(9), "look": 20 + rng.randrange(41)}
        if kind == "crowd":
            counts = {name: 5 * count for name, count in counts.items()}
        outside = 1
        if kind == "calm":
            counts = {name: sum(rng.random() < 0.1 for _ in range(n)) for name, n in (("buy", 120), ("look", 400))}
            outside = rng.uniform(0, 10)
        print(json.dumps(Interval(kind, generation, counts, outside).line))


main()
