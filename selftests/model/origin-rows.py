#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files for tests of "tierlens origin", and what an independent hand makes of a model:
#
#   origin-rows.py make SEED PROGRAMS            rows of made-up programs, labelled, to standard output
#   origin-rows.py oracle MODEL EXPLAINED        largest difference of posteriors, of what "explain --json" printed
#   origin-rows.py counts ROWS MODEL             are a made-up model's examples, times and links those of the rows?
#   origin-rows.py jar FILE NAME...              an archive of empty classes; "in.jar=A,B" for one in it
#   origin-rows.py elf FILE SONAME NEEDED...      an ELF library that asks for others; SONAME may be empty
#   origin-rows.py tree ROOT PROGRAMS            rows of made-up programs that ask for libraries, with the files
#   origin-rows.py damage FROM FOLDER N          so many copies, each with some bytes changed or cut short
#   origin-rows.py change MODEL OLD NEW          the model with a text of its families changed, and its check right
#   origin-rows.py offset FILE FUNCTION          where a function begins in an ELF file
#   origin-rows.py here BUILD                    rows of this machine's packages and the programs in BUILD
import collections
import csv
import glob
import io
import json
import math
import os
import random
import struct
import sys
import zipfile

SYSTEM = "libc6 libstdc++6 libgcc-s1 libsystemd0 libudev1 libuuid1 libmount1 libblkid1 libtinfo6 util-linux coreutils".split()
OTHERS = """libssl3 libpcre2-8-0 libzip4 libjansson4 libgsl27 libgslcblas0 libexpat1 libsqlite3-0 libnl-3-200 libnl-genl-3-200 libxml2
 libcurl4 libcurl3-gnutls libgnutls30 libmnl0 libglib2.0-0 libpng16-16 libjpeg62-turbo libgd3 libcairo2 libpango-1.0-0 libfreetype6
 libfontconfig1 libicu72 libnghttp2-14 libssh2-1 librtmp1 libgmp10 libidn2-0 libunistring2 libarchive13 libpixman-1-0 libgvc6""".split()


def make(seed, programs):
    r = random.Random(int(seed))
    print("path,kind,mtime,size,label,program,program_mtime,package,group")
    for i in range(int(programs)):
        name, t = f"srv{i}x", 1700000000 + 86400 * i
        program = f"/opt/{name}/bin/{name}"
        for path, label, when, package in (
                (program, "user", t, "-"), (f"/opt/{name}/lib/{name}-core.so", "user", t + 5, "-"),
                (f"/opt/{name}/lib/lib{r.choice('abcdefg')}z{i}.so.{r.randrange(9)}.2", "third-party", t - 9000000, "-"),
                (f"/usr/lib/x86_64-linux-gnu/libq{i}.so.{r.randrange(9)}", "third-party", t - 900000, f"libq{i}"),
                ("/usr/lib/x86_64-linux-gnu/libc.so.6", "system", t - 800000, "libc6"),
                (f"/usr/lib/systemd/systemd-{i}", "system", t - 800000, "systemd")):
            print(f"{path},elf,{when},{r.randrange(1000, 99999)},{label},{program},{t},{package},g{i}")
        jar = f"/opt/{name}/lib/{name}.jar"
        for path, label, when in (
                (f"{jar}!/org/{name}/A{i}.class", "user", t),
                (f"/opt/{name}/lib/asm{i}-1.{i}.jar!/org/asm{i}/B.class", "third-party", t - 9000000),
                (f"/usr/lib/jvm/java-17/lib/modules!/java.base/java/util/C{i}.class", "system", t - 800000)):
            print(f"{path},class,{when},,{label},{jar},{t},,g{i}")


