#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What goes with tierlensd to a monitoring host: rules, dashboard and an example, held against promtool and against a
# Prometheus that scrapes two daemons. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-daemon.sh
. "$(dirname "$0")/user-daemon.sh"
files=$top/tools/monitoring
dashboard=$files/tierlens-dashboard.json

if ! type prometheus promtool >/dev/null 2>&1; then
	plan 1
	skip 'rules and dashboard' 'no prometheus'
	exit
fi

# ask QUERY: what Prometheus answers
ask()
{
	get --data-urlencode "query=$1" "$store/api/v1/query"
}

# has QUERY: with figures in it
has()
{
	[[ $(ask "$1" | jq -r '.status, (.data.result | length > 0)' | paste -sd' ') == 'success true' ]]
}

# queries: of the dashboard, as Grafana would fill them in
queries()
{
	jq -r '.panels[].targets[]?.expr, .annotations.list[].expr' "$dashboard" |
		sed -e 's/\$__rate_interval/20s/g' -e 's/\$\(job\|instance\|tier\)/.*/g'
}

# scraping: Prometheus, of the two daemons
scraping()
{
	local port

	port=$(/usr/bin/python3 "$top/selftests/unit/user-fleet.py" port)
	store=http://127.0.0.1:$port
	sed -e "s/\"web:19477\", .*/\"$one\", \"$two\"]/" -e 's/interval: 15s/interval: 1s\n  evaluation_interval: 1s/' \
		-e "s,tierlens.rules.yml,$files/&," "$files/prometheus.yml" >"$dir/prometheus.yml"
	prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/tsdb" --web.listen-address="127.0.0.1:$port" \
		>"$dir/prometheus.log" 2>&1 &
	servers+=("$!")
	until_true get "$store/-/ready" -o "$dir/ready" && until_true twice_scraped
}

# Rates want two samples of both, and rules those of a second more.
twice_scraped()
{
	has 'count(count by (instance) (count_over_time(tierlens_requests_total[1m]) > 4)) == 2' &&
		has 'count(count by (instance) (count_over_time(instance_tier_class:tierlens_requests:rate5m[1m]) > 1)) == 2'
}

# told: each of the daemons, of itself
told()
{
	run "$fake" fleet hosts "$store" --from -1m --step 1 --json
	[[ $(jq 'map(select(.alive)) | length' "$dir/out") == 2 ]]
}

check 'the rules have no mistake' promtool check rules "$files/tierlens.rules.yml"
check 'the rules do what is wanted of them' promtool test rules "$files/tierlens.test.yml"
check 'the example has no mistake' promtool check config "$files/prometheus.yml"
sed -n 's/^ *- \(record\|alert\): //p' "$files/tierlens.rules.yml" | while read -r rule; do
	grep -q "$rule" "$files/tierlens.test.yml" || echo "$rule"
done >"$dir/untested"
[[ ! -s $dir/untested ]]
point $? 'every rule is tested' "$dir/untested"

jq -e '(.uid | length > 0) and ([.panels[].id] | length == (unique | length)) and
	all(.panels[] | select(.type != "row"); .datasource.uid == "${datasource}" and (.targets | length > 0) and
	all(.targets[]; .datasource.uid == "${datasource}")) and (.templating.list[0].type == "datasource")' "$dashboard" >/dev/null
point $? 'the dashboard names no store of its own, and each panel once'

begin one 'ok,hints,forty' --hosts && one=$addr && begin two 'levels,hints,forty' --hosts && two=$addr && scraping
point $? 'a Prometheus scrapes two daemons' "$dir/err"
n=0
: >"$dir/empty"
while IFS= read -r query; do
	n=$((n + 1))
	case $query in
	# Nothing is found while all is well.
	*'kind="finding"'*) [[ $(ask "$query" | jq -r .status) == success ]] ;;
	*) has "$query" ;;
	esac || { echo "$query" && ask "$query"; } >>"$dir/empty"
done < <(queries)
[[ $n -gt 15 && ! -s $dir/empty ]]
point $? "each of the dashboard's queries has an answer" "$dir/empty"
sed -n 's/^ *- record: //p' "$files/tierlens.rules.yml" | while read -r rule; do
	has "$rule" || echo "$rule"
done >"$dir/empty"
[[ ! -s $dir/empty ]]
point $? 'each recording rule has figures' "$dir/empty"
get "$store/api/v1/rules" | jq -r '.data.groups[].rules[] | select(.health == "err") | .name + ": " + .lastError' >"$dir/empty"
[[ ! -s $dir/empty ]]
point $? 'no rule fails' "$dir/empty"

# What is younger than some seconds is not read.
until_true told
good 'fleet hosts: both, with their tiers and where those listen' '.[0] | length == 2 and all(.[]; .version != null and
	.intervals >= 0 and .alive and (.tiers | length > 0) and any(.endpoints[]; .endpoint | test("^[0-9]+$")) and
	all(.addresses[]; startswith("127.") or . == "::1" or startswith("fe80:") | not))'
[[ $(jq 'map(.addresses | length) | add' "$dir/out") == $((2 * $(ip -o addr show scope global 2>/dev/null | wc -l))) ]] ||
	! type ip >/dev/null 2>&1
point $? 'and all addresses of this host' "$dir/out"
finish
