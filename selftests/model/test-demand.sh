#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens demand as its users meet it: a sentence with file, line and column for all that can be
# wrong with a table of figures, and what comes of good ones. Prints TAP. TIERLENS and SIM name
# the programs (make model-programs); without them they are built.
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

head_line='t,seconds,n_a,n_b,u_cpu'
rows=$'0,1,5,3,.2\n1,1,2,3,.1\n2,1,9,1,.3\n3,1,4,4,.2\n4,1,1,7,.2\n5,1,3,3,.2'

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
	says 1 "$1" "$real" demand fit "$dir/f.csv"
}

# fits NAME FILTER ARGUMENTS...: JSON of which jq finds the filter true, without NaN or infinity
fits()
{
	local name=$1 filter=$2

	shift 2
	run "$real" demand "$@" --json
	! grep -qiE 'nan|inf[^oe]|1\.797' "$dir/out" && good "$name" "$filter"
}

usage()
{
	says 2 'demand needs fit, predict or compare' "$real" demand
	says 2 'demand has no "guess"' "$real" demand guess
	says 2 'demand fit needs a recording or a table' "$real" demand fit
	says 2 'demand predict needs a model and a recording' "$real" demand predict x
	says 2 'unexpected argument "b"' "$real" demand fit a b
	says 2 'unknown method "best"' "$real" demand fit --method best f
	says 2 'demand predict takes neither --method nor --output' \
		"$real" demand predict --method ols a b
	says 1 'cannot read (No such file' "$real" demand fit "$dir/none.csv"
	says 1 'is a directory' "$real" demand fit "$dir"
}

bad_tables()
{
	local file=$dir/f.csv

	refused "$file: the file is empty" ''
	refused "$file:1: no column n_CLASS" 't,seconds,u_cpu\n0,1,.2\n'
	refused "$file:1: nothing to explain" 't,seconds,n_a\n0,1,2\n'
	refused "$file:1: neither t nor seconds" 'n_a,u_cpu\n2,.2\n'
	refused "$file:1: column 4 (n_a) is column 3 again" 't,seconds,n_a,n_a,u\n'
	refused "$file:1: column 5 (u_cpu) says the same as another one" 't,seconds,n_a,u,u_cpu\n'
	refused "$file:1: column 5 (meanR_a) says the same" 't,seconds,n_a,rt_a,meanR_a,u\n'
	refused "$file:1: column 4 (rt_b): there is no column n_b" 't,seconds,n_a,rt_b,u\n'
	refused "$file:1: column 4 (own_web_c): there is no column n_" 't,seconds,n_a,own_web_c,u\n'
	refused "$file:3: column 3 (n_a): -2 is negative" "$head_line\n0,1,5,3,.2\n1,1,-2,3,.1\n"
	refused "$file:2: column 5 (u_cpu): 1.2 is above 1" "$head_line\n0,1,5,3,1.2\n"
	refused "$file:2: column 5 (u_cpu): -0.1 is negative" "$head_line\n0,1,5,3,-.1\n"
	for word in nan inf -inf 0x10 1e999 five '1 2'; do
		refused "$file:2: column 5 (u_cpu): \"$word\" is not a number" \
			"$head_line\n0,1,5,3,$word\n"
	done
	refused "$file:2: column 3 (n_a): 1e+300 is too large" "$head_line\n0,1,1e300,3,.1\n"
	refused "$file:3: column 1 (t): -1e+300 is too large" "$head_line\n0,1,5,3,.2\n-1e300,1,5,3,.2\n"
	refused "$file:2: column 3 (n_a): 5e-160 is too small" "$head_line\n0,1,5e-160,3,.1\n"
	refused "$file:2: column 2 (seconds): 1e-300 is too small" "$head_line\n0,1e-300,5,3,.1\n"
	refused "$file:1: column 1 (t): most steps are 1e-300 s" "t,n_a,u\n0,1,.1\n1e-300,2,.1\n"
	refused "$file:2: column 3 (n_a): the field is empty" "$head_line\n0,1,,3,.1\n"
	refused "$file:3: column 1 (t): the window is there twice" "$head_line\n0,1,5,3,.2\n0,1,5,3,.2\n"
	refused "$file:3: column 1 (t): the clock goes back" "$head_line\n1,1,5,3,.2\n0,1,5,3,.2\n"
	refused "$file:3: column 1 (t): the window begins before the last one ended" \
		"$head_line\n0,10,5,3,.2\n1,10,5,3,.2\n"
	refused "$file:2: column 2 (seconds): the window has no length" "$head_line\n0,0,5,3,.2\n"
	refused "$file:2: 4 fields, but the head line has 5" "$head_line\n0,1,5,3\n"
	refused "$file:2: more than the 5 fields" "$head_line\n0,1,5,3,.2,9\n"
	refused "$file:1: column 3: a quote is not closed" 't,seconds,"n_a,u\n0,1,2,.1\n'
	refused "$file:3: column 2: a quote is not closed" "$head_line\n0,1,5,3,.2\n1,\"1,2,3,.1\n2,1,9,1,.3\n"
	refused "$file:2: column 3: a quote in the middle of a field" "$head_line\n0,1,5\"5,3,.2\n"
	refused "$file:4: column 5 (u_cpu): \"x\" is not" "$head_line\n\n\n0,1,5,3,x\n"
	refused "$file:1: column 1: a NUL byte" 'a\0b,c\n1,2\n'
	refused "write decimals with a point" "${head_line//,/;}\n0;1;5;3;0,2\n"
	refused "$file: 1 window: measure more" "$head_line\n0,1,5,3,.2\n"
	refused "fewer windows than classes: measure at least 6 windows" \
		"$head_line\n0,1,5,3,.2\n1,1,2,3,.1\n"
	refused "there is no request in any window" "$head_line\n0,1,0,0,.2\n1,1,0,0,.1\n2,1,0,0,.1\n"
	refused "0 can be used, the first is left out because saturated: cpu is 0.99" \
		"$head_line\n0,1,5,3,.99\n1,1,2,3,.98\n2,1,2,3,.97\n"
	refused "$file:1: nothing to explain: there is no column own_w_b: add it, or y_w" \
		't,seconds,n_a,n_b,own_w_a\n0,1,5,3,.1\n'
	table "$head_line\n$rows\n"
	says 1 "by sdl from 6 windows of 2 classes: times of all classes at it are not known: add columns" \
		"$real" demand fit --method sdl "$file"
	head -c 100000 /dev/urandom >"$file"
	run "$real" demand fit "$file"
	[[ $status == 1 && $(wc -l <"$dir/err") == 1 ]]
	result $? "noise is no table"
}

