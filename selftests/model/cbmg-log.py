#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An access log of people who go through a shop by known probabilities.

cbmg-log.py SEED SESSIONS FORMAT [HOURS] [KINDS]

FORMAT is combined (whole seconds, no response times), timed (nginx, with $msec, $request_time
and a cookie), apache (begin times, microseconds) or json. Sessions begin by chance over HOURS
(24); the log is what lies between the second hour and the last but one if there are more than
8, so that its ends cut sessions in two. KINDS is 1, or 2 for buyers and lookers. With SEED
"truth" the probabilities and what follows from them are printed instead, as JSON.
"""
import datetime
import json
import random
import sys

STATES = ["home", "search", "product", "cart", "order"]
URLS = ["/", "/search?q=%d", "/product/%d", "/cart", "/order"]
# To each state, and out.
LOOKER = {
    None: [0.7, 0.2, 0.1, 0, 0, 0],
    "home": [0.05, 0.5, 0.25, 0, 0, 0.2],
    "search": [0.05, 0.2, 0.6, 0, 0, 0.15],
    "product": [0.1, 0.25, 0.25, 0.1, 0, 0.3],
    "cart": [0, 0.1, 0.3, 0.1, 0.1, 0.4],
    "order": [0.5, 0, 0, 0, 0, 0.5],
}
BUYER = dict(LOOKER)
BUYER["product"] = [0.05, 0.1, 0.15, 0.55, 0, 0.15]
BUYER["cart"] = [0, 0.05, 0.1, 0.05, 0.7, 0.1]
KINDS = {"looker": LOOKER, "buyer": BUYER}
THINK_S = {"home": 6, "search": 10, "product": 25, "cart": 8, "order": 15}
RESPONSE_S = {"home": 0.05, "search": 0.6, "product": 0.1, "cart": 0.2, "order": 1.5}


def visits(matrix):
    """V = V P + v0 by going on for so long that nobody is left."""
    at, total = matrix[None][:-1], [0.0] * len(STATES)
    for _ in range(5000):
        total = [t + a for t, a in zip(total, at)]
        at = [sum(at[i] * matrix[s][k] for i, s in enumerate(STATES)) for k in range(len(STATES))]
    return total


def truth():
    out = {}
    for kind, matrix in KINDS.items():
        v = visits(matrix)
        out[kind] = {
            "P": {str(s or "(start)"): dict(zip(STATES + ["(exit)"], row))
                  for s, row in matrix.items()},
            "visits": dict(zip(STATES, v)),
            "mix": {s: x / sum(v) for s, x in zip(STATES, v)},
            "think_s": THINK_S,
            "wait_s": {s: THINK_S[s] * (1 - matrix[s][-1]) for s in STATES},
            "requests_per_session": sum(v),
        }
    return out


def session(rng, begin, number, kinds):
    kind = rng.choice(list(KINDS)) if kinds > 1 else "looker"
    state, t = None, begin
    while True:
        row = KINDS[kind][state]
        pick = rng.choices(range(len(row)), row)[0]
        if pick == len(STATES):
            return
        if state:
            t += rng.expovariate(1 / THINK_S[state])
        state = STATES[pick]
        response = rng.expovariate(1 / RESPONSE_S[state])
        url = URLS[pick] % rng.randrange(1000) if "%" in URLS[pick] else URLS[pick]
        yield {"begin": t, "response": response, "end": t + response, "url": url,
               "session": number, "kind": kind}
        t += response


def line(request, fmt):
    address = "10.%d.%d.%d" % (request["session"] >> 16, request["session"] >> 8 & 255,
                               request["session"] & 255)
    at = request["begin"] if fmt == "apache" else request["end"]
    when = datetime.datetime.fromtimestamp(int(at), datetime.timezone.utc)
    text = '%s - - [%s] "GET %s HTTP/1.1" 200 512 "-" "Mozilla/5.0 (X11; \\"odd\\") n"' % (
        address, when.strftime("%d/%b/%Y:%H:%M:%S +0000"), request["url"])
    if fmt == "combined":
        return text
    if fmt == "apache":
        return "%s %d" % (text, 1e6 * request["response"])
    if fmt == "timed":
        return '%s %.3f %.3f "a=b; sid=s%d; c=d" %s' % (
            text, request["end"], request["response"], request["session"], request["kind"])
    return json.dumps({"time_iso8601": when.isoformat(), "msec": round(request["end"], 3),
                       "remote_addr": address, "request_method": "GET",
                       "request_uri": request["url"], "status": 200, "user": {
                           "id": request["session"], "kind": request["kind"]},
                       "request_time": "%.3f" % request["response"]})


def main():
    if sys.argv[1] == "truth":
        print(json.dumps(truth()))
        return
    seed, sessions, fmt = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    hours = float(sys.argv[4]) if len(sys.argv) > 4 else 24
    kinds = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    rng = random.Random(seed)
    day = 1764547200  # 2025-12-01
    requests = []
    for number in range(sessions):
        requests += session(rng, day + 3600 * hours * rng.random(), number, kinds)
    requests.sort(key=lambda r: r["end"])
    for r in requests:
        if hours <= 8 or 2 * 3600 <= r["end"] - day <= (hours - 2) * 3600:
            print(line(r, fmt))


main()
