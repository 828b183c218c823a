#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The plan of tools/eval-demand: whether it is what the paper's is, and whether what was interrupted
# goes on where it was. Prints TAP. LOAD names the client;
# without it it is built.
# shellcheck disable=SC2317,SC2153  # functions are called through check; LOAD is the client
set -euo pipefail

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=selftests/eval/plan.sh
. "$top/selftests/eval/plan.sh"
need_programs

# plan_of APP [VERSION]
plan_of()
{
	make_plan "$1" "$top/selftests/eval/$1" 600 40 "${2:-v1}"
}

# count APP PATTERN
count()
{
	plan_of "$1" | grep -c "^$2"
}

has_all_runs()
{
	is warm "$(plan_of "$1" | head -n 1 | cut -d' ' -f1)" warm &&
		is pages "$(count "$1" alone-)" "$2" && is patterns "$(count "$1" fit-)" "$3" &&
		is loads "$(count "$1" test-)" "$4" && is 'loads without' "$(count "$1" off-)" "$4" &&
		is names "$(plan_of "$1" | awk '{ print $1 }' | sort -u | wc -l)" $((1 + $2 + $3 + 2 * $4)) &&
		is 'different blends' "$(plan_of "$1" | awk '/^fit-/ { $1 = $5 = ""; print }' | sort -u | wc -l)" "$3"
}

has_some_runs()
{
	local some
	some=$(make_plan tpcw "$top/selftests/eval/tpcw" 150 15 v1 15 '01 05 10' | awk '{ print $1 }')
	is patterns "$(grep -c ^fit- <<<"$some")" 15 && is loads "$(grep ^test- <<<"$some" | paste -sd' ')" 'test-01 test-05 test-10'
}

# A pair differs in nothing but whether the module measures.
pairs_are_pairs()
{
	is "$1" "$(plan_of "$1" | sed -n 's/^test-\(.. \)on /\1/p')" "$(plan_of "$1" | sed -n 's/^off-\(.. \)off /\1/p')"
}

# sessions APP: of each load
sessions()
{
	plan_of "$1" | awk '/^test-/ { n = 0; for (i = 7; i <= NF; i++) { split($i, w, "="); n += w[2] } printf "%d ", n }'
}

has_the_papers_clients()
{
	is tpcw "$(sessions tpcw)" '6 6 6 6 12 12 12 12 60 60 60 60 ' &&
		is rubis "$(sessions rubis)" '6 6 6 12 12 12 60 60 60 ' &&
		is '#10' "$(plan_of tpcw | sed -n 's/^test-10.*v1 //p')" 'browsing=40 shopping=10 ordering=10'
}

# Connecting fails, but only when the matrix has been read.
walks_are_readable()
{
	local app walk

	for app in tpcw rubis; do
		for walk in ${standard[$app]} ${synthetic[$app]}; do
			"$LOAD" --to unix:/nonexistent --proto http --mix "$top/selftests/eval/$app/pages.mix" \
				--walk "$top/selftests/eval/$app/walks/$walk=1" --requests 1 >"$dir/json" 2>"$dir/err" || true
			! grep "$walk:" "$dir/err" || return 1
			grep -q '"errors": 1' "$dir/json" || { echo "$walk"; return 1; }
		done
	done
}

# long_run WALK PAGE: how often it is asked for, in percent
long_run()
{
	awk -v page="$2" '
		/^#/ { next }
		$1 != "INIT" { row[$1] = 1; for (i = 2; i < NF; i += 2) p[$1, $i] += $(i + 1) }
		END {
			now["home"] = 1
			for (step = 0; step < 400; step++) {
				delete next_one
				for (from in row) for (to in row) next_one[to] += now[from] * p[from, to]
				for (to in row) now[to] = (now[to] + next_one[to]) / 2
			}
			printf "%.1f\n", 100 * now[page]
		}' "$top/selftests/eval/tpcw/walks/$1"
}

has_the_specified_mixes()
{
	is browsing "$(long_run browsing home) $(long_run browsing product)" '29.0 21.0' &&
		is shopping "$(long_run shopping cart) $(long_run shopping home)" '11.6 16.0' &&
		is ordering "$(long_run ordering buy-confirm) $(long_run ordering registration)" '10.2 12.9'
}

# done_run LINE: as the guest leaves it
done_run()
{
	echo "$1" >"$dir/runs/${1%% *}.run"
}

left()
{
	pending "$dir/plan" "$dir/runs" | awk '{ print $1 }' | paste -sd' '
}

begin_experiment()
{
	rm -rf "$dir/runs"
	mkdir "$dir/runs"
	plan_of tpcw | grep -E '^(warm|alone-home|fit-0[12]|test-01)' >"$dir/plan"
}

begins_with_all()
{
	begin_experiment
	is left "$(left)" 'warm alone-home fit-01 test-01 fit-02'
}

goes_on()
{
	local line

	begin_experiment
	while read -r line; do
		[[ $line != fit-02* ]] || break
		done_run "$line"
	done <"$dir/plan"
	is left "$(left)" 'warm fit-02'
}

all_done()
{
	while read -r line; do
		done_run "$line"
	done <"$dir/plan"
}

ends()
{
	begin_experiment
	all_done
	is left "$(left)" ''
}

repeats_what_was_cut()
{
	begin_experiment
	all_done
	rm "$dir/runs/fit-01.run"
	: >"$dir/runs/test-01.run"
	is left "$(left)" 'warm fit-01 test-01'
}

repeats_what_has_changed()
{
	begin_experiment
	all_done
	sed -i 's/^fit-01 on 600/fit-01 on 601/; s/^fit-02 \(.*\)base-search=6/fit-02 \1base-search=7/' "$dir/plan"
	is left "$(left)" 'warm fit-01 fit-02' && plan_of tpcw v2 | grep -E '^(warm|fit-01)' >"$dir/plan" &&
		is 'another version' "$(left)" 'warm fit-01'
}

plan 12
check 'TPC-W: 14 pages, 30 patterns, 12 loads with and without' has_all_runs tpcw 14 30 12
check 'RUBiS: 22 pages, 50 patterns, 9 loads with and without' has_all_runs rubis 22 50 9
check 'a short form has some of them' has_some_runs
check 'TPC-W: pairs are pairs' pairs_are_pairs tpcw
check 'loads have the clients of table 1' has_the_papers_clients
check 'all walks can be read' walks_are_readable
check 'the standard mixes are those specified' has_the_specified_mixes
check 'at first everything is to be run' begins_with_all
check 'after an interruption the rest' goes_on
check 'in the end nothing' ends
check 'what was cut is run again' repeats_what_was_cut
check 'what has changed is run again' repeats_what_has_changed
finish
