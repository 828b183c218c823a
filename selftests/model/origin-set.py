#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files and classes of which it is known where they come from, out of unpacked Debian packages:
#
#   origin-set.py [--fold=K] PACKAGES LIST OUT [PROGRAM...]
#
# PACKAGES has a folder for each package, and the file "sources" (package, source package); LIST says
# which packages are applications, libraries and the system's. Writes OUT/train.csv and OUT/test.csv, and
# OUT/root, a tree in which each ELF file stands where its row says. PROGRAM: programs of one's own.
#
# Applications are taken for the operator's own: they are deployed as people deploy theirs, each
# in one of several layouts by a hash of its name, with libraries of others beside them or the system's.
# A source package, or a module of the JDK, is either trained with or held out, whole. --fold, 0 to 4: of those
# that are trained with, a fifth is held out, and those that are held out else are not looked at.
import csv
import hashlib
import os
import random
import sys
import zipfile

HELD_OUT = 0.3
FOLDS = 5
FOLD = int(sys.argv.pop(1)[7:]) if sys.argv[1].startswith("--fold=") else None
TURNS = 3  # each application is deployed so often, each library is with so many of them
T_LOW, T_HIGH = 1672531200, 1756684800  # deployed 2023 to 2025
DAY = 86400
LIB = "/usr/lib/x86_64-linux-gnu"
OPERATOR = """acme portal ledger atlas orders fleet invoice parcel harbor falcon relay beacon meter pricing checkout
 stock billing gateway tracker archive planner desk courier vault signal pilot orbit""".split()
FIELDS = ["path", "kind", "mtime", "size", "label", "program", "program_mtime", "program_package",
          "package", "layout", "group"]


def chance(*key):
    return int.from_bytes(hashlib.sha256("/".join(key).encode()).digest()[:7], "big") / 2.0 ** 56


def draw(weights, *key):
    at = chance(*key) * sum(weights.values())
    for name, weight in weights.items():
        at -= weight
        if at < 0:
            return name
    return name


class Packages:
    def __init__(self, root, listing):
        self.root = root
        with open(os.path.join(root, "sources"), encoding="utf-8") as f:
            self.source = dict(line.split() for line in f)
        self.listed = {}
        with open(listing, encoding="utf-8") as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    what, name = line.split()
                    self.listed[name] = what
        self.of = {}
        for name in sorted(os.listdir(root)):
            if name in self.source and not kept_away(self.source[name]):
                self.of.setdefault(self.source[name], []).append(name)

    def sources(self, what):
        """Source packages of which one is listed as that."""
        return [s for s, packages in self.of.items() if any(self.listed.get(p) == what for p in packages)]

    def files(self, package):
        top = os.path.join(self.root, package)
        for folder, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                full = os.path.join(folder, name)
                if os.path.isfile(full) and not os.path.islink(full):
                    yield full, full[len(top):]


def kept_away(source):
    return FOLD is not None and chance("held out", source) < HELD_OUT


def held_out(source):
    return int(FOLDS * chance("fold", source)) == FOLD if FOLD is not None else chance("held out", source) < HELD_OUT


def few(items, most, *key):
    """So many of them, by chance."""
    items = sorted(items, key=lambda i: str(i[:2]))
    if len(items) <= most:
        return items
    return random.Random("/".join(key)).sample(items, most)


def kind_of(full, path):
    with open(full, "rb") as f:
        first = f.read(18)
    if first[:4] == b"\x7fELF":
        return "elf" if len(first) == 18 and first[16] in (2, 3) else None
    if path.endswith((".py", ".pl", ".pm", ".rb", ".lua", ".php")) or first[:2] == b"#!":
        return "script"
    return None


