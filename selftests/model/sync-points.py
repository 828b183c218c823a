#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sync points of programs that never ran, with the truth beside them.

  sync-points.py make PROGRAM SEED JOBS LOST DIR [SLOWER]   DIR/trace.csv and DIR/truth.json
  sync-points.py judge DIR OUT.json                how near "tasks infer --json" came

PROGRAM: pool (threads over a queue with a condition variable), reactor (an eventfd), pipeline
(three stages), bounded (the same, with queues that get full), senders (whoever finds the buffer
full sleeps with the lock held, so that all do: the fault of paper 002, 5.2), calls (the same, but
each waits for its reply). Each has jobs of two types, mutexes that mean nothing, a thread that
only locks, and one that waits for what never comes. LOST is the part of the events that is
dropped, after they were numbered. What woke whom is known from the simulation, which has threads
as coroutines over a clock. Who waits for a condition is seen with the mutex held, or, of odd
SEEDs, as one who unlocks it, waits, and locks it again, as a recorder sees it.
SLOWER: how much longer a file takes to be read (1).
"""

import collections
import heapq
import json
import os
import random
import sys


class World:
    def __init__(self, seed, slower=1):
        self.rng, self.slower = random.Random(seed), slower
        self.now, self.heap, self.order, self.events = 0.0, [], 0, []
        self.recorded = seed % 2 == 1

    def at(self, delay, thread):
        self.order += 1
        heapq.heappush(self.heap, (self.now + delay, self.order, thread))

    def run(self):
        while self.heap:
            self.now, _, thread = heapq.heappop(self.heap)
            thread.step()


class Thread:
    """Its body yields a delay, or None to sleep until somebody calls wake()."""

    def __init__(self, world, name, body):
        self.world, self.name, self.job, self.body = world, name, None, body(self)
        world.at(world.rng.random() * 10, self)

    def step(self):
        try:
            delay = next(self.body)
        except StopIteration:
            return
        if delay is not None:
            self.world.at(delay, self)

    def wake(self):
        self.world.at(self.world.rng.expovariate(0.3), self)

    def log(self, op, object, stack, givers=(), since=None):
        """since: when it began to sleep for it."""
        event = {"bytes": "", "seq": len(self.world.events) + 1, "us": self.world.now, "thread": self.name, "op": op,
                 "object": object, "stack": stack, "job": self.job, "givers": list(givers),
                 "wait": 0 if since is None else self.world.now - since}
        self.world.events.append(event)
        return event["seq"]

    def log_bytes(self, op, object, stack, n, since=None):
        self.log(op, object, stack, since=since)
        self.world.events[-1]["bytes"] = n

    def work(self, mean):
        return self.world.rng.expovariate(1 / mean)


class Mutex:
    def __init__(self, name):
        self.name, self.owner, self.queue = name, None, collections.deque()

    def take(self, thread):
        if self.owner:
            self.queue.append(thread)
            yield None
        self.owner = thread

    def drop(self):
        self.owner = None
        if self.queue:
            # Handed over: nobody comes between.
            self.owner = self.queue.popleft()
            self.owner.wake()

    def lock(self, thread, stack):
        since = thread.world.now
        yield from self.take(thread)
        thread.log("lock", self.name, stack, since=since)
        yield thread.work(1)

    def unlock(self, thread, stack):
        thread.log("unlock", self.name, stack)
        self.drop()


class Condition:
    def __init__(self, name):
        self.name, self.waiters, self.giver = name, collections.deque(), {}

    def wait(self, thread, mutex, stack):
        recorded, since = thread.world.recorded, thread.world.now
        self.waiters.append(thread)
        if recorded:
            thread.log("unlock", mutex.name, stack)
        mutex.drop()
        yield None
        woken = thread.world.now
        yield from mutex.take(thread)
        thread.log("wait", self.name, stack, [self.giver.pop(thread)], since)
        if recorded:
            thread.log("lock", mutex.name, stack, since=woken)

    def signal(self, thread, stack):
        seq = thread.log("signal", self.name, stack)
        if self.waiters:
            waiter = self.waiters.popleft()
            self.giver[waiter] = seq
            waiter.wake()


class Eventfd:
    def __init__(self, name):
        self.name, self.given, self.waiter = name, [], None

    def signal(self, thread, stack):
        self.given.append(thread.log("signal", self.name, stack))
        if self.waiter:
            self.waiter.wake()
            self.waiter = None

    def wait(self, thread, stack):
        since = thread.world.now
        if not self.given:
            self.waiter = thread
            yield None
        given, self.given = self.given, []
        thread.log("wait", self.name, stack, given, since)


class Queue:
    def __init__(self, name):
        self.name, self.things = name, collections.deque()

    def put(self, thread, job, stack):
        self.things.append((job, thread.log("enq", self.name, stack)))

    def get(self, thread, stack):
        job, giver = self.things.popleft()
        thread.job = job
        thread.log("deq", self.name, stack, [giver])
        return job


class Guarded:
    """A queue with its mutex and condition; of a bounded one another for those who fill it."""

    def __init__(self, name, room=None):
        self.queue, self.mutex, self.condition = Queue(name), Mutex(name + ".mutex"), Condition(name + ".filled")
        self.room, self.emptied = room, Condition(name + ".emptied")

    def put(self, thread, job, stack):
        yield from self.mutex.lock(thread, stack + ";put;lock")
        while self.room and len(self.queue.things) >= self.room:
            yield from self.emptied.wait(thread, self.mutex, stack + ";put;wait")
        self.queue.put(thread, job, stack + ";put")
        yield thread.work(0.5)
        self.condition.signal(thread, stack + ";put;signal")
        yield thread.work(0.5)
        self.mutex.unlock(thread, stack + ";put;unlock")

    def get(self, thread, stack):
        thread.job = None
        yield from self.mutex.lock(thread, stack + ";get;lock")
        while not self.queue.things:
            yield from self.condition.wait(thread, self.mutex, stack + ";get;wait")
        job = self.queue.get(thread, stack + ";get")
        yield thread.work(0.5)
        if self.room:
            self.emptied.signal(thread, stack + ";get;signal")
        self.mutex.unlock(thread, stack + ";get;unlock")
        return job


class Program:
    def __init__(self, world, jobs):
        self.world, self.jobs, self.made, self.types = world, jobs, 0, {}
        self.log, self.stop = Mutex("log"), False
        Thread(world, "noise", self.noise)
        Thread(world, "clock", self.clock)

    def new(self, thread):
        self.made += 1
        self.types[self.made] = thread.world.rng.choice("ab")
        thread.job = self.made
        return self.made

    def left(self):
        return self.made < self.jobs

    def noise(self, thread):
        while self.left():
            yield thread.work(30)
            yield from self.log.lock(thread, "main;noise;lock")
            self.log.unlock(thread, "main;noise;unlock")

    def clock(self, thread):
        while self.left():
            yield thread.work(200)
            thread.log("wait", "never", "main;clock;wait")
            yield thread.work(5)

    def serve(self, thread, job, stack):
        """What the types differ in; b looks something up first, so many times as it must."""
        if self.types[job] == "a":
            yield thread.work(20 * self.world.slower)
            yield from self.log.lock(thread, stack + ";read_file;lock")
            self.log.unlock(thread, stack + ";read_file;unlock")
        else:
            for _ in range(thread.world.rng.randint(1, 3)):
                yield thread.work(8)
                yield from self.log.lock(thread, stack + ";look_up;lock")
                self.log.unlock(thread, stack + ";look_up;unlock")
            yield thread.work(10)

    def source(self, put, think):
        def body(thread):
            while self.left():
                job = self.new(thread)
                yield thread.work(think)
                yield from put(thread, job, "main;make_" + self.types[job])
        return body


class Pool(Program):
    def __init__(self, world, jobs):
        super().__init__(world, jobs)
        self.queue = Guarded("queue")
        for i in range(2):
            Thread(world, f"maker{i}", self.source(self.queue.put, 40))
        for i in range(4):
            Thread(world, f"worker{i}", self.worker)

    def worker(self, thread):
        while True:
            job = yield from self.queue.get(thread, "main;worker")
            yield from self.serve(thread, job, "main;worker;serve")


class Reactor(Program):
    def __init__(self, world, jobs):
        super().__init__(world, jobs)
        self.queue, self.mutex, self.event = Queue("ready"), Mutex("ready.mutex"), Eventfd("eventfd:7")
        for i in range(2):
            Thread(world, f"maker{i}", self.source(self.put, 90))
        Thread(world, "reactor", self.react)

    def put(self, thread, job, stack):
        yield from self.mutex.lock(thread, stack + ";post;lock")
        self.queue.put(thread, job, stack + ";post")
        self.mutex.unlock(thread, stack + ";post;unlock")
        yield thread.work(0.5)
        self.event.signal(thread, stack + ";post;write")

    def react(self, thread):
        while True:
            thread.job = None
            yield from self.event.wait(thread, "main;loop;read")
            yield thread.work(1)
            while True:
                thread.job = None
                yield from self.mutex.lock(thread, "main;loop;next;lock")
                if not self.queue.things:
                    self.mutex.unlock(thread, "main;loop;next;unlock")
                    break
                job = self.queue.get(thread, "main;loop;next")
                self.mutex.unlock(thread, "main;loop;next;unlock")
                yield from self.serve(thread, job, "main;loop;handle")


class Pipeline(Program):
    def __init__(self, world, jobs, room=None, think=45):
        super().__init__(world, jobs)
        self.queues = [Guarded(f"stage{i}", room) for i in range(3)]
        Thread(world, "maker", self.source(self.queues[0].put, think))
        for i in range(3):
            Thread(world, f"stage{i}", self.stage(i))

    def stage(self, i):
        def body(thread):
            while True:
                job = yield from self.queues[i].get(thread, f"main;stage{i}")
                yield from self.serve(thread, job, f"main;stage{i};run")
                if i < 2:
                    yield from self.queues[i + 1].put(thread, job, f"main;stage{i}")
        return body


class Bounded(Pipeline):
    """Queues have room for 3, and jobs are made faster than they are done."""

    def __init__(self, world, jobs):
        super().__init__(world, jobs, 3, 25)


class Senders(Program):
    """A link takes a message each 10 us; at 60 of them senders sleep for 1000, whatever becomes of it."""

    def __init__(self, world, jobs, wait=False):
        super().__init__(world, jobs)
        self.mutex, self.busy_until, self.wait = Mutex("send_lock"), 0.0, wait
        for i in range(4):
            Thread(world, f"sender{i}", self.send)

    def send(self, thread):
        socket = "socket" + thread.name[-1]
        while self.left():
            self.new(thread)
            yield thread.work(20)
            yield from self.mutex.lock(thread, "main;mutate;send_packet;lock")
            while self.busy_until > thread.world.now + 600:
                yield 1000
            thread.log_bytes("send", socket, "main;mutate;send_packet;send", 1000)
            self.busy_until = max(self.busy_until, thread.world.now) + 10
            since, done = thread.world.now, self.busy_until
            self.mutex.unlock(thread, "main;mutate;send_packet;unlock")
            if self.wait:
                yield done - since
                thread.log_bytes("recv", socket, "main;mutate;reply;recv", 10, since)


class Calls(Senders):
    def __init__(self, world, jobs):
        super().__init__(world, jobs, True)


PROGRAMS = {"pool": Pool, "reactor": Reactor, "pipeline": Pipeline, "bounded": Bounded,
            "senders": Senders, "calls": Calls}


def make(name, seed, jobs, lost, folder, slower=1):
    world = World(seed, slower)
    program = PROGRAMS[name](world, jobs)
    world.run()
    dropped = random.Random(seed + 1)
    kept = [e for e in world.events if dropped.random() >= lost]
    seqs = {e["seq"] for e in kept}
    with open(os.path.join(folder, "trace.csv"), "w") as to:
        to.write("seq,time_us,thread,op,object,stack,wait_us,bytes\n")
        for e in kept:
            to.write(f'{e["seq"]},{e["us"]:.3f},{e["thread"]},{e["op"]},{e["object"]},{e["stack"]},{e["wait"]:.3f},{e["bytes"]}\n')
    leaves, last, edges = [], {}, []
    for e in kept:
        if e["thread"] in last:
            before = last[e["thread"]]
            leaves.append([e["thread"], before["seq"], e["seq"], before["job"]])
        last[e["thread"]] = e
    begins, ends = {leaf[1] for leaf in leaves}, {leaf[2] for leaf in leaves}
    for e in kept:
        edges += [[g, e["seq"]] for g in e["givers"] if g in seqs and g in ends and e["seq"] in begins]
    with open(os.path.join(folder, "truth.json"), "w") as to:
        json.dump({"leaves": leaves, "edges": edges, "types": program.types,
                   "mutex_threads": ["noise"]}, to)


def rand_index(pairs):
    """Adjusted, of (truth, found) labels."""
    def two(counts):
        return sum(n * (n - 1) / 2 for n in counts.values())
    both, a, b = (two(collections.Counter(x)) for x in (pairs, [p[0] for p in pairs], [p[1] for p in pairs]))
    n = len(pairs)
    expected = a * b / (n * (n - 1) / 2)
    return (both - expected) / ((a + b) / 2 - expected)


def judge(folder, out):
    with open(os.path.join(folder, "truth.json")) as file:
        truth = json.load(file)
    with open(out) as file:
        got = json.load(file)
    leaf = {x["id"]: x for x in got["leaves"]}
    found = sorted((x["thread"], x["first_seq"], x["last_seq"]) for x in got["leaves"])
    want_edges = {tuple(e) for e in truth["edges"]}
    handed = {(leaf[e["from"]]["last_seq"], leaf[e["to"]]["first_seq"]) for e in got["edges"] if e["kind"] == "handoff"}
    job_of = {l: n for n, job in enumerate(got["jobs"]) for l in job["leaves"]}
    by_first = {x["first_seq"]: x["id"] for x in got["leaves"]}
    labelled = [(l[3], job_of.get(by_first.get(l[1]), "none")) for l in truth["leaves"] if l[3] is not None]
    of_job = collections.defaultdict(collections.Counter)
    for want, number in labelled:
        of_job[want][number] += 1
    types = [(truth["types"][str(want)], got["jobs"][n]["type"]) for want, numbers in of_job.items()
             for n in [numbers.most_common(1)[0][0]] if n != "none"]
    by_type = collections.Counter(types)
    best = {t: max((n, k[1]) for k, n in by_type.items() if k[0] == t)[1] for t in "ab"}
    noisy = {x["id"] for x in got["leaves"] if x["thread"] in truth["mutex_threads"]}
    print(json.dumps({
        "leaves_exact": found == sorted(tuple(l[:3]) for l in truth["leaves"]),
        "precision": len(handed & want_edges) / max(len(handed), 1),
        "recall": len(handed & want_edges) / max(len(want_edges), 1),
        "rand": rand_index(labelled), "types": len({j["type"] for j in got["jobs"]}), "jobs": len(of_job),
        "found_jobs": len(got["jobs"]),
        "types_right": sum(n for k, n in by_type.items() if best[k[0]] == k[1]) / len(types),
        "types_apart": best["a"] != best["b"],
        "from_mutexes": sum(e["kind"] == "handoff" and (e["from"] in noisy or e["to"] in noisy)
                            for e in got["edges"])}))


if __name__ == "__main__":
    if len(sys.argv) in (7, 8) and sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), sys.argv[6],
             *map(float, sys.argv[7:]))
    elif len(sys.argv) == 4 and sys.argv[1] == "judge":
        judge(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
