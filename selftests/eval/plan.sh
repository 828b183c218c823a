# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tools/eval-demand runs, and what of it is left to do. A line of a plan is
#
#	NAME HOW REQUESTS THINK-MS SEED VERSION LOAD...
#
# as selftests/eval/guest.sh says; VERSION stands for the application's files.

# The paper's table 1, #1 to #12, its clients divided by 25: so many sessions of each standard mix.
declare -A table1=(
	[tpcw]='2,2,2 4,1,1 1,4,1 1,1,4 4,4,4 8,2,2 2,8,2 2,2,8 20,20,20 40,10,10 10,40,10 10,10,40'
	[rubis]='3,3 5,1 1,5 - 6,6 10,2 2,10 - 30,30 50,10 10,50 -'
)
declare -A standard=([tpcw]='browsing shopping ordering' [rubis]='browsing bidding')
declare -A synthetic=(
	[tpcw]='base-catalogue base-search base-buy base-account base-admin base-any'
	[rubis]='base-categories base-regions base-items base-buyers base-sellers base-any'
)
declare -A patterns=([tpcw]=30 [rubis]=50)
# So that the heavy loads take about half of the guest's processor.
declare -A think_ms=([tpcw]=290 [rubis]=240)

# Which of the six base mixes are blended: each alone, all pairs, triples and quadruples spread over
# what there is. Prints a line of numbers from 0 for each.
blends()
{
	local a b c d triples=() quads=() i

	for a in {0..5}; do echo "$a"; done
	for a in {0..4}; do
		for ((b = a + 1; b < 6; b++)); do
			echo "$a $b"
			for ((c = b + 1; c < 6; c++)); do
				triples+=("$a $b $c")
				for ((d = c + 1; d < 6; d++)); do quads+=("$a $b $c $d"); done
			done
		done
	done
	for ((i = 0; i < ${#triples[@]}; i++)); do echo "${triples[i * 7 % ${#triples[@]}]}"; done
	for ((i = 0; i < ${#quads[@]}; i++)); do echo "${quads[i * 4 % ${#quads[@]}]}"; done
}

# fit_loads APP: a line of WALK=SESSIONS... for each pattern. All have 6 or 12 sessions, of which one
# walk has twice as many as the others.
fit_loads()
{
	local app=$1 k=0 names word total favourite n load members
	read -r -a names <<<"${synthetic[$app]}"

	while read -r -a members; do
		total=$((k % 2 ? 6 : 12)) favourite=$((k % ${#members[@]})) load=''
		for ((n = 0; n < ${#members[@]}; n++)); do
			word=$((total * (n == favourite ? 2 : 1) / (${#members[@]} + 1)))
			load+=" ${names[members[n]]}=$((word > 0 ? word : 1))"
		done
		[ ${#members[@]} != 1 ] || load=" ${names[members[0]]}=$total"
		echo "${load# }"
		k=$((k + 1))
	done < <(blends | head -n "${patterns[$app]}")
}

# test_loads APP: a line of NUMBER WALK=SESSIONS... for each load of table 1 that the application has
test_loads()
{
	local app=$1 nr=0 counts count names n load
	read -r -a names <<<"${standard[$app]}"

	for counts in ${table1[$app]}; do
		nr=$((nr + 1)) n=0 load=''
		[ "$counts" != - ] || continue
		for count in ${counts//,/ }; do
			load+=" ${names[n++]}=$count"
		done
		printf '%02d%s\n' $nr "$load"
	done
}

pages()
{
	awk '/^[0-9]/ { print $2 }' "$1/pages.mix"
}

# make_plan APP DIR REQUESTS ALONE VERSION [PATTERNS [LOADS]]: the files are in DIR; so many requests a
# pattern, so many for each page with a single client; only so many patterns, and of the loads only those
# whose numbers are in LOADS. With and without the module in turn, loads for fitting and for
# testing mixed, so that whatever drifts meets all of them.
make_plan()
{
	local app=$1 dir=$2 requests=$3 alone=$4 version=$5 think=${think_ms[$1]} page nr load i=0 n=0
	local fits tests only=${7:-}

	echo "warm warm $((20 * $(pages "$dir" | wc -l))) 0 1 $version base-any=4"
	pages "$dir" | while read -r page; do
		echo "alone-$page on $alone 20 1 $version $page"
	done
	mapfile -t fits < <(fit_loads "$app" | head -n "${6:-999}")
	mapfile -t tests < <(test_loads "$app" | grep -E "^(${only// /|})")
	for ((i = 0; i < ${#fits[@]}; i++)); do
		printf 'fit-%02d on %s %s %s %s %s\n' $((i + 1)) "$requests" "$think" $((100 + i)) "$version" "${fits[i]}"
		while ((n < ${#tests[@]} && n * ${#fits[@]} <= i * ${#tests[@]})); do
			read -r nr load <<<"${tests[n]}"
			pair "$n" "$nr" "$requests $think $((500 + n)) $version $load"
			n=$((n + 1))
		done
	done
}

# The same load with and without the module, the one or the other first.
pair()
{
	if (($1 % 2)); then
		printf 'test-%s on %s\noff-%s off %s\n' "$2" "$3" "$2" "$3"
	else
		printf 'off-%s off %s\ntest-%s on %s\n' "$2" "$3" "$2" "$3"
	fi
}

# pending PLAN RUNS: the lines whose run is not there whole, or was another one. What only warms up is
# needed whenever anything is.
pending()
{
	local name rest found=''

	while read -r name rest; do
		if [ "${rest%% *}" = warm ]; then
			found+="$name $rest"$'\n'
		elif [ "$(cat "$2/$name.run" 2>/dev/null)" != "$name $rest" ]; then
			printf '%s%s\n' "$found" "$name $rest"
			found=''
		fi
	done <"$1"
}
