#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens capacity and bottleneck as their users meet them: usage, unknown names, what --json
# prints, what --set does, the page. What is found is test-capacity.c's and test-bottleneck.c's
# business. Prints TAP. TIERLENS names the program (make model-programs).
set -uo pipefail

# shellcheck source=selftests/model/model-cli.sh
. "$(dirname "$0")/model-cli.sh"

# shop THREADS DEMAND: of Web; of query
shop()
{
	cat <<-END
	P 0
	  p out i
	  p web s
	  p db f
	-1
	T 0
	  t Users r u -1 out z 2 m 20
	  t Web n page -1 web m $1
	  t Db n query -1 db i
	-1
	E 0
	  f u 1 -1
	  y u page 1 -1
	  s page 0.05 0.01 -1
	  y page query 2 -1
	  s query $2 -1
	-1
	END
}

usage()
{
	says 2 'capacity needs a model' "$real" capacity
	says 2 'unexpected argument "b"' "$real" capacity a b
	says 2 '--max-response "x" is not a number above 0' "$real" capacity --max-response x a.lqn
	says 2 '--max-response "0" is not a number above 0' "$real" capacity --max-response page=0 a.lqn
	says 2 '--max-utilisation "80" is not a number above 0 and up to 1' \
		"$real" capacity --max-utilisation 80 a.lqn
	says 2 '--max-percentile "0.5" is not P:S, as in 95:0.5' "$real" capacity --max-percentile 0.5 a.lqn
	says 2 'the percentile "100" is not above 0 and up to 99.999' \
		"$real" capacity --max-percentile 100:1 a.lqn
	says 2 '--max-errors needs --timeout: a model has no other errors' \
		"$real" capacity --max-errors 0.05 a.lqn
	says 2 '--timeout is of --max-errors' "$real" capacity --timeout 3 a.lqn
	says 2 '--steps 1 is out of range' "$real" capacity --steps 1 a.lqn
	says 2 '--trust "2" is not a number above 0 and up to 1' "$real" capacity --trust 2 a.lqn
	says 2 'bottleneck needs a model' "$real" bottleneck
	says 2 'unexpected argument "b"' "$real" bottleneck a b
	# shellcheck disable=SC2046  # seventeen options
	says 2 'more than 16 limits' "$real" capacity $(printf -- '--max-response %d ' {1..17}) a.lqn
	says 1 'none.lqn: cannot read' "$real" capacity "$dir/none.lqn"
	says 1 'none.lqn: cannot read' "$real" bottleneck "$dir/none.lqn"
}

names()
{
	local command

	shop 10 0.01 >"$dir/shop.lqn"
	for command in capacity bottleneck; do
		says 1 'no task has the name "Wbe": give one that has, the nearest are "Web", "Db"' \
			"$real" $command "$dir/shop.lqn" --set Wbe.threads=3
		says 1 'nothing has "treads"' "$real" $command "$dir/shop.lqn" --set Web.treads=3
	done
	says 1 'no entry has the name "qery": give one that has, the nearest are "query"' \
		"$real" capacity "$dir/shop.lqn" --max-response qery=1
	says 1 'no processor or task has the name "wb": give one that has, the nearest are "web"' \
		"$real" capacity "$dir/shop.lqn" --max-utilisation wb=0.5
	says 1 'no reference task or entry with arrivals has the name "Web": give one that has, the nearest is "Users"' \
		"$real" capacity "$dir/shop.lqn" --vary Web
	says 1 'nobody asks entry "u" of a reference task' \
		"$real" capacity "$dir/shop.lqn" --max-percentile 95:u=1
	printf 'P 0\np c f\n-1\nT 0\nt U r u -1 c z 1 m 5\n-1\nE 0\ns u 0.1 -1\n-1\n' >"$dir/alone.lqn"
	says 1 'customers wait for nobody, there are no requests to take percentiles of' \
		"$real" capacity "$dir/alone.lqn" --max-percentile 95:1
	sed 's/^-1$/&/; s/f u 1 -1/a query 1/' "$dir/shop.lqn" >"$dir/both.lqn"
	says 1 '--vary takes reference tasks or entries with arrivals, not both' \
		"$real" capacity "$dir/both.lqn" --vary Users --vary query
}

