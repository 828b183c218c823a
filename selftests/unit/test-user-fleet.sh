#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Many hosts: metrics of three hosts whose truth is known, read back from Prometheus and VictoriaMetrics, joined, and
# analysed; what becomes of restarts, gaps and clocks; stores that answer nonsense. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"
made=$top/selftests/unit/user-fleet.py
from=1750003200 to=1750006800
# scene NAME: what is asked for is of that one
scene()
{
	span=(--from "$from" --to "$to" --selector "scene=\"$1\"")
}

scene base

made()
{
	/usr/bin/python3 "$made" "$@"
}

# answers URL: somebody is there; no more than a minute
answers()
{
	local last=$((SECONDS + 60))

	until curl -sf -m 5 "$1" >/dev/null 2>&1; do
		[ $SECONDS -lt $last ] || return 1
		sleep 0.05
	done
}

# prometheus_has SCENE...: with these samples, at $url
prometheus_has()
{
	local port

	port=$(made port)
	url=http://127.0.0.1:$port
	: >"$dir/none.yml"
	made samples openmetrics "$@" >"$dir/samples" &&
		promtool tsdb create-blocks-from openmetrics "$dir/samples" "$dir/tsdb" >/dev/null || return 1
	prometheus --config.file="$dir/none.yml" --storage.tsdb.path="$dir/tsdb" --storage.tsdb.retention.time=100y \
		--web.listen-address="127.0.0.1:$port" >"$dir/prometheus.log" 2>&1 &
	servers+=("$!")
	answers "$url/-/ready"
}

# victoria_has SCENE...: the same
victoria_has()
{
	local port

	port=$(made port)
	url=http://127.0.0.1:$port
	victoria-metrics -storageDataPath="$dir/victoria" -retentionPeriod=100y -httpListenAddr="127.0.0.1:$port" \
		-loggerLevel=ERROR >"$dir/victoria.log" 2>&1 &
	servers+=("$!")
	answers "$url/health" && made samples victoria "$@" >"$dir/samples" &&
		curl -sf -m 60 --data-binary "@$dir/samples" "$url/api/v1/import/prometheus" &&
		curl -sf -m 60 "$url/internal/force_flush"
}

# fleet ARGUMENTS...: under the sanitizers
fleet()
{
	run "$fake" fleet "$@"
}

# shown NAME FILTER ARGUMENTS...: jq finds this true of what fleet prints; $t is the truth
shown()
{
	local name=$1 filter=$2
	shift 2

	fleet "$@" --json
	[[ $status == 0 && ! -s $dir/err ]] && jq -e --slurpfile truth "$dir/truth" \
		'def near(a; b): (a - b | fabs) <= 0.02 * b;
		 def between(a; b): .calls[] | select(.from == a and .to == b);
		 $truth[0] as $t | '"$filter" "$dir/out" >"$dir/judged" 2>&1
	result $? "$name"
}

truth='all(.tiers[]; . as $r | $t.tiers[.tier][.class] as $w |
	near(.mean_response_s; $w.response) and near(.mean_own_s; $w.own)) and (.tiers | length) == 5'
joined='(between("nginx:80"; "php-fpm:9000") | near(.mean_network_s; $t.network["php-fpm:9000"])) and
	(between("php-fpm:9000"; "mariadb:3306") | near(.mean_network_s; $t.network["mariadb:3306"]) and .verdict == "known" and
	.to_host == "db" and .low95_s <= .mean_network_s and .mean_network_s <= .high95_s)'

pictures()
{
	local store=$1

	shown "$store: tiers of three hosts are what was so" "$truth" "$url" "${span[@]}"
	shown "$store: the network's time is what was so" "$joined" "$url" "${span[@]}"
	shown "$store: nothing of the last sample is lost" \
		'[.tiers[] | select(.tier == "nginx:80") | .rate * 3600 | round] | add == ($t.requests | add)' "$url" "${span[@]}"
	shown "$store: peers that nobody is stay visible" '[.calls[] | select(.verdict == "unseen") | [.to, .peer]] | sort == [
		["10.0.0.2:6379", "no_tier"], ["172.17.0.1:8080", "claimed"], ["203.0.113.9:443", "outside"], ["more", "more"]]' \
		"$url" "${span[@]}"
}