def likelihoods(family, explained):
    """By the formula: log P(c) and each feature's mean of (n + a) / (N + a (v + 1)), with their weights."""
    a, examples = family["smooth"], family["examples"]
    known = [c for c in range(3) if examples[c]]
    score = {c: family["examples_weight"] * math.log((examples[c] + a) / (sum(examples) + a * len(known))) for c in known}
    for feature in explained["features"]:
        f, values = family["features"][feature["feature"]], feature["values"]
        for c in known:
            total = f["other"][c] + sum(n[c] for n in f["values"].values())
            logs = [math.log((f["values"].get(v, f["other"])[c] + a) / (total + a * (len(f["values"]) + 1))) for v in values]
            score[c] += f["weight"] * sum(logs) / len(logs) if logs else 0
    return score


def oracle(model, explained):
    model = json.load(open(model, encoding="utf-8"))
    worst, n = 0, 0
    for line in open(explained, encoding="utf-8"):
        e = json.loads(line)
        score = likelihoods(model["families"][e["family"]], e)
        z = sum(math.exp(s) for s in score.values())
        for c, label in enumerate(model["labels"]):
            p = math.exp(score[c]) / z if c in score else 0
            worst = max(worst, abs(p - e["posteriors"][label]))
        n += 1
    print(json.dumps({"n": n, "worst": worst}))


def counts(rows, model):
    labels = ["user", "system", "third-party"]
    native = json.load(open(model, encoding="utf-8"))["families"]["native"]
    times, examples = collections.defaultdict(lambda: [0, 0, 0]), [0, 0, 0]
    for row in csv.DictReader(open(rows, encoding="utf-8")):
        if row["kind"] != "elf":
            continue
        c, late = labels.index(row["label"]), int(row["mtime"]) - int(row["program_mtime"])
        examples[c] += 1
        times["the program's" if abs(late) < 3600 else "the program's day" if abs(late) < 86400 else
              "older" if late < 0 else "newer"][c] += 1
    same = dict(times) == native["features"]["time"]["values"] and examples == native["examples"]
    print(json.dumps({"same": same, "times": times, "found": native["features"]["time"]}))


def jar(file, *names):
    with zipfile.ZipFile(file, "w") as z:
        for name in names:
            inner, _, classes = name.partition("=")
            if not classes:
                z.writestr(name, b"\xca\xfe\xba\xbe" if name.endswith(".class") else "Main-Class: org/shop/Main\n")
                continue
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as other:
                for c in classes.split(","):
                    other.writestr(c, b"\xca\xfe\xba\xbe")
            z.writestr(inner, packed.getvalue())


def elf(file, soname, *needed):
    """Null, .dynamic, .dynstr and its own names."""
    strings, at, entries = b"\0", [], []
    for name in (soname, *needed):
        at.append(len(strings))
        strings += name.encode() + b"\0"
    entries = [(1, a) for a in at[1:]] + ([(14, at[0])] if soname else []) + [(0, 0)]
    dynamic = b"".join(struct.pack("<qQ", *e) for e in entries)
    names = b"\0.dynamic\0.dynstr\0.shstrtab\0"
    begin = [64, 64 + len(dynamic), 64 + len(dynamic) + len(strings)]
    sections = begin[2] + len(names)
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, sections, 0, 64, 56, 0, 64, 4, 3)
    table = bytes(64)
    for name, kind, offset_, size, link, each in ((1, 6, begin[0], len(dynamic), 2, 16), (10, 3, begin[1], len(strings), 0, 0),
                                                  (18, 3, begin[2], len(names), 0, 0)):
        table += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset_, size, link, 0, 1, each)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "wb") as f:
        f.write(head + dynamic + strings + names + table)


