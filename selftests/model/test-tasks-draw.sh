#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens tasks draw: the hierarchy has all that tasks infer finds, pictures and pages show it and
# stay readable, the way down leads to what is slow, and of two recordings what differs is
# found and nothing else. Prints TAP. TIERLENS names the program (make model-programs).
# TIERLENS_TESTS=all compares more.
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

head_line=seq,time_us,thread,op,object,stack

# plant NAME PROGRAM SEED JOBS [SLOWER]
plant()
{
	mkdir -p "$dir/$1" && python3 "$here/sync-points.py" make "$2" "$3" "$4" 0 "$dir/$1" "${5:-1}"
}

# Of an awk program that prints "time thread op object stack [more]": numbered in the order of time
points()
{
	awk "$3" | sort -s -g -k1,1 | awk -v head="$head_line$2" 'BEGIN { print head } {
		printf "%d,%s", NR, $1
		for (i = 2; i <= NF; i++) printf ",%s", $i
		print "" }' >"$dir/$1.csv"
}

# picture NAME ARGUMENTS...: a picture as an object: nodes by name, and edges
picture()
{
	run "$real" tasks draw "${@:2}" -o "$dir/$1.dot" && [[ $status == 0 ]] &&
		dot -Tdot_json "$dir/$1.dot" >"$dir/out" 2>"$dir/err"
	status=$?
}

usage()
{
	says 2 'tasks draw needs one file' "$real" tasks draw
	says 2 'tasks draw needs one file' "$real" tasks draw a b
	says 2 '--output is there twice' "$real" tasks draw -o a.svg --output b.svg x
	says 2 '--diff is there twice' "$real" tasks draw --diff a -d b x
	says 2 '--support is there twice' "$real" tasks draw -s 3 -s 4 x
	says 2 '--size 7 is out of range' "$real" tasks draw --size 7 x
	says 2 '"x.png" ends with none of .svg, .dot and .html' "$real" tasks draw -o x.png x
	says 2 '".svg" ends with none of' "$real" tasks draw -o .svg x
	says 1 'none.csv: cannot read (No such file' "$real" tasks draw "$dir/none.csv"
	says 1 'none.csv: cannot read (No such file' "$real" tasks draw "$dir/pool/trace.csv" --diff "$dir/none.csv"
	says 1 'none/x.svg' "$real" tasks draw "$dir/pool/trace.csv" -o "$dir/none/x.svg"
	says 1 'none/x.html' "$real" tasks draw "$dir/pool/trace.csv" -o "$dir/none/x.html"
	cp -r "$dir/pool" "$dir/kept" && echo old >"$dir/kept/x.svg"
	run env PATH="$dir/kept" "$real" tasks draw "$dir/pool/trace.csv" -o "$dir/kept/x.svg"
	[[ $status == 1 && $(<"$dir/kept/x.svg") == old ]] && grep -q 'install graphviz' "$dir/err"
	result $? 'without graphviz: a sentence, and the old picture stays'
}

