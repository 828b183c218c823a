#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlensd's remote write: receivers that are well, that are not, and that are not there. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-daemon.sh
. "$(dirname "$0")/user-daemon.sh"
receiver=$top/selftests/unit/user-push.py
umask 077

# receive NAME [CERT KEY]: a receiver with a folder of its own, to $to, its address to $write, its process to $taker
receive()
{
	to=$dir/$1
	shift
	mkdir -p "$to"
	touch "$to/samples" "$to/heads"
	[[ -e $to/how ]] || echo ok >"$to/how"
	python3 "$receiver" serve "$to" "$@" 2>"$to/err" &
	taker=$!
	servers+=("$taker")
	until_true eval "curl -s -o /dev/null http://127.0.0.1:\$(<'$to/port')/ || [[ \$? != 7 ]]" || return 1
	write=http://127.0.0.1:$(<"$to/port")/api/v1/write
}

# pushes NAME SCENE OPTION...: tierlensd that sends to the receiver, with a queue of its own
pushes()
{
	local name=$1 scene=$2
	shift 2

	begin "$name" "$scene" --remote-write "$write" --remote-write-queue "$dir/$name.queue" "$@"
}

# figure NAME: of /metrics, without its prefix
figure()
{
	get "$url/metrics" | sed -n "s/^tierlens_$1 //p"
}

# reaches NAME N: until a figure is so large
reaches()
{
	until_true eval "[[ \$(figure '$1') -ge $2 ]]"
}

# asked N: until the receiver was asked so often
asked()
{
	until_true eval "[[ \$(wc -l <'$to/heads') -ge $1 ]]"
}

# told N PATTERN: so many rows of the log say so
told()
{
	[[ $(jq -r 'select(.kind == "remote_write").text' "$log" | grep -c "$2") == "$1" ]]
	point $? "told: $1 times $2" "$log"
}

# whole NAME LEAST: all intervals are there, at least so many; how many to $intervals
whole()
{
	python3 "$receiver" whole "$to" >"$dir/whole" 2>&1
	intervals=$(<"$dir/whole")
	[[ $intervals =~ ^[0-9]+$ && $2 -gt 0 && $intervals -ge $2 && ! -e $to/wrong ]]
	point $? "$1: no interval is missing" "$dir/whole" "$to/err"
}

# over: SIGTERM to the daemon; the receiver stays. How many intervals it had read to $read
over()
{
	read=$(figure intervals_total)
	kill "$pid" && wait "$pid" && servers=("$taker") && [[ ! -s $dir/err ]]
	result $? "a clean end"
}

gone_now()
{
	kill "$taker"
	wait "$taker" 2>/dev/null
	servers=()
}

figures()
{
	local scene=$1 when

	receive "figures-$scene"
	pushes "figures-$scene" "$scene,hints" --label site=east
	reaches intervals_total 30
	get "$url/metrics" -o "$dir/page"
	when=$(sed -n 's/^tierlens_last_interval_timestamp_seconds //p' "$dir/page")
	until_true eval "[[ \$(figure remote_write_last_sent_timestamp_seconds | jq '. >= $when') == true ]]"
	python3 "$receiver" equal "$to" "$dir/page" >"$dir/equal" 2>&1 && [[ ! -s $dir/equal ]]
	point $? "$scene: what was sent is what the page has" "$dir/equal"
	over
	whole "$scene" "$read"
	jq -es 'all(.[]; .["Content-Encoding"] == "snappy" and .["Content-Type"] == "application/x-protobuf" and
		.["X-Prometheus-Remote-Write-Version"] == "0.1.0" and (.["User-Agent"] | startswith("tierlensd/")) and
		.path == "/api/v1/write")' "$to/heads" >/dev/null
	point $? "$scene: heads" "$to/heads"
	! grep -vq '\["instance", "[^"]*"\], \["job", "tierlens"\].*\["site", "east"\]' "$to/samples"
	result $? "$scene: labels of the host, the job and ours"
	[[ $(grep '"tierlens_intervals_total"' "$to/samples" | tail -n 1 | cut -f3) == stale ]]
	result $? "$scene: at the end all series have ended"
	gone_now
}

# status_says FILTER
status_says()
{
	get "$url/api/v1/status" | jq -e "$1" >/dev/null
}

# What is no reason to give up: each is asked again, and nothing is missing in the end.
outages()
{
	local how

	receive outages
	echo 'status 503' >"$to/how"
	pushes outages clock,hints
	asked 1
	for how in 'status 500' 'status 429' nonsense cut 'status 301' 'redirect http://127.0.0.1:1/x' slow; do
		echo "$how" >"$to/how"
		# Who reads his configuration again begins to ask anew.
		kill -HUP "$pid"
		asked $(($(wc -l <"$to/heads") + 2))
		point $? "$how: asked again" "$log"
	done
	told 1 'takes no figures (503: out of order sample): they wait in'
	reaches remote_write_up 1
	told 1 'takes figures again'
	gone_now
	kill -HUP "$pid"
	reaches 'remote_write_requests_total{outcome="retried"}' $(($(figure 'remote_write_requests_total{outcome="retried"}') + 2))
	told 1 'does not answer (.*): figures wait in'
	same "the loop goes on" "$(figure intervals_missed_total)" 0
	echo ok >"$to/how"
	receive outages
	kill -HUP "$pid"
	reaches remote_write_up 1
	told 2 'takes figures again'
	same "nothing is lost" "$(get "$url/metrics" | grep '^tierlens_remote_write_.*_lost_total' | grep -cv ' 0$')" 0
	# Interval by interval what has waited is sent.
	until_true status_says '.remote_write | .up and .samples > 10000 and .samples_lost == 0'
	result $? "the status says so, too"
	same "no row more" "$(grep -c remote_write "$log")" 4
	over
	whole outages "$read"
	gone_now
}