single()
{
	local joined

	fleet "$url" "${span[@]}" --json
	cp "$dir/out" "$dir/joined.json"
	scene single
	joined=$dir/joined.json
	fleet "$url" "${span[@]}" --json
	jq -e --slurpfile of "$joined" 'def near(a; b): (a - b | fabs) <= 0.02 * b;
		(.tiers | length) == 5 and all(.tiers[]; . as $a | ($of[0].tiers[] | select(.tier == $a.tier and .class == $a.class)) as $b |
			near($a.rate; $b.rate) and near($a.mean_response_s; $b.mean_response_s) and near($a.mean_own_s; $b.mean_own_s) and
			near($a.p95_s; $b.p95_s))' "$dir/out" >/dev/null
	result $? 'the joined picture is that of a single host with the same load, within 2 %'
}

analysed()
{
	run "$fake" demand fit --prometheus "$url" "${span[@]}" --step 60 --json
	good 'demand: what classes cost at tiers of three hosts' 'def cost(t; c): .[0].demands[] |
		select(.tier == t and .resource == "own" and .class == c).value_s;
		def near(a; b): (a - b | fabs) <= 0.03 * b;
		near(cost("php-fpm:9000"; "/cart"); 0.006) and near(cost("php-fpm:9000"; "/home"); 0.003) and
		near(cost("mariadb:3306"; "/cart"); 0.006) and near(cost("mariadb:3306"; "/home"); 0.002)'
	run "$fake" graph "$url" "${span[@]}" --json
	good 'graph: calls from host to host, and what of them is in transit' '.[0].edges[] |
		select(.from == "php-fpm:9000" and .to == "mariadb:3306") | .mean_transit_s > 0.0004 and .mean_transit_s < 0.0006'
	run "$fake" graph "$url" "${span[@]}" --paths --json
	good 'graph --paths: sums of paths are those of tiers' '[.[0].nodes[].path | select(. and .tier == "php-fpm:9000").count] |
		add > 36000 and add < 36400'
	run "$fake" track "$url" "${span[@]}" --step 60 --json
	good 'track: every window' 'length > 50'
	run "$fake" lqn build "$url" "${span[@]}"
	[[ $status == 0 ]] && grep -q '^t php-fpm:9000 n' "$dir/out"
	result $? 'lqn build: a model of the tiers'
	run "$fake" replay "$url" "${span[@]}" --json --speed 1000000
	good 'replay: windows in order' 'length > 200 and ([.[].t] | . == sort)'
	run "$fake" adapt --dry-run "$url" "${span[@]}" --json
	[[ $status == 0 ]]
	result $? 'adapt --dry-run: plays it'
	run "$fake" report "$url" "${span[@]}" --json
	good 'report: all of it' '.[0] | type == "object"'
	run "$fake" fleet graph "$url" "${span[@]}" --dot
	[[ $status == 0 && $(grep -c 'subgraph "cluster' "$dir/out") == 3 ]]
	result $? 'fleet graph: a frame for each host'
}

host_is()
{
	shown "$1" '.hosts[] | select(.name == "app") | '"$2" "$url" "${span[@]}"
}

