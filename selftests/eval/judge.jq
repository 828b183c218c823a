# SPDX-License-Identifier: GPL-2.0-or-later
#
# One application's runs and predictions, judged. Input: an object
#
#	app      its name
#	sums     {run: what sums.jq makes of its recording}
#	client   {run: what the client saw}
#	predict  {method: {load: {y: {tier: s}, u: {tier: 0 … 1}}}}
#	fit      {method: what "tierlens demand fit" says}
#
# An error is relative to what was measured: |predicted - measured| / measured.

def mean: if length > 0 then add / length else null end;
def error($is; $was): if $was == null or $was == 0 or $is == null then null else (($is - $was) / $was | fabs) end;
def tiers: ["front", "app", "db"];
def level: (.[-2:] | tonumber) as $n | if $n <= 4 then "very light" elif $n <= 8 then "light" else "heavy" end;

# Standard error of the mean, by how much the values differ.
def mean_error: mean as $m | length as $n | if $n > 1 then (map(. - $m | . * .) | add / ($n - 1) / $n | sqrt) else null end;

def is_load: startswith("test-");
def load_nr: .[5:];

# What was measured under a load: own time of a tier in all, its part of the processor.
def measured($s; $tier): {y: $s.tier[$tier].own_s, u: ($s.tier[$tier].used_s / $s.seconds)};

def by_load:
	. as $in |
	[.sums | keys[] | select(is_load) | . as $run | load_nr as $nr | tiers[] as $tier |
		measured($in.sums[$run]; $tier) as $was |
		$in.predict | to_entries[] | .key as $method | .value[$nr] as $is |
		("y", "u") as $kind |
		{load: $nr, level: ($nr | level), method: $method, kind: $kind, tier: $tier,
		 measured: $was[$kind], predicted: $is[$kind][$tier],
		 error: error($is[$kind][$tier]; $was[$kind])}];

# {method: {tier: mean error, all: over the tiers}} of rows of one kind and level
def table: group_by(.method) | map({
	key: .[0].method,
	value: ((group_by(.tier) | map({key: .[0].tier, value: (map(.error | values) | mean)}) | from_entries) +
		{all: (map(.error | values) | mean)})}) | from_entries;

def errors: . as $rows |
	{tier_time: ([$rows[] | select(.kind == "y")] | group_by(.level) | map({key: .[0].level, value: table}) | from_entries),
	 resources: ([$rows[] | select(.kind == "u")] | group_by(.level) | map({key: .[0].level, value: table}) | from_entries)};

# What a tier uses when nobody asks for anything: from the seconds without requests around the runs with
# a single client.
def idle($in; $tier): [$in.sums | to_entries[] | select(.key | startswith("alone-")) | .value] |
	(map(.idle_seconds) | add) as $s | if $s > 0 then (map(.tier[$tier].idle_s) | add) / $s else 0 end;

