#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tierlensd serves, against a fake kernel: metrics and figures by HTTP, to clients of all kinds. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-daemon.sh
. "$(dirname "$0")/user-daemon.sh"

# metrics NAME: both pages, to files
metrics()
{
	get -H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5' "$url/metrics" >"$dir/$1.open" &&
		get -H 'Accept: text/plain' "$url/metrics" >"$dir/$1.plain"
}

# settled GENERATION: the last interval was read; none comes after it
settled()
{
	until_true generation_is "$1"
}

generation_is()
{
	[[ $(get "$url/api/v1/status" | jq .last_interval.generation) == "$1" ]]
}

judge()
{
	/usr/bin/python3 "$top/selftests/unit/user-metrics.py" "$@" >"$dir/judged" 2>&1 && [[ ! -s $dir/judged ]]
}

has_parsers()
{
	/usr/bin/python3 -c 'import prometheus_client' 2>/dev/null
}

# figures SCENE: metrics are the sums of the intervals
figures()
{
	local newest=1040

	[[ $1 != gap ]] || newest=1039
	begin "figures" "$1,hints,forty" && settled $newest && metrics page &&
		get "$url/api/v1/intervals?last=60" >"$dir/intervals.jsonl"
	result $? "$1: all intervals are read"
	if has_parsers; then
		judge sums "$dir/page.open" "$dir/page.plain" "$dir/intervals.jsonl"
		point $? "$1: metrics are the sums of the intervals, in both formats" "$dir/judged"
	else
		skip "$1: metrics are the sums of the intervals" 'no python3-prometheus-client'
	fi
	if type promtool >/dev/null 2>&1; then
		check "$1: promtool finds nothing" promtool check metrics <"$dir/page.plain"
	else
		skip "$1: promtool finds nothing" 'no promtool'
	fi
	end
	result $? "$1: a clean end"
	run "$real" report "$dir/intervals.jsonl" -o "$dir/report.html"
	result "$status" "$1: what was kept of intervals is a recording"
}

# Counters of pages while intervals come, and a new configuration.
growing()
{
	local i

	begin growing ok,hints
	for i in 1 2 3 4 5 6; do
		metrics "grow$i"
		[[ $i != 4 ]] || reload 'the configuration was read again'
		sleep 0.2
	done
	if has_parsers; then
		judge grows "$dir"/grow?.open
		point $? "no counter becomes less, or goes" "$dir/judged"
	fi
	end
}

# type_is TYPE ACCEPT
type_is()
{
	check "Accept: $2 gets $1" is type "$(get -o /dev/null -w '%{content_type}' -H "Accept: $2" "$url/metrics")" \
		"$1; charset=utf-8"
}

types()
{
	type_is 'application/openmetrics-text; version=1.0.0' \
		'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
	type_is 'text/plain; version=0.0.4' '*/*'
	type_is 'text/plain; version=0.0.4' 'text/plain'
	type_is 'text/plain; version=0.0.4' 'application/openmetrics-text;q=0.1,text/plain'
	type_is 'text/plain; version=0.0.4' 'application/openmetrics-text;q=0'
	type_is 'application/openmetrics-text; version=1.0.0' 'Application/OpenMetrics-Text'
	type_is 'text/plain; version=0.0.4' 'application/openmetrics-textual,;;q=,,'
}

# answers STATUS PATH [OPTION...]
answers()
{
	local want=$1 path=$2 status
	shift 2

	status=$(curl -s -m 60 -o "$dir/body" -w '%{http_code} %{errormsg}' --path-as-is "$@" "$url$path")
	check "$path ${*@Q}: $want" is status "${status% }" "$want"
}

# sends STATUS NAME TEXT: what is sent as it is gets that answer; "closed" is as good where more was sent than is read
sends()
{
	local status

	status=$(printf '%b' "$3" | python3 "$top/selftests/unit/user-http.py" raw "${addr##*:}")
	[[ $status != closed || $1 != 4[13]* ]] || status=$1
	check "$2: $1" is status "$status" "$1"
}