good_tables()
{
	local plain
	table "$head_line\n$rows\n"
	fits "a plain table" '.[0].windows_used == 6 and .[0].method == "auto"' fit "$dir/f.csv"
	plain=$(jq -c .demands "$dir/out")
	for shape in bom crlf semicolon tab quoted last; do
		case $shape in
		bom) table "\xef\xbb\xbf$head_line\n$rows\n" ;;
		crlf) printf '%s\n%s\n' "$head_line" "$rows" | sed 's/$/\r/' >"$dir/f.csv" ;;
		semicolon) printf '%s\n%s\n' "$head_line" "$rows" | tr , ';' >"$dir/f.csv" ;;
		tab) printf '%s\n%s\n' "$head_line" "$rows" | tr , '\t' >"$dir/f.csv" ;;
		quoted) printf '%s\n%s\n' "$head_line" "$rows" |
			sed 's/[^,]*/"&"/g' >"$dir/f.csv" ;;
		last) table "$head_line\n$rows" ;;
		esac
		run "$real" demand fit --json "$dir/f.csv"
		[[ $status == 0 && $(jq -c .demands "$dir/out") == "$plain" ]]
		result $? "the same with $shape"
	done
	table "$head_line,note\n0,1,5,3,.2,x\n1,1,2,3,.1,\n2,1,9,1,.3,y\n3,1,4,4,.2,\n4,1,3,4,.2,\n"
	run "$real" demand fit "$dir/f.csv"
	[[ $status == 0 && $(<"$dir/err") == *"ignored: note" ]]
	result $? "other columns are ignored with a warning"
	table "$head_line\n$rows\n6,1,3,3,\n7,1,3,3,.99\n"
	fits "what is not known or saturated is left out, and said" \
		'.[0].windows_left_out | map(.why) == ["cpu is not known", "saturated: cpu is 0.99"]' \
		fit "$dir/f.csv"
	table "$head_line,own_w_a\n0,1,5,3,.2,.1\n1,1,2,3,.1,.1\n2,1,9,1,.3,.1\n3,1,4,4,.2,.1\n"
	run "$real" demand fit "$dir/f.csv"
	[[ $status == 0 && $(<"$dir/err") == *"f.csv:1: the own time of w is not explained:"* ]]
	result $? "a column that is missing is named, if that limits what can be said"
	awk 'BEGIN { srand(2); print "t,seconds,n_a,u_cpu"; for (i = 0; i < 30; i++)
		print i ",1," int(500 * rand()) "," .2 + .2 * rand() }' >"$dir/f.csv"
	fits "what is never told from zero is no success" \
		'.[0].verdict | startswith("uncertain: no demand is told from zero")' fit "$dir/f.csv"
	cp "$dir/f.csv" "$dir/"$'\xff.csv'
	fits "a file's name may be any bytes" '.[0].file | endswith("\ufffd.csv")' fit "$dir/"$'\xff.csv'
	table 't,seconds,n_a,rt_a,u
