#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of the jobs that tasks infer found go through steps that a programmer would name.

    job-steps.py TABLE.csv FOUND.json STEP...

A step is OP[|OP...]:FUNCTION[;FUNCTION...], a sync point with these functions, without their parameters, on its
stack in this order. Of the jobs that have the step with a * before it, where the work is done, prints how many
have all steps in order, and between which steps they go on in another thread:
{"jobs": N, "all": N, "threads": [[from, to, N], ...], "missing": {step: N}}.
"""
import csv
import json
import sys


def matches(event, ops, functions):
    if event["op"] not in ops:
        return False
    stack = iter(name.split("(")[0] for name in event["stack"].split(";"))
    return all(any(name == wanted for name in stack) for wanted in functions)


def walk(events, steps):
    """The first event of each step, after that of the one before; ends at the first that is missing."""
    found, at = [], 0
    for ops, functions in steps:
        while at < len(events) and not matches(events[at], ops, functions):
            at += 1
        if at == len(events):
            break
        found.append(events[at])
        at += 1
    return found


def main():
    table, report, *texts = sys.argv[1:]
    work = next(i for i, text in enumerate(texts) if text[0] == "*")
    steps = [(ops.lstrip("*").split("|"), functions.split(";"))
             for ops, functions in (text.split(":", 1) for text in texts)]
    with open(table, newline="", encoding="utf-8") as file:
        events = {int(row["seq"]): row for row in csv.DictReader(file)}
    with open(report, encoding="utf-8") as file:
        found = json.load(file)
    leaves = {leaf["id"]: leaf for leaf in found["leaves"]}
    result = {"jobs": 0, "all": 0, "threads": {}, "missing": {}}
    for job in found["jobs"]:
        seqs = sorted({leaves[i][end] for i in job["leaves"] for end in ("first_seq", "last_seq")})
        job_events = [events[seq] for seq in seqs]
        if not any(matches(event, *steps[work]) for event in job_events):
            continue
        result["jobs"] += 1
        way = walk(job_events, steps)
        if len(way) < len(steps):
            text = texts[len(way)]
            result["missing"][text] = result["missing"].get(text, 0) + 1
            continue
        result["all"] += 1
        for i in range(1, len(way)):
            if way[i]["thread"] != way[i - 1]["thread"]:
                key = (texts[i - 1], texts[i])
                result["threads"][key] = result["threads"].get(key, 0) + 1
    result["threads"] = [[*key, n] for key, n in result["threads"].items()]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
