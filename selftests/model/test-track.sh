#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens track as its users meet it: usage, tables that are no use, what it prints, pictures,
# recordings, damaged tables. How good it is, is test-track-hours.c's business. Prints TAP.
# TIERLENS and SIM name the programs (make model-programs); without them they are built.
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

# table TEXT: writes the table; \n, \r and the like as printf has them
table()
{
	# shellcheck disable=SC2059  # that is what it is for
	printf "$1" >"$dir/f.csv"
}

# refused SENTENCE TEXT: what is wrong is said, and nothing is computed
refused()
{
	table "$2"
	says 1 "$1" "$real" track "$dir/f.csv"
}

# follows NAME FILTER ARGUMENTS...: JSON of which jq finds the filter true, without NaN or infinity
follows()
{
	local name=$1 filter=$2

	shift 2
	run "$real" track "$@" --json
	! grep -qiE 'nan|inf[^oe]|1\.797' "$dir/out" && good "$name" "$filter"
}

head_line='t,seconds,n_a,n_b,rt_a,rt_b,u'
row='60,5,3,.01,.02,.2'

usage()
{
	says 2 '--points 0 is out of range' "$real" track x --points 0
	says 2 'track needs a recording or a table' "$real" track
	says 2 'unexpected argument "b"' "$real" track a b
	says 2 'unknown method "best"' "$real" track --method best f.csv
	says 1 'cannot read (No such file' "$real" track "$dir/none.csv"
	says 1 'is a directory' "$real" track "$dir"
}

bad_tables()
{
	local file=$dir/f.csv

	refused "$file: the file is empty" ''
	refused "$file:1: no column n_CLASS" 't,seconds,u\n0,1,.2\n'
	refused "$file: no utilisation is known: add columns u_RESOURCE" \
		't,seconds,n_a,own_w_a,y_w\n0,1,2,.1,.2\n1,1,2,.1,.2\n'
	refused 'cpu cannot be followed by filter: times of all classes at it are not known: add' \
		't,seconds,n_a,n_b,rt_a,u\n0,1,2,3,.1,.2\n1,1,2,2,.1,.2\n'
	refused "$file:3: column 1 (t): the clock goes back" "$head_line\n60,$row\n0,$row\n"
	refused "$file:3: column 1 (t): the window is there twice" "$head_line\n0,$row\n0,$row\n"
	refused "$file:3: column 7 (u): \"nan\" is not a number" \
		"$head_line\n0,$row\n60,60,5,3,.01,.02,nan\n"
	refused "$file:3: column 3 (n_a): -1 is negative" \
		"$head_line\n0,$row\n60,60,-1,3,.01,.02,.2\n"
	refused "$file: there is no request in any window" \
		"$head_line\n0,60,0,0,,,.2\n60,60,0,0,,,.1\n120,60,0,0,,,.1\n"
	refused "no window can be used, the first is left out because saturated: cpu is 0.99" \
		"$head_line\n0,60,5,3,.1,.1,.99\n60,60,5,3,.1,.1,.99\n"
	refused "$file: 1 window: measure more" "$head_line\n0,$row\n"
	table 't,seconds,n_a,n_b,u_w.cpu,u_w.disk,own_w_a,own_w_b\n0,1,2,3,.1,.2,.1,.1\n1,1,2,2,.1,.2,.1,.1\n'
	says 1 'times at it are not known apart from those at the other resources' \
		"$real" track "$dir/f.csv"
}

# steps: 60 windows of which everything is known; a costs 10 ms, from the 40th on 25, b 4 ms, and
# c comes from the 30th on only, 2 ms
steps()
{
	awk 'BEGIN { srand(4); print "t,seconds,n_a,n_b,n_c,n_never,rt_a,rt_b,rt_c,rt_never,u"
		for (i = 0; i < 60; i++) {
			a = 400 + int(rand() * 500); b = 1000 + int(rand() * 2000)
			c = i < 30 ? 0 : 500 + int(rand() * 100); slow = 1 + 2 * rand()
			cost = i < 40 ? .01 : .025
			printf "%d,60,%d,%d,%d,0,%.9f,%.9f,%s,,%.9f\n", 60 * i, a, b, c, slow * cost,
				slow * .004, c ? slow * .002 : "",
				(cost * a + .004 * b + .002 * c) / 60 } }'
}

