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
		# Without a request of the class in this run its cell has what one before it had left to do.
		($s.requests[$c] // 0) as $n | if $n == 0 then "" elif (.n // 0) > 0 then .own_s / $n else 0 end])) |
map(tostring) | join(",")
