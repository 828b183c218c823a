# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests in the guest: where does a request begin and end? Every behaviour of clients and
# servers that could make two requests of one, or one of two, against servers that know their
# own requests. Counts and losses are exact; mean times within 2 % of the servers' own word,
# or so many nanoseconds as the argument says.
. /job/lib.sh
. /job/chain.sh

bound=$(($1 * slow)) quiet=600 interval=300 # ms
# What a wrong boundary makes of a time: on a slow kernel as many bounds as elsewhere.
sleep_us=$((100000 * slow)) half_us=$((50000 * slow))
names=() loads=() ends=()

# ---- helpers ----------------------------------------------------------------

losses()
{
	of_status .losses
}

# [ask=TEXT] try NAME COUNT ADDRESS [SERVER-OPTION...] -- LOAD-OPTION...: begins a load on a
# tier of its own, at a port or at a UNIX socket's path; COUNT requests shall be counted
try()
{
	local name=$1 count=$2 at=$3 server=()
	shift 3

	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	if [[ $at = /* ]]; then
		tierlens tier add "$name" "$at" >/dev/null || not_ok "$name: tier"
		serve_unix "$name" "$at" --sleep-us $sleep_us "${server[@]}" || not_ok "$name: server"
		at=unix:$at
	else
		tierlens tier add "$name" --port "$at" >/dev/null || not_ok "$name: tier"
		serve "$name" "$at" --sleep-us $sleep_us "${server[@]}" || not_ok "$name: server"
	fi
	load --to "$at" --ask "${ask:-$name}" --connections 4 --seconds $((100 * slow)) "$@" >"/tmp/$name.load" &
	loads+=("$name=$!")
	names+=("$name=$count")
}

# lost WHAT [KIND=COUNT...]: waits for the loads that were begun; this and nothing else was
# lost meanwhile. That a connection's last answer was over only when nothing came any more is
# no loss, and how often that is so depends on who is faster.
lost()
{
	local wanted='{}' pair what=$1
	shift

	for pair in "${loads[@]}"; do
		wait "${pair#*=}" || not_ok "${pair%=*}: load"
	done
	loads=()
	for pair; do
		wanted=$(jq -c ".${pair%=*} = ${pair#*=}" <<<"$wanted")
	done
	wait_for_interval
	is "$(jq -c --argjson b "$before" --argjson w "$wanted" \
		'with_entries(.value -= $b[.key] | select(.value != 0 and (.key != "quiet" or $w.quiet)))' <<<"$(losses)")" \
		"$wanted" "$what: what is lost"
	before=$(losses)
}

# Sums up the recording once and for all: asking so large a file takes its time.
sum_up()
{
	jq -s 'def total: reduce (.[] | to_entries[] | select(.value | type == "number")) as $e
			({}; .[$e.key] += $e.value);
		{tiers: ([.[].tiers[] | .name as $n | .cells[] | . + {name: $n}] | group_by(.name) |
				map({key: .[0].name, value: total}) | from_entries),
			edges: ([.[].edges[] | select(.tier != null)] | group_by(.tier) |
				map({key: .[0].tier, value: total}) | from_entries)}' /tmp/r.jsonl >/tmp/sums.json
}

# sum NAME KEY: of all requests at the tier
sum()
{
	jq ".tiers[\"$1\"].$2 // 0" /tmp/sums.json
}

# edges NAME KEY: of all calls of the tier
edges()
{
	jq ".edges[\"$1\"].$2 // 0" /tmp/sums.json
}

truth()
{
	jq "$2" "/tmp/$1.json"
}

# as_said NAME KEY: mean of what was measured, against the server's own
as_said()
{
	near_ns "$(jq -n "$(sum "$1" "$2") / $(sum "$1" count) | round")" \
		"$(truth "$1" ".$2 / .count | round")" "$1: mean $2" "$bound"
}

# open PORT: a connection, in $fd
open()
{
	exec {fd}<>"/dev/tcp/127.0.0.1/$1"
}

# exchange FD LINE...: each is answered before the next is sent
exchange()
{
	local fd=$1 line
	shift

	for line; do
		printf '%s\n' "$line" >&"$fd"
		read -r -t 20 -u "$fd" _ || not_ok "$line: no answer"
	done
}

# A connection waits to be accepted.
asks_stopped()
{
	[ "$(ss -Hltn 'sport = :9105' | awk '{ print $2 }')" = 1 ]
}

# ---- connections that are older ---------------------------------------------

serve older-module 9101 --sleep-us $sleep_us
serve older-enable 9102 --sleep-us $sleep_us
serve half-read 9103
serve stopped 9105
stopped=${chain_pids[-1]}
# It has to wait for as long as measuring takes to begin, which is a minute on a slow debug kernel.
serve under-way 9104 --next 9105 --patience 600
kill -STOP "$stopped"
open 9101 && older_module=$fd
exchange "$older_module" 'a id=1 size=0'
load_module || exit 1
for pair in older-module=9101 older-enable=9102 half-read=9103 under-way=9104; do
	tierlens tier add "${pair%=*}" --port "${pair#*=}" >/dev/null
done
open 9102 && older_enable=$fd
exchange "$older_enable" 'a id=1 size=0'
open 9103 && half_read=$fd
printf 'a id=1 ' >&"$half_read"
open 9104 && in_flight=$fd
printf 'a id=1 size=0\n' >&"$in_flight"
wait_until 20 asks_stopped || not_ok 'under way: the request was read'
tierlens enable --interval $((interval * slow)) --quiet $((quiet * slow))
record /tmp/r.jsonl
before=$(losses)
kill -CONT "$stopped"
read -r -t 20 -u "$in_flight" _ || not_ok 'under way: no answer'
exchange "$in_flight" 'a id=2 size=0'
exchange "$half_read" 'size=0' 'a id=2 size=0'
exchange "$older_module" 'a id=2 size=0' 'a id=3 size=0' 'a id=4 size=0'
exchange "$older_enable" 'a id=2 size=0' 'a id=3 size=0' 'a id=4 size=0'
lost 'connections that are older' push=1

# ---- nothing is lost --------------------------------------------------------

gap_us=$((20000 * slow)) gap_ms=$((quiet * slow * 5 / 4)) long_us=$((quiet * 2500 * slow))
try keep-alive 24 9111 -- --requests 24
try keep-alive-unix 24 /tmp/keep-alive -- --requests 24
try several-sends 12 9112 --size 6000 --sends 3 --gap-us $gap_us -- --requests 12
try several-sends-unix 12 /tmp/several --size 6000 --sends 3 --gap-us $gap_us -- --requests 12
try long-poll 8 9113 --sleep-us $long_us -- --requests 8
try in-pieces 12 9114 -- --requests 12 --pieces 3 --piece-gap-ms $gap_ms
try half-close 12 9115 -- --requests 12 --half-close
try half-close-unix 12 /tmp/half-close -- --requests 12 --half-close
try last-of-three 12 9116 -- --requests 12 --half-close --reconnect-every 3
try passed 24 9117 --mode passfd --pool 4 -- --requests 24 --reconnect-every 3
try forked 24 9118 --mode fork -- --requests 24 --reconnect-every 3
serve below 9100 --sleep-us $sleep_us
try parallel 12 9119 --next 9100 --calls 3 --parallel -- --requests 12
# The server notices when it sends the next part, and that one is not sent.
broken_off=(--size 200000 --sends 4 --gap-us $((150000 * slow)))
try reset 12 9120 "${broken_off[@]}" -- --requests 12 --reset-every 1
try reset-unix 12 /tmp/reset "${broken_off[@]}" -- --requests 12 --reset-every 1
lost 'one after the other'

# ---- something is -----------------------------------------------------------

# Longer than the quiet time: the answer is over with the first pause, and what comes after
# it is nobody's.
try paused 8 9121 --size 6000 --sends 3 --gap-us $((quiet * 3000 * slow)) -- --requests 8
lost 'pauses longer than the quiet time' quiet=8 push=16

# What was not read when the client closes, resets the connection; the second request is then
# read, but not answered.
serve reset-before 9122 --sleep-us $((2000000 * slow))
tierlens tier add reset-before --port 9122 >/dev/null
open 9122
printf 'a id=1 sleep=0\n' >&$fd
sleep $((slow / 2)).3
printf 'a id=2\n' >&$fd
sleep $((slow / 4)).2
exec {fd}>&-
sleep $((2 * slow))
lost 'reset before the answer' unanswered=1

# What is read at once is one request for whoever does not read it.
try read-at-once 8 9123 --sleep-us 1000 -- --requests 32 --pipeline 4
lost 'several requests in one piece'

# The second half comes while the first request is being served.
try read-apart 6 9124 --sleep-us $((3000000 * slow)) -- --requests 6 --connections 3 --pipeline 2 --pieces 2 --piece-gap-ms $((1000 * slow))
lost 'each request in a piece' ambiguous=3

# ---- asked for the rest -----------------------------------------------------

# A caller of one who answers and never reads, so that nobody knows both of its ends: what
# the answer is, is in its bytes.
deaf='$l = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 9129, Listen => 9, ReuseAddr => 1);
	sub nap { select(undef, undef, undef, $_[0] * $ARGV[0]) }
	while ($c = $l->accept) {
		for ("HTTP/1.1 100 Continue\r\n\r\n", "OK 1 0\n") { nap(0.4); syswrite($c, $_) }
		nap(0.4);
	}'
body='body=50000 expect=1'

# Where no rule is for the tier nobody looks at what it says, and they are two requests.
ask="a $body" try no-rule 24 9125 -- --requests 12
lost 'interim answers without rules'
tierlens class add any x --tier a-rule >/dev/null
ask="a $body" try a-rule 12 9126 -- --requests 12
ask="a $body" try a-rule-unix 24 /tmp/a-rule -- --requests 12
lost 'interim answers with a rule for one tier'
tierlens class add some y >/dev/null
ask="a $body" try any-rule-unix 12 /tmp/any-rule -- --requests 12
tierlens tier add asked --port 9127 >/dev/null
tierlens tier add asked-unix /tmp/asked >/dev/null
serve asked 9127 --sleep-us $half_us
try asks 8 9128 --next 9127 --calls 2 --expect 30000 -- --requests 8
serve_unix asked-unix /tmp/asked --sleep-us $half_us
try asks-unix 8 /tmp/asks --next unix:/tmp/asked --calls 2 --expect 30000 -- --requests 8
lost 'interim answers with a rule for all'
if command -v perl >/dev/null; then
	perl -MIO::Socket::INET -e "$deaf" "$slow" &
	chain_pids+=($!)
	wait_until 10 listening 9129 || not_ok 'perl listens'
	try asks-deaf 3 9130 --next 9129 --calls 1 --expect 1000 -- --requests 3 --connections 1 --reconnect-every 1
	lost 'interim answers of somebody elsewhere' push=6
else
	ok 'interim answers of somebody elsewhere # SKIP no perl'
fi

# ---- the end of what was asked, read late ------------------------------------

# It is read after the answer, when the next request of a quick caller is there already (--late), or
# before that comes.
late='$l = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $ARGV[0], Listen => 9, ReuseAddr => 1);
	$c = $l->accept;
	for (1 .. 6) {
		sysread($c, $q, 3);
		select(undef, undef, undef, 0.1);
		syswrite($c, "OK 1 0\n");
		do { select(undef, undef, undef, 0.01); recv($c, $q, 7, MSG_PEEK) } while $ARGV[1] && $_ < 6 && length $q < 4;
		sysread($c, $q, 1);
	}'
asker='$s = IO::Socket::INET->new("127.0.0.1:$ARGV[0]");
	for (1 .. 6) {
		select(undef, undef, undef, $ARGV[1]);
		syswrite($s, "abc\n");
		<$s>;
	}'
if command -v perl >/dev/null; then
	for at in rest=9131 rest-late=9132; do
		[ $at = rest=9131 ] && gap=0.2 wait='' || gap=0 wait=late
		port=${at#*=}
		tierlens tier add "${at%=*}" --port "$port" >/dev/null || not_ok "${at%=*}: tier"
		perl -MIO::Socket -e "$late" "$port" "$wait" &
		chain_pids+=($!)
		wait_until 10 listening "$port" || not_ok 'perl listens'
		perl -MIO::Socket -e "$asker" "$port" $gap
	done
	lost 'the end of what was asked' unanswered=2
	ends=(rest=6 rest-late=6)
else
	ok 'the end of what was asked # SKIP no perl'
fi

# ---- as the servers say -----------------------------------------------------

wait_for_interval
stop_record || not_ok 'record'
status=$(tlmnl status)
stop_servers
cp /tmp/r.jsonl /out/boundaries.jsonl
sum_up
for pair in older-module=3 older-enable=3 half-read=2 under-way=1 reset-before=1 "${ends[@]}" "${names[@]}"; do
	is "$(sum "${pair%=*}" count)" "${pair#*=}" "${pair%=*}: every request counted once"
done
as_said older-module response_ns
as_said older-enable response_ns
for pair in "${names[@]}"; do
	name=${pair%=*}
	if [ "$name" = read-at-once ]; then
		is "$(truth "$name" .pipelined)" 24 "$name: three of four came along with another"
		continue
	fi
	case $name in
	no-rule | a-rule-unix)	is "$(truth "$name" .count)" 12 "$name: half as many served"
				continue ;;
	esac
	is "$(truth "$name" .count)" "${pair#*=}" "$name: as many as it served"
	if [ "$name" = paused ]; then
		near_ns "$(jq -n "$(sum "$name" response_ns) / 8 | round")" $((1000 * sleep_us)) "$name: up to the pause" $((5000000 + bound))
	else
		as_said "$name" response_ns
	fi
done
# How much a UNIX socket took of a send that was broken off is not known.
for name in reset several-sends several-sends-unix half-close-unix; do
	is "$(sum $name bytes_out)" "$(truth $name .bytes_out)" "$name: bytes sent"
done
as_said parallel own_ns
near_ns "$(jq -n "$(edges parallel time_ns) / 36 | round")" "$(truth parallel '.call_sum_ns / 36 | round')" 'parallel: time of the calls' "$bound"
for name in asks asks-unix; do
	is "$(edges "$name" calls)" 16 "$name: calls"
	is "$(edges "$name" joined)" 16 "$name: the other end of each was seen"
	is "$(edges "$name" bytes_out)" "$(truth "${name/asks/asked}" .bytes_in)" "$name: bytes of the calls"
	is "$(sum "${name/asks/asked}" response_ns)" \
		$(($(edges "$name" time_ns) - $(edges "$name" transit_ns))) \
		"$name: calls less what lies between their ends = responses of the callee"
	near_ns "$(jq -n "$(edges "$name" time_ns) / 16 | round")" "$(truth "$name" '.call_sum_ns / 16 | round')" \
		"$name: time of the calls" "$bound"
	as_said "$name" own_ns
done
[[ " ${names[*]}" != *' asks-deaf='* ]] || {
	is "$(edges asks-deaf calls)" 3 'asks-deaf: calls'
	is "$(edges asks-deaf joined)" 0 'asks-deaf: nobody knows the other end'
	near_ns "$(jq -n "$(edges asks-deaf time_ns) / 3 | round")" "$(truth asks-deaf '.call_sum_ns / 3 | round')" \
		'asks-deaf: time of the calls' "$bound"
}
is "$(jq .events.unattributed <<<"$status")" 0 'no event is unattributed'
is "$(unaccounted "$status")" 0 'events seen = attributed + unattributed + ignored'
tierlens disable
unload_module
done_testing
