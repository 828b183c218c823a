#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds pages of metrics against what else is known, with Prometheus' own parsers.

usage: user-metrics.py sums OPENMETRICS PLAIN INTERVALS    values are the sums of the recorded intervals
       user-metrics.py grows PAGE...                       counters never become less from page to page

Prints what is wrong, and nothing if nothing is. Debian's own interpreter, which has Debian's prometheus_client.
"""
import json
import sys
from collections import Counter

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_families
from prometheus_client.parser import text_string_to_metric_families as plain_families


def page(name, families):
    """{(name, labels): value}; a parser refuses what is not in its format."""
    samples, types = {}, {}
    with open(name, newline="\n", encoding="utf-8") as file:
        text = file.read()
    for family in families(text):
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            if key in samples:
                print("twice:", key)
            samples[key] = sample.value
            types[key] = family.type
    return samples, types


def key(name, **labels):
    return (name, tuple(sorted(labels.items())))


def cell_sums(sums, tier, cell):
    of = {"tier": tier, "class": cell["class"]}

    def add(name, value, **more):
        if value is not None:
            sums[key("tierlens_" + name, **of, **more)] += value

    add("requests_total", cell["count"])
    add("requests_carried_total", cell["carried"])
    add("requests_traced_total", cell.get("traced", 0))
    add("response_seconds_sum", cell["response_ns"] / 1e9)
    add("response_seconds_count", sum(n for _, n in cell["hist"]["response"]))
    add("own_seconds_sum", cell["own_ns"] / 1e9)
    add("own_seconds_count", sum(n for _, n in cell["hist"]["own"]))
    add("cpu_seconds_total", cell.get("cpu_s"))
    add("run_wait_seconds_total", cell.get("run_wait_s"))
    add("queue_wait_seconds_total", cell.get("queue_s"))
    add("queue_waits_total", cell.get("queue_count"))
    add("request_bytes_total", cell["bytes_in"], direction="in")
    add("request_bytes_total", cell["bytes_out"], direction="out")
    add("storage_bytes_total", cell.get("storage_read_bytes"), operation="read")
    add("storage_bytes_total", cell.get("storage_write_bytes"), operation="write")


def edge_sums(sums, edge):
    of = {"tier": edge["tier"] or "", "class": edge["class"], "peer": edge["peer"], "peer_tier": edge["peer_tier"] or ""}

    def add(name, value, **more):
        if value is not None:
            sums[key("tierlens_" + name, **of, **more)] += value

    add("calls_total", edge["calls"])
    add("call_seconds_total", edge["time_ns"] / 1e9)
    add("calls_joined_total", edge.get("joined"))
    add("call_transit_seconds_total", edge.get("transit_s"))
    add("call_bytes_total", edge.get("bytes_in"), direction="in")
    add("call_bytes_total", edge.get("bytes_out"), direction="out")
    for by, n in edge["by"].items():
        if edge["tier"] is not None:
            add("calls_attributed_total", n, by=by)


def rest_sums(sums, interval):
    for kind, n in interval["losses"].items():
        sums[key("tierlens_losses_total", kind=kind)] += n
    for outcome, n in interval["events"].items():
        sums[key("tierlens_events_total", outcome=outcome)] += n
    cost = interval.get("cost", {})
    for probe in ("hook", "function"):
        if probe + "_hits" in cost:
            sums[key("tierlens_probe_hits_total", probe=probe)] += cost[probe + "_hits"]
            sums[key("tierlens_probe_seconds_total", probe=probe)] += cost[probe + "_s"] + cost.get(probe + "_way_s", 0)
    for count in interval.get("counts", []):
        sums[key("tierlens_pmu_events_total", event=count["event"])] += count["value"]
        sums[key("tierlens_pmu_enabled_seconds_total", event=count["event"])] += count["enabled_s"]
        sums[key("tierlens_pmu_running_seconds_total", event=count["event"])] += count["running_s"]
    for charge in interval.get("charged", []):
        of = {name: charge[name] for name in ("tier", "class", "event")}
        sums[key("tierlens_request_events_total", **of)] += charge["value"]
    for called in interval.get("functions", []):
        of = {"tier": called["tier"], "class": called.get("class", ""), "function": called["name"]}
        sums[key("tierlens_function_calls_total", **of)] += called["count"]
        for name, part in (("", "total_s"), ("own_", "own_s"), ("cpu_", "cpu_s")):
            sums[key(f"tierlens_function_{name}seconds_total", **of)] += called[part]


def check_sums(open_page, plain_page, recording):
    metrics, _ = page(open_page, open_families)
    plain, _ = page(plain_page, plain_families)
    if metrics != plain:
        print("the two formats differ:", set(metrics.items()) ^ set(plain.items()))
    sums, n = Counter(), 0
    with open(recording, encoding="utf-8") as file:
        for interval in map(json.loads, file):
            n += 1
            for tier in interval["tiers"]:
                for cell in tier["cells"]:
                    cell_sums(sums, tier["name"], cell)
                usage = tier.get("usage", {})
                if "cpu_s" in usage:
                    sums[key("tierlens_tier_cpu_seconds_total", tier=tier["name"])] += usage["cpu_s"]
                if "request_cpu_s" in usage:
                    sums[key("tierlens_tier_request_cpu_seconds_total", tier=tier["name"])] += usage["request_cpu_s"]
            for edge in interval["edges"]:
                edge_sums(sums, edge)
            rest_sums(sums, interval)
    if metrics[key("tierlens_intervals_total")] != n or n < 20:
        print("intervals:", metrics[key("tierlens_intervals_total")], "and", n)
    for name, value in sums.items():
        if name not in metrics or abs(metrics[name] - value) > 1e-9 * max(1, abs(value)):
            print("wrong:", name, metrics.get(name), "instead of", value)
    ours = ("intervals", "series", "adaptor")
    for name in metrics:
        if name[0].endswith("_total") and name not in sums and not name[0].split("_")[1].startswith(ours):
            print("nothing says so:", name)
    if len(sums) < 60:
        print("only", len(sums), "sums")


def check_grows(pages):
    before, grown = {}, 0
    for name in pages:
        now, types = page(name, open_families)
        for sample, value in now.items():
            if types[sample] not in ("counter", "histogram"):
                continue
            grown += value > before.get(sample, 0)
            if value < before.get(sample, 0):
                print("less than before:", sample, value)
        for sample in before:
            if sample not in now and types.get(sample) == "counter":
                print("gone:", sample)
        before = now
    if not grown:
        print("nothing has grown")


if sys.argv[1] == "sums":
    check_sums(*sys.argv[2:])
else:
    check_grows(sys.argv[2:])