requests()
{
	local path long

	begin requests ok,hints
	until_true get "$url/-/ready" -o /dev/null
	for path in /metrics /api/v1/status /api/v1/intervals '/api/v1/intervals?last=60' /api/v1/decisions \
		'/api/v1/decisions?last=200' /-/healthy /-/ready; do
		answers 200 "$path"
		answers 200 "$path" -I
	done
	for path in /metrics/ //metrics /metrics/../metrics /../../../../etc/passwd /%2e%2e/%2e%2e/etc/passwd \
		/api/v1/../../metrics /%6detrics /metrics%00 /metrics%0d%0aX:y /METRICS '/api/v1/intervals/60' \
		'/<script>alert(1)</script>' /.; do
		answers 404 "$path"
	done
	grep -q script "$dir/body" && point 1 "a path is not told back" || point 0 "a path is not told back"
	for path in 0 61 -1 1x '' 99999999999999999999 1.5 %31 +1; do
		answers 400 "/api/v1/intervals?last=$path"
	done
	answers 400 "/api/v1/decisions?last=201"
	for path in POST PUT DELETE OPTIONS TRACE PATCH BREW get; do
		answers 405 /metrics -X "$path"
	done
	curl -s -o /dev/null -D "$dir/heads" -X POST "$url/metrics" && grep -qi '^Allow: GET, HEAD' "$dir/heads"
	result $? "405 says what is allowed"
	answers 413 /metrics -X GET -d 'a body'
	answers 413 /metrics -X GET -H 'Transfer-Encoding: chunked' -d 'a body'
	answers 421 /metrics -H 'Host: evil.example'
	answers 421 /metrics -H 'Host: 127.0.0.1.evil.example:80'
	answers 200 /metrics -H 'Host: localhost:80'
	get -D "$dir/heads" "$url/metrics" -o /dev/null
	[[ $(grep -ciE '^(Content-Security-Policy: default-src .none.|X-Content-Type-Options: nosniff|Cache-Control: no-store|X-Frame-Options: DENY)' "$dir/heads") == 4 ]]
	point $? "headers for browsers" "$dir/heads"
	types
	long=$(head -c 20000 /dev/zero | tr '\0' a)
	sends 431 'a header of 20 kB' "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nX: $long\r\n\r\n"
	sends 414 'a path of 20 kB' "GET /$long HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	sends 400 'no host' 'GET /metrics HTTP/1.1\r\n\r\n'
	sends 200 'HTTP/1.0' 'GET /-/healthy HTTP/1.0\r\n\r\n'
	sends closed 'nothing' ''
	sends closed 'half a request' 'GET /metr'
	sends 505 'another protocol' 'GET /metrics HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n'
	sends 404 'an address of another server' 'GET http://evil.example/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'
	head -c 4096 /dev/urandom | python3 "$top/selftests/unit/user-http.py" raw "${addr##*:}" >/dev/null
	sends closed 'TLS without TLS' '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'
	get "$url/-/healthy" -o /dev/null && end
	result $? "it is well after all that"
}

# foreign STATUS PATH SITE [OPTION...]: asked for by a page of that site, in a browser of this host
foreign()
{
	answers "$1" "$2" -H "Sec-Fetch-Site: $3" "${@:4}"
}

# What a page from elsewhere can do in a browser of this host: nothing is told to it, and nothing begins.
foreigners()
{
	local path host site token=0123456789abcdef0123

	begin foreigners ok,hints
	until_true get "$url/-/ready" -o /dev/null
	for path in /metrics /api/v1/status /api/v1/intervals /api/v1/demands /api/v1/capacity /-/ready /nothing; do
		foreign 403 "$path" cross-site
		foreign 403 "$path" same-site -H 'Sec-Fetch-Mode: navigate'
	done
	grep -q 'another site' "$dir/body"
	result $? "which is said"
	for site in same-origin none; do
		foreign 200 /api/v1/status $site
	done
	foreign 200 / cross-site -H 'Sec-Fetch-Mode: navigate'
	for host in localhost.evil.example evil.localhost localhost. 127.0.0.1.evil.example:80 127.0.0.1@evil.example \
		'evil.example#127.0.0.1' 0x7f.1 '1.2.3.4/x' ' ' 'localhost evil.example'; do
		answers 421 /metrics -H "Host: $host"
	done
	for host in LOCALHOST localhost '[::1]' '[::1]:80' 127.0.0.1:1; do
		answers 200 /metrics -H "Host: $host"
	done
	sends 421 'an address of another server, and its name' \
		'GET http://evil.example/metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
	end
	result $? "a clean end"

	(umask 077 && echo $token >"$dir/token")
	begin foreigners ok,hints --token-file "$dir/token"
	foreign 401 /api/v1/status cross-site
	foreign 200 /api/v1/status cross-site -H "Authorization: Bearer $token"
	answers 401 "/api/v1/status?token=$token"
	answers 401 /api/v1/status -H "Cookie: token=$token"
	end
	result $? "with a token: who has it may come from anywhere"
}