# What a request costs when it is alone: own time, and processor time of the whole tier, also what it
# does after it has answered.
def truth:
	. as $in |
	[.sums | keys[] | select(startswith("alone-")) | . as $run | .[6:] as $class | $in.sums[$run] as $s |
		$s.requests[$class] as $n | tiers[] as $tier | select($s.tier[$tier].class[$class].n // 0 > 0) |
		{class: $class, tier: $tier, requests: $n,
		 own_s: ($s.tier[$tier].own_s / $n),
		 cpu_s: (($s.tier[$tier].used_s - idle($in; $tier) * $s.seconds) / $n),
		 charged_s: ($s.tier[$tier].cpu_s / $n)}];

def fitted($in; $method; $class; $tier; $resource):
	[$in.fit[$method].demands[] | select(.class == $class and .tier == $tier and .resource == $resource) | .value_s] | first;

# {method: {own, charged, used: {mean error, …}}}: own time; processor time against what was charged to
# requests, and against all that the tier used. A demand that the method does not tell counts as unknown.
# What is less than a hundredth of a class's whole is not judged.
def demands($in; $truth):
	($truth | group_by(.class) | map({key: .[0].class, value: {own_s: (map(.own_s) | add), cpu_s: (map(.cpu_s) | add)}}) | from_entries) as $whole |
	$in.fit | keys | map(. as $method | {key: $method, value: (
		[$truth[] | . as $t | fitted($in; $method; .class; .tier; "own") as $own |
			fitted($in; $method; .class; .tier; "\(.tier).cpu") as $cpu |
			(if .own_s < $whole[.class].own_s / 100 then empty else {own: {is: $own, was: .own_s}} end),
			(if .cpu_s < $whole[.class].cpu_s / 100 then empty else
				{charged: {is: $cpu, was: .charged_s}, used: {is: $cpu, was: .cpu_s}} end)] as $all |
		(["own", "charged", "used"] | map(. as $kind | [$all[] | .[$kind] | values] as $some | {key: $kind, value: {
			judged: ($some | length), unknown: ([$some[] | select(.is == null)] | length),
			mean: ([$some[] | error(.is; .was) | values] | mean),
			worst: ([$some[] | error(.is; .was) | values] | max)}}) | from_entries))}) | from_entries;

# The client's mean response with the module on by that with it off, load by load.
def overhead:
	. as $in |
	[.client | keys[] | select(startswith("off-")) | .[4:] as $nr | $in.client["test-\($nr)"] as $on | select($on) |
		{load: $nr, level: ($nr | level), off_s: $in.client[.].mean_s, on_s: $on.mean_s,
		 ratio: ($on.mean_s / $in.client[.].mean_s)}] |
	# Under heavy loads a small difference sends the queue another way, so that each pair differs by chance.
	{loads: ., unloaded: (map(select(.level != "heavy") | .ratio - 1) | mean), mean: (map(.ratio - 1) | mean), error: (map(.ratio) | mean_error),
	 level: (group_by(.level) | map({key: .[0].level, value: (map(.ratio - 1) | mean)}) | from_entries)};

# What is wanted, and what auto, the default, and the best of all methods reach.
def reached($what; $wanted): . as $of | (to_entries | map(select(.value != null)) | min_by(.value)) as $best |
	{what: $what, wanted: $wanted, auto: $of.auto, best: $best.value, method: $best.key};
def bars:
	(.errors.tier_time["very light"] // {} | map_values(.all) | reached("own time of the tiers, very light loads"; 0.05)),
	(.errors.resources.light // {} | map_values(.all) | reached("processor time of the tiers, light loads"; 0.05)),
	(.errors.resources.heavy // {} | map_values(.all) | reached("processor time of the tiers, heavy loads"; 0.08)),
	(.demands | map_values(.own.mean) | reached("demands: own time"; 0.05)),
	(.demands | map_values(.charged.mean) | reached("demands: processor time charged to requests"; 0.05)),
	({auto: .overhead.unloaded} | reached("overhead on mean response, light loads"; 0.01) | .method = null);

. as $in | by_load as $rows | truth as $truth |
{
	app: .app,
	patterns: [.sums | keys[] | select(startswith("fit-"))] | length,
	classes: ($truth | map(.class) | unique | length),
	loads: [.sums | keys[] | select(is_load) | {load: load_nr, level: level, requests: ($in.sums[.].requests | add),
		seconds: $in.client[.].seconds, host: ($in.sums[.].host * $in.sums[.].seconds / $in.client[.].seconds), mean_response_s: $in.client[.].mean_s,
		used: ($in.sums[.].tier | map_values(.used_s)), unattributed: $in.sums[.].unattributed, lost: $in.sums[.].lost}],
	by_load: $rows,
	errors: ($rows | errors),
	truth: $truth,
	fit: (.fit | map_values({condition, rank, inseparable, windows_used, verdict})),
	demands: demands($in; $truth),
	overhead: overhead
} |
.bars = [bars]
