#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens lqn as its users meet it: usage, files that cannot be read, faults and notes, what
# --json prints, large models. What is in a file is test-user-lqn.c's business, what comes of
# it test-lqn-sim.c's. Prints TAP. TIERLENS names the program (make model-programs).
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

usage()
{
	says 2 'lqn needs build, check, simulate or solve' "$real" lqn
	says 2 'lqn has no "guess"' "$real" lqn guess
	says 2 'lqn check needs a model' "$real" lqn check
	says 2 'unexpected argument "b"' "$real" lqn check a b
	says 2 'only lqn simulate, and lqn solve --verify, take --seed' "$real" lqn check --seed 3 a.lqn
	says 2 '--seed "x" is not a whole number' "$real" lqn simulate --seed x a.lqn
	says 2 '--steps 1 is out of range' "$real" lqn simulate --steps 1 a.lqn
	says 2 '--precision "-1" is not a number' "$real" lqn simulate --precision -1 a.lqn
	says 2 '--precision 1 is not below 1, 0.01 is one percent' \
		"$real" lqn simulate --precision 1 a.lqn
	says 2 '--confidence 95 is not below 1' "$real" lqn simulate --confidence 95 a.lqn
	says 2 '--time "0" is not a number from' "$real" lqn simulate --time 0 a.lqn
}

files()
{
	says 1 'cannot read (No such file' "$real" lqn check "$dir/none.lqn"
	mkdir "$dir/d.lqn"
	says 1 'd.lqn: cannot read (Is a directory' "$real" lqn check "$dir/d.lqn"
	echo x >"$dir/model.txt"
	says 1 'model.txt: the name does not say the format: end it with .lqn' \
		"$real" lqn check "$dir/model.txt"
	printf 'P 0\n\0' >"$dir/nul.lqn"
	says 1 'nul.lqn: a NUL byte' "$real" lqn simulate "$dir/nul.lqn"
}

# shop SERVERS: the same network in both formats
shop()
{
	cat >"$dir/shop.lqn" <<-END
	P 0
	  p out i
	  p web s m $1
	  p db f
	-1
	T 0
	  t Users r u -1 out z 2 m 20
	  t Web n page -1 web m 10
	  t Db n query -1 db i
	-1
	E 0
	  y u page 1 -1
	  s page 0.05 0.01 -1
	  y page query 2 -1
	  s query 0.01 -1
	-1
	END
	cat >"$dir/shop.lqnx" <<-END
	<lqn-model>
	<processor name="out" scheduling="inf">
	<task name="Users" scheduling="ref" multiplicity="20" think-time="2"><entry name="u" type="PH1PH2">
	<entry-phase-activities><activity name="a" phase="1" host-demand-mean="0">
	<synch-call dest="page" calls-mean="1"/></activity></entry-phase-activities></entry></task>
	</processor>
	<processor name="web" scheduling="ps" multiplicity="$1">
	<task name="Web" multiplicity="10"><entry name="page" type="PH1PH2"><entry-phase-activities>
	<activity name="a" phase="1" host-demand-mean="0.05"><synch-call dest="query" calls-mean="2"/></activity>
	<activity name="b" phase="2" host-demand-mean="0.01"/></entry-phase-activities></entry></task>
	</processor>
	<processor name="db">
	<task name="Db" scheduling="inf"><entry name="query" type="PH1PH2"><entry-phase-activities>
	<activity name="a" phase="1" host-demand-mean="0.01"/></entry-phase-activities></entry></task>
	</processor>
	</lqn-model>
	END
}

