#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where files come from as it is known, against what was answered:
#
#   origin-judge.py SET.csv ANSWERS.csv [--json]
#
# Prints for each kind of files accuracy (unsure is wrong), that of those that were answered, recall of user,
# how many were unsure, the confusion matrix, and the same by layout. --json: the figures only.
import collections
import csv
import json
import sys

LABELS = ["user", "system", "third-party"]
KINDS = {"elf": "ELF", "script": "scripts", "jar": "jars", "class": "Java classes"}


def figures(pairs):
    """@pairs: (as it is, as answered)"""
    count = collections.Counter(pairs)
    n, right = sum(count.values()), sum(count[l, l] for l in LABELS)
    unsure = sum(c for (_, said), c in count.items() if said == "unsure")
    user = sum(c for (label, _), c in count.items() if label == "user")
    return {"n": n, "accuracy": right / n, "answered": right / (n - unsure) if n > unsure else None, "unsure": unsure / n,
            "user_recall": count["user", "user"] / user if user else None,
            "confusion": {label: {said: count[label, said] for said in LABELS + ["unsure"]} for label in LABELS}}


def percent(x):
    return "     -" if x is None else f"{100 * x:6.2f}"


def tell(name, f):
    print(f"\n{name}: {f['n']}, accuracy {percent(f['accuracy'])} %, of the answered {percent(f['answered'])} %, "
          f"recall of user {percent(f['user_recall'])} %, unsure {percent(f['unsure'])} %")
    print(f"  {'':14}" + "".join(f"{said:>13}" for said in LABELS + ["unsure"]))
    for label in LABELS:
        print(f"  {label:14}" + "".join(f"{f['confusion'][label][said]:13}" for said in LABELS + ["unsure"]))


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as f:
        known = list(csv.DictReader(f))
    with open(sys.argv[2], encoding="utf-8", newline="") as f:
        said = list(csv.DictReader(f))
    if [k["path"] for k in known] != [s["path"] for s in said]:
        sys.exit("other rows were answered than asked")
    pairs, layouts = collections.defaultdict(list), collections.defaultdict(list)
    for k, s in zip(known, said):
        pairs[k["kind"]].append((k["label"], s["label"]))
        layouts[k["kind"], k.get("layout", "")].append((k["label"], s["label"]))
    if "--json" in sys.argv:
        print(json.dumps({kind: figures(p) for kind, p in pairs.items()}))
        return
    for kind in KINDS:
        if kind not in pairs:
            continue
        tell(KINDS[kind], figures(pairs[kind]))
        for (of, layout), p in sorted(layouts.items()):
            if of == kind and layout:
                f = figures(p)
                print(f"  {layout:14} {f['n']:6}  accuracy {percent(f['accuracy'])}  recall of user {percent(f['user_recall'])}"
                      f"  unsure {percent(f['unsure'])}")


main()