def tree(root, programs):
    """Each has a library of its own, all have one called plug, and others' two: one asks for the other."""
    print("path,kind,label,program,group")
    for i in range(int(programs)):
        name, program = f"srv{i}x", f"/opt/srv{i}x/bin/srv{i}x"
        for path, soname, needed, label, group in (
                (program, "", (f"lib{name}-core.so.1", "libplug.so", "libfar.so.3", "libc.so.6"), "user", f"g{i}"),
                (f"/opt/{name}/lib/lib{name}-core.so.1.0", f"lib{name}-core.so.1", ("libc.so.6",), "user", f"g{i}"),
                (f"/opt/{name}/lib/libplug.so", "", (f"lib{name}-core.so.1",), "user", f"g{i}"),
                ("/usr/lib/libfar.so.3.1", "libfar.so.3", ("libnear-2.so.0", "libc.so.6"), "third-party", "far"),
                ("/usr/lib/libnear-2.so.0", "libnear-2.so.0", (), "third-party", "far"),
                ("/usr/lib/libbase.so.5", "libbase.so.5", ("libc.so.6",), "system", f"b{i}")):
            elf(root + path, soname, *needed)
            print(f"{path},elf,{label},{program},{group}")


def damage(from_, folder, n):
    r, whole = random.Random(7), open(from_, "rb").read()
    os.makedirs(folder, exist_ok=True)
    for i in range(int(n)):
        data = bytearray(whole)
        for _ in range(r.randrange(1, 6)):
            data[r.randrange(4, len(data))] = r.choice((0, 1, 127, 128, 255, r.randrange(256)))
        with open(f"{folder}/d{i}.so", "wb") as f:
            f.write(data[:r.randrange(len(data))] if r.random() < 0.2 else data)


def change(model, old, new):
    text = open(model, encoding="utf-8").read()
    begin, end = text.index('"families":') + 11, text.index(',"labels":')
    families, h = text[begin:end].replace(old, new, 1), 0xcbf29ce484222325
    for byte in families.encode():
        h = (h ^ byte) * 0x100000001b3 % 2 ** 64
    at = text.index('"check":"') + 9
    print(text[:at] + f"{h:016x}" + text[at + 16:begin] + families + text[end:], end="")


def offset(file, function):
    data = open(file, "rb").read()
    phoff, shoff, phn, shn = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<Q", data, 40)[0], \
        struct.unpack_from("<H", data, 56)[0], struct.unpack_from("<H", data, 60)[0]
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + 64 * i) for i in range(shn)]
    for s in sections:
        if s[1] != 2:  # SHT_SYMTAB
            continue
        names = sections[s[6]][4]
        for at in range(s[4], s[4] + s[5], 24):
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, at)
            end = data.index(b"\0", names + name)
            if data[names + name:end].decode() == function:
                for i in range(phn):
                    kind, _, begin, address, _, size = struct.unpack_from("<IIQQQQ", data, phoff + 56 * i)
                    if kind == 1 and address <= value < address + size:
                        print(hex(value - address + begin))
                        return


def here(build):
    print("path,kind,label")
    for program in glob.glob(f"{build}/**/*", recursive=True):
        if os.path.isfile(program) and open(program, "rb").read(4) == b"\x7fELF" and not program.endswith((".o", ".a", ".ko")):
            print(f"{os.path.realpath(program)},elf,user")
    for listing in sorted(glob.glob("/var/lib/dpkg/info/*.list")):
        package = os.path.basename(listing)[:-5].split(":")[0]
        n = 0
        if package not in SYSTEM + OTHERS:
            continue
        for path in open(listing, encoding="utf-8").read().split("\n"):
            library = ".so." in path and "/x86_64-linux-gnu/lib" in path
            if not os.path.isfile(path) or os.path.islink(path) or not (library or (package in SYSTEM and "/bin/" in path)):
                continue
            n += 1
            if n <= 5 and "," not in path and open(path, "rb").read(4) == b"\x7fELF":
                print(f"{path},elf,{'system' if package in SYSTEM else 'third-party'}")


{"make": make, "oracle": oracle, "counts": counts, "jar": jar, "elf": elf, "tree": tree, "damage": damage, "change": change,
 "offset": offset, "here": here}[sys.argv[1]](*sys.argv[2:])
