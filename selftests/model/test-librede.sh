#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Demands of five traces of a real system with known demands, held against these and against
# eight published estimators on the same traces. TIERLENS_LIBREDE names the directory with them.
# Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/tap.sh
. "$(dirname "$0")/../unit/tap.sh"
traces=${TIERLENS_LIBREDE:-$top/../shared/data/librede}
tierlens=${TIERLENS:-$top/build/tierlens}
mean_max=1.7 worst_max=3.4

if [[ ! -r $traces/librede_estimates.json ]]; then
	echo "1..0 # SKIP no traces in $traces: set TIERLENS_LIBREDE"
	exit 0
fi

# fit NAME METHOD: estimates in seconds, in the order of the classes
fit()
{
	"$tierlens" demand fit --method "$2" --json "$traces/$1_10s.csv" 2>/dev/null |
		jq -c '[.demands[].value_s]'
}

# withdrawn NAME METHOD: the same, with what a regression would have said where it knows better
withdrawn()
{
	"$tierlens" demand fit --method "$2" --json "$traces/$1_10s.csv" 2>/dev/null |
		jq -c '.model.targets[0].coefficients as $c | [.demands | to_entries[] |
			.value.value_s // $c[.key]]'
}

# sure NAME METHOD: lines for demands whose interval does not contain the known one
sure()
{
	"$tierlens" demand fit --method "$2" --json "$traces/$1_10s.csv" 2>/dev/null |
		jq -r --arg name "$1" --slurpfile all "$traces/librede_estimates.json" \
			'$all[0][$name].nominal_s as $true | .demands | to_entries[] |
			select(.value.low95_s and (.value.low95_s > $true[.key] or
			.value.high95_s < $true[.key])) | $name + " " + .value.class'
}

# errors NAME ESTIMATES: percent off the known demands, one a line
errors()
{
	jq -r --arg name "$1" --argjson estimates "$2" '.[$name].nominal_s as $true |
		range($true | length) | 100 * (($estimates[.] // 0) / $true[.] - 1) |
		if . < 0 then -. else . end' "$traces/librede_estimates.json"
}

mean()
{
	awk '{ sum += $1; n++ } END { printf "%.3f\n", n ? sum / n : 1e9 }'
}

names()
{
	jq -r 'keys[]' "$traces/librede_estimates.json"
}

# Of each trace the mean error over its classes; of those the mean and the largest.
score()
{
	awk -v method="$1" '{ sum += $1; if ($1 > most) most = $1 }
		END { printf "%s %.2f %.2f\n", method, sum / NR, most }'
}

for method in auto sdl residence nnls ridge ols baseline; do
	for name in $(names); do
		if [[ $method == auto ]]; then fit "$name" auto; else withdrawn "$name" "$method"; fi \
			>"$dir/estimates"
		errors "$name" "$(<"$dir/estimates")" >"$dir/$method.$name"
		mean <"$dir/$method.$name"
	done | score "$method"
done >"$dir/ours"
while read -r published; do
	for name in $(names); do
		errors "$name" "$(jq -c --arg name "$name" --arg m "$published" \
			'.[$name].librede_estimates[$m]' "$traces/librede_estimates.json")" | mean
	done | score "$published"
done < <(jq -r '[.[].librede_estimates | keys[]] | unique[]' \
	"$traces/librede_estimates.json") >"$dir/theirs"
echo "# mean error of the five traces and that of the worst, percent:"
sed 's/^/#   /' "$dir/ours" "$dir/theirs"
echo "# auto, of single demands: $(cat "$dir"/auto.* | sort -n |
	awk '{ sum += $1; most = $1 } END { printf "mean %.2f, largest %.2f", sum / NR, most }')"

read -r _ our_mean our_worst < <(grep '^auto ' "$dir/ours")
# holds CONDITION: in awk's words
holds()
{
	awk "BEGIN { exit !($1) }"
}

check "mean error $our_mean % <= $mean_max %" holds "$our_mean <= $mean_max"
check "worst trace $our_worst % <= $worst_max %" holds "$our_worst <= $worst_max"
best=$(awk '{ print $2 }' "$dir/theirs" | sort -n | head -1)
check "the best of the published has $best % in the mean" holds "$our_mean <= $best"
for method in sdl residence nnls ridge ols; do
	for name in $(names); do sure "$name" "$method"; done
done >"$dir/sure"
check "of 60 intervals by five methods $(wc -l <"$dir/sure") do not contain the truth" \
	holds "$(wc -l <"$dir/sure") <= 6"
finish
