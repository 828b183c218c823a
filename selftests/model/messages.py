#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of which it is known which are delayed and which timed out, and what became of them.

messages.py make KIND SEED N FILE.csv        size_bytes,time_ms,truth
messages.py judge FILE.csv                   of what tierlens anomaly wrote of it, as JSON
messages.py kinds                            what there is

Paper 004, 3.3.8: packets of 1500 bytes, the smallest takes 2 ms, a full one 4; of 6000 messages 327 are delayed and 344
time out. Kinds differ in what normal ones scatter by, in by how much others are late, and in what there is none of.
"""
import csv
import json
import math
import random
import sys

MTU, SMALL_MS, FULL_MS = 1500, 2.0, 4.0
OF, DELAYED, TIMEOUT = 6000, 327, 344


def normal(r, sd):
    return r.gauss(0, sd)


def skewed(r, sd):
    return sd * (math.exp(r.gauss(0, 0.8)) - 1)


def heavy(r, sd):
    return sd * (math.exp(r.gauss(0, 1.2)) - 1)


def exponential(r, mean):
    return r.expovariate(1 / mean)


def pareto(r, scale):
    return scale * (r.paretovariate(1.8) - 1)


def student(r, scale):
    return scale * r.gauss(0, 1) / math.sqrt(sum(r.gauss(0, 1) ** 2 for _ in range(3)) / 3)


def backoff(r):
    return r.choice([1000, 3000, 7000]) + r.uniform(0, 30)


def between(low, high):
    return lambda r: r.uniform(low, high)


# Scatter, by how much delayed ones and timeouts are late, how many of these are there.
KINDS = {
    "plain": (normal, 0.1, between(5, 40), between(1000, 3000)),
    "noisy": (normal, 0.4, between(5, 40), between(200, 3000)),
    "small delays": (normal, 0.2, between(1.5, 4), between(1000, 3000)),
    "exponential delays": (normal, 0.15, lambda r: 1 + r.expovariate(0.1), between(1000, 3000)),
    "skewed": (skewed, 0.2, between(5, 40), between(1000, 3000)),
    "heavy tails": (heavy, 0.1, between(8, 40), between(500, 3000)),
    "student": (student, 0.15, between(5, 30), between(1000, 3000)),
    "tries again": (normal, 0.2, between(5, 30), backoff),
    "no timeouts": (normal, 0.2, between(3, 20), None),
    "no delays": (normal, 0.2, None, between(1000, 3000)),
    "healthy": (normal, 0.2, None, None),
    "healthy skewed": (skewed, 0.3, None, None),
    "healthy heavy": (heavy, 0.2, None, None),
    "healthy exponential": (exponential, 0.5, None, None),
    "healthy pareto": (pareto, 0.3, None, None),
    "healthy student": (student, 0.2, None, None),
    "healthy steps": (normal, 0.6, None, None),  # told in whole milliseconds
    "healthy one size": (exponential, 0.7, None, None),  # as well
}


def make(kind, seed, n, file):
    r = random.Random(f"{kind} {seed}")
    scatter, wide, delay, timeout = KINDS[kind]
    truth = ["delayed"] * round(DELAYED * n / OF if delay else 0) + ["timeout"] * round(TIMEOUT * n / OF if timeout else 0)
    truth += ["normal"] * (n - len(truth))
    r.shuffle(truth)
    with open(file, "w", newline="", encoding="utf-8") as to:
        rows = csv.writer(to, lineterminator="\n")
        rows.writerow(["size_bytes", "time_ms", "truth"])
        for what in truth:
            size = 700 if kind == "healthy one size" else r.randint(64, 9000)
            full = math.ceil(size / MTU) - 1
            time = full * FULL_MS + SMALL_MS + (FULL_MS - SMALL_MS) * (size / MTU - full) + scatter(r, wide)
            time += {"normal": lambda _: 0, "delayed": delay, "timeout": timeout}[what](r)
            time = max(time, 0.01)
            rows.writerow([size, round(time) if kind in ("healthy steps", "healthy one size") else f"{time:.4f}", what])


def judge(file):
    with open(file, newline="", encoding="utf-8") as rows:
        pairs = [(row["truth"], row["label"]) for row in csv.DictReader(rows)]

    def part(of, is_so):
        chosen = [p for p in pairs if p[0] == of]
        return sum(map(is_so, chosen)) / len(chosen) if chosen else None

    print(json.dumps({"n": len(pairs), "accuracy": sum(t == l for t, l in pairs) / len(pairs),
                      "false_alarms": part("normal", lambda p: p[1] != "normal"),
                      "delayed": part("delayed", lambda p: p[1] == "delayed"),
                      "timeout": part("timeout", lambda p: p[1] == "timeout")}))


def main():
    if sys.argv[1:] == ["kinds"]:
        print("\n".join(KINDS))
    elif sys.argv[1:2] == ["make"] and len(sys.argv) == 6:
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    elif sys.argv[1:2] == ["judge"] and len(sys.argv) == 3:
        judge(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