capacity()
{
	shop 10 0.01 >"$dir/shop.lqn"
	run "$real" capacity "$dir/shop.lqn" --max-response 0.5 --json
	good 'capacity --json' '.[0] | .verdict != null and (.max | type) == "number" and .max > 10 and
		.limits == {"response_s": 0.5} and .limited_by == "response_s" and .of == "users" and
		.varies == ["Users"] and (.saturation | .n > 1 and .kind == "processor" and .name == "web") and
		.at_max.n == .max and .at_max.limits.response_s <= 0.5 and
		(.believed.from == 1) and .believed.to > 1'
	good 'capacity --json: the curve' '.[0] | .max as $max | (.curve | length) > 30 and
		(.curve | map(.n) | . == sort) and
		all(.curve[]; .throughput > 0 and .response_s > 0 and (.utilisation | keys) == ["db", "web"] and
			.utilisation.web <= 1.001 and (.checks | keys) == ["flow", "little", "utilisation"] and
			.checks.little < 1e-3) and
		(.curve | map(select(.n <= $max)) | all(.[]; .limits_hold == "holds")) and
		(.curve | map(select(.n == $max + 1)) | .[0].limits_hold) == "breaks" and
		(.curve | map(select(.n > $max and .limits_hold == "holds")) | length) == 0'
	good 'capacity --json: an answer beyond what is to be believed says so' '.[0] |
		.at_max.believed == (.at_max.utilisation.web <= 0.9) and
		((.verdict | startswith("doubtful: ")) == (.at_max.believed | not))'
	run "$real" capacity "$dir/shop.lqn" --max-response 0.5
	[[ $status == 0 && ! -s $dir/err ]] && grep -q '^users  *throughput/s' "$dir/out" &&
		grep -q '^at most: [0-9]* users; with [0-9]* users response_s is' "$dir/out" &&
		grep -q "^off by at most: Little's law" "$dir/out" && grep -q '  most' "$dir/out" &&
		grep -q '^saturated with [0-9.]* users' "$dir/out"
	result $? 'capacity: for people'
	run "$real" capacity "$dir/shop.lqn" --json --max-percentile 95:0.5 --max-percentile 99:query=1 \
		--max-errors 0.1 --timeout 1 --max-utilisation Web=0.99 --steps 300000 --verify
	good 'capacity --json: limits by simulation' '.[0] | .limits ==
		{"p95_s": 0.5, "p99_s:query": 1, "errors": 0.1, "utilisation:Web": 0.99} and
		.max95[0] <= .max and .max <= .max95[1] and (.simulated | length) >= 3 and
		.at_max.limits.p95_s <= 0.5 and .at_max.limits.errors <= 0.1 and
		(.verify.limits.p95_s | (.simulated / .answer - 1 | fabs) < 0.2) and
		(.verify.reference.Users.throughput | fabs) < 0.05'
	run "$real" capacity "$dir/shop.lqn" --max-response page=0.2 --trust 0.5 --until 100
	[[ $status == 0 ]] && tail -n 1 "$dir/out" | grep -q '^doubtful: .*above 50 %; the model is to be believed from 1 to'
	result $? 'capacity --trust'
	run "$real" capacity "$dir/shop.lqn" --max-response 1e-9 --json
	good 'capacity: not even one' '.[0] | .max == 0 and (.verdict |
		startswith("none: with 1 user response_s is 0.07")) and .at_max == null'
	run "$real" capacity "$dir/shop.lqn" --json
	good 'capacity without a limit' '.[0] | .max == null and .verdict == "no limit was given" and
		(.curve | length) > 20'
}

# set_is NAME CHANGE FILE OTHER: a change does to the one what the other is
set_is()
{
	run "$real" bottleneck --json "$dir/$3" --set "$2"
	jq -S 'del(.file)' "$dir/out" >"$dir/set.json"
	run "$real" bottleneck --json "$dir/$4"
	jq -S 'del(.file)' "$dir/out" | cmp -s - "$dir/set.json"
	result $? "--set $2: $1"
}

sets()
{
	shop 10 0.01 >"$dir/a.lqn"
	shop 3 0.01 >"$dir/threads.lqn"
	shop 10 0.005 >"$dir/demand.lqn"
	sed 's/ m 20$/ m 33/' "$dir/a.lqn" >"$dir/users.lqn"
	sed 's/ z 2 / z 1 /' "$dir/a.lqn" >"$dir/think.lqn"
	sed 's/p web s/p web s m 4/' "$dir/a.lqn" >"$dir/servers.lqn"
	sed 's/p db f/p db f R 3/' "$dir/a.lqn" >"$dir/speed.lqn"
	set_is 'as in a file' Web.threads=3 a.lqn threads.lqn
	set_is 'as in a file' query.demand=0.005 a.lqn demand.lqn
	set_is 'of all of a processor' 'db.demand*=0.5' a.lqn demand.lqn
	set_is 'of all of a task' 'Db.demand*=0.5' a.lqn demand.lqn
	set_is 'as in a file' Users.users=33 a.lqn users.lqn
	set_is 'as in a file' Users.think=1 a.lqn think.lqn
	set_is 'as in a file' web.servers=4 a.lqn servers.lqn
	set_is 'as in a file' db.speed=3 a.lqn speed.lqn
	cmp -s "$dir/set.json" <("$real" bottleneck --json "$dir/a.lqn" | jq -S 'del(.file)')
	[[ $? == 1 ]]
	result $? '--set changes something'
	says 1 'customers of "Users" neither think nor need any time' "$real" capacity "$dir/a.lqn" \
		--set Users.think=0 --set page.demand=0 --set query.demand=0
}