scenes()
{
	scene slow
	shown 'slow: 5 ms on the way are network time' 'between("nginx:80"; "php-fpm:9000").mean_network_s |
		. > 0.0052 and . < 0.0056' "$url" "${span[@]}"
	shown 'slow: and nowhere else' 'all(.tiers[]; near(.mean_own_s; $t.tiers[.tier][.class].own)) and
		(between("php-fpm:9000"; "mariadb:3306") | near(.mean_network_s; 0.0005))' "$url" "${span[@]}"
	scene clock
	fleet "$url" "${span[@]}" --json
	cmp -s "$dir/out" "$dir/joined.json"
	result $? 'clock: an hour ahead on one host changes nothing'
	scene reset
	host_is 'reset: it is seen' '.restarts == 1'
	fleet "$url" "${span[@]}"
	grep -q '^app: tierlensd began anew 1 times' "$dir/out"
	result $? 'reset: and said below the table'
	shown 'reset: figures stay what was so' "$truth" "$url" "${span[@]}"
	shown 'reset: no more than a window is lost' '[.tiers[] | select(.tier == "php-fpm:9000") | .rate * 3600] | add |
		. > 0.985 * ($t.requests | add)' "$url" "${span[@]}"
	scene gap
	shown 'gap: four minutes are one window, of which nothing is lost' '.windows < 230 and .windows > 220 and
		([.tiers[] | select(.tier == "php-fpm:9000") | .rate * 3600] | add | . > 0.99 * ($t.requests | add))' "$url" "${span[@]}"
	scene silent
	host_is 'silent: ten minutes are said to be unknown' '.silent_s > 590 and .silent_s < 630 and .alive'
	shown 'silent: what came then is not known, and calls without requests are' 'between("nginx:80"; "php-fpm:9000").verdict ==
		"missing"' "$url" "${span[@]}"
	scene missing
	shown 'missing: calls to a host that nobody scrapes go outside' '.calls[] | select(.to == "10.0.0.3:3306") |
		.peer == "outside" and .mean_network_s == null' "$url" "${span[@]}"
}

balanced()
{
	scene balanced
	shown 'balanced: tiers of the same name are told apart by their hosts' '[.tiers[] | select(.class == "/cart") | [.tier, .host]] |
		sort == [["nginx:80", "web"], ["php-fpm:9000@app", "app"], ["php-fpm:9000@app2", "app2"]]' "$url" "${span[@]}"
	shown 'balanced: what is in front of them stays an endpoint' '.calls[] | select(.to == "10.0.0.100:9000") |
		.peer == "outside" and .verdict == "unseen" and .mean_network_s == null' "$url" "${span[@]}"
	shown 'balanced: of several callers it is the mean' 'all(between("php-fpm:9000@app", "php-fpm:9000@app2"; "mariadb:3306");
		.verdict == "mean_of_callers" and near(.mean_network_s; 0.0005) and near(.requests; 2 * .calls))' "$url" "${span[@]}"
	run "$fake" graph "$url" "${span[@]}" --paths --json
	good 'balanced: requests that no call explains came in by themselves' '[.[0].nodes[].path | select(.) | .path] |
		any(. == "php-fpm:9000@app2//cart>mariadb:3306/other")'
}

twice()
{
	scene twice
	says 1 'is there twice at a time' "$fake" fleet "$url" "${span[@]}"
	shown 'a selector chooses one of them' "$truth" "$url" "${span[@]}" --selector 'scene="twice",job="again"'
	says 1 'it refuses the query' "$fake" fleet "$url" "${span[@]}" --selector 'job=again'
	says 1 'no host has told of itself' "$fake" fleet "$url" "${span[@]}" --selector 'job="none"'
	says 1 'give --host-label' "$fake" fleet "$url" "${span[@]}" --host-label nowhere
	says 1 'no host has told of itself' "$fake" fleet "$url" --from 1000 --to 5000
	says 1 'less than a step' "$fake" fleet "$url" --from "$from" --to $((from + 10))
	says 1 'more than 1000000 steps' "$fake" fleet "$url" --from 1000 --to "$to" --step 1
}

