# SPDX-License-Identifier: GPL-2.0-or-later
#
# jq -s -f lqn.jq --argjson users N --slurpfile built BUILT --slurpfile solved SOLVED RECORDING: of so many
# customers, what was measured and what the network says, as one object. The network's processor does not
# count what is always there; the recording's does. Its response time is the client's, with the client's
# own work; the recording's is that of the front tier. What tiers do without any request is in what was
# measured of them only.

def total(f): map(f) | add // 0;

map(select(.hosts.cpu)) | total(.seconds) as $seconds | . as $recorded |
[.[].tiers[] | select(.name == "front") | .cells[]] as $front |
$built[0] as $built | $solved[0] as $solved |
($built.processors[] | select(.name == "host")) as $host |
($solved.entries["rest of host"] // {waiting_s: 0, service_s: [0]}) as $rest |

# Part of all processors' time that a tier takes.
def said($tier): [$built.entries[] | select(.task == $tier) | .demand_s * $solved.entries[.name].throughput] |
	add / $host.servers;
def was($tier): [$recorded[] | .hosts[$tier + ".cpu"] * .seconds] | add / $seconds;

{
	measured: {
		requests_per_s: (($front | total(.count)) / $seconds),
		response_s: (($front | total(.response_s)) / ($front | total(.count))),
		cpu: ($recorded | total(.hosts.cpu * .seconds) / $seconds),
		front_cpu: was("front"), app_cpu: was("app"), db_cpu: was("db")
	},
	predicted: {
		requests_per_s: $solved.reference.users.throughput,
		response_s: ($solved.reference.users.response_s - $rest.waiting_s - $rest.service_s[0]),
		cpu: (1 - $host.speed * (1 - $solved.processors.host.utilisation)),
		front_cpu: said("front"), app_cpu: said("app"), db_cpu: said("db")
	}
} | {$users, seconds: $seconds, verdict: $solved.verdict} + . +
{off: (.predicted as $p | .measured | with_entries(.value = ($p[.key] - .value) / .value))}
