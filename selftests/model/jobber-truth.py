#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What "tierlens tasks infer" should find in a recording of jobber.

  jobber-truth.py TABLE LOG DIR     DIR/truth.json, for "sync-points.py judge DIR OUT.json"

TABLE is the recording, LOG what jobber printed: from when on a thread worked on which job. A leaf is of the
job that its thread had when it began, from what it took a job with of that job. What it does in the
functions of the queue before is nobody's. Who made a job gave it by its signal; who took
it did so by the wait that came back, or where none was needed by locking the mutex.
"""

import bisect
import collections
import csv
import json
import os
import sys

TAKES = ("get", "take")  # functions that take a job
IDLE = TAKES + ("react",)  # and where there is none


def read_table(file):
    with open(file) as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        row["seq"], row["ns"] = int(row["seq"]), float(row["time_us"]) * 1000
        row["tid"] = int(row["thread"].split("/")[1].split(" ")[0])
        row["function"] = row["stack"].split(";")[-1]
    threads = collections.defaultdict(list)
    for row in sorted(rows, key=lambda row: row["seq"]):
        threads[row["tid"]].append(row)
    return threads


def read_log(file):
    turns, types = collections.defaultdict(list), {}
    with open(file) as lines:
        for turn in map(json.loads, lines):
            if "thread" in turn:
                turns[turn["thread"]].append((turn["ns"], turn["job"]))
                types[str(turn["job"])] = "ab"[turn["type"]]
    types.pop("0")
    for turn in turns.values():
        turn.sort()
    return turns, types


class Truth:
    def __init__(self, table, log):
        self.threads = read_table(table)
        self.turns, self.types = read_log(log)
        self.gave, self.took = collections.defaultdict(list), collections.defaultdict(list)
        self.taking = {}  # seq of what a thread took a job with, and what follows until it has it: the job
        for tid, events in self.threads.items():
            self.look_at_gifts(tid, events)
            self.look_at_takings(tid, events)

    def job_at(self, tid, ns):
        i = bisect.bisect_right(self.turns[tid], (ns, float("inf"))) - 1
        return self.turns[tid][i][1] if i >= 0 else 0

    def look_at_gifts(self, tid, events):
        for event in events:
            job = self.job_at(tid, event["ns"])
            if job and event["op"] == "signal" and not event["object"].startswith("thread"):
                self.gave[job].append(event["seq"])

    def look_at_takings(self, tid, events):
        times = [event["ns"] for event in events]
        for ns, job in self.turns[tid]:
            last = bisect.bisect_right(times, ns) - 1
            if not job or last < 0 or events[last]["function"] not in TAKES:
                continue
            first = last
            if last and events[last - 1]["op"] == "wait" and not events[last - 1]["object"].startswith("epoll"):
                first -= 1
            self.took[job].append(events[first]["seq"])
            for event in events[first:last + 1]:
                self.taking[event["seq"]] = job

    def leaf(self, tid, first, last):
        job = self.taking.get(first["seq"])
        if job is None:
            idle = first["function"] in IDLE and last["function"] in IDLE
            job = None if idle and (first["op"] != "unlock" or first["function"] == "get") else self.job_at(tid, first["ns"])
        return [first["thread"], first["seq"], last["seq"], job or None]

    def write(self, folder):
        leaves = [self.leaf(tid, *pair) for tid, events in self.threads.items() for pair in zip(events, events[1:])]
        edges = [list(pair) for job in self.gave for pair in zip(sorted(self.gave[job]), sorted(self.took[job]))]
        with open(os.path.join(folder, "truth.json"), "w") as to:
            json.dump({"leaves": leaves, "edges": edges, "types": self.types, "mutex_threads": []}, to)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    Truth(*sys.argv[1:3]).write(sys.argv[3])