# Of each level the same counts and times as tasks infer has; links as its edges within jobs.
whole()
{
	run "$real" tasks infer "$dir/$1/trace.csv" --json
	mv "$dir/out" "$dir/infer.json"
	run "$real" tasks draw "$dir/$1/trace.csv" --json
	cp "$dir/out" "$dir/$1.json"
	jq -es --slurpfile infer "$dir/infer.json" '.[0] as $o | $infer[0] as $i |
		([$o.nodes[] | select(.task != null)] | group_by(.task) |
		map([.[0].task, (map(.count) | add), (map(.time_s) | add * 1e9 | round)])) ==
		([$i.tasks[] | [.id, .count, (.time_s * 1e9 | round)]])' "$dir/$1.json" >/dev/null
	result $? "$1: each task as often and as long as it was found"
	jq -es --slurpfile infer "$dir/infer.json" '.[0] as $o | $infer[0] as $i |
		([$i.jobs | to_entries[] | .key as $k | .value.leaves[] | {key: "\(.)", value: $k}] | from_entries) as $job |
		[$i.edges[] | select($job["\(.from)"] != null and $job["\(.from)"] == $job["\(.to)"]) | .kind] |
		group_by(.) | map([.[0], length]) == ([$o.edges[]] | group_by(.kind) | map([.[0].kind, (map(.count) | add)]) |
		map(select(.)))' "$dir/$1.json" >/dev/null
	result $? "$1: hand-offs and what follows within jobs"
	run cat "$dir/$1.json"
	good "$1: what is within a task is its time, and of a lower level" '.[0].nodes as $n |
		all($n[]; . as $a | [$n[] | select(.up == $a.id)] as $c | ($c == []) == ($a.level == 0) and ($c == [] or
		(($c | map(.time_s) | add) - $a.time_s | fabs < 1e-9) and ($a.level == null or all($c[]; .level < $a.level))))'
	good "$1: jobs by type" '.[0] as $o | ([$o.nodes[] | select(.up == null and .type != null) | .count] | add) == $o.jobs and
		([$o.nodes[] | select(.up == null and .type != null) | .share] | add | . - 1 | fabs < 1e-9)'
	good "$1: the way down goes by time without idleness" '.[0] as $o | $o.nodes as $n |
		def busy: .time_s - .idle_s;
		($o.path | length > 1) and $n[$o.path[0]].up == null and $n[$o.path[-1]].level == 0 and
		all(range(1; $o.path | length); . as $i | $n[$o.path[$i]] as $c | $c.up == $o.path[$i - 1] and
		all($n[] | select(.up == $c.up); busy <= ($c | busy)))'
}

# The planted leaves of pool: queue, condition, types. Lines by the labels of what they join.
drawn()
{
	picture pool "$dir/pool/trace.csv"
	good 'graphviz takes the picture; leaves, within frames, with solid and dashed lines' '.[0] as $o |
		([$o.objects[] | {key: "\(._gvid)", value: .}] | from_entries) as $by |
		[$o.edges[] | [$by["\(.tail)"].label, $by["\(.head)"].label, .style // "solid", (.label | tonumber)]] as $line |
		def line($a; $b; $style): [$line[] | select((.[0] | test("\\A[0-9]+  " + $a + "\\\\n")) and
			(.[1] | test("\\A[0-9]+  " + $b + "\\\\n")) and .[2] == $style) | .[3]] | add // 0;
		([$o.objects[] | select(.name | startswith("leaf"))] | length) == '"$(jq '[.nodes[] | select(.level == 0 and .type != null) |
			[.type, .task]] | unique | length' "$dir/pool.json")"' and
		line("make_a;put;lock"; "get deq"; "dashed") + line("make_b;put;lock"; "get deq"; "dashed") == 250 and
		line("make_a;put enq"; "make_a;put;signal"; "solid") + line("make_b;put enq"; "make_b;put;signal"; "solid") == 250 and
		line("make_a;put enq"; "get;wait"; "dashed") > 0 and
		all($line[]; .[2] == "solid" or (.[1] | test("get deq|get;wait"))) and
		any($o.objects[]; .name | startswith("cluster")) and
		([$o.objects[] | select(.name | startswith("leaf")) | select(.color == "#c9504c")] | length) == 1'
	run "$real" tasks draw "$dir/pool/trace.csv" -o "$dir/pool.svg"
	[[ $status == 0 ]] && grep -q '<svg' "$dir/pool.svg" && grep -q stroke-dasharray "$dir/pool.svg" &&
		grep -q '^most time in jobs of type' "$dir/out"
	result $? 'a picture, and the way down in words'
}

# Twelve types of jobs; the first has 90 leaves, each of another stack.
many()
{
	points many '' 'BEGIN { for (job = 0; job < 240; job++) {
		at = 1000 * job; type = job % 12; n = type ? 2 : 90
		printf "%d a lock m t%d;lock\n%d a enq q t%d\n", at, type, at + 1, type
		printf "%d b deq q work\n", at + 2
		for (i = 0; i < n; i++) printf "%d b lock x t%d;f%d;lock\n", at + 3 + (i + 1) * (n == 90 ? 2 : 9 - 0.5 * type), type, i
		printf "%d a unlock m t%d;unlock\n", at + 300, type } }'
	picture many "$dir/many.csv"
	good 'so many leaves that a picture can have, and how many more there are' '.[0].objects |
		([.[] | select(.name | startswith("leaf"))] | length) == 72 and
		any(.[]; .label // "" | test("\\A[0-9]+ more leaf tasks")) and
		any(.[]; .label // "" | startswith("6 more types of jobs"))'
	run "$real" tasks draw "$dir/many.csv" --json
	good 'and the rest adds up' ". as [\$o] | \$o.types == 12 and ($(grep -o 'label="[0-9]* more leaf tasks' "$dir/many.dot" |
		tr -dc '0-9\n' | paste -sd+) + 72) == ([\$o.nodes[] | select(.level == 0 and .type != null)] |
		(map(.type) | unique) as \$all | [\$all[] as \$t | {t: \$t, n: [\$o.nodes[] | select(.level == 0 and .type == \$t) | .task] |
		unique | length, s: [\$o.nodes[] | select(.up == null and .type == \$t) | .share] | add}] | sort_by(-.s)[:6] | map(.n) | add)"
}