class Set:
    def __init__(self, packages, out):
        self.packages, self.out = packages, out
        self.rows = {False: [], True: []}
        self.seen = set()

    def row(self, test, full, path, kind, mtime, label, app, package, source):
        """@full: the real file, for ELF"""
        program, program_mtime = app["program"], app["time"]
        if kind != "class" and chance("own program", path) < 0.4 and "/bin/" in path and label == "user" and program:
            program, program_mtime = path, mtime
        if (path, program) in self.seen:
            return
        self.seen.add((path, program))
        size = os.path.getsize(full) if full else ""
        if kind == "elf":
            at = self.out + "/root" + path
            os.makedirs(os.path.dirname(at), exist_ok=True)
            if not os.path.lexists(at):
                os.link(full, at)
        know = chance("known", path)
        self.rows[test].append({
            "path": path, "kind": kind, "mtime": int(mtime) if know < 0.95 else "", "size": size, "label": label,
            "program": program, "program_mtime": int(program_mtime) if program and app["times"] else "",
            "program_package": app.get("package", "-") if program and app["database"] else "",
            "package": package if app["database"] else "", "layout": app["layout"], "group": source})

    def write(self):
        for test, name in ((False, "train"), (True, "test")):
            with open(f"{self.out}/{name}.csv", "w", newline="", encoding="utf-8") as f:
                writer = csv.DictWriter(f, FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(self.rows[test])


# ---- what the processor runs --------------------------------------------------------------------

NATIVE = {"packaged": 20, "local": 12, "opt": 22, "srv": 10, "home": 10, "container": 13, "image": 13}
CONTAINERS = ("container", "image")


def is_program(path):
    return "/bin/" in path or "/sbin/" in path


def deployed(source, layouts, name):
    """Where and when an application is deployed."""
    op = OPERATOR[int(chance("operator", source) * len(OPERATOR))]
    if chance("two words", source) < 0.4:
        op += "-" + OPERATOR[int(chance("second", source) * len(OPERATOR))]
    layout = draw(layouts, "layout", source)
    return {"layout": layout, "name": name if chance("named", source) < 0.55 else op,
            "time": int(T_LOW + chance("time", source) * (T_HIGH - T_LOW)), "times": chance("times", source) < 0.85,
            "database": layout not in CONTAINERS and chance("database", source) < 0.9,
            "how": draw({"built": 65, "in parts": 15, "copied": 20}, "how", source),
            "upgraded": chance("upgraded", source) < 0.25, "source": source,
            "of": source.split("#")[0], "user": draw({"deploy": 3, "app": 2, "jane": 1, "dev": 1, "ci": 1}, "home", source)}


def own_base(app):
    name = app["name"]
    return {"local": "/usr/local", "opt": f"/opt/{name}", "srv": draw({
        f"/srv/{name}": 2, f"/srv/{name}/current": 2, f"/var/www/{name}": 1, f"/data/apps/{name}": 1,
        f"/srv/{name}/releases/20240{1 + int(9 * chance('release', name))}12": 2}, "srv", app["source"]),
        "home": draw({f"/home/{app['user']}/{name}/build": 2, f"/home/{app['user']}/{name}": 2,
                      f"/root/{name}/target/release": 1, f"/home/{app['user']}/src/{name}/out": 1}, "home", app["source"]),
        "container": draw({"/app": 3, f"/app/{name}": 1, f"/{name}": 1}, "app", app["source"]),
        "image": draw({"/usr": 2, "/usr/local": 2}, "image", app["source"])}[app["layout"]]


def own_path(app, path):
    """An application's own file."""
    base, name = own_base(app), os.path.basename(path)
    flat = app["layout"] in ("container", "home") and chance("flat", app["source"]) < 0.5
    if is_program(path):
        return f"{base}/{name}" if flat else f"{base}/bin/{name}"
    if ".so" not in name:
        return f"{base}/{name}" if flat else f"{base}/{draw({'share': 1, 'scripts': 1, 'lib': 1}, 'scripts', app['source'])}/{name}"
    folder = os.path.basename(os.path.dirname(path))
    if flat:
        return f"{base}/{name}"
    if base in ("/usr", "/usr/local"):
        sub = draw({f"lib/{app['name']}": 3, "lib": 2}, "libs", app["source"])
        return f"{base}/{sub}/{name}"
    keep = folder not in ("lib", "x86_64-linux-gnu") and chance("keep", app["source"]) < 0.6
    return f"{base}/lib/{folder}/{name}" if keep else f"{base}/lib/{name}"


def own_time(app, path):
    how = app["how"]
    if how == "in parts" and chance("part", path) < 0.5:
        return app["time"] - DAY * (1 + 200 * chance("older", path))
    return app["time"] + (60 if how == "copied" else 900) * (chance("time", path) - 0.5)


def others_place(app, path, python):
    """A library of others: path, and whether it was shipped with the application."""
    base, name = own_base(app) if app["layout"] != "packaged" else "/usr", os.path.basename(path)
    shipped = chance("shipped", app["source"], path) < {
        "packaged": 0, "local": 0.3, "opt": 0.5, "srv": 0.5, "home": 0.3, "container": 0.5, "image": 0.25}[app["layout"]]
    if not shipped:
        if app["layout"] == "image" and chance("usr", path) < 0.2:
            return f"/usr/local/lib/{name}", False
        return path.replace("/lib/x86", "/usr/lib/x86", 1) if path.startswith("/lib/") else path, False
    if python:
        at = path.find("/dist-packages/")
        rest = path[at + 15:] if at >= 0 else name
        return f"{base}/{draw({'venv': 2, '.venv': 1, 'env': 1}, 'venv', app['source'])}/lib/python3.11/site-packages/{rest}", True
    if name.endswith(".node"):
        return f"{base}/node_modules/{name}", True
    sub = draw({"lib": 6, "lib/vendor": 1, "third_party/lib": 1, "deps": 1, "libs": 1}, "sub", app["source"])
    return f"{base}/{'lib' if base.startswith('/usr') else sub}/{name}", True


def real_time(app, full, path):
    """Packages' times; some machines were upgraded after the application was deployed."""
    late = 700 * DAY * chance("late", path) if app["upgraded"] else 0
    return os.path.getmtime(full) + late


def natives(packages, source, most):
    found = []
    for package in packages.of[source]:
        for full, path in packages.files(package):
            kind = kind_of(full, path)
            if kind and not path.endswith((".o", ".a", ".debug")):
                found.append((path, full, package, kind))
    scripts = few([f for f in found if f[3] == "script"], max(2, most // 5), source, "scripts")
    return few([f for f in found if f[3] == "elf"], most, source) + scripts


def app_begin(packages, source, turn):
    own = natives(packages, source, 60)
    programs = [f for f in own if f[3] == "elf" and is_program(f[0])]
    if not programs:
        return None, own
    main = max(programs, key=lambda f: (chance("long", f[0]) < 0.2, os.path.getsize(f[1])))
    source = f"{source}#{turn}"
    app = deployed(source, NATIVE, os.path.basename(main[0]))
    path = main[0] if app["layout"] == "packaged" else own_path(app, main[0])
    app["program"] = path if chance("program", source) < 0.85 or app["layout"] == "packaged" else ""
    if app["layout"] == "packaged":
        app["time"] = os.path.getmtime(main[1])
        app["package"] = main[2]
    return app, own


def own_rows(out, app, own):
    packaged = app["layout"] == "packaged"
    for path, full, package, kind in own:
        at = path if packaged else own_path(app, path)
        time = os.path.getmtime(full) if packaged else own_time(app, at)
        out.row(held_out(app["of"]), full, at, kind, time, "user", app, package if packaged else "-", app["of"])


def status_write(out, packages):
    """Which packages are made of one source, as dpkg's status says."""
    os.makedirs(out.out + "/root/var/lib/dpkg", exist_ok=True)
    with open(out.out + "/root/var/lib/dpkg/status", "w", encoding="utf-8") as f:
        for package, source in sorted(packages.source.items()):
            f.write(f"Package: {package}\n" + (f"Source: {source}\n" if source != package else "") + "\n")


def make_native(out, packages):
    apps = {False: [], True: []}
    for source, turn in ((s, t) for s in packages.sources("app") for t in range(TURNS)):
        app, own = app_begin(packages, source, turn)
        if app:
            own_rows(out, app, own)
            apps[held_out(source)].append(app)
    done = set(packages.sources("app")) | set(packages.sources("system")) | set(packages.sources("java-app"))
    for source in sorted(packages.of):
        if source in done:
            continue
        test = held_out(source)
        found = natives(packages, source, 12)
        for (path, full, package, kind), turn in ((f, t) for f in found for t in range(TURNS)):
            app = apps[test][int(chance(f"app {turn}", path) * len(apps[test]))]
            at, shipped = others_place(app, path, package.startswith("python3-"))
            time = app["time"] + 60 * chance("copied", path) if shipped and app["how"] == "copied" else real_time(app, full, path)
            out.row(test, full, at, kind, time, "third-party", app, "-" if shipped else package, source)
    for source in packages.sources("system"):
        test = held_out(source)
        found = natives(packages, source, 60)
        for (path, full, package, kind), turn in ((f, t) for f in found for t in range(2)):
            app = dict(apps[test][int(chance(f"app {turn}", path) * len(apps[test]))])
            if kind == "elf" and (is_program(path) or "/systemd/systemd" in path):
                app["program"] = ""
            if path.startswith(("/lib/", "/bin/", "/sbin/")) and chance("merged", path) < 0.8:
                path = "/usr" + path
            out.row(test, full, path, kind, real_time(app, full, path), "system", app, package, source)


def own_programs(out, programs):
    """One's own, as they were built, and as they are installed."""
    if not programs or kept_away("tierlens"):
        return
    app = deployed("tierlens", NATIVE, "tierlens")
    app.update(program="", database=True, layout="built here")
    for program in programs:
        for base in ("/home/dev/tierlens/build", "/usr/local/libexec/tierlens", "/opt/tierlens/bin"):
            at = f"{base}/{os.path.basename(program)}"
            out.row(held_out("tierlens"), program, at, "elf", os.path.getmtime(program), "user", app, "-", "tierlens")


# ---- what a Java machine runs --------------------------------------------------------------------

JAVA = {"lib": 20, "boot": 18, "shaded": 14, "war": 16, "folder": 12, "modules": 12, "packaged": 8}
PARTS = "core common engine model util api server ui data service base client web domain main".split()


def classes_of(packages, source):
    """(class, jar's path, package, jar's time), each class once; and main classes of manifests"""
    found, mains = {}, []
    for package in packages.of[source]:
        for full, path in packages.files(package):
            if not path.endswith(".jar"):
                continue
            try:
                with zipfile.ZipFile(full) as z:
                    for name in z.namelist():
                        if name.endswith(".class") and "-info" not in name and "META-INF" not in name and "/" in name:
                            found.setdefault(name, (name, path, package, os.path.getmtime(full)))
                    if "META-INF/MANIFEST.MF" in z.namelist():
                        text = z.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
                        mains += [line[12:].strip().replace("/", ".") for line in text.splitlines() if line.startswith("Main-Class: ")]
            except (zipfile.BadZipFile, OSError):
                continue
    return found, mains


def jar_name(path):
    """With its version, as it is downloaded: Debian links both names, packages have either."""
    stem = os.path.basename(path)[:-4]
    if any(c.isdigit() for c in stem.split("-")[-1]) or chance("version", path) < 0.1:
        return stem
    return f"{stem}-{1 + int(6 * chance('a', path))}.{int(12 * chance('b', path))}" + (
        f".{int(9 * chance('c', path))}" if chance("patch", path) < 0.6 else "")


def java_app(source, package, mains, own):
    name = package.removeprefix("lib").removesuffix("-java")
    app = deployed(source, JAVA, name)
    base = {"lib": "/opt/{0}", "boot": "/srv/{0}", "shaded": "/opt/{0}", "war": "/var/lib/tomcat9/webapps/{0}",
            "folder": "/home/" + app["user"] + "/{0}", "modules": "/opt/{0}", "packaged": "/usr/share/{0}"}[app["layout"]]
    if chance("container", source) < 0.2 and app["layout"] in ("lib", "boot", "shaded", "modules"):
        base, app["database"] = draw({"/app": 2, "/app/{0}": 1, "/deployments": 1}, "base", source), False
    if app["layout"] == "packaged":
        app["name"] = name
    app["base"] = base.format(app["name"])
    app["shipped jre"] = chance("jre", source) < 0.15
    main = mains[0] if mains else None
    if not main:
        prefixes = ["/".join(c.split("/")[:3]) for c in own]
        main = max(sorted(set(prefixes)), key=prefixes.count).replace("/", ".") + ".Main"
    app["program"] = draw({main: 35, main_jar(app): 40, app["base"]: 10, "": 15}, "program", source)
    if app["layout"] == "war":
        app["program"] = draw({"org.apache.catalina.startup.Bootstrap": 4, "/usr/share/tomcat9/bin/bootstrap.jar": 4, "": 2},
                              "program", source)
    if app["layout"] == "packaged":
        app["package"] = package
    app["main"] = main
    return app


def program_write(out, app):
    """The program's own archive tells its main class, if it is looked at."""
    path = app["program"]
    if path.endswith(".jar") and app["layout"] != "war" and chance("manifest", app["source"]) < 0.85:
        os.makedirs(os.path.dirname(out.out + "/root" + path), exist_ok=True)
        with zipfile.ZipFile(out.out + "/root" + path, "w") as z:
            z.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\nMain-Class: {app['main']}\r\n")


def main_jar(app):
    base, name = app["base"], app["name"]
    version = "-%d.%d" % (1 + 3 * chance("v", name), 9 * chance("w", name)) if chance("versioned", app["source"]) < 0.5 else ""
    return {"lib": f"{base}/lib/{name}{version}.jar", "boot": f"{base}/{name}{version}.jar", "shaded": f"{base}/{name}{version}-all.jar",
            "war": f"{base}.war", "folder": f"{base}/target/{name}{version}.jar", "modules": f"{base}/{name}.jar",
            "packaged": f"{base}/{name}.jar"}[app["layout"]]


def own_class(app, name, jar):
    layout, base = app["layout"], app["base"]
    if layout == "boot":
        return f"{main_jar(app)}!/BOOT-INF/classes/{name}"
    if layout == "war":
        if chance("classes", app["source"]) < 0.6:
            return f"{base}/WEB-INF/classes/{name}"
        return f"{base}/WEB-INF/lib/{app['name']}-{draw(dict.fromkeys(PARTS, 1), 'part', jar)}.jar!/{name}"
    if layout == "folder":
        return f"{base}/{draw({'target/classes': 3, 'build/classes/java/main': 2, 'bin': 1, 'out/production/main': 1}, 'f', base)}/{name}"
    if layout == "modules":
        part = draw(dict.fromkeys(PARTS, 1), "part", jar, "/".join(name.split("/")[:4]))
        version = "-1.%d" % (9 * chance("v", app["source"])) if chance("mv", app["source"]) < 0.5 else ""
        return f"{base}/{draw({'modules': 1, 'lib': 2}, 'm', base)}/{part}{version}.jar!/{name}"
    if layout == "lib" and chance("second jar", jar, "/".join(name.split("/")[:4])) < 0.3:
        return f"{base}/lib/{app['name']}-{draw(dict.fromkeys(PARTS, 1), 'p', jar)}.jar!/{name}"
    return f"{main_jar(app)}!/{name}" if layout != "packaged" else f"{jar}!/{name}"


def others_class(app, name, jar):
    layout, base = app["layout"], app["base"]
    file = jar_name(jar) + ".jar"
    if layout == "boot":
        return f"{main_jar(app)}!/BOOT-INF/lib/{file}!/{name}"
    if layout == "shaded":
        return f"{main_jar(app)}!/{name}"
    if layout == "war":
        if chance("shared", app["source"], jar) < 0.15:
            return f"/usr/share/tomcat9/lib/{file}!/{name}"
        return f"{base}/WEB-INF/lib/{file}!/{name}"
    if layout == "folder":
        group = "/".join(name.split("/")[:3][:-1] or ["misc"])
        stem = file.rsplit("-", 1)
        if chance("gradle", app["source"]) < 0.3:
            return f"/home/{app['user']}/.gradle/caches/modules-2/files-2.1/{group.replace('/', '.')}/{stem[0]}/{file}!/{name}"
        return f"/home/{app['user']}/.m2/repository/{group}/{stem[0]}/{stem[-1][:-4]}/{file}!/{name}"
    if layout == "packaged":
        return f"/usr/share/java/{os.path.basename(jar)}!/{name}"
    return f"{base}/lib/{file}!/{name}"


def machine_class(app, module, name):
    home = "/usr/lib/jvm/java-17-openjdk-amd64"
    if app["shipped jre"]:
        home = f"{app['base']}/{draw({'jre': 2, 'jdk': 1, 'runtime': 1}, 'jre', app['source'])}"
    elif not app["database"]:
        home = draw({"/opt/java/openjdk": 2, "/usr/local/openjdk-17": 1, "/usr/lib/jvm/temurin-17": 1}, "home", app["source"])
    how = draw({"modules": 6, "jrt": 2, "rt": 2}, "jdk", app["source"])
    if how == "modules":
        return f"{home}/lib/modules!/{module}/{name}"
    return f"jrt:/{module}/{name}" if how == "jrt" else f"{home.replace('17', '8')}/jre/lib/rt.jar!/{name}"


def only_name(path, name):
    """Some machines only tell names."""
    return name[:-6].replace("/", ".") if chance("name only", path) < 0.06 else path


def java_apps(out, packages, classes):
    owners = {}
    for source, (own, _) in classes.items():
        for name in own:
            owners.setdefault(name, set()).add(source)
    apps = {False: [], True: []}
    for source in packages.sources("java-app"):
        own, mains = classes[source]
        own = {name: c for name, c in own.items() if len(owners[name]) == 1}
        if len(own) < 10:
            continue
        names = sorted((p for p in packages.of[source] if packages.listed.get(p) == "java-app"), key=len)
        for turn in range(TURNS):
            app = java_app(f"{source}#{turn}", names[0], mains, own)
            program_write(out, app)
            apps[held_out(source)].append(app)
            java_own(out, app, few(own.values(), 120, f"{source}#{turn}"))
    return apps


def java_own(out, app, own):
    packaged = app["layout"] == "packaged"
    for name, jar, package, time in own:
        at = only_name(own_class(app, name, jar), name)
        out.row(held_out(app["of"]), None, at, "class", time if packaged else own_time(app, jar + name.rsplit("/", 1)[0]), "user",
                app, package if packaged else "-", app["of"])


def others_time(app, jar, time):
    if app["layout"] == "shaded":
        return app["time"] if chance("shaded", app["source"]) < 0.5 else time
    if app["layout"] == "boot":
        return 315532800 if chance("zeroed", app["source"]) < 0.3 else time
    return app["time"] + 30 if app["how"] == "copied" else time


def java_others(out, packages, classes, apps):
    for source in packages.sources("java-lib"):
        if packages.listed.get(source) == "java-app" or source in packages.sources("java-app"):
            continue
        test = held_out(source)
        found = few(classes[source][0].values(), 90, source)
        for i, (name, jar, package, time) in enumerate(found):
            app = apps[test][int(chance(f"app {i % TURNS}", jar) * len(apps[test]))]
            at = others_class(app, name, jar)
            out.row(test, None, only_name(at, name), "class", others_time(app, jar, time), "third-party", app,
                    package if app["layout"] == "packaged" else "-", source)


def java_machine(out, packages, apps):
    for package in os.listdir(packages.root):
        for full, path in packages.files(package) if package.startswith("openjdk-") else ():
            module = os.path.basename(path)[:-5]
            if not path.endswith(".jmod") or kept_away("module " + module):
                continue
            test = held_out("module " + module)
            with zipfile.ZipFile(full) as z:
                found = [(n[8:], n) for n in z.namelist() if n.startswith("classes/") and n.endswith(".class") and "-info" not in n]
            for name, _ in few(found, 150, module):
                app = apps[test][int(chance("app", name.rsplit("/", 1)[0]) * len(apps[test]))]
                at = machine_class(app, module, name)
                time = app["time"] + 10 if app["shipped jre"] and app["how"] == "copied" else os.path.getmtime(full)
                out.row(test, None, only_name(at, name), "class", time, "system", app,
                        "-" if app["shipped jre"] else package, "module " + module)


def make_java(out, packages):
    classes = {s: classes_of(packages, s) for s in set(packages.sources("java-app")) | set(packages.sources("java-lib"))}
    apps = java_apps(out, packages, classes)
    java_others(out, packages, classes, apps)
    java_machine(out, packages, apps)


def main():
    packages = Packages(sys.argv[1], sys.argv[2])
    out = Set(packages, sys.argv[3])
    status_write(out, packages)
    own_programs(out, sys.argv[4:])
    make_native(out, packages)
    make_java(out, packages)
    out.write()


main()
