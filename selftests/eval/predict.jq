# SPDX-License-Identifier: GPL-2.0-or-later
#
# jq --slurpfile sums SUMS -f predict.jq PREDICTIONS: what "tierlens demand predict" says by each method of
# the table of loads for testing, as {method: {load: {y: {tier: s}, u: {tier: 0 … 1}}}}.

($sums[0] | keys | map(select(startswith("test-")) | .[5:]) | sort) as $loads |
map_values(.windows as $windows | $loads | to_entries | map({
	key: .value,
	value: ($windows[.key] | {
		y: (.y | map_values(.value)),
		u: (.u | with_entries(select(.key | endswith(".cpu")) | .key |= rtrimstr(".cpu") | .value |= .value))})
	}) | from_entries)
