#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlensd's remote write into Prometheus and VictoriaMetrics: what they say to a query is what /metrics has,
# and what they were not there for they have in the end. Prints TAP.
#
#   OUTAGE=600  they are not there for ten minutes (two seconds)
set -uo pipefail

# shellcheck source=selftests/unit/user-daemon.sh
. "$(dirname "$0")/user-daemon.sh"
outage=${OUTAGE:-2}
umask 077

free_port()
{
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

figure()
{
	get "$url/metrics" | sed -n "s/^tierlens_$1 //p"
}

# prometheus_begin, victoria_begin: a receiver at $at
prometheus_begin()
{
	: >"$dir/prometheus.yml"
	prometheus --config.file "$dir/prometheus.yml" --storage.tsdb.path "$dir/prometheus.data" \
		--web.listen-address "$at" --web.enable-remote-write-receiver >"$dir/receiver.log" 2>&1 &
	servers+=($!)
	until_true get "http://$at/-/ready" -o /dev/null
}

victoria_begin()
{
	victoria-metrics -storageDataPath "$dir/victoria.data" -httpListenAddr "$at" -retentionPeriod 1 \
		-search.latencyOffset 0s >"$dir/receiver.log" 2>&1 &
	servers+=($!)
	until_true get "http://$at/health" -o /dev/null
}

# asks WHEN QUERY: to $dir/answer
asks()
{
	get "http://$at/api/v1/query" --data-urlencode "query=$2" --data-urlencode "time=$1" -o "$dir/answer"
}

# What is there of a moment is there for a query a little later: a receiver may take its time.
is_there()
{
	asks "$when" '{job="tierlens"}' && python3 "$top/selftests/unit/user-push.py" asked "$dir/answer" "$dir/page" \
		>"$dir/equal" 2>&1 && [[ ! -s $dir/equal ]]
}

# receiver NAME BEGIN FLAGS: a tierlensd is killed while it sends, another goes on
receiver()
{
	local name=$1 when last receiver
	at=127.0.0.1:$(free_port)

	"$2" || { point 1 "$name begins" "$dir/receiver.log"; return; }
	receiver=${servers[-1]}
	begin "$name" clock,hints,levels --remote-write "http://$at/api/v1/write" --remote-write-queue "$dir/$name.queue"
	until_true eval "[[ \$(figure remote_write_samples_total) -ge 10000 ]]"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	servers=("$receiver")
	begin "$name" clock,hints,levels --remote-write "http://$at/api/v1/write" --remote-write-queue "$dir/$name.queue"
	until_true eval "[[ \$(figure intervals_total) -ge 60 ]]"
	get "$url/metrics" -o "$dir/page"
	when=$(sed -n 's/^tierlens_last_interval_timestamp_seconds //p' "$dir/page")
	until_true eval "[[ \$(figure remote_write_last_sent_timestamp_seconds | jq '. >= $when') == true ]]"
	until_true is_there
	point $? "$name: each figure of the page is there" "$dir/equal" "$dir/answer"
	same "$name: none was refused" "$(get "$url/metrics" | grep '^tierlens_remote_write_.*_lost_total' | grep -cv ' 0$')" 0
	kill "$pid"
	wait "$pid"
	last=$(($(date +%s) + 1))
	until_true eval "asks $last tierlens_up && jq -e '.data.result == []' '$dir/answer' >/dev/null"
	point $? "$name: it has ended, and its series have" "$dir/answer"
	kill "$receiver"
	wait "$receiver" 2>/dev/null
	servers=()
}

# all_stored: each interval that was read is in the store
all_stored()
{
	get "http://$at/api/v1/query" --data-urlencode 'query=tierlens_intervals_total[2h]' -o "$dir/answer" &&
		python3 "$top/selftests/unit/user-push.py" stored "$dir/answer" >"$dir/stored" 2>&1 &&
		[[ $(<"$dir/stored") =~ ^[0-9]+$ && $(<"$dir/stored") -ge $read ]]
}

# outage NAME BEGIN: the receiver is away for a while, in which tierlensd is killed
outage()
{
	local name=$1 read=0 i
	at=127.0.0.1:$(free_port)

	"$2"
	for i in 1 2; do
		begin "$name" clock,hints,levels --remote-write "http://$at/api/v1/write" --remote-write-queue "$dir/$name.queue"
		until_true eval "[[ \$(figure intervals_total) -ge 25 ]]"
		if [[ $i == 1 ]]; then
			until_true eval "[[ \$(figure remote_write_samples_total) -gt 0 ]]"
			kill "${servers[0]}"
			wait "${servers[0]}" 2>/dev/null
			sleep $((outage / 2))
			read=$(figure intervals_total)
			kill -KILL "$pid"
			wait "$pid" 2>/dev/null
			servers=()
		fi
	done
	sleep $((outage / 2))
	"$2"
	until_true eval "[[ \$(figure remote_write_up) == 1 && \$(figure remote_write_pending_intervals) -le 60 ]]"
	get "$url/metrics" -o "$dir/page"
	read=$((read + $(sed -n 's/^tierlens_intervals_total //p' "$dir/page")))
	kill "$pid"
	wait "$pid"
	until_true all_stored
	point $? "$name: away for $outage s: each of $read intervals is there" "$dir/stored" "$log"
	same "$name: none was lost" "$(grep '^tierlens_remote_write_.*_lost_total' "$dir/page" | grep -cv ' 0$')" 0
	kill "${servers[-1]}"
	wait "${servers[-1]}" 2>/dev/null
	servers=()
}

receiver prometheus prometheus_begin
receiver victoria-metrics victoria_begin
outage prometheus prometheus_begin
outage victoria-metrics victoria_begin
finish
