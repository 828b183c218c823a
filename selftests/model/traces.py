#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same random traces in all forms, and the ways that they went.

traces.py SEED TRACES DIR writes to DIR t.csv, c.csv, otlp.json, otlp.jsonl, jaeger.json and
ways.json, which has for each way from a root ("web>cart>~mail", with ~ before what is called
asynchronously) how often it was gone, counted by a dictionary.
"""
import json
import random
import sys

SERVICES = ["web", "cart", "stock", "pay", "mail"]
DATABASE = "mysql"  # leaves no spans of its own
HEX = "%016x"


def grow(rng, service, depth):
    """A tree: service, asynchronous or not, and the calls."""
    calls = []
    if depth < 6 and service != DATABASE:
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            called = rng.choice(SERVICES + [DATABASE])
            calls.append((called, called == "mail" and rng.random() < 0.7,
                          grow(rng, called, depth + 1)))
    return calls


def ways(service, calls, way, counts):
    counts[way] = counts.get(way, 0) + 1
    for called, is_async, below in calls:
        ways(called, below, way + ">" + ("~" if is_async else "") + called, counts)


class Forms:
    def __init__(self):
        self.number = 0
        self.span_rows = ["span,parent,service,kind"]
        self.call_rows = ["trace,caller,callee,kind"]
        self.otlp = {}
        self.jaeger = []

    def fresh(self):
        self.number += 1
        return HEX % self.number

    def span(self, trace, process, kind, name, parent, attributes, begin, end):
        span = self.fresh()
        self.otlp.setdefault(process, []).append({
            "traceId": trace, "spanId": span, "parentSpanId": parent or "", "name": name,
            "kind": kind, "startTimeUnixNano": str(begin), "endTimeUnixNano": str(end),
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()]})
        kinds = {1: "internal", 2: "server", 3: "client", 4: "producer", 5: "consumer"}
        self.jaeger[-1]["spans"].append({
            "traceID": trace, "spanID": span, "operationName": name,
            "references": [{"refType": "CHILD_OF", "traceID": trace, "spanID": parent}]
            if parent else [], "startTime": begin // 1000, "duration": (end - begin) // 1000,
            "tags": [{"key": "span.kind", "type": "string", "value": kinds[kind]}] +
                    [{"key": k, "type": "string", "value": v} for k, v in attributes.items()],
            "processID": "p-" + process})
        self.jaeger[-1]["processes"]["p-" + process] = {"serviceName": process}
        return span

    def walk(self, trace, service, calls, row, span, begin):
        """row, span: what stands for this execution in the table, and in the others."""
        inner = self.span(trace, service, 1, "work", span, {}, begin, begin + 10 ** 9)
        for called, is_async, below in calls:
            begin += 1000000
            client = self.span(trace, service, 4 if is_async else 3, "call", inner,
                               {"db.system": DATABASE} if called == DATABASE else {}, begin,
                               begin + 10 ** 9)
            below_row, below_span = self.fresh(), None
            kind = "async" if is_async else "sync"
            self.span_rows.append("%s,%s,%s,%s" % (below_row, row, called, kind))
            if called != DATABASE:
                below_span = self.span(trace, called, 5 if is_async else 2, "serve", client, {},
                                       begin + 1000, begin + 10 ** 9)
                self.walk(trace, called, below, below_row, below_span, begin + 2000)

    def calls(self, trace, service, calls):
        for called, is_async, below in calls:
            self.call_rows.append("%s,%s,%s,%s" % (trace, service, called,
                                                   "async" if is_async else "sync"))
            self.calls(trace, called, below)


def main():
    rng, directory = random.Random(int(sys.argv[1])), sys.argv[3]
    forms, counts, plain = Forms(), {}, {}
    for number in range(int(sys.argv[2])):
        trace, root = "%032x" % (number + 1), rng.choice(["web", "web", "cart"])
        tree = grow(rng, root, 0)
        ways(root, tree, root, counts)
        forms.jaeger.append({"traceID": trace, "spans": [], "processes": {}})
        row = forms.fresh()
        forms.span_rows.append("%s,,%s," % (row, root))
        span = forms.span(trace, root, 2, "serve", None, {}, 10 ** 18, 10 ** 18 + 10 ** 9)
        forms.walk(trace, root, tree, row, span, 10 ** 18)
        # Whose call it was is told by names only: in each tree a name once.
        chain = rng.sample(SERVICES, 4)
        for caller, called in zip(chain, chain[1:]):
            forms.call_rows.append("%s,%s,%s,sync" % (trace, caller, called))
        for i in range(4):
            way = ">".join(chain[:i + 1])
            plain[way] = plain.get(way, 0) + 1
    resources = [{"resource": {"attributes": [{"key": "service.name",
                                               "value": {"stringValue": s}}]},
                  "scopeSpans": [{"spans": spans}]} for s, spans in forms.otlp.items()]
    files = {
        "t.csv": "\n".join(forms.span_rows) + "\n",
        "c.csv": "\n".join(forms.call_rows) + "\n",
        "otlp.json": json.dumps({"resourceSpans": resources}, indent=1),
        "otlp.jsonl": "".join(json.dumps({"resourceSpans": [r]}) + "\n" for r in resources),
        "jaeger.json": json.dumps({"data": forms.jaeger}),
        "ways.json": json.dumps(counts),
        "plain.json": json.dumps(plain),
    }
    for name, text in files.items():
        with open("%s/%s" % (directory, name), "w", encoding="utf-8") as to:
            to.write(text)


main()
