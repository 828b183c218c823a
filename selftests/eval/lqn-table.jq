# SPDX-License-Identifier: GPL-2.0-or-later
#
# jq -r -f lqn-table.jq TABLE.json: for people.

def fixed($digits): . as $x | pow(10; $digits) as $f | (($x * $f | round) / $f) | tostring;
def pad($n): tostring | (" " * ([$n - length, 0] | max)) + .;
def mean: add / length;
def percent: if . < 0 then "-" else "+" end + (100 * fabs | fixed(1));

(.[] | "\(.app): a network from \(.loads[0].seconds | fixed(0)) s with \(.loads[0].users) users\n",
	(["users", "requests/s", "said", "off %", "CPU %", "said", "off %", "response ms", "said", "off %"] |
		map(pad(11)) | add),
	(.loads[] | [.users, (.measured.requests_per_s | fixed(1)), (.predicted.requests_per_s | fixed(1)),
		(.off.requests_per_s | percent), (100 * .measured.cpu | fixed(1)), (100 * .predicted.cpu | fixed(1)),
		(.off.cpu | percent), (1000 * .measured.response_s | fixed(2)),
		(1000 * .predicted.response_s | fixed(2)), (.off.response_s | percent)] | map(pad(11)) | add),
	(.loads[1:] | "off in the mean over the heavier loads: throughput \(map(.off.requests_per_s | fabs) | 100 * mean |
		fixed(1)) % (paper 001: 8.5), processor \(map(.off.cpu | fabs) | 100 * mean | fixed(1)) % (7.5)\n"))