# Of 200 jobs two do something else, and two are of another type.
rare()
{
	points rare '' 'BEGIN { for (job = 0; job < 200; job++) { at = 1000 * job; seldom = job == 50 || job == 150
		printf "%d a lock m put;lock\n%d a enq q put\n%d a unlock m put;unlock\n", at, at + 1, at + 2
		printf "%d b deq q take\n", at + 3
		for (i = 0; i < 6; i++) printf "%d b lock x work%d;lock\n", at + 10 * (i + 1), i
		if (seldom) printf "%d b lock x seldom;lock\n", at + 65 } }'
	picture rare "$dir/rare.csv"
	good 'what few jobs have is not drawn by itself' '.[0].objects | any(.[]; .label // "" | contains("work5;lock")) and
		all(.[]; .label // "" | contains("seldom") | not) and any(.[]; .label // "" | test("\\A2 more leaf tasks"))'
}

# told FILTER: what is told of the tasks that differ is this
told()
{
	good "$1" '.[0] as $o | [$o.tasks[] | . as $t | ("per_job", "time_s", "cpu_s", "sleep_s") as $q | select($t[$q].verdict == "more" or
		$t[$q].verdict == "less") | {"level": $t.level, "label": $t.label, what: $q, verdict: $t[$q].verdict}] +
		[$o.tasks[] | select(.only == "new" or .only == "gone") | {"level": .level, "label": .label, what: "only", verdict: .only}] |
		. as $told | [$told[] | select(.level == 0)] as $leaves | '"$2"
}

# A worker that waits 900 of 1000 us for work, and computes 20 of them.
idle()
{
	local wait

	for wait in "" known; do
		points idle "${wait:+,wait_us}" 'BEGIN { w = "'"$wait"'"; for (job = 0; job < 50; job++) { at = 1000 * job
			split(w ? " 0 0 900 0 0 4" : "", x, " ")
			printf "%d a lock m make;lock%s\n%d a signal e make;post%s\n%d a unlock m make;unlock%s\n", at, w ? " 0" : "",
				at + 1, w ? " 0" : "", at + 2, w ? " 0" : ""
			printf "%d b '"$([[ $wait ]] && echo recv || echo wait)"' e serve;next%s\n", at + 10, w ? " 900" : ""
			printf "%d b lock n serve;compute;lock%s\n%d b unlock n serve;compute;unlock%s\n", at + 30, w ? " 4" : "",
				at + 31, w ? " 0" : "" } }'
		[[ $wait ]] && sed -i 's/,signal,/,send,/' "$dir/idle.csv"
		run "$real" tasks draw "$dir/idle.csv" --json
		good "what is waited for the next job is idle (how long is ${wait:-unknown})" '.[0].nodes |
			[.[] | select(.level == 0 and .idle_s > 0)] | length > 0 and all(.[]; .label | endswith("unlock → next recv") or
			endswith("unlock → next wait")) and all(.[]; .idle_s <= .time_s)'
		good 'and takes no part in the way down' '.[0] as $o | $o.nodes[$o.path[-1]].label | test("make;unlock → lock|compute|make")'
		awk -F , -v OFS=, 'NR > 1 { $2 += 1000 * int($2 / 1000); if ($7 > 100) $7 += 1000 } { print }' "$dir/idle.csv" \
			>"$dir/seldom.csv"
		run "$real" tasks draw "$dir/idle.csv" --diff "$dir/seldom.csv" --json
		told "half the jobs: only who makes them takes longer (how long is ${wait:-unknown})" '
			($leaves | map([.label, .what, .verdict])) == [["make;unlock → make;lock", "time_s", "more"]]'
	done
}