checks()
{
	shop 1
	run "$real" lqn check "$dir/shop.lqn"
	[[ $status == 0 && ! -s $dir/err ]] && grep -q '^3 processors, 3 tasks, 3 entries, 2 calls$' "$dir/out" &&
		grep -q '^Db .*no limit  *db' "$dir/out"
	result $? 'check: what it is'
	run "$real" lqn check --json "$dir/shop.lqn"
	good 'check --json' '.[0] | .verdict == "ok" and .fault_count == 0 and .notes == [] and
		.tasks[0].think_s == 2 and .processors[0].servers == null and
		.entries[1].phases[0].calls == [{"to": "query", "kind": "sync", "mean": 2}] and
		.entries[1].phases[1].demand_s == 0.01'
	jq 'del(.file)' "$dir/out" >"$dir/text.json"
	run "$real" lqn check --json "$dir/shop.lqnx"
	jq 'del(.file)' "$dir/out" | cmp -s - "$dir/text.json"
	result $? 'check --json: the same of both formats'
	sed -i -e 's/s query 0.01/s query -1 -1\n s qery 2/' -e 's/p web s/p web q/' "$dir/shop.lqn"
	run "$real" lqn check "$dir/shop.lqn"
	[[ $status == 1 && ! -s $dir/out && $(wc -l <"$dir/err") -ge 3 ]] &&
		[[ $(grep -c "^tierlens: $dir/shop.lqn:[0-9]*: .*: " "$dir/err") == $(wc -l <"$dir/err") ]]
	result $? 'check: a line for each fault'
	says 1 'shop.lqn:3: a processor' "$real" lqn simulate "$dir/shop.lqn"
	grep -q 'the first of [0-9]* faults; tierlens lqn check tells all' "$dir/err"
	result $? 'simulate: the first, and that there are more'
	run "$real" lqn check --json "$dir/shop.lqn"
	[[ $status == 1 ]] && jq -e '.verdict == "faulty" and (.faults | length) == .fault_count and
		.fault_count > 1 and (has("entries") | not)' "$dir/out" >/dev/null
	result $? 'check --json: all faults'
	shop 1
	sed -i 's/ z 2 m 20//' "$dir/shop.lqn"
	run "$real" lqn check "$dir/shop.lqn"
	[[ $status == 0 ]] && grep -q "^tierlens: note: .*:7: reference task \"Users\" has no think time" "$dir/err"
	result $? 'check: a note'
	printf 'P 0\np \033[2J\033]0;x\007 f\n-1\nT 0\nt T n e\033 -1 \033[2J\033]0;x\007\n-1\nE 0\na e\033 1\ns e\033 .1 -1\n-1\n' \
		>"$dir/hostile.lqn"
	run "$real" lqn check "$dir/hostile.lqn"
	[[ $status == 0 ]] && ! grep -qP '[\x00-\x09\x0b-\x1f]' "$dir/out" "$dir/err"
	result $? 'no control character of a name reaches the terminal'
}

# shape NAME: what the design promises to programs
shape()
{
	good "$1" '.[0] | .verdict == "ok" and (.residual | type) == "number" and
		(.entries | keys) == ["page", "query", "u"] and
		(.entries.page | (.throughput, .utilisation, .service_s[0], .service_s[1]) > 0) and
		(.tasks.Web | (.throughput, .utilisation) > 0) and
		(.processors | keys) == ["db", "out", "web"] and .processors.web.utilisation > 0 and
		(.reference.Users | (.throughput, .response_s) > 0) and
		(.checks | keys) == ["flow", "little", "utilisation"] and (.checks | all(. < 0.02)) and
		(([paths(numbers)] | map(select(.[0] == "ci95") | .[1:])) ==
		 ([paths(numbers)] | map(select(.[0] == ("entries", "tasks", "processors", "reference")))))'
}

simulates()
{
	local one other

	shop 1
	run "$real" lqn simulate "$dir/shop.lqn" --json
	shape 'simulate --json'
	good 'simulate --json: about what operational laws say' '.[0] |
		(.processors.web.utilisation - 0.06 * .reference.Users.throughput | fabs) < 0.02 and
		(20 / .reference.Users.throughput - 2 - .reference.Users.response_s | fabs) < 0.05 and
		.ci95.reference.Users.response_s < 0.0101 * .reference.Users.response_s'
	one=$(jq -c .reference "$dir/out")
	run "$real" lqn simulate "$dir/shop.lqnx" --json
	[[ $(jq -c .reference "$dir/out") == "$one" ]]
	result $? 'simulate: the same of both formats, to the last digit'
	run "$real" lqn simulate "$dir/shop.lqn" --json --seed 2
	other=$(jq -c .reference "$dir/out")
	[[ $status == 0 && $other != "$one" ]]
	result $? 'simulate --seed'
	run "$real" lqn simulate "$dir/shop.lqn" --json --time 300
	good 'simulate --time' '.[0] | .verdict == "ok" and (.run.time_s - 300 | fabs) < 1e-6'
	run "$real" lqn simulate "$dir/shop.lqn" --json --precision 0.0001 --steps 200000
	good 'simulate --steps: not precise is said, with the figures' '.[0] |
		(.verdict | startswith("not converged: residual 0.0")) and .residual > 0.0001 and
		.reference.Users.throughput > 1'
	run "$real" lqn simulate "$dir/shop.lqn"
	[[ $status == 0 && ! -s $dir/err && $(tail -n 1 "$dir/out") == ok ]] &&
		grep -q '^Users  *20  *[0-9.]* ± ' "$dir/out" && grep -q "^off by at most: Little's law" "$dir/out"
	result $? 'simulate: for people'
}