0,1,50,.1,.1\n1,1,20,.1,.4\n2,1,90,.1,.05\n3,1,40,.1,.2\n4,1,10,.1,.45\n5,1,99,.1,.05\n6,1,30,.1,.3\n'
	fits "what is the less busy the more requests come is not the requests' doing" \
		'.[0].demands[0] | .value_s == null and .high95_s == null and
		.method == "sdl" and .verdict == "negative: the model does not fit"' fit "$dir/f.csv"
	awk 'BEGIN { srand(3); print "t,seconds,n_a,n_b,rt_a,rt_b,y_w,u_w.cpu,u_disk"
		for (i = 0; i < 40; i++) { a = int(rand() * 50); b = int(rand() * 50)
			print i ",1," a "," b ",.012,.008," .01 * a + .005 * b "," .01 * a + .005 * b \
				"," .002 * a + .003 * b + .01 * rand() } }' >"$dir/f.csv"
	fits "response times do not tell whether a disk or a processor was used" '.[0].demands |
		map(select(.resource != "own")) | length == 4 and all(.method == "nnls")' fit "$dir/f.csv"
	table 't,seconds,n_a,rt_a,u\n0,1,1,.5,.2\n1,1,2,,.3\n2,1,0,,.1\n3,1,2,.4,.3\n'
	fits "a mean is missing where there were requests" \
		'.[0].windows_left_out | length == 1 and .[0].t == 1' fit "$dir/f.csv"
	table "$head_line\n0,1,5,3,.2\n1,1,5,3,.1\n2,1,5,3,.3\n3,1,5,3,.2\n4,1,5,3,.2\n"
	fits "columns that never change say nothing" '.[0].inseparable == [["a", "b", "(background)"]]
		and .[0].rank == 1 and all(.[0].demands[]; .value_s == null and
		.verdict == "not identifiable: classes a, b, (background)")
		and (.[0].verdict | startswith("not identifiable"))' fit "$dir/f.csv"
	# u is 0.05 + 2 ms a + 30 ms b, without noise.
	awk 'BEGIN { srand(3); print "t,seconds,n_a,n_b,u_db.cpu"
		for (i = 0; i < 30; i++) { a = int(rand() * 500); b = int(rand() * 100)
			print i * 10 ",10," a "," b "," .05 + (.002 * a + .03 * b) / 10 } }' >"$dir/exact.csv"
	for method in ols nnls ridge queue auto; do
		fits "$method gives back what there was" '[.[0].demands[].value_s] as [$a, $b] |
			($a - .002 | fabs) < 1e-6 and ($b - .03 | fabs) < 1e-6 and
			(.[0].intercepts[0].value - .05 | fabs) < 1e-4 and .[0].verdict == "ok"' \
			fit --method "$method" "$dir/exact.csv"
	done
	fits "the baseline knows no classes" '[.[0].demands[].value_s] | .[0] == .[1]' \
		fit --method baseline "$dir/exact.csv"
	says 1 "times of all classes at it are not known" "$real" demand fit --method sdl "$dir/exact.csv"
}

# What the last fit has for the database's resources, from the model where it gives no number.
apart()
{
	jq -r '.model as $m | .demands as $d | $m.targets[] | select(.resource != null) |
		$m.resources[.resource] as $name | select($name | startswith("db.")) |
		.coefficients[:-1] | to_entries[] | .key as $class |
		([$d[] | select(.resource == $name)][$class]) as $e |
		"\($name) \(.value) \($e.low95_s // 0) \($e.high95_s // 1)"' "$dir/out"
}