names()
{
	points names '' 'BEGIN { for (i = 0; i < 4; i++) { print 20*i, "a lock m main;one;f;lock"; print 20*i+1, "a enq q main;two;f;lock"
		print 20*i+2, "a unlock m f;lock"; print 20*i+3, "b deq q run;loop;take"; print 20*i+4, "b lock n run;unlock" } }'
	run "$real" tasks draw "$dir/names.csv" --json
	good 'names are as short as tells them apart' '.[0].nodes | map(select(.level == 0) | .label) | unique |
		(map(split(" → ")) | add | unique) == ["f;lock unlock", "one;f;lock", "take deq", "two;f;lock enq", "unlock lock"]'
}

# tags FILE: nothing but balanced tags, no script, nothing from elsewhere
tags()
{
	python3 - "$1" <<-'END'
	import html.parser, sys
	class Page(html.parser.HTMLParser):
	    def __init__(self):
	        super().__init__()
	        self.open, self.bad, self.text = [], [], []
	    def handle_starttag(self, tag, attrs):
	        if tag in ("script", "b>", "iframe", "link") or any(k in ("src", "href") or k.startswith("on") for k, _ in attrs):
	            self.bad.append(tag)
	        if tag not in ("meta", "br"):
	            self.open.append(tag)
	    def handle_startendtag(self, tag, attrs):
	        pass
	    def handle_endtag(self, tag):
	        # Cells and rows may be left open by none of ours.
	        if not self.open or self.open.pop() != tag:
	            self.bad.append("/" + tag)
	    def handle_data(self, data):
	        self.text.append(data)
	page = Page()
	page.feed(open(sys.argv[1], encoding="utf-8").read())
	print(page.bad, page.open)
	print("".join(page.text))
	sys.exit(bool(page.bad or page.open))
	END
}

pages()
{
	run "$real" tasks draw "$dir/pool/trace.csv" -o "$dir/pool.html" && tags "$dir/pool.html" >"$dir/out"
	result $? 'a page: tags are balanced, nothing runs and nothing comes from elsewhere'
	for word in 'Down to the slowest part' 'Tasks within tasks' 'jobs of type 0' 'make_a;put;lock → make_a;put enq' \
		'queue.filled' 'part of no job'; do
		grep -qF "$word" "$dir/out" || break
	done && [[ $word == 'part of no job' ]]
	result $? 'with the way down, the hierarchy, tables'
	[[ $(grep -c '<details class="path" open>' "$dir/pool.html") -ge 1 && $(grep -c '<details>' "$dir/pool.html") -ge 10 ]] &&
		grep -q '<div class="task-leaf path">' "$dir/pool.html"
	result $? 'unfolded down to the slowest'
	mkdir -p "$dir/<b>&\""
	sed 's/read_file/<b>\&'\''\\/g; s/worker/ \x1b\xff/g; s/queue,/<script>,/' "$dir/pool/trace.csv" >"$dir/<b>&\"/odd.csv"
	run "$real" tasks draw "$dir/<b>&\"/odd.csv" -o "$dir/odd.html" && [[ $status == 0 ]] && tags "$dir/odd.html" >"$dir/out" &&
		grep -qF "<b>&'\\;lock" "$dir/out" && grep -qF '<script>' "$dir/out" && ! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/odd.html"
	result $? 'names are nothing but text'
	picture odd "$dir/<b>&\"/odd.csv"
	good 'also for graphviz' 'any(.[0].objects[]; .label // "" | contains("<b>&amp;"))'
	run "$real" tasks draw "$dir/<b>&\"/odd.csv"
	! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/out" "$dir/err"
	result $? 'and for terminals'
	awk 'NR == 1 || NR % 40' "$dir/pool/trace.csv" >"$dir/lost.csv"
	run "$real" tasks draw "$dir/lost.csv" -o "$dir/lost.html" && tags "$dir/lost.html" >"$dir/out" &&
		grep -q '^[0-9]* events were lost' "$dir/out"
	result $? 'what was lost is told'
	echo $head_line >"$dir/nothing.csv"
	for file in nothing.svg nothing.dot nothing.html; do
		run "$real" tasks draw "$dir/nothing.csv" -o "$dir/$file" && [[ $status == 0 && -s $dir/$file ]] || break
	done && grep -q '^no job took any time$' "$dir/out" && tags "$dir/nothing.html" >"$dir/out" &&
		grep -q 'No job took any time' "$dir/out"
	result $? 'no event: an empty picture, and a page that says so'
}