bottleneck()
{
	shop 2 0.01 >"$dir/shop.lqn"
	run "$real" bottleneck "$dir/shop.lqn" --json --set Users.users=60 --set db.demand*=20
	good 'bottleneck --json' '.[0] | .verdict == "ok" and .bottleneck.kind == "processor" and
		.bottleneck.name == "db" and .bottleneck.gain > 0.1 and .relief.from == 1 and .relief.to >= 2 and
		(.next | .kind == "threads" and .name == "Web") and
		(.places | length) == 3 and (.places | map(.gain) | . == (sort | reverse)) and
		.gain_of == "throughput" and .waiting.layer == 1 and .waiting.task == "Web" and
		.waiting.for == "threads" and (.waiting.layers | length) == 3 and
		(.checks | keys) == ["flow", "little", "utilisation"]'
	run "$real" bottleneck "$dir/shop.lqn" --set Users.users=60 --set db.demand*=20
	[[ $status == 0 && ! -s $dir/err && $(tail -n 1 "$dir/out") == ok ]] &&
		grep -q '^bottleneck: processor "db"$' "$dir/out" &&
		grep -q '^next, with [0-9]* servers instead of 1 and [0-9.]* % more throughput: threads of "Web"$' "$dir/out" &&
		grep -q '^waiting piles up in layer 1: ' "$dir/out" &&
		grep -q "^off by at most: Little's law" "$dir/out"
	result $? 'bottleneck: for people'
	printf 'P 0\np cpu f\n-1\nT 0\nt S n e -1 cpu i\n-1\nE 0\na e 2\ns e 1 -1\n-1\n' >"$dir/open.lqn"
	run "$real" bottleneck "$dir/open.lqn" --json
	good 'bottleneck of what is unstable: a verdict, and what makes it stable' '.[0] |
		(.verdict | startswith("unstable: arrivals ask processor \"cpu\"")) and
		.bottleneck.name == "cpu" and .relief.stable_from == 3 and .checks == null and .waiting == null'
	run "$real" bottleneck "$dir/open.lqn"
	[[ $status == 0 ]] && grep -q '^there is a steady state with 3 servers instead of 1$' "$dir/out"
	result $? 'the same for people'
	run "$real" capacity "$dir/open.lqn" --max-response 2 --json
	good 'capacity for arrivals' '.[0] | (.max - 0.5 | fabs) < 1e-3 and .of == "arrivals" and
		.varies == ["e"] and .saturation.n == 1'
}

pages()
{
	shop 10 0.01 >"$dir/shop.lqn"
	if ! command -v gnuplot >/dev/null; then
		skip 'pages' 'no gnuplot'
		return
	fi
	run "$real" capacity "$dir/shop.lqn" --max-response 0.5 -o "$dir/shop.html"
	[[ $status == 0 && $(grep -c '<svg' "$dir/shop.html") == 3 ]] &&
		grep -q 'mean response' "$dir/shop.html" && ! grep -q '<script' "$dir/shop.html"
	result $? 'capacity -o: a page with three pictures'
	sed -e 's/web/<b>\x1b[2J|x/g' -e 's/page/$(e)%s/g' "$dir/shop.lqn" >"$dir/hostile.lqn"
	run "$real" capacity "$dir/hostile.lqn" --max-response '$(e)%s=0.5' -o "$dir/hostile.html"
	[[ $status == 0 ]] && ! grep -q '<b>' "$dir/hostile.html" && ! grep -q $'\x1b' "$dir/out" "$dir/hostile.html"
	result $? 'hostile names do nothing to a page or a terminal'
	run "$real" bottleneck "$dir/hostile.lqn"
	[[ $status == 0 ]] && ! grep -q $'\x1b' "$dir/out" && grep -q '<b>?\[2J|x' "$dir/out"
	result $? 'nor here'
	says 1 'cannot write' "$real" capacity "$dir/shop.lqn" --max-response 0.5 -o "$dir/no/such/page.html"
}

# A model that says with which loads it was measured
measured()
{
	{
		echo '#pragma tierlens-measured=1:4'
		shop 10 0.01
	} >"$dir/measured.lqn"
	run "$real" capacity "$dir/measured.lqn" --max-response 0.15 --json
	good 'measured loads: what is beyond is doubted' '.[0] |
		(.verdict | contains("measured were 1 to 4; the model is to be believed from")) and
		.believed.from == 3 and .believed.to == 8 and .at_max.believed == false'
	sed 's/=1:4/=x/' "$dir/measured.lqn" >"$dir/wrong.lqn"
	says 1 'wrong.lqn:1: tierlens-measured is "x": give the least and the largest' \
		"$real" capacity "$dir/wrong.lqn"
}

usage
names
capacity
sets
bottleneck
pages
measured
finish