# When the receiver says when to come again, that is when.
retry_after()
{
	receive later
	echo 'status 429 2' >"$to/how"
	pushes later clock,hints
	asked 3
	jq -es '[.[0:3][].t] | .[1] - .[0] >= 2 and .[2] - .[1] >= 2' "$to/heads" >/dev/null
	point $? "Retry-After: as long as it says" "$to/heads"
	echo ok >"$to/how"
	reaches remote_write_up 1
	over
	whole later "$read"
	gone_now
}

# What is refused is not sent again; it is told once, and counted.
refusals()
{
	local refused lost

	receive refusals
	echo 'status 400' >"$to/how"
	pushes refusals clock,hints
	reaches 'remote_write_requests_total{outcome="refused"}' 2
	echo 'status 404' >"$to/how"
	asked 4
	echo ok >"$to/how"
	reaches remote_write_up 1
	refused=$(figure 'remote_write_requests_total{outcome="refused"}')
	lost=$(figure 'remote_write_samples_lost_total{reason="refused"}')
	same "each was sent once" "$(jq -s 'map(select(.how[0] == "status")) | length' "$to/heads")" "$refused"
	[[ $lost -gt 1000 && $(figure 'remote_write_requests_total{outcome="retried"}') == 0 ]]
	result $? "samples are counted, nothing is sent again"
	told 1 'refuses figures (400: out of order sample): these are lost'
	told 1 'refuses figures (404'
	over
	gone_now
}

# Taken, but the answer was lost: sent again, and what is refused then is not lost.
lost_answers()
{
	receive lost
	echo lost >"$to/how"
	pushes lost clock,hints
	asked 1
	echo twice >"$to/how"
	reaches remote_write_samples_repeated_total 100
	reaches 'remote_write_requests_total{outcome="accepted"}' 2
	same "nothing counts as refused" "$(figure 'remote_write_samples_lost_total{reason="refused"}')" 0
	over
	whole "lost answers" "$read"
	gone_now
}

# A receiver that never ends its answer: its status counts.
huge()
{
	receive huge
	echo huge >"$to/how"
	pushes huge clock,hints
	reaches 'remote_write_requests_total{outcome="accepted"}' 2
	result $? "an answer of a terabyte is none of our business"
	over
	whole huge 15
	gone_now
}

# Killed while nobody takes anything, and again while somebody does, who takes nothing twice.
killed()
{
	local waiting i

	receive killed
	echo 'status 503' >"$to/how"
	pushes killed clock,hints
	for i in 1 2 3; do
		reaches remote_write_pending_intervals $((i * 30))
		waiting=$(figure remote_write_pending_intervals)
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
		servers=("$taker")
		[[ $i != 2 ]] || echo twice >"$to/how"
		pushes killed clock,hints
		[[ $i != 2 ]] || break
	done
	reaches remote_write_samples_total $((waiting * 100))
	for i in 1 2 3; do
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
		servers=("$taker")
		pushes killed clock,hints
		reaches intervals_total 25
	done
	until_true eval "[[ \$(figure remote_write_pending_intervals) -le 60 && \$(figure remote_write_up) == 1 ]]"
	over
	whole "killed five times" $((waiting + 75))
	gone_now
}

# The clock is behind what was sent, and the configuration is read again: that is no reason to count less.
set_back()
{
	local counted='.intervals + .intervals_missed - .last_interval.generation' before last

	receive set-back
	pushes set-back clock,set-back,hints
	until_true grep -q 'the clock was set back' "$log"
	get "$url/api/v1/status" -o "$dir/before"
	before=$(jq "$counted" "$dir/before") last=$(jq .last_interval.generation "$dir/before")
	reload 'the configuration was read again'
	until_true status_says ".last_interval.generation > $last + 10"
	same "a clock that was set back, and a reload: all intervals are counted" \
		"$(get "$url/api/v1/status" | jq "$counted")" "$before"
	over
	gone_now
}