# store [CERTIFICATE]: answers whatever it is asked for, at $stores
store()
{
	local last=$((SECONDS + 60)) scheme=http

	[ $# = 0 ] || scheme=https
	: >"$dir/port"
	# Not by the function, which would be a shell around it.
	/usr/bin/python3 "$made" store "$@" >"$dir/port" 2>"$dir/store.err" &
	servers+=("$!")
	until [[ -s $dir/port ]] || [ $SECONDS -ge $last ]; do sleep 0.05; done
	stores=$scheme://127.0.0.1:$(<"$dir/port")
}

# nonsense KIND SENTENCE [ARGUMENT...]: a store that answers so; without a sentence it is read, as far as it can be
nonsense()
{
	local kind=$1 sentence=$2
	shift 2

	if [[ -n $sentence ]]; then
		says 1 "$sentence" "$fake" fleet "$stores/$kind" "${span[@]}" --step 60 "$@"
		return
	fi
	fleet "$stores/$kind" "${span[@]}" --step 60 --json "$@"
	good "$kind: what can be read is read" '.[0].hosts | length == 1'
}

nonsense_all()
{
	local kind

	store
	nonsense html 'no JSON'
	nonsense empty 'no JSON'
	nonsense cut 'no JSON'
	nonsense deep 'no JSON'
	nonsense list 'no status and data'
	nonsense nodata 'no status and data'
	nonsense nohosts 'no host has told of itself'
	nonsense nolabel 'without the label "instance"'
	nonsense numbers 'not made of series'
	nonsense many 'more than 1000 hosts'
	nonsense vector 'not made of series'
	nonsense novalues 'not made of series'
	nonsense strings 'not made of series'
	nonsense huge 'larger than 32 MiB'
	nonsense truncated 'ends too early'
	nonsense duplicate 'is there twice'
	nonsense error200 'it refuses the query: out of'
	nonsense 302 'somewhere else (HTTP 302)'
	nonsense 400 'it refuses the query: bad'
	nonsense 401 '--token-file'
	nonsense 403 '--token-file'
	nonsense 404 'no query API there'
	nonsense 500 'cannot answer (HTTP 500)'
	nonsense 503 'cannot answer (HTTP 503)'
	for kind in nan allnan infinite large words numbersvalue pairs falling othertimes manysteps; do
		nonsense "$kind" ''
	done
}

who_asks()
{
	echo sesame >"$dir/token"
	echo wrong >"$dir/wrong"
	: >"$dir/none"
	nonsense token '' --token-file "$dir/token"
	nonsense token '(HTTP 401)' --token-file "$dir/wrong"
	nonsense token 'no token in its first line' --token-file "$dir/none"
	nonsense token 'cannot read the token' --token-file "$dir/nowhere"
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$dir/key" -out "$dir/cert" 2>/dev/null
	cat "$dir/key" "$dir/cert" >"$dir/both"
	store "$dir/both"
	nonsense right '' --ca "$dir/cert"
	nonsense right 'TLS failed'
	nonsense right 'TLS failed' --ca "$dir/nowhere"
	says 1 'cannot be asked' "$fake" fleet http://127.0.0.1:1 "${span[@]}"
	says 1 'no URL of a store' "$fake" fleet http://:x/ "${span[@]}"
	says 2 'nor a URL' "$fake" fleet nowhere "${span[@]}"
	says 2 'is no URL' "$fake" demand fit --prometheus nowhere
	says 2 'needs the URL' "$fake" fleet hosts
	says 2 'go with graph' "$fake" fleet http://127.0.0.1:1 --dot
}

made truth >"$dir/truth"
if ! type prometheus promtool >/dev/null 2>&1; then
	skip 'Prometheus' 'no prometheus'
elif prometheus_has base single slow clock reset gap silent missing balanced twice; then
	pictures Prometheus
	analysed
	single
	scenes
	balanced
	twice
else
	result 1 'Prometheus is there'
fi
if ! type victoria-metrics >/dev/null 2>&1; then
	skip 'VictoriaMetrics' 'no victoria-metrics'
elif victoria_has base; then
	scene base
	pictures VictoriaMetrics
else
	result 1 'VictoriaMetrics is there'
fi
span=(--from "$from" --to "$to")
nonsense_all
who_asks
finish
