# SPDX-License-Identifier: GPL-2.0-or-later
#
# jq -s -f sums.jq RECORDING: one run's recording as one object, over the intervals from the one before
# that in which the first request ended to the one after that of the last, because what a tier has used is
# read a quiet time after an interval's end; and how much the tiers used while nothing was done.
#
#   seconds, host (utilisation of the processor), requests {class: n},
#   tier {name: {own_s, cpu_s, run_wait_s, used_s, idle_s, class {name: {n, own_s, cpu_s, run_wait_s}}}},
#   idle_seconds, unattributed, lost

def total(f): map(f) | add // 0;

# The cells of a tier, over all intervals: an object by class.
def by_class: reduce .[] as $c ({}; .[$c.class] |= {
	n: ((.n // 0) + $c.count),
	own_s: ((.own_s // 0) + $c.own_s),
	cpu_s: ((.cpu_s // 0) + ($c.cpu_s // 0)),
	run_wait_s: ((.run_wait_s // 0) + ($c.run_wait_s // 0))});

def front: .tiers[] | select(.name == "front");
def requests: [front.cells[].count] | add // 0;
def span: ([to_entries[] | select(.value | requests > 0) | .key]) as $at |
	.[([($at | first) - 1, 0] | max):(($at | last) + 2)];

. as $all | (if any(requests > 0) then span else [] end) as $busy |
($all | map(select(.generation < ($busy[0].generation // 0) or .generation > ($busy[-1].generation // 0)))) as $idle |
def of($name): [$busy[].tiers[] | select(.name == $name)];
{
	seconds: ($busy | total(.seconds)),
	host: (($busy | total((.hosts.cpu // 0) * .seconds)) / (($busy | total(.seconds)) + 1e-9)),
	requests: ([$busy[] | front.cells[]] | by_class | map_values(.n)),
	tier: (["front", "app", "db"] | map(. as $name | of($name) as $t | [$t[].cells[]] as $cells | {
		key: $name,
		value: {
			own_s: ($cells | total(.own_s)),
			cpu_s: ($cells | total(.cpu_s // 0)),
			run_wait_s: ($cells | total(.run_wait_s // 0)),
			used_s: ($t | total(.usage.cpu_s)),
			idle_s: ([$idle[].tiers[] | select(.name == $name) | .usage.cpu_s] | add // 0),
			class: ($cells | by_class)
		}}) | from_entries),
	idle_seconds: ($idle | total(.seconds)),
	unattributed: ($all | total(.events.unattributed)),
	lost: ($all | map(.losses | with_entries(select(.key | IN("quiet", "push", "unanswered") | not)) | add) | add)
}
