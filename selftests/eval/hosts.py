#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges what tools/eval-hosts has left: prints a table, and whether it is as it should be.

usage: hosts.py FOLDER REQUESTS DELAY_MS
"""
import json
import pathlib
import sys

HOSTS = ["nginx", "php-fpm", "mariadb"]
PORTS = {"nginx": 8080, "php-fpm": 9000, "mariadb": 3306}
CLOCK = {"mariadb": 3600}
STORES = ["prometheus", "victoria"]
NEAR = 0.02
STEP_S = 2  # of a window, as tools/eval-hosts asks
WARM = 50  # requests before the first part
MS = 1e3

folder, requests, delay_ms = pathlib.Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
failed = []


def judge(good, what):
    print(f"{'ok' if good else 'NOT ok'}: {what}")
    if not good:
        failed.append(what)


def near(got, want, what, unit="", bound=NEAR):
    off = abs(got / want - 1) if want else 1
    judge(off <= bound, f"{what}: {got:.6g}{unit}, {want:.6g}{unit} on the host itself, {100 * off:.2f} % off")


def port_of(name):
    return int(name.rsplit(":", 1)[1]) if ":" in name and name.rsplit(":", 1)[1].isdigit() else 0


class Host:
    """Sums of a recording, of intervals that begin in a span of this machine's clock."""

    def __init__(self, name, begin, end, ahead=0):
        self.count, self.own, self.calls, self.call_time = {}, {}, {}, {}
        with open(folder / name / "recording.jsonl", encoding="utf-8") as lines:
            for line in lines:
                interval = json.loads(line)
                if "tiers" in interval and begin <= interval["start_ns"] / 1e9 - ahead < end:
                    self.add(interval)

    def add(self, interval):
        for tier in interval["tiers"]:
            port = port_of(tier["name"])
            for cell in tier["cells"]:
                self.count[port] = self.count.get(port, 0) + cell["count"]
                self.own[port] = self.own.get(port, 0) + cell["own_ns"] / 1e9
        for edge in interval["edges"]:
            key = port_of(edge["tier"] or ""), port_of(edge["peer"])
            self.calls[key] = self.calls.get(key, 0) + edge["calls"]
            self.call_time[key] = self.call_time.get(key, 0) + edge["time_ns"] / 1e9


class Fleet:
    """What was joined."""

    def __init__(self, store, part):
        self.all = json.loads((folder / f"{store}-{part}.json").read_text(encoding="utf-8"))
        self.link = {(port_of(c["from"] or ""), port_of(c["to"])): c for c in self.all["calls"]}
        self.begin, self.end = self.all["from_t"], self.all["to_t"]
        self.own, self.count = {}, {}
        for tier in self.all["tiers"]:
            port, n = port_of(tier["tier"].split("@")[0]), tier["rate"] * self.all["windows"] * STEP_S
            self.count[port] = self.count.get(port, 0) + n
            self.own[port] = self.own.get(port, 0) + n * (tier["mean_own_s"] or 0)


def compare(store, part, single):
    fleet = Fleet(store, part)
    print(f"\n{store}, part {part}:")
    for name in HOSTS:
        port = PORTS[name]
        host = Host(name, fleet.begin - 6, fleet.end + 6, CLOCK.get(name, 0))
        judge(round(fleet.count.get(port, 0)) == host.count.get(port), f"{name}: {fleet.count.get(port, 0):.1f} requests, "
              f"{host.count.get(port)} on the host itself")
        near(fleet.own.get(port, 0) / max(fleet.count.get(port, 0), 1) * MS, host.own[port] / host.count[port] * MS, f"{name}: own time", " ms")
        near(fleet.count.get(port, 0) / requests, single.count[port] / (requests + WARM), f"{name}: requests a page, against one host")
    for caller, callee in zip(HOSTS, HOSTS[1:]):
        key = PORTS[caller], PORTS[callee]
        link = fleet.link.get(key)
        judge(link is not None and link["verdict"] == "known" and link["peer"] == "there", f"{caller} to {callee}: joined "
              f"({link and link['verdict']}, {link and link['peer']})")
        if link:
            near(link["calls"] / requests, single.calls[key] / (requests + WARM), f"{caller} to {callee}: calls a page, against one host")
    return fleet


def mean(fleets, of):
    return sum(of(f) for f in fleets) / len(fleets)


def longer(store, one, two):
    """@one, @two: parts as it is, and with the longer way."""
    print(f"\n{store}, the way to php-fpm {delay_ms:g} ms longer:")
    for caller, callee in zip(HOSTS, HOSTS[1:]):
        key = PORTS[caller], PORTS[callee]
        was, now = (mean(f, lambda f, k=key: f.link[k]["mean_network_s"] * MS) for f in (one, two))
        # Each page has a connection of its own: its first packet is on the way, and what is asked.
        want = 2 * delay_ms if callee == "php-fpm" else 0
        judge(abs(now - was - want) <= 1, f"{caller} to {callee}: network {was:.3f} and {now:.3f} ms, {now - was:+.3f}")
    for name in HOSTS:
        was, now = (mean(f, lambda f, p=PORTS[name]: f.own[p] / f.count[p] * MS) for f in (one, two))
        judge(abs(now - was) <= max(1, 0.05 * was), f"{name}: own time {was:.3f} and {now:.3f} ms")


def main():
    everything = Host("single", 0, 1e12)
    for store in STORES:
        parts = [compare(store, part, everything) for part in "ABCD"]
        longer(store, parts[::2], parts[1::2])
    print(f"\n{len(failed)} failed" if failed else "\nall is as it should be")
    return 1 if failed else 0


sys.exit(main())