good_tables()
{
	steps >"$dir/f.csv"
	follows "a line a window, with all that is promised" 'length == 60 and all(.[];
		(.t | type) == "number" and .seconds == 60 and has("nis") and has("change") and
		(.demands | length) == 4 and all(.demands[]; .class and .resource == "cpu" and
			has("value_s") and has("low95_s") and has("high95_s") and .verdict))' "$dir/f.csv"
	follows "what there is comes back, and its interval has it" '
		def off($i; $k; $d): .[$i].demands[$k] | (.value_s / $d - 1 | fabs) < 0.02 and
			.low95_s < $d and .high95_s > $d;
		off(39; 0; .01) and off(39; 1; .004) and off(59; 0; .025) and off(59; 1; .004) and
		off(59; 2; .002)' "$dir/f.csv"
	follows "a change is marked, whose, since when and by what" '[.[] | select(.change)] |
		length == 1 and .[0].t == 2460 and (.[0].change | length == 1 and (.[0] |
			.class == "a" and .since_t == 2400 and .resource == "cpu" and
			(.factor - 2.5 | fabs) < 0.1)) ' "$dir/f.csv"
	follows "in its first window it is doubted and not followed, in its second it is" '
		.[40].doubted > 0 and (.[40].demands[0].value_s - .01 | fabs) < 5e-4 and
		(.[41].demands[0].value_s - .025 | fabs) < 5e-4' "$dir/f.csv"
	follows "classes that have not come have no demand" '
		(.[29].demands[2] | .value_s == null and .low95_s == null and
			.verdict == "not identifiable: the class never came") and
		.[30].demands[2].value_s != null and all(.[]; .demands[3].value_s == null)' "$dir/f.csv"
	follows "a filter that has just begun says so, later it is sure" '
		(.[0].verdict | startswith("uncertain: the filter has just begun")) and
		.[0].nis == null and .[20].nis >= 0 and .[20].nis_degrees == 2 and
		.[59].nis_degrees == 3 and .[30].verdict == "ok"' "$dir/f.csv"
	run "$real" track "$dir/f.csv"
	[[ $status == 0 && ! -s $dir/err ]] && grep -qE '2400.000 +2520.000 +cpu +a +2\.[45]' "$dir/out" &&
		grep -q '^60 of 60 windows, 4 classes, by filter$' "$dir/out" &&
		grep -q '^verdict: ok$' "$dir/out" && grep -q 'NIS a degree' "$dir/out"
	result $? "for people too"
	follows "each window alone" 'length == 60 and (.[40].demands[0].value_s - .025 | fabs) < 1e-6 and
		.[0].demands[0].verdict == "uncertain: the interval is wider than the value" and
		.[5].demands[0].verdict == "ok" and .[5].nis == null and
		all(.[]; .change == null)' --method sdl "$dir/f.csv"
	follows "least squares by half hours" 'length == 2 and map(.t) == [0, 1800] and
		map(.seconds) == [1800, 1800] and (.[0].demands[0].value_s - .01 | fabs) < 1e-6 and
		(.[0].demands[3].value_s == null)' --method nnls "$dir/f.csv"
	follows "the paper filter, as it is, and what to think of it" 'length == 60 and
		all(.[]; .verdict | startswith("uncertain: one utilisation")) and
		([.[].demands[0].value_s] | all(. != null)) and .[5].nis_degrees == 1' \
		--method paper "$dir/f.csv"
}