# Demands that are there must come back within their intervals.
simulated()
{
	"$sim" 5 6 60 varied 0.6 all >"$dir/all.csv" 2>"$dir/truth" || exit 1
	"$sim" 5 6 60 collinear 0.6 counts >"$dir/pairs.csv" 2>/dev/null
	"$sim" 6 6 30 varied 0.5 counts >"$dir/other.csv" 2>/dev/null
	fits "auto shares out by own times where a tier has one resource" '.[0] |
		(.demands | map(select(.resource == "web.cpu")) | all(.method == "sdl" and
			.apportioned_by == "own_s")) and
		(.demands | map(select(.resource == "db.disk")) | all(.method != "sdl")) and
		.windows_needed == 12 and .windows_used == 60 and .rank == 7 and
		(.why | endswith("measured times tell who used it")) and .r2["web.cpu"] > 0.8 and .checks["web.own"].explained > 0.9' \
		fit "$dir/all.csv"
	jq -r '.demands[] | select(.resource != "own") |
		"\(.resource) \(.low95_s) \(.high95_s)"' "$dir/out" >"$dir/intervals"
	awk 'NR == FNR { for (i = 2; i <= NF; i++) true[$1, i - 2] = $i; next }
		{ value = true[$1, n[$1]++]; inside += $2 <= value && value <= $3; all++ }
		END { exit !(all == 24 && inside >= 21) }' "$dir/truth" "$dir/intervals"
	result $? "21 of 24 intervals or more contain the true demand"
	fits "classes that always come together are named, and no number is given" '.[0] |
		.inseparable == [["c0", "c1"]] and (.separate_by[0] | contains("c0, c1")) and
		(.demands | map(select(.class == "c0" or .class == "c1")) |
			all(.value_s == null and .low95_s == null and
			.verdict == "not identifiable: classes c0, c1")) and
		.verdict == "not identifiable: classes c0, c1"' fit "$dir/pairs.csv"
	fits "regressions of a tier's processor and disk" '.[0].demands | length > 0' \
		fit --method nnls "$dir/all.csv"
	apart >"$dir/counts"
	fits "times and utilisations tell a tier's processor from its disk" '.[0].demands |
		map(select(.tier == "db" and .resource != "own")) | length == 12 and
		all(.method == "sdl" and .apportioned_by == "own_s")' fit --method sdl "$dir/all.csv"
	apart >"$dir/apart"
	awk 'NR == FNR { for (i = 2; i <= NF; i++) true[$1, i - 2] = $i; next }
		FNR == 1 { file++ }
		{ value = true[$1, n[file, $1]++ + 0]; all++
			sum[file] += $2 > value ? $2 - value : value - $2
			inside += file == 2 && $3 <= value && value <= $4 }
		END { exit !(all == 24 && inside >= 11 && sum[2] < 0.9 * sum[1]) }' \
		"$dir/truth" "$dir/counts" "$dir/apart"
	result $? "better than counts alone, and 11 of 12 intervals or more contain the true demand"
	"$sim" 5 6 60 collinear 0.6 all >"$dir/told.csv" 2>/dev/null
	fits "their own times tell them apart" '.[0].demands | map(select(.resource == "web.cpu")) |
		length == 6 and all(.verdict == "ok")' fit "$dir/told.csv"
	for method in baseline ols nnls ridge queue residence sdl; do
		fits "$method: no demand that is negative, zero or unknown is a fact" \
			'all(.[0].demands[]; .value_s == null or (.value_s > 0 and .stderr_s >= 0 and
			.low95_s <= .value_s and .value_s <= .high95_s))' \
			fit --method "$method" "$dir/told.csv"
	done
}

predictions()
{
	run "$real" demand fit "$dir/all.csv" -o "$dir/model.json"
	[[ $status == 0 ]] && jq -e '.model.format == 1 and .verdict' "$dir/model.json" >/dev/null
	result $? "a model is written"
	fits "it predicts what it was made of" '.[0] | (.windows | length) == 60 and
		(.windows[0].y | keys) == ["app", "db", "web"] and .error.u["app.cpu"] < 0.15 and
		.error.y.web < 0.15 and
		([.windows[].u["app.cpu"] | select(.measured >= .low95 and .measured <= .high95)] |
			length) >= 52' predict "$dir/model.json" "$dir/all.csv"
	run "$real" demand predict "$dir/model.json" "$dir/all.csv"
	[[ $status == 0 && $(head -1 "$dir/out") == of*windows*predicted*error* ]]
	result $? "for people too"
	sed '1s/n_c5/n_new/' "$dir/other.csv" >"$dir/new.csv"
	fits "requests that a model does not know cannot be predicted" '.[0].unknown_classes == 1 and
		all(.[0].windows[]; .u["web.cpu"].value == null) and .[0].error.u["web.cpu"] == null' \
		predict "$dir/model.json" "$dir/new.csv"
	fits "on the same mixes a baseline is farther off than what knows classes" '.[0] |
		.crossed and ([.errors[] | {(.method): .mean_u}] | add |
			.baseline > .nnls and .nnls != null)' compare "$dir/all.csv"
	fits "files are held against the first" '.[0].errors | length == 16 and
		(map(.file) | unique | length) == 2 and all(.[]; .level | test("light|heavy"))' \
		compare "$dir/all.csv" "$dir/other.csv" "$dir/new.csv"
	run "$real" demand compare "$dir/all.csv" "$dir/other.csv"
	[[ $status == 0 ]] && grep -q 'other.csv, .* load' "$dir/out" && grep -q 'baseline.*sdl' "$dir/out"
	result $? "as a table too"
	says 1 'cannot read' "$real" demand predict "$dir/none" "$dir/all.csv"
	echo '{' >"$dir/m"
	says 1 "$dir/m:2:0: no JSON" "$real" demand predict "$dir/m" "$dir/all.csv"
	for filter in 'del(.model)' '.model.format = 2' '.model.targets = 3' '.model.classes[1] = .model.classes[0]' \
		'.model.spread |= .[1:]' '.model.targets[0].method = "guess"' \
		'.model.targets[0].coefficients[0] = "x"' '.model.targets[0].tier = 99' \
		'.model.windows = 0' 'del(.model.targets[0].degrees)' \
		'.model.targets[0].verdicts[0] = "good"' '.model.targets[0].verdicts = 3' \
		'.model.targets[0].verdicts |= .[1:]'; do
		jq "$filter" "$dir/model.json" >"$dir/m"
		says 1 'give a file that tierlens demand fit --output wrote' \
			"$real" demand predict "$dir/m" "$dir/all.csv"
	done
}