verdicts()
{
	printf 'P 0\np cpu f\n-1\nT 0\nt S n e -1 cpu i\n-1\nE 0\na e 2\ns e 1 -1\n-1\n' >"$dir/open.lqn"
	run "$real" lqn simulate "$dir/open.lqn" --json
	good 'saturated: a verdict and no number' '.[0] | .verdict ==
		"unstable: arrivals ask processor \"cpu\" for 2 times what it has" and
		([.residual, .entries, .tasks, .processors, .reference, .checks, .ci95] | all(. == null))'
	run "$real" lqn simulate "$dir/open.lqn"
	[[ $status == 0 && $(<"$dir/out") == 'unstable: arrivals ask processor "cpu" for 2 times what it has' ]]
	result $? 'saturated: for people'
	printf 'P 0\np cpu f\n-1\nT 0\nt U r u -1 cpu z 1 m 900000000\n-1\nE 0\ns u 1 -1\n-1\n' >"$dir/many.lqn"
	says 1 'more customers than a simulation holds (8388608)' "$real" lqn simulate "$dir/many.lqn"
}

# A chain of so many entries, each of which calls the next.
chain()
{
	awk -v n="$1" 'BEGIN {
		print "P 0\np c i\np s f\n-1\nT 0\nt R r e0 -1 c z 1"
		for (i = 1; i < n; i++) printf "t T%d n e%d -1 s\n", i, i
		print "-1\nE 0"
		for (i = 0; i < n; i++) {
			printf "s e%d 1e-7 -1\nf e%d 1 -1\n", i, i
			if (i + 1 < n) printf "y e%d e%d 1 -1\n", i, i + 1
		}
		print "-1"
	}'
}

large()
{
	chain 100000 >"$dir/chain.lqn"
	run "$real" lqn check "$dir/chain.lqn"
	[[ $status == 0 ]] && grep -q '^\.\.\. 99800 more' "$dir/out"
	result $? 'check: 100,000 entries'
	run "$real" lqn simulate --steps 500000 "$dir/chain.lqn"
	[[ $status == 0 && $(<"$dir/out") == 'not converged: too little happened, go on for longer' ]]
	result $? 'simulate: as many, and one cycle of a customer'
	chain 1000 >"$dir/short.lqn"
	sed 's/^y e998 e999 /y e998 e1 /' "$dir/short.lqn" >"$dir/ring.lqn"
	says 1 'come back to it: leave out a call of that circle' "$real" lqn check "$dir/ring.lqn"
	run "$real" lqn simulate --json --time 200 "$dir/short.lqn"
	good 'simulate: a chain of 1,000' '.[0] | .reference.R.throughput > 0.7 and
		(.entries["e999"].throughput - .reference.R.throughput | fabs) < 1e-3'
	{
		echo '<lqn-model>'
		yes '<a>' | head -n 1000000
	} >"$dir/deep.xml"
	run "$real" lqn check "$dir/deep.xml"
	[[ $status == 1 && $(wc -l <"$dir/err") == 2 ]] &&
		grep -q 'deep.xml:2: <a> does not belong into <lqn-model>' "$dir/err"
	result $? 'XML a million elements deep'
}

solves()
{
	shop 2
	run "$real" lqn solve --json "$dir/shop.lqn"
	good 'solve --json' '.[0] | .verdict == "ok" and .reference.Users.throughput > 9 and
		.reference.Users.throughput < 10 and .checks.little < 1e-4 and .checks.flow < 1e-9 and
		.checks.utilisation < 1e-4 and (.entries.page.service_s | length) == 2 and
		(has("verify") | not)'
	run "$real" lqn solve --json --verify --precision 0.01 "$dir/shop.lqn"
	good 'solve --verify --json' '.[0].verify | .reference.Users.throughput > -0.03 and
		.reference.Users.throughput < 0.03 and .reference.Users.throughput != 0 and
		(.entries | length) == 3'
	run "$real" lqn solve --verify --precision 0.05 "$dir/shop.lqn"
	[[ $status == 0 ]] && grep -q '^simulated: ' "$dir/out" && grep -q '^farthest off' "$dir/out"
	result $? 'solve --verify: both, and the difference'
	says 2 'only lqn solve takes --verify' "$real" lqn simulate --verify "$dir/shop.lqn"
	says 2 'only lqn simulate, and lqn solve --verify, take' "$real" lqn solve --seed 1 "$dir/shop.lqn"
}

usage
files
checks
solves
simulates
verdicts
large
finish