# headers STATUS PATH [OPTION...]: all answers have those that keep browsers from making more of them, and none that is not ours
headers()
{
	local want=$1 path=$2 name
	shift 2

	curl -s -o "$dir/body" -D "$dir/heads" --path-as-is -H 'Origin: https://evil.example' -H 'X-Evil: kept' "$@" "$url$path"
	[[ $(sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p' "$dir/heads") == "$want" ]]
	point $? "$path ${*@Q}: $want" "$dir/heads"
	for name in 'X-Content-Type-Options: nosniff' 'X-Frame-Options: DENY' 'Referrer-Policy: no-referrer' \
		'Cross-Origin-Resource-Policy: same-origin' "Content-Security-Policy: default-src 'none'"; do
		grep -qi "^$name" "$dir/heads"
		point $? "$path ${*@Q}: $name" "$dir/heads"
	done
	! grep -qiE '^(Access-Control-|Set-Cookie|Server|Location|X-Evil|Content-Type: text/html.*)' "$dir/heads" &&
		! grep -q 'evil' "$dir/body"
	point $? "$path ${*@Q}: nothing for others, nothing told back" "$dir/heads"
	grep -qiE '^Cache-Control: no-store' "$dir/heads"
	point $? "$path ${*@Q}: is not kept" "$dir/heads"
}

all_headers()
{
	local path

	begin headers ok,hints
	until_true get "$url/-/ready" -o /dev/null
	for path in /metrics /api/v1/status /api/v1/intervals /api/v1/decisions /-/healthy /-/ready /-/token; do
		headers 200 "$path"
	done
	headers 404 '/%0d%0aX-Evil:%20kept'
	headers 404 '/api/v1/history?tier=%0d%0aX-Evil:%20kept'
	headers 400 '/api/v1/intervals?last=%0d%0aX-Evil:%20kept'
	headers 405 /metrics -X OPTIONS -H 'Access-Control-Request-Method: GET' -H 'Access-Control-Request-Headers: authorization'
	headers 405 /metrics -X TRACE
	headers 405 /metrics -X POST
	headers 413 /metrics -X GET -d 'evil'
	headers 421 /metrics -H 'Host: evil.example'
	headers 403 /metrics -H 'Sec-Fetch-Site: cross-site'
	for path in '/api/v1/status application/json' '/api/v1/intervals application/jsonl' '/-/token text/plain; charset=utf-8' \
		'/nothing application/json'; do
		same "${path%% *} is ${path#* }" "$(curl -s -o /dev/null -w '%{content_type}' "$url${path%% *}")" "${path#* }"
	done
	end
	result $? "a clean end"
	(umask 077 && echo 0123456789abcdef0123 >"$dir/token")
	begin headers ok,hints --token-file "$dir/token"
	for path in /metrics /api/v1/status /nothing; do
		headers 401 "$path"
	done
	headers 200 /-/token
	end
	result $? "a clean end"
}

# However many ask, and however slowly: intervals are read, and it answers again.
crowds()
{
	local crowd

	begin crowds ok,hints
	python3 "$top/selftests/unit/user-http.py" many "${addr##*:}" 1000 >"$dir/answered"
	[[ $? == 0 && $(<"$dir/answered") -ge 1 ]]
	point $? "1000 connections at once: it answers some" "$dir/answered"
	until_true get "$url/metrics" -o /dev/null
	result $? "and all, when they are gone"
	python3 "$top/selftests/unit/user-http.py" slow "${addr##*:}" 48 >/dev/null 2>"$dir/crowd.err"
	point $? "48 clients that never end their request: the server ends them" "$dir/crowd.err"
	until_true get "$url/metrics" -o /dev/null
	result $? "and answers others"
	# They are as many as one address may be: who is answered then has the place of one of them.
	python3 "$top/selftests/unit/user-http.py" unread "${addr##*:}" 48 >"$dir/crowd" 2>"$dir/crowd.err" &
	crowd=$!
	servers+=("$crowd")
	until_true grep -q asked "$dir/crowd" && until_true get "$url/metrics" -o "$dir/page.plain"
	point $? "48 clients that never read what they asked for: others are answered" "$dir/crowd.err"
	kill "$crowd"
	grep -q '^tierlens_intervals_missed_total 0$' "$dir/page.plain"
	point $? "no interval was missed meanwhile" "$dir/page.plain"
	end
	result $? "a clean end"
}

# The page is there for whoever may see it, plain or compressed, and is asked for again when it is another one.
page()
{
	local path tag

	begin page ok,hints
	answers 200 /
	if ! get "$url/page.js" -o "$dir/plain"; then
		grep -q 'built without its page' "$dir/body"
		result $? "there is no page, and it is told"
		end
		return
	fi
	for path in / /page.js /page.css /icon.svg; do
		get "$url$path" -o "$dir/plain" -D "$dir/heads" && get "$url$path" -H 'Accept-Encoding: br, gzip' -o "$dir/gzip" &&
			cmp <(gzip -dc "$dir/gzip") "$dir/plain"
		result $? "$path: plain and compressed are the same"
		tag=$(sed -n 's/^ETag: \(.*\)\r$/\1/ip' "$dir/heads")
		answers 304 "$path" -H "If-None-Match: $tag"
		answers 200 "$path" -H "If-None-Match: \"other\""
		answers 200 "$path" -I
	done
	get "$url/" -D "$dir/heads" -o "$dir/plain" -H 'Accept-Encoding: gzip;q=0'
	grep -qi "^Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'" "$dir/heads" &&
		! grep -qiE 'unsafe|^Content-Encoding' "$dir/heads" && ! grep -qE 'https?://|style=|onclick|<script>' "$dir/plain"
	point $? "its policy allows what is served here alone" "$dir/heads"
	end
	result $? "a clean end"
}

nothing_yet()
{
	begin nothing empty,hints
	answers 503 /-/ready
	answers 200 /-/healthy
	answers 200 /api/v1/intervals
	[[ ! -s $dir/body ]]
	result $? "no interval is none"
	end
	# What waits for the history makes the file anew, now and then.
	begin nothing empty,hints --history "$dir/"$'h\xff.db'
	until_true eval "rm -f '$dir/'h*.db && curl -s -m 60 '$url/api/v1/history' | jq -e '.error | contains(\"/h\ufffd.db: cannot open\")'" >/dev/null
	result $? "a sentence with a name that is no UTF-8"
	end
	begin nothing turn-off
	until_true eval "! get '$url/-/ready'"
	answers 503 /-/ready
	grep -q 'tierlens enable' "$dir/body"
	result $? "measuring is off: what to do"
	end
}

decisions()
{
	begin decisions fault,hints
	until_true eval "get '$url/api/v1/decisions' | jq -es 'any(.[]; .kind == \"decision\" and .to == \"method\")' >/dev/null"
	result $? "decisions are told as they come"
	get "$url/metrics" -o "$dir/page" && grep -q '^tierlens_adaptor_decisions_total{kind="decision",why="[a-z]*"} [1-9]' "$dir/page"
	result $? "and counted"
	end
}

# Intervals for which nobody asks are not kept, but for the newest.
unasked()
{
	begin unasked ok,hints
	until_true eval "[[ \$(get '$url/api/v1/status' | jq .intervals) -gt 70 ]]"
	same "nobody has asked for 60 intervals: none is kept" "$(get "$url/api/v1/status" | jq .intervals_kept)" 0
	same "who comes gets the newest" "$(get "$url/api/v1/intervals?last=60" | wc -l)" 1
	until_true eval "[[ \$(get '$url/api/v1/intervals?last=60' | jq -s 'length > 4 and .[-1].generation - .[0].generation == length - 1') == true ]]"
	result $? "and others from then on, without a gap"
	end
}

for scene in ok ok,charged levels hostile bare gap; do
	figures "$scene"
done
growing
requests
foreigners
all_headers
page
nothing_yet
decisions
unasked
crowds
finish
