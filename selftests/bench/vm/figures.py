#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What blocks of tools/bench-vm say: figures.py FOLDER [--json FILE] [--judge]

A block's instructions are held against those of the block without a tool of the same turn; of these ratios the median is
told, and the smallest and largest. "again" is one without a tool, too: what it differs by is chance."""
import argparse
import collections
import json
import math
import os
import statistics
import sys

Block = collections.namedtuple("Block", "load connections turn kind requests instructions ns mean_s")

# By how many percent more instructions, fewer requests, longer responses, at most: at level server.
BARS = {"shop": (1.5, 1.0, 1.0), "redis": (None, 2.0, None)}
# Instructions in the handlers of a send and of a receive, at most.
HANDLER_BAR = 400
HANDLERS = "tcp_sendmsg", "tcp_recvmsg", "tcp_cleanup_rbuf"
# How many times as much other tools add, at least.
TIMES_DEARER = {"bpftrace_print": 10, "sysdig": 10, "lttng": 1}


def blocks(folder):
    with open(os.path.join(folder, "blocks"), encoding="ascii") as file:
        for line in file:
            load, connections, turn, kind, requests, instructions, ns, mean = line.split()
            yield Block(load, int(connections), int(turn), kind, int(requests), int(instructions), int(ns), float(mean))


def spread(values):
    return {"median": statistics.median(values), "low": min(values), "high": max(values)} if values else None


def percent(pairs):
    return spread([100 * (a / b - 1) for a, b in pairs])


def rows(all_blocks):
    by = collections.defaultdict(dict)
    for block in all_blocks:
        by[block.load, block.connections, block.kind][block.turn] = block
    for (load, connections, kind), turns in by.items():
        if kind == "none":
            continue
        pairs = [(block, by[load, connections, "none"][turn]) for turn, block in turns.items() if turn in by[load, connections, "none"]]
        yield {
            "load": load, "connections": connections, "tool": kind, "turns": len(pairs),
            "without_per_request": statistics.median(b.instructions / b.requests for _, b in pairs),
            "added_per_request": spread([a.instructions / a.requests - b.instructions / b.requests for a, b in pairs]),
            "instructions_percent": percent([(a.instructions / a.requests, b.instructions / b.requests) for a, b in pairs]),
            "instructions_percent_of_turns": [100 * (a.instructions / a.requests / (b.instructions / b.requests) - 1) for a, b in pairs],
            "throughput_percent": percent([(b.ns / b.requests, a.ns / a.requests) for a, b in pairs]),
            "response_percent": percent([(a.mean_s, b.mean_s) for a, b in pairs if b.mean_s]),
        }


def hook_lines(folder):
    with open(os.path.join(folder, "hooks"), encoding="ascii") as file:
        return [json.loads(line) for line in file]


def hooks(lines):
    """Instructions a hit, of each hook at level server and each load, most hit first."""
    sums = {}
    for line in lines:
        of = sums.setdefault((line["hook"], line["symbol"], line["floor_ns"]), collections.defaultdict(lambda: [0, 0, 0]))
        for load in (line["load"], "all"):
            for i, name in enumerate(("hits", "timed", "timed_ns")):
                of[load][i] += line[name]
    for (hook, symbol, floor), loads in sorted(sums.items(), key=lambda item: -item[1]["all"][0]):
        of = {load: {"hits": hits, "timed": timed, "instructions": ns / timed if timed else None} for load, (hits, timed, ns) in loads.items()}
        yield {"hook": hook, "symbol": symbol, "floor": floor, **of.pop("all"), "loads": of}


def floors(lines, table):
    """What probes that do nothing would add, at the hooks that each load has met at level server."""
    without = {(row["load"], row["connections"]): row["without_per_request"] for row in table}
    sums, requests = {}, {}
    for line in lines:
        at = line["load"], line["connections"]
        sums[at] = sums.get(at, 0) + line["hits"] * line["floor_ns"]
        if line["symbol"] == "tcp_sendmsg":
            requests[at] = requests.get(at, 0) + line["requests"]
    for at, ways in sums.items():
        if at in without and requests.get(at):
            added = ways / requests[at]
            yield {"load": at[0], "connections": at[1], "added_per_request": added, "instructions_percent": 100 * added / without[at]}


def text(of):
    return f"{of['median']:+.2f} ({of['low']:+.2f} … {of['high']:+.2f})" if of else "-"


def mean(of):
    return f"{of['instructions']:.0f} ({of['timed']:,})" if of and of["timed"] else "-"


def judge_levels(table):
    for row in table:
        at = f"{row['load']}, {row['connections']} connections, {row['tool']}"
        if row["tool"] == "server" and row["load"] in BARS:
            names = "instructions_percent", "throughput_percent", "response_percent"
            for name, sign, bar in zip(names, (1, -1, 1), BARS[row["load"]]):
                if bar is not None and row[name] and sign * row[name]["median"] > bar:
                    yield f"{at}: {name} {text(row[name])}, the bar is {sign * bar:+}"


def judge_unseen(table):
    """What is loaded or off adds nothing that can be seen: not on one load, where each turn is above all without a tool, and not a little on all.

    The former happens by chance once in seventy times, of four turns; there are eighteen such comparisons, so it says that, and
    more turns settle it. For the latter ranks of all loads are taken together (van Elteren): by chance once in a hundred times."""
    again = {(r["load"], r["connections"]): r for r in table if r["tool"] == "again"}
    for kind in ("loaded", "off"):
        more, variance = 0, 0
        for row in table:
            chance = again.get((row["load"], row["connections"]))
            if row["tool"] != kind or not chance:
                continue
            a, b = row["instructions_percent"], chance["instructions_percent"]
            of, by = row["instructions_percent_of_turns"], chance["instructions_percent_of_turns"]
            if a["low"] > b["high"]:
                yield (f"{row['load']}, {row['connections']} connections, {kind}: {text(a)} % are more than chance, {text(b)} %; by that itself "
                       f"it happens once in {math.comb(len(of) + len(by), len(of))} times, more turns of this load tell")
            more += sum((x > y) + (x == y) / 2 for x in of for y in by) - len(of) * len(by) / 2
            variance += len(of) * len(by) * (len(of) + len(by) + 1) / 12
        z = more / variance**0.5 if variance else 0
        if z > 2.33:
            yield f"{kind}: more instructions than without, on all loads together, by {z:.1f} standard deviations of chance"


def judge_handlers(of_hooks):
    for hook in of_hooks:
        for load, of in hook["loads"].items() if hook["symbol"] in HANDLERS else ():
            if of["instructions"] is not None and of["instructions"] > HANDLER_BAR:
                yield f"{load}, {hook['hook']}: {of['instructions']:.0f} instructions in its handler, of {of['timed']:,} hits, the bar is {HANDLER_BAR}"


def judge_losses(folder):
    with open(os.path.join(folder, "lost"), encoding="ascii") as file:
        for line in sorted(set(file)):
            if line.strip() != "lost {}":
                yield line.strip()


def judge_tools(table):
    """Against who delivers each event to a reader, and who only records."""
    server = {(r["load"], r["connections"]): r["added_per_request"]["median"] for r in table if r["tool"] == "server"}
    for row in table:
        own, of = server.get((row["load"], row["connections"])), row["added_per_request"]["median"]
        times = TIMES_DEARER.get(row["tool"])
        if own is not None and times is not None and of < times * own:
            yield (f"{row['load']}, {row['connections']} connections: {row['tool']} adds {of:,.0f} instructions a request, "
                   f"{of / own:.1f} times of ours, the bar is {times}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--json")
    parser.add_argument("--judge", action="store_true")
    args = parser.parse_args()
    table = list(rows(blocks(args.folder)))
    print("| load | connections | tool | instructions a request without | added | in % | requests a second, in % | mean response, in % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in table:
        print(f"| {row['load']} | {row['connections']} | {row['tool']} | {row['without_per_request']:,.0f} | "
              f"{row['added_per_request']['median']:+,.0f} | {text(row['instructions_percent'])} | "
              f"{text(row['throughput_percent'])} | {text(row['response_percent'])} |")
    lines = hook_lines(args.folder)
    of_floors = list(floors(lines, table))
    print("\nThe floor, probes at the same hooks that do nothing:\n")
    print("| load | connections | instructions a request | in % |\n| --- | --- | --- | --- |")
    for row in of_floors:
        print(f"| {row['load']} | {row['connections']} | {row['added_per_request']:,.0f} | {row['instructions_percent']:+.2f} |")
    of_hooks = list(hooks(lines))
    loads = list(dict.fromkeys(line["load"] for line in lines))
    print("\nInstructions in handlers, the mean of how many hits:\n")
    print(f"| hook | function | hits | the floor | {' | '.join(loads)} |\n| --- | --- | --- | --- |{' --- |' * len(loads)}")
    for row in of_hooks:
        print(f"| {row['hook']} | {row['symbol']} | {row['hits']:,} | {row['floor']} | {' | '.join(mean(row['loads'].get(load)) for load in loads)} |")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"format": 1, "rows": table, "floors": of_floors, "hooks": of_hooks}, file, indent=1)
    bad = [*judge_levels(table), *judge_unseen(table), *judge_tools(table), *judge_handlers(of_hooks), *judge_losses(args.folder)] if args.judge else []
    for line in bad:
        print(f"missed: {line}")
    return 1 if bad else 0


sys.exit(main())