odd_tables()
{
	sed '5,8d;20s/,[^,]*$/,.99/;25s/,[^,]*$/,/' "$dir/f.csv" >"$dir/gaps.csv"
	follows "gaps, and windows that are left out, are lines that are not there" 'length == 54 and
		(map(.t) | index(1080) == null and index(1380) == null) and
		([.[] | select(.change)] | length) == 1 and .[53].verdict == "ok"' "$dir/gaps.csv"
	run "$real" track "$dir/gaps.csv"
	grep -q 'left out: window at 1080.000 s: saturated: cpu is 0.99' "$dir/out"
	result $? "they are named"
	head -3 "$dir/f.csv" >"$dir/few.csv"
	follows "fewer windows than classes: a filter goes on, and is not sure" 'length == 2 and
		all(.[]; .verdict | startswith("uncertain")) and (.[1].demands[0] | .value_s > 0 and
		.low95_s < .01 and .high95_s > .01)' "$dir/few.csv"
	follows "least squares do not: no number" 'length == 1 and all(.[0].demands[]; .value_s == null and
		.verdict == "there are fewer windows than classes") and
		(.[0].verdict | startswith("incomplete"))' --method nnls "$dir/few.csv"
	sed '30,40s/^\([0-9]*,60\),.*/\1,0,0,0,0,,,,,0/' "$dir/f.csv" >"$dir/idle.csv"
	follows "windows without requests: demands stay" '
		(.[33].demands[0].value_s / .[27].demands[0].value_s - 1 | fabs) < .1' "$dir/idle.csv"
	follows "and each of them alone has none" 'all(.[30].demands[]; .value_s == null)' \
		--method sdl "$dir/idle.csv"
	# Requests are served one by one: who comes when it is full waits as long, whoever it is.
	awk 'BEGIN { srand(9); print "t,seconds,n_a,n_b,rt_a,rt_b,u"
		for (i = 0; i < 300; i++) { a = 500 + int(rand() * 3000); b = 500 + int(rand() * 1000)
			u = (.002 * a + .02 * b) / 60; w = 20 * int(i / 6 % 3) * .004
			printf "%d,60,%d,%d,%.9f,%.9f,%.9f\n", 60 * i, a, b, .002 + w, .02 + w, u } }' \
		>"$dir/queue.csv"
	awk 'BEGIN { n = 129; printf "t,seconds"
		for (i = 0; i < n; i++) printf ",n_%d,rt_%d", i, i
		for (w = 0; w < 3; w++) { printf w ? ",.3\n%d,60" : ",u\n%d,60", 60 * w
			for (i = 0; i < n; i++) printf ",%d,.01", 5 + i % 7 }
		print ",.3" }' >"$dir/many.csv"
	says 1 'there are more than 128 classes' "$real" track "$dir/many.csv"
	follows "each window alone takes any number" 'length == 3 and (.[2].demands | length) == 129' \
		--method sdl "$dir/many.csv"
	follows "one that serves one by one is no such resource, which is said" \
		'.[299].verdict | test("^(uncertain: demands at cpu change again|not consistent)")' \
		"$dir/queue.csv"
}

pictures()
{
	if ! command -v gnuplot >/dev/null; then
		skip "pictures" "gnuplot is not installed"
		return
	fi
	sed '1s/n_never/n_<b>`id`'"'"'/;1s/rt_never/rt_<b>`id`'"'"'/' "$dir/f.csv" >"$dir/hostile.csv"
	for method in filter paper sdl nnls; do
		run "$real" track --method "$method" "$dir/hostile.csv" -o "$dir/p.svg"
		[[ $status == 0 ]] && python3 - "$dir/p.svg" <<-'END'
		import sys, xml.etree.ElementTree as tree
		root = tree.parse(sys.argv[1]).getroot()
		text = " ".join(root.itertext())
		sys.exit(not (root.tag.endswith("svg") and "<b>`id`'" in text and "never" not in text
			      and len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 10))
		END
		result $? "$method: a picture, in which names are nothing but text"
	done
	run "$real" track "$dir/f.csv" -o "$dir/none/p.svg"
	[[ $status == 1 && $(<"$dir/err") == *"p.svg"* ]]
	result $? "a picture that cannot be written is an error"
}