recordings()
{
	python3 "$top/selftests/unit/user-recording.py" 60 >"$dir/r.jsonl" || exit 1
	fits "a recording: processor time tells who used a processor, and comes back" '.[0] |
		.processors == 4 and (.windows_left_out | length) > 0 and
		(.demands | map(select(.measured_s)) | length == 3 and
			all(.method == "sdl" and .apportioned_by == "cpu_s" and
			(.value_s / .measured_s - 1 | fabs) < 1e-6))' fit "$dir/r.jsonl"
	fits "a regression does not see it" '.[0] | (.demands | map(select(.measured_s)) |
		length == 3 and all(.method == "nnls" and .apportioned_by == null and
			.value_s != .measured_s)) and
			([.model.targets[].coefficients[]] | max) > 0' fit --method nnls "$dir/r.jsonl"
	cp "$dir/out" "$dir/with"
	jq -c 'del(.tiers[].cells[].cpu_s, .tiers[].cells[].cpu_ns, .paths[].cpu_s, .paths[].cpu_ns)' \
		"$dir/r.jsonl" >"$dir/without.jsonl"
	run "$real" demand fit --json --method nnls "$dir/without.jsonl"
	# jq writes numbers with one digit less than there are.
	jq -es '[.[] | [.model.targets[].coefficients[]]] | transpose | length > 3 and
		all((.[0] - .[1] | fabs) < 1e-9)' "$dir/out" "$dir/with" >/dev/null
	result $? "its answer is the same without it"
	jq -c 'if .generation == 1010 then .losses.cells_full = 3 else . end' "$dir/r.jsonl" >"$dir/lost.jsonl"
	fits "an interval with losses is left out, and named" \
		'.[0].windows_left_out | map(.why) | any(contains("cells_full 3"))' fit "$dir/lost.jsonl"
	cat "$dir/r.jsonl" "$dir/r.jsonl" >"$dir/twice.jsonl"
	says 1 'begins before the one above it ends' "$real" demand fit "$dir/twice.jsonl"
	jq -c 'del(.paths)' "$dir/r.jsonl" >"$dir/pathless.jsonl"
	says 1 'the recording has no paths' "$real" demand fit "$dir/pathless.jsonl"
}

report()
{
	if ! command -v gnuplot >/dev/null; then
		skip "report" "gnuplot is not installed"
		return
	fi
	sed '1s/c3/<i>c3/g' "$dir/all.csv" >"$dir/hostile.csv"
	run "$real" report "$dir/hostile.csv" -o "$dir/page.html" --json
	good "a table of figures as a page" '.[0].windows_used == 60 and (.[0].demands | length) == 42'
	[[ $(grep -c '<figure' "$dir/page.html") == 3 && $(grep -c '<rect' "$dir/page.html") -gt 20 ]] &&
		grep -q '</html>$' "$dir/page.html" && ! grep -qE '<i>|<script|src=' "$dir/page.html"
	result $? "with pictures, bars and correlations; names are nothing but text"
	says 1 'f.csv:2: column 3 (n_a): -1 is negative' "$real" report "$dir/f.csv" -o "$dir/none.html"
	[[ ! -e $dir/none.html ]]
	result $? "a bad table makes no page"
}

usage
bad_tables
good_tables
simulated
predictions
recordings
table "$head_line\n0,1,-1,3,.2\n"
report
finish