planted()
{
	local seed seeds=1

	[[ ${TIERLENS_TESTS:-} == all ]] && seeds=$(seq 1 12)
	for program in pool reactor pipeline; do
		for seed in $seeds; do
			plant before $program "$seed" 300 && plant after $program $((seed + 100)) 300
			run "$real" tasks draw "$dir/before/trace.csv" --diff "$dir/after/trace.csv" --json
			told "$program $seed: the same program: nothing differs, types are the same" '$told == [] and
				($o.types | length) == 2 and all($o.types[]; .likeness > 0.8)'
		done
	done
	plant before pool 2 1500 && plant after pool 4 1500 1.5
	run "$real" tasks draw "$dir/before/trace.csv" --diff "$dir/after/trace.csv" --json
	told 'reading takes half as long again: that leaf, what it is within, and nothing else' '
		$leaves == [{"level": 0, "label": "get;unlock → read_file;lock", what: "time_s", verdict: "more"}] and
		all($told[]; .what == "time_s" and .verdict == "more") and
		($o.tasks[] | select(.level == 0 and .label == "get;unlock → read_file;lock") | .time_s |
		.after / .before > 1.3 and .after / .before < 1.7 and .low > 0 and .high > .after - .before and
		.low / .before < 0.5 and .high / .before > 0.5)'
	run "$real" tasks draw "$dir/after/trace.csv" --diff "$dir/before/trace.csv" --json
	told 'the other way: less' '($leaves | map([.label, .verdict])) == [["get;unlock → read_file;lock", "less"]]'
	run "$real" tasks draw "$dir/before/trace.csv" --diff "$dir/after/trace.csv"
	[[ $status == 0 ]] && grep -q '^[01]  *[0-9]*  get;unlock → read_file;lock  ms  .* +[0-9.]* %  more$' "$dir/out" &&
		grep -q 'all intervals hold together in 95 of 100 cases' "$dir/out"
	result $? 'for people'
	picture diff "$dir/before/trace.csv" --diff "$dir/after/trace.csv"
	good 'in orange, and no other leaf in a colour' '[.[0].objects[] | select(.name | startswith("leaf")) | select(.fillcolor != null)] |
		length == 1 and (.[0].label | contains("get;unlock")) and (.[0].fillcolor | startswith("#d9822b"))'
	run "$real" tasks draw "$dir/before/trace.csv" --diff "$dir/after/trace.csv" -o "$dir/diff.html" && tags "$dir/diff.html" >"$dir/out" &&
		grep -q 'What differs' "$dir/out" && grep -q '<b class="more">more</b>' "$dir/diff.html" &&
		grep -q '<b class="more">+[0-9.]*&nbsp;% time</b>' "$dir/diff.html"
	result $? 'and on a page'
	sed 's/read_file/read_cache/' "$dir/after/trace.csv" >"$dir/renamed.csv"
	run "$real" tasks draw "$dir/before/trace.csv" --diff "$dir/renamed.csv" --json
	told 'another function: gone and new, by name' '($leaves | map(select(.what == "only") | [.verdict, .label]) | sort) ==
		[["gone", "get;unlock → read_file;lock"], ["gone", "read_file;lock → read_file;unlock"], ["gone", "read_file;unlock → get;lock"],
		["new", "get;unlock → read_cache;lock"], ["new", "read_cache;lock → read_cache;unlock"], ["new", "read_cache;unlock → get;lock"]] and
		all($leaves[]; .what == "only")'
	picture gone "$dir/before/trace.csv" --diff "$dir/renamed.csv"
	good 'in violet, what is gone beside it' '.[0].objects | ([.[] | select(.fillcolor // "" | startswith("#8a4fbf")) | .label |
		sub("\\A[0-9]+  "; "")] | length) == 6 and ([.[] | select(.name | startswith("gone")) | .label | contains("now gone")] == [true, true, true])'
	sed '/make_a/d; /read_file/d' "$dir/before/trace.csv" >"$dir/one.csv"
	run "$real" tasks draw "$dir/before/trace.csv" --diff "$dir/one.csv" --json
	good 'a type of jobs that is gone' '.[0] as $o | [$o.types[] | select(.after == null)] | length == 1 and
		([$o.tasks[] | select(.level == null and .only == "gone")] | length == 1)'
	head -n 120 "$dir/after/trace.csv" >"$dir/few.csv"
	run "$real" tasks draw "$dir/before/trace.csv" --diff "$dir/few.csv" --json
	told 'few jobs: nothing is told' '$told == [] and any($o.tasks[]; .time_s.verdict == "too few")'
	run "$real" tasks draw "$dir/before/trace.csv" --diff "$dir/nothing.csv" --json
	good 'a recording of nothing' '.[0] | .after.jobs == 0 and all(.tasks[]; .time_s.verdict == "not known")'
}

