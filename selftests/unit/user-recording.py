#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a plausible recording: nginx:80 -> php-fpm:9000 -> mariadbd:3306.

usage: user-recording.py [INTERVALS [SEED]]

Halfway through, the database becomes four times as slow for a quarter of the time. Of the requests
nginx answers a third by itself; php calls the database twice, and a cache on another host once.
Every figure is a sum over simulated requests, so that the identities of a synchronous tree hold.
What the kernel cannot always tell is there for some tiers and not for others.
"""
import json
import random
import sys

from buckets import bucket

TIERS = ("nginx:80", "php-fpm:9000", "mariadbd:3306")


class Cell:
    def __init__(self, tier):
        self.response, self.own = [], []
        self.front, self.storage = tier == TIERS[0], tier == TIERS[2]

    def add(self, response, own):
        self.response.append(response)
        self.own.append(own)

    def json(self):
        def hist(values):
            counts = {}
            for value in values:
                counts[bucket(value)] = counts.get(bucket(value), 0) + 1
            return sorted(map(list, counts.items()))

        response, own = sum(self.response), sum(self.own)
        rest = times(cpu=self.cpu(), run_wait=own // 10)
        if not self.front:
            rest |= times(queue=40000 * len(self.own)) | {"queue_count": len(self.own)}
        if self.storage:
            read, write = 4096 * len(self.own), 512 * len(self.own)
            rest |= {"storage_read_bytes": read, "storage_write_bytes": write,
                     "storage_bytes": read + write}
        return {"class": "other", "count": len(self.response),
                "response_s": response / 1e9, "response_ns": response,
                "own_s": own / 1e9, "own_ns": own,
                "own_sq_s2": sum(x * x for x in self.own) / 1e18, "carried": 0,
                "bytes_in": 420 * len(self.response), "bytes_out": 9000 * len(self.response),
                "hist": {"response": hist(self.response), "own": hist(self.own)}, **rest}

    def cpu(self):
        return sum(self.own) * 6 // 10

    def usage(self, processes):
        cpu = self.cpu()
        return {"processes": processes, **times(cpu=cpu + 10**7, request_cpu=cpu),
                "outside_cpu_s": 0.01}


def times(**sums):
    return {f"{name}_{unit}": ns / 1e9 if unit == "s" else ns
            for name, ns in sums.items() for unit in ("s", "ns")}


class Edge:
    def __init__(self, tier, peer, peer_tier, kind):
        self.head = {"tier": tier, "class": "other", "peer": peer, "peer_tier": peer_tier}
        self.kind, self.calls, self.time = kind, 0, 0

    def add(self, time):
        self.calls += 1
        self.time += time

    def json(self):
        by = {"thread": 0, "owner": 0, "handoff": 0, "lookback": 0, "order": 0}
        by[self.kind] = self.calls
        joined = self.calls if self.head["peer_tier"] else 0
        return {**self.head, "calls": self.calls, "time_s": self.time / 1e9,
                "time_ns": self.time, "by": by, "joined": joined,
                **times(transit=50000 * joined), "bytes_out": 100 * self.calls,
                "bytes_in": 900 * self.calls}


def paths(cells):
    """One chain; every request of a tier came down it."""
    result, text = [], ""
    for i, tier in enumerate(TIERS):
        cell = cells[tier]
        text += f"{'>' if i else ''}{tier}/other"
        result.append({"id": i + 2, "parent": i + 1 if i else None, "tier": tier,
                       "class": "other", "path": text, "count": len(cell.own),
                       **times(response=sum(cell.response), own=sum(cell.own), cpu=cell.cpu())})
    return result


def hosts(cells, first):
    result = {} if first else {"cpu": 0.3125, "disk.vda": 0.0625, "net.eth0.in_bytes_s": 1e5,
                               "net.eth0.out_bytes_s": 2e6}
    return result | {f"{tier}.cpu": (cells[tier].cpu() + 10**7) / 4e9 for tier in TIERS}


def interval(rng, generation, start_ns, requests, slow):
    def time(mean_us):
        return max(1200, int(rng.gammavariate(2.0, mean_us * 500)))

    cells = {tier: Cell(tier) for tier in TIERS}
    edges = [Edge(TIERS[0], "127.0.0.1:9000", TIERS[1], "owner"),
             Edge(TIERS[1], "127.0.0.1:3306", TIERS[2], "thread"),
             Edge(TIERS[1], "10.1.2.3:11211", None, "thread")]
    for _ in range(requests):
        own = time(180)
        if rng.random() < 1 / 3:
            cells[TIERS[0]].add(own, own)
            continue
        php_own, calls = time(2400), 0
        for _ in range(2):
            db = time(1500 * slow)
            call = db + time(60)
            cells[TIERS[2]].add(db, db)
            edges[1].add(call)
            calls += call
        cache = time(350)
        edges[2].add(cache)
        php = php_own + calls + cache
        cells[TIERS[1]].add(php, php_own)
        call = php + time(50)
        edges[0].add(call)
        cells[TIERS[0]].add(own + call, own)
    seen = 22 * requests
    lost = requests // 40
    return {"format": 1, "generation": generation, "t": start_ns / 1e9, "start_ns": start_ns,
            "seconds": 1.0, "length_ns": 10**9,
            "tiers": [{"name": tier, "cells": [cells[tier].json()],
                       "usage": cells[tier].usage(2)} for tier in TIERS],
            "edges": [edge.json() for edge in edges],
            "paths": paths(cells), "hosts": hosts(cells, generation == 1000),
            "events": {"seen": seen, "attributed": seen - lost - 60, "unattributed": lost,
                       "ignored": 60},
            "losses": {"connections_full": 0, "threads_full": 0, "cells_full": 0,
                       "tiers_full": 0, "peers_full": 0, "calls_full": 0,
                       "late": int(rng.random() < 0.1), "quiet": rng.randrange(4),
                       "unanswered": 0, "push": 0, "ambiguous": 0, "paths_full": 0,
                       "handoffs_dropped": 0, "probes_missed": 0}}


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for i in range(n):
        slow = 4 if n // 2 <= i < n // 2 + n // 4 else 1
        line = interval(rng, 1000 + i, 1763700000 * 10**9 + i * 10**9,
                        int(rng.gauss(220, 15)), slow)
        print(json.dumps(line, separators=(",", ":")))


if __name__ == "__main__":
    main()