recordings()
{
	python3 "$top/selftests/unit/user-recording.py" 60 >"$dir/r.jsonl" || exit 1
	follows "a recording: what has no times of its own is named" 'length > 40 and
		(.[-1].demands | length == 3) and (.[-1].verdict | startswith("incomplete")) and
		(.[-1].not_followed | keys == ["cpu", "disk.vda"])' "$dir/r.jsonl"
	jq -c '[.demands[] | select(.resource == "php-fpm:9000.cpu")][0]' "$dir/out" | tail -1 >"$dir/followed"
	run "$real" demand fit --json "$dir/r.jsonl"
	jq -e --slurpfile f "$dir/followed" '.demands[] | select(.resource == "php-fpm:9000.cpu") |
		($f[0].value_s / .measured_s - 1 | fabs) < 0.1 and $f[0].low95_s < .measured_s and
		$f[0].high95_s > .measured_s' "$dir/out" >/dev/null
	result $? "processor time that was measured comes back"
	cat "$dir/r.jsonl" "$dir/r.jsonl" >"$dir/twice.jsonl"
	says 1 'begins before the one above it ends' "$real" track "$dir/twice.jsonl"
}

# Bytes of a good table are changed by chance: a sentence or figures, nothing else.
damaged()
{
	local bad=0 figures=0 turn

	"$sim" 5 4 40 varied 0.6 all 2>/dev/null | head -20 >"$dir/whole.csv"
	mkdir "$dir/damaged"
	python3 - "$dir/whole.csv" "$dir/damaged" <<-'END'
	import random, sys
	random.seed(1)
	for turn in range(50):
	    text = bytearray(open(sys.argv[1], "rb").read())
	    for _ in range(random.randrange(1, 3)):
	        at = random.randrange(len(text))
	        what = random.randrange(4)
	        if what == 0: text[at] = random.randrange(256)
	        elif what == 1: del text[at:at + random.randrange(1, 40)]
	        elif what == 2: text[at:at] = random.choice([b"9" * 9, b",", b"\n", b"e9", b"-", b"0", b"."])
	        else:
	            digits = [i for i, c in enumerate(text) if 48 <= c < 58]
	            for i in random.sample(digits, min(9, len(digits))): text[i] = 48 + random.randrange(10)
	    open("%s/%d.csv" % (sys.argv[2], turn), "wb").write(text)
	END
	for turn in "$dir"/damaged/*; do
		run "$real" track --json "$turn"
		if ((status > 1)) || grep -qiE 'nan|inf[^oe]|1\.797' "$dir/out" ||
			{ ((status == 1)) && [[ $(<"$dir/err") != "tierlens: "*": "* ]]; }; then
			bad=$((bad + 1))
			echo "# ${turn##*/}: $status, $(head -c 200 "$dir/err")"
		else
			figures=$((figures + (status == 0)))
		fi
	done
	[[ $bad == 0 && $figures -gt 5 && $figures -lt 45 ]]
	result $? "50 damaged tables: a sentence, or figures ($figures), and nothing else"
}

# Fewer lines, evenly, and the last of all.
points()
{
	python3 "$top/selftests/unit/user-recording.py" 60 >"$dir/points.jsonl"
	run "$real" track "$dir/points.jsonl" --json
	jq -c .t "$dir/out" >"$dir/all"
	run "$real" track "$dir/points.jsonl" --json --points 7
	jq -c .t "$dir/out" >"$dir/some"
	[[ $(wc -l <"$dir/some") -gt 4 && $(wc -l <"$dir/some") -le 7 && $(tail -n 1 "$dir/some") == "$(tail -n 1 "$dir/all")" ]] &&
		! grep -qvxFf "$dir/all" "$dir/some"
	result $? "--points: so many lines at most, the last among them"
}

# Classes are called as they are, though they have a slash.
slashes()
{
	sed "s,\"other\",\"/a/b\",g" "$dir/points.jsonl" >"$dir/slash.jsonl"
	follows "a class with slashes has its own name" 'all(.[].demands[]; .class == "/a/b")' "$dir/slash.jsonl"
}

usage
points
slashes
bad_tables
good_tables
odd_tables
pictures
recordings
damaged
finish
