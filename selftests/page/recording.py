#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a recording of a shop with an incident: nginx:443 -> shop:8080 -> postgres:5432, four classes.

usage: recording.py [INTERVALS [--hostile]]

In a twelfth and in the last sixth the database takes five times as long for searches, and is looked at at the level "method". What a
request costs is otherwise the same all the time; how many come goes up and down. Every figure is a sum over simulated
requests, so that the identities of a synchronous tree hold. With --hostile tiers and classes have names that a page must
not run.
"""
import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "unit"))
from buckets import bucket

START = 1763700000
PROCESSORS = 4
TIERS = ["nginx:443", "shop:8080", "postgres:5432"]
CLASSES = ["/search", "/cart", "/checkout", "other"]
# Own times in ms by tier: median, and how far apart; part of it on a processor; calls to the next tier.
OWN = {"/search": [(0.25, 0.3), (2.2, 0.4), (2.6, 0.5)], "/cart": [(0.2, 0.3), (1.4, 0.3), (0.9, 0.4)],
       "/checkout": [(0.3, 0.3), (4.5, 0.3), (1.6, 0.4)], "other": [(0.15, 0.5), (0.5, 0.5), (0.4, 0.5)]}
ON_CPU = [0.7, 0.55, 0.6]
CALLS = {"/search": (1, 2), "/cart": (1, 1), "/checkout": (1, 4), "other": (0, 0)}
MIX = [0.45, 0.3, 0.08, 0.17]
BY = [{"owner": 1.0}, {"thread": 0.8, "lookback": 0.15, "handoff": 0.05}]
EVENTS = {"cycles": 2.1e9, "instructions": 1.7e9, "cache-misses": 3.1e6}
HOSTILE = {"shop:8080": "<script>document.title='run'</script>:8080",
           "/cart": "<img src=x onerror=\"document.title='run'\">"}


def times(**ns):
    return {f"{name}_{unit}": value if unit == "ns" else value / 1e9 for name, value in ns.items()
            for unit in ("s", "ns")}


class Sums:
    def __init__(self):
        self.response, self.own, self.cpu = [], [], 0

    def add(self, response, own, cpu):
        self.response.append(response)
        self.own.append(own)
        self.cpu += cpu

    def hist(self, values):
        counts = {}
        for value in values:
            counts[bucket(value)] = counts.get(bucket(value), 0) + 1
        return sorted(map(list, counts.items()))

    def cell(self, name, level):
        return {"class": name, "count": len(self.own), **times(response=sum(self.response), own=sum(self.own)),
                "own_sq_s2": sum(x * x for x in self.own) / 1e18, "carried": 0, "level": level,
                "bytes_in": 400 * len(self.own), "bytes_out": 7000 * len(self.own),
                "hist": {"response": self.hist(self.response), "own": self.hist(self.own)},
                **times(cpu=self.cpu, run_wait=sum(self.own) // 20)}


class Interval:
    def __init__(self, rng, at, all_of):
        self.rng, self.at = rng, at
        self.slow = all_of // 4 <= at < all_of // 3 or at >= all_of * 5 // 6
        self.sums = {(tier, name): Sums() for tier in range(3) for name in CLASSES}
        self.edges = {}
        for name in rng.choices(CLASSES, MIX, k=self.requests(all_of)):
            self.request(0, name)

    def requests(self, all_of):
        mean = 110 + 40 * math.sin(6.3 * self.at / all_of * 3)
        return max(1, round(self.rng.gauss(mean, math.sqrt(mean))))

    def request(self, tier, name):
        median, sigma = OWN[name][tier]
        if self.slow and tier == 2 and name == "/search":
            median *= 5
        own = round(median * 1e6 * math.exp(self.rng.gauss(0, sigma)))
        response = own
        if tier < 2:
            for _ in range(CALLS[name][tier]):
                response += self.call(tier, name)
        # Waiting for a disk is what makes searches slow.
        cpu = round((min(own, 3e6) if self.slow else own) * ON_CPU[tier] * self.rng.uniform(0.9, 1.1))
        self.sums[tier, name].add(response, own, cpu)
        return response

    def call(self, tier, name):
        transit = self.rng.randrange(30000, 90000)
        time = self.request(tier + 1, name) + transit
        edge = self.edges.setdefault((tier, name), [0, 0, 0])
        edge[0] += 1
        edge[1] += time
        edge[2] += transit
        return time

    def edge(self, tier, name, calls, time, transit):
        by, left = {}, calls
        for kind, part in list(BY[tier].items())[1:]:
            by[kind] = int(calls * part)
            left -= by[kind]
        by[next(iter(BY[tier]))] = left
        return {"tier": TIERS[tier], "class": name, "peer": f"10.0.0.{tier + 2}:{TIERS[tier + 1].split(':')[1]}",
                "peer_tier": TIERS[tier + 1], "calls": calls, **times(time=time), "by": by, "joined": calls,
                **times(transit=transit), "bytes_out": 400 * calls, "bytes_in": 7000 * calls}

    def paths(self):
        for i, name in enumerate(CLASSES):
            parent, chain = None, ""
            for tier in range(3):
                sums = self.sums[tier, name]
                if not sums.own:
                    break
                chain += (">" if chain else "") + f"{TIERS[tier]}/{name}"
                yield {"id": 1 + 3 * i + tier, "parent": parent, "tier": TIERS[tier], "class": name, "path": chain,
                       "count": len(sums.own), **times(response=sum(sums.response), own=sum(sums.own), cpu=sums.cpu)}
                parent = 1 + 3 * i + tier

    def tiers(self):
        for tier, name in enumerate(TIERS):
            level = "method" if self.slow and tier == 2 else "server"
            cpu = sum(self.sums[tier, c].cpu for c in CLASSES)
            outside = round(2e6 * self.rng.uniform(0.8, 1.2))
            yield {"name": name, "cells": [self.sums[tier, c].cell(c, level) for c in CLASSES if self.sums[tier, c].own],
                   "usage": {"processes": 4, **times(cpu=cpu + outside, request_cpu=cpu), "outside_cpu_s": outside / 1e9}}

    def counts(self):
        for event, rate in EVENTS.items():
            for cpu in range(PROCESSORS):
                running = round(1e9 * self.rng.uniform(0.6, 0.7))
                value = rate * (1 + (1.5 * self.slow if event == "cache-misses" else 0)) * self.rng.gauss(1, 0.03)
                # Now and then a counter is read wrongly.
                if self.rng.random() < 0.003:
                    value *= 12
                yield {"event": event, "cpu": cpu, "value": round(value * running / 1e9),
                       **times(enabled=1000000000, running=running)}

    def losses(self):
        names = ("connections_full", "threads_full", "cells_full", "tiers_full", "peers_full", "calls_full", "late", "quiet",
                 "unanswered", "push", "ambiguous", "paths_full", "handoffs_dropped", "probes_missed")
        losses = dict.fromkeys(names, 0)
        losses["quiet"] = self.rng.randrange(3)
        losses["late"] = int(self.rng.random() < 0.02)
        return losses

    def line(self):
        tiers = list(self.tiers())
        edges = [self.edge(tier, name, *sums) for (tier, name), sums in sorted(self.edges.items())]
        requests = sum(len(s.own) for s in self.sums.values())
        unattributed = self.rng.randrange(3)
        if unattributed:
            edges.append({"tier": None, "class": "other", "peer": "10.0.0.9:6379", "peer_tier": None, "calls": unattributed,
                          **times(time=400000 * unattributed), "by": {"thread": unattributed}})
        hosts = {"cpu": sum(t["usage"]["cpu_s"] for t in tiers) / PROCESSORS + 0.02, "disk.vda": 0.6 if self.slow else 0.05}
        hosts |= {t["name"] + ".cpu": t["usage"]["cpu_s"] / PROCESSORS for t in tiers}
        return {"format": 1, "generation": self.at + 1, "t": START + self.at, "start_ns": (START + self.at) * 10**9,
                "seconds": 1.0, "length_ns": 10**9, "tiers": tiers, "edges": edges, "counts": list(self.counts()),
                "paths": list(self.paths()), "hosts": hosts,
                "cost": {"hook_hits": 8 * requests, **times(hook=1200 * requests), "function_hits": 0, **times(function=0)},
                "events": {"seen": 8 * requests + unattributed + 5, "attributed": 8 * requests,
                           "unattributed": unattributed, "ignored": 5}, "losses": self.losses()}


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 900
    rng = random.Random(1)
    if "--hostile" in sys.argv:
        for names in (TIERS, CLASSES):
            names[:] = [HOSTILE.get(name, name) for name in names]
        for table in (OWN, CALLS):
            table.update({HOSTILE.get(name, name): value for name, value in list(table.items())})
    for at in range(n):
        print(json.dumps(Interval(rng, at, n).line(), separators=(",", ":")))


main()
