#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts of events of real programs, slice by slice, of which nothing was missed.

pmu-series.py [--slices N] [--runs N] [--wide] [PROGRAM...]: to the user's cache, unless they are there; prints
the folder. Valgrind's callgrind counts what a simulated processor does and tells it every BLOCKS basic blocks.
A run of a program differs from another of it by what it works on. PROGRAM: one of PROGRAMS; all, if none is
given. A file of it is PROGRAM-RUN.csv: a row a slice, a column an event, and `instructions`. With --wide there are
the misses of smaller caches and larger ones beside, which other passes over the same work count: the program does
the same again, so that slices are the same. Three events are made of others, as processors have them too.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

BLOCKS = 100000
VERSION = 3  # of the inputs and the columns: other inputs, another folder in the cache
# Sizes of caches that are simulated: first-level, last-level. The machine's own would be another on each.
CACHES = [(32768, 1 << 20), (8192, 1 << 18), (65536, 1 << 22)]
MISSES = ["I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw", "ILdmr", "DLdmr", "DLdmw"]
NAMES = {"Ir": "instructions", "Dr": "loads", "Dw": "stores", "I1mr": "icache_misses", "D1mr": "l1d_read_misses",
         "D1mw": "l1d_write_misses", "ILmr": "llc_code_misses", "DLmr": "llc_read_misses",
         "DLmw": "llc_write_misses", "Bc": "branches", "Bcm": "branch_misses", "Bi": "indirect_branches",
         "Bim": "indirect_misses", "ILdmr": "llc_code_writebacks", "DLdmr": "llc_read_writebacks",
         "DLdmw": "llc_write_writebacks"}
# Made of counts: cycles as callgrind's own tools estimate them, and what reaches the caches.
MADE = {"cycles": {"instructions": 1, "branch_misses": 10, "indirect_misses": 10, "icache_misses": 10, "l1d_read_misses": 10,
                   "l1d_write_misses": 10, "llc_code_misses": 100, "llc_read_misses": 100, "llc_write_misses": 100},
        "memory_accesses": {"loads": 1, "stores": 1},
        "llc_references": {"icache_misses": 1, "l1d_read_misses": 1, "l1d_write_misses": 1}}


def words(r, n, most):
    """Lines of words, of which some are frequent: text as programs meet it."""
    letters = "eeeeaaiottnnsrhldcumfpgwybv"
    known = ["".join(r.choice(letters) for _ in range(r.randint(2, 10))) for _ in range(2000)]
    weight = [1 / (i + 1) for i in range(len(known))]
    for _ in range(n):
        yield " ".join(r.choices(known, weight, k=r.randint(3, most))) + f" {r.randint(0, 10**6)}"