# jobs NAME CPU SLEEP LOOPS: jobs of one leaf of 20 us, of which so much is used and slept, and some loops
jobs()
{
	points "$1" ,cpu_us,wait_us 'BEGIN { srand(1); for (job = 0; job < 200; job++) { at = 1000 * job; s = int(3 * rand())
		printf "%d a lock m make;lock 0 0\n%d a enq q make 0 0\n%d a unlock m make;unlock 0 0\n", at, at + 1, at + 2
		printf "%d b deq q take %d 0\n%d b lock n work;lock %d %d\n", at + 10, c, at + 30, c + '"$2"' + s, '"$3"' + s
		c += '"$2"' + s
		for (i = 0; i < '"$4"' + s; i++) printf "%d b unlock n work;unlock %d 0\n%d b lock n work;lock %d %d\n", at + 31 + 2 * i, c,
			at + 32 + 2 * i, c, s } }'
}

# Jobs of three types in turn, after so many of another one: tasks are numbered as they come.
turns()
{
	points "$1" '' 'BEGIN { for (job = -'"$2"'; job < 90; job++) { at = 1000 * (job + 1); type = job < 0 ? 4 : job % 3
		printf "%d a lock m t%d;lock\n%d a enq q t%d\n%d a unlock m t%d;unlock\n", at, type, at + 1, type, at + 2, type
		printf "%d b deq q take\n", at + 10
		for (i = 0; i <= type; i++) printf "%d b lock n t%d;work%d;lock\n%d b unlock n t%d;work%d;unlock\n", at + 20 + 9 * i, type, i,
			at + 24 + 9 * i, type, i } }'
}

renumbered()
{
	turns first 0
	turns second 1
	run "$real" tasks draw "$dir/first.csv" --diff "$dir/second.csv" --json
	good 'higher tasks are the same by what they are made of, whatever their numbers' '.[0].tasks |
		[.[] | select(.level != null and .level > 0)] as $higher | ($higher | length > 6) and
		all($higher[]; .task[0] != null and .task[1] != null and .task[0] != .task[1] and .count[0] == .count[1])'
}

quantities()
{
	jobs plain 5 4 1
	jobs cpu 9 4 1
	jobs sleep 5 8 1
	jobs loops 5 4 3
	run "$real" tasks draw "$dir/plain.csv" --diff "$dir/cpu.csv" --json
	told 'processor time' 'any($leaves[]; .what == "cpu_s" and .label == "take deq → work;lock" and .verdict == "more") and
		all($told[]; .what == "cpu_s")'
	run "$real" tasks draw "$dir/plain.csv" --diff "$dir/sleep.csv" --json
	told 'sleep' '$leaves == [{"level": 0, "label": "take deq → work;lock", what: "sleep_s", verdict: "more"}] and
		all($told[]; .what == "sleep_s")'
	run "$real" tasks draw "$dir/plain.csv" --diff "$dir/loops.csv" --json
	told 'how often a job does it' '[$leaves[] | select(.what == "per_job")] |
		(map(.label) | sort) == ["work;lock → work;unlock", "work;unlock → work;lock"] and all(.[]; .verdict == "more")'
}

plant pool pool 1 250
plant reactor reactor 1 250
echo $head_line >"$dir/nothing.csv"
usage
whole pool
whole reactor
drawn
many
rare
idle
names
pages
planted
renumbered
quantities
finish
