# SPDX-License-Identifier: GPL-2.0-or-later
#
# jq -r --arg kind fit- -f csv.jq SUMS: runs whose name begins so as a table of figures, a run a row.

([.[] | .requests | keys[]] | unique) as $classes |
["front", "app", "db"] as $tiers |
([to_entries[] | select(.key | startswith($kind))] | sort_by(.key)) as $runs |
(["t", "seconds"] + ($classes | map("n_" + .)) + ($tiers | map("y_" + .)) + ($tiers | map("u_\(.).cpu")) +
	[$tiers[] as $t | $classes[] | "own_\($t)_\(.)"]),
(foreach ($runs[] | .value) as $s (0; . + $s.seconds;
	[. - $s.seconds, $s.seconds] + ($classes | map($s.requests[.] // 0)) + ($tiers | map($s.tier[.].own_s)) +
	($tiers | map($s.tier[.].used_s / $s.seconds)) +
	[$tiers[] as $t | $classes[] as $c | $s.tier[$t].class[$c] |
		if .n then .own_s / $s.requests[$c] else (if $s.requests[$c] then 0 else "" end) end])) |
map(tostring) | join(",")