def text(r, file, lines, most=12):
    """Stretches that compress well, badly and not at all."""
    with open(file, "w", encoding="ascii") as to:
        left = lines
        while left > 0:
            some = min(left, r.randint(lines // 40 + 1, lines // 12 + 2))
            if r.random() < 0.25:
                to.writelines(f"{r.getrandbits(240):060x}\n" for _ in range(some))
            elif r.random() < 0.3:
                to.writelines([f"{r.getrandbits(64):x} all the same\n"] * some)
            else:
                to.writelines(line + "\n" for line in words(r, some, most))
            left -= some


def statements(r, file, n):
    """A shop's tables, filled, asked and changed."""
    with open(file, "w", encoding="ascii") as to:
        to.write("create table item(id integer primary key, name text, price real, stock int);\n"
                 "create table sale(id integer primary key, item int, n int, at int);\nbegin;\n")
        for i in range(n):
            to.write(f"insert into item values({i}, 'item {r.getrandbits(40):x}', {r.random():.4f}, {r.randint(0, 99)});\n")
            to.write(f"insert into sale(item, n, at) values({r.randint(0, n)}, {r.randint(1, 9)}, {r.randint(0, 9999)});\n")
        to.write("commit;\n")
        for _ in range(3):
            to.write("select sum(s.n * i.price) from sale s join item i on i.id = s.item where s.at % 7 = "
                     f"{r.randint(0, 6)};\nselect substr(name, 6, 2) k, count(*) from item group by k order by 2 desc"
                     f" limit 5;\nupdate item set stock = stock + {r.randint(1, 9)} where price < {r.random():.2f};\n")
            to.write("create index if not exists by_item on sale(item);\n"
                     "select count(*) from item i where exists(select 1 from sale s where s.item = i.id);\n")


AWK = ("{ for (i = 1; i < NF; i++) n[$i]++; s += $NF; if (match($0, /e[ts]a/)) hit++ } NR % 4000 == 0 "
       "{ m = 0; for (w in n) if (n[w] > m) m = n[w]; print NR, m, s, hit; if (NR % 8000 == 0) delete n }")
PERL = ("my (%n, @l); while (<>) { chomp; my @w = split; $n{$_}++ for @w; push @l, scalar reverse $_ if /t.*s/; "
        "if ($. % 3000 == 0) { my @s = sort { $n{$b} <=> $n{$a} or $a cmp $b } keys %n; print \"@s[0..3]\\n\"; "
        "@l = sort @l; print join('', @l) =~ tr/e//, \"\\n\"; @l = (); %n = () if $. % 6000 == 0 } }")
BC = "scale=40\nfor (i = 1; i < {0}; i++) {{ x = sqrt(i) ; y = e(-i / {1}) ; if (i % 9 == 0) z = a(x / i) * s(y) }}\nz\n"

# What is run, what it reads, and how many lines of it take about 1000 slices.
PROGRAMS = {
    "gzip": (["gzip", "-c", "IN"], text, 150000),
    "sort": (["sort", "--parallel=1", "IN"], text, 500000),
    "awk": (["mawk", AWK, "IN"], text, 125000),
    "sqlite3": (["sqlite3", ":memory:", ".read IN"], statements, 9500),
    "bzip2": (["bzip2", "-c", "IN"], text, 60000),
    "xz": (["xz", "-T1", "-2", "-c", "IN"], text, 52000),
    "perl": (["perl", "-e", PERL, "IN"], text, 57000),
    "bc": (["bc", "-l", "IN"], lambda r, file, n: pathlib.Path(file).write_text(
        BC.format(n, r.randint(90, 110)), encoding="ascii"), 750),
}


def slices_read(folder):
    """The dumps in their order: names of events, rows of counts."""
    rows, events = [], None
    for file in sorted(folder.glob("cg.*"), key=lambda f: int(f.suffix[1:])):
        body = file.read_text(encoding="ascii", errors="replace")
        totals = re.search(r"^totals: (.*)$", body, re.M)
        if not totals:
            continue
        events = re.search(r"^events: (.*)$", body, re.M)[1].split()
        row = [int(n) for n in totals[1].split()]
        rows.append(row + [0] * (len(events) - len(row)))  # callgrind leaves out zeros at the end
    return events, rows[:-1]  # the last slice is a shorter one


def count(program, work, cache):
    """One pass over the work."""
    first, last = CACHES[cache]
    command = [a.replace("IN", str(work)) if a in ("IN", ".read IN") else a for a in PROGRAMS[program][0]]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["nice", "-n", "10", "valgrind", "--tool=callgrind", "--quiet", "--cache-sim=yes", "--branch-sim=yes",
                        "--simulate-wb=yes", f"--I1={first},8,64", f"--D1={first},8,64", f"--LL={last},16,64",
                        f"--dump-every-bb={BLOCKS}", f"--callgrind-out-file={scratch}/cg"] + command,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                       env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        return slices_read(pathlib.Path(scratch))


def narrow(program, work):
    events, rows = count(program, work, 0)
    names = [NAMES[e] for e in events]
    rows = [row + [sum(n * row[names.index(e)] for e, n in parts.items()) for parts in MADE.values()] for row in rows]
    return names + list(MADE), rows


def widen(program, work, names, rows):
    for cache in range(1, len(CACHES)):
        other, more = count(program, work, cache)
        taken = [other.index(e) for e in MISSES]
        names = names + [f"{NAMES[e]}_{CACHES[cache][e.find('L') == 1] >> 10}k" for e in MISSES]
        if abs(len(more) - len(rows)) > 2:
            sys.exit(f"pmu-series.py: {program} did other things when it was run again: leave --wide out")
        rows = [row + [beside[k] for k in taken] for row, beside in zip(rows, more)]
    return names, rows


def known(file):
    with open(file, encoding="ascii", newline="") as lines:
        rows = list(csv.reader(lines))
    return rows[0], rows[1:]


def make(program, run, slices, wide, folder):
    """A wide file begins with the columns of the other one, which is taken if it is there."""
    to, other = folder / f"{program}-{run}.csv", folder.parent / folder.name.removesuffix("-wide") / f"{program}-{run}.csv"
    if to.exists():
        return
    _, write, lines = PROGRAMS[program]
    r = random.Random(f"{VERSION} {program} {run}")
    with tempfile.TemporaryDirectory() as scratch:
        work = pathlib.Path(scratch) / "in"
        write(r, work, max(int(lines * slices / 1000 * r.uniform(0.9, 1.1)), 20))
        names, rows = known(other) if other.exists() else narrow(program, work)
        if wide:
            names, rows = widen(program, work, names, rows)
    part = to.with_suffix(f".part{os.getpid()}")
    with open(part, "w", encoding="ascii", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names] + rows)
    part.rename(to)  # whoever is ended leaves no half of one


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--slices", type=int, default=1000, help="about so many a run (1000)")
    asked.add_argument("--runs", type=int, default=3)
    asked.add_argument("--wide", action="store_true", help="37 events instead of 19; three passes")
    asked.add_argument("--jobs", type=int, default=1)
    asked.add_argument("program", nargs="*", metavar="PROGRAM")
    args = asked.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("pmu-series.py: no valgrind: install it")
    unknown = [p for p in args.program if p not in PROGRAMS]
    if unknown:
        sys.exit(f"pmu-series.py: {unknown[0]}: give one of {' '.join(PROGRAMS)}")
    cache = os.environ.get("TIERLENS_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tierlens")
    folder = pathlib.Path(cache, "pmu-series", f"{VERSION}-{args.slices}{'-wide' if args.wide else ''}")
    folder.mkdir(parents=True, exist_ok=True)
    programs = [p for p in args.program or PROGRAMS if shutil.which(PROGRAMS[p][0][0])]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for done in [pool.submit(make, p, run, args.slices, args.wide, folder)
                     for p in programs for run in range(1, args.runs + 1)]:
            done.result()
    print(folder)


if __name__ == "__main__":
    main()