# A disk that becomes full: what was in the queue's file stays, and there is room for more.
disk()
{
	local at=$dir/small

	mkdir "$at"
	trap 'umount "$dir/small" 2>/dev/null; clean_up' EXIT
	if ! mount -t tmpfs -o size=8m tmpfs "$at" 2>/dev/null; then
		skip "a full disk" "only root can make one"
		return
	fi
	receive disk
	echo 'status 503' >"$to/how"
	begin disk clock,hints --remote-write "$write" --remote-write-queue "$at/queue" --remote-write-queue-size 4
	dd if=/dev/zero of="$at/rest" bs=64k 2>/dev/null
	reaches remote_write_pending_intervals 60
	echo ok >"$to/how"
	reaches remote_write_up 1
	same "full: nothing is lost" "$(figure remote_write_intervals_lost_total)" 0
	over
	whole "a disk that became full" 60
	gone_now
	rm "$at/queue"
	dd if=/dev/zero bs=64k 2>/dev/null >>"$at/rest"
	receive disk-full
	begin disk-full clock,hints --remote-write "$write" --remote-write-queue "$at/queue" --remote-write-queue-size 4
	reaches 'remote_write_samples_lost_total{reason="unwritten"}' 1000
	told 1 'cannot be written (No space left on device): make room'
	rm "$at/rest"
	reaches remote_write_samples_total 1000
	told 1 'is written again'
	over
	gone_now
	umount "$at"
}

# A new configuration: nothing is lost, and series of other names go on.
reloads()
{
	receive reloads
	printf 'remote-write = "%s";\nremote-write-queue = "%s";\nlabel = [ "site=east" ];\n' "$write" "$dir/reloads.queue" >"$dir/conf"
	begin reloads clock,hints --config "$dir/conf"
	reaches remote_write_samples_total 1000
	sed -i s/east/west/ "$dir/conf"
	reload 'the configuration was read again'
	until_true grep -q west "$to/samples"
	result $? "another label"
	printf 'remote-write-queue-size = 8;\n' >>"$dir/conf"
	reload 'the configuration was read again'
	reload 'stays where it is: restart'
	result $? "another queue has to wait"
	sed -i 's/^remote-write = .*/remote-write = "none";/' "$dir/conf"
	sed -i '/^label/d' "$dir/conf"
	reload 'the configuration was read again'
	until_true eval "[[ \$(grep -c 'intervals_total.*stale' '$to/samples') == 2 ]]"
	result $? "none: all series have ended"
	over
	[[ $(grep 'intervals_total.*west' "$to/samples" | head -n 1 | cut -f3) != 0.0 ]]
	result $? "a series that is only called otherwise does not begin with zero"
	gone_now
}

tls()
{
	certificate one && certificate two || return
	printf '0123456789abcdef-secret\n' >"$dir/token"
	receive tls "$dir/one.cert" "$dir/one.key"
	write=${write/http:/https:}
	pushes tls clock,hints --remote-write-token-file "$dir/token" --remote-write-ca "$dir/two.cert"
	reaches 'remote_write_requests_total{outcome="retried"}' 2
	told 1 'does not answer (.*certificate'
	[[ ! -s $to/heads ]]
	result $? "a certificate that nobody vouches for: it is told nothing"
	over
	pushes tls clock,hints --remote-write-token-file "$dir/token" --remote-write-ca "$dir/one.cert"
	reaches remote_write_samples_total 1000
	jq -es 'all(.[]; .Authorization == "Bearer 0123456789abcdef-secret")' "$to/heads" >/dev/null
	point $? "the token is shown" "$to/heads"
	! tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q secret && ! grep -q secret "$log" "$dir/tls.queue"
	result $? "and stands nowhere else"
	over
	whole tls 20
	gone_now
}

mistakes()
{
	printf 'label = [ "a=1", "tier=x", "a=2", "b", "__c=1", "d=" ];\nremote-write-queue-size = 1;\n' >"$dir/bad"
	run "$daemon" --config "$dir/bad" --check --remote-write ftp://x/ --remote-write-token-file /nowhere --remote-write-ca "$dir/bad"
	[[ $status == 2 && $(wc -l <"$dir/err") == 9 ]]
	result $? "all mistakes are told"
	for text in "$dir/bad:2: --remote-write-queue-size 1 is out of range" 'ftp://x/" is no address' '/nowhere: cannot be read' \
		"$dir/bad: no certificates in PEM" '"tier=x": figures have a label of that name' '"a=2": there is another one' \
		'"b" is no label' '"__c=1" is no label' '"d=": a value has 1 to'; do
		grep -qF -- "$text" "$dir/err"
		result $? "$text"
	done
	says 2 'holds a name or a password' "$daemon" --check --remote-write http://me:secret@127.0.0.1/
	says 2 '--label is of no use alone: give --remote-write' "$daemon" --check --label a=1
	says 1 'cannot be opened (No such file or directory)' "$daemon" --listen none --remote-write http://127.0.0.1:1/ \
		--remote-write-queue /nowhere/queue
	printf '0123456789abcdef\n' >"$dir/token"
	run "$daemon" --check --remote-write http://127.0.0.1/ --remote-write-token-file "$dir/token"
	[[ $status == 0 ]] && grep -q 'warning: the token of --remote-write goes over the network as it is' "$dir/err"
	result $? "a token without TLS: a warning"
}

for scene in ok ok,charged levels hostile bare; do
	figures "$scene"
done
mistakes
outages
retry_after
refusals
lost_answers
huge
killed
set_back
disk
reloads
tls
finish
