# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests in the guest that hold a server of Debian's against its own word: measure,
# load, measured, then compare. Counts are exact. Means are within 3 % or 1 ms, whichever
# is larger, or closer where the server's clock allows; who gives a bound says why. All
# run with machine=virtual, where time is instructions; it flies when nobody has any to
# do, so limits of time are generous and cost nothing.
. /job/lib.sh
. /job/chain.sh

www=/tmp/www

# A server's own word ends when it has put the request away, ours with the answer's last
# byte. On one processor the answer's receiver would run in between, and its time would
# be in the server's word: let who wakes somebody finish first.
finish_first()
{
	echo NO_WAKEUP_PREEMPTION >/sys/kernel/debug/sched/features ||
		diag 'this kernel cannot switch wake-up preemption off'
}

# ---- measuring --------------------------------------------------------------

# measure NAME: from now on, until measured
measure()
{
	measured_name=$1
	recording=/out/$1.jsonl
	load_module || exit 1
	tierlens enable || exit 1
	record "$recording"
}

measured()
{
	wait_for_interval
	stop_record || not_ok "$measured_name: record"
	tierlens status --json >"/out/$measured_name-status.json"
	tierlens disable
	unload_module
}

status()
{
	jq "$1" "/out/$measured_name-status.json"
}

# ---- figures ----------------------------------------------------------------

count()
{
	cell_sum "$recording" "$1" count
}

calls()
{
	edge_sum "$recording" "$1" "$2" calls
}

# mean PORT KEY: seconds
mean()
{
	jq -n "$(cell_sum "$recording" "$1" "$2") / $(count "$1") / 1e9"
}

# call_mean FROM-PORT PEER-PORT: seconds
call_mean()
{
	jq -n "$(edge_sum "$recording" "$1" "$2" time_ns) / $(calls "$1" "$2") / 1e9"
}

# usage_sum PORT EXPRESSION: over all intervals, of what the tier's processes used
usage_sum()
{
	jq -s "[.[].tiers[] | select(.name | endswith(\":$1\")) | .usage // empty | $2] | add // 0" "$recording"
}

# Names of the tiers that served anything.
tiers()
{
	jq -rs '[.[].tiers[] | select(.cells | length > 0) | .name] | unique | join(" ")' "$recording"
}

# ---- comparing --------------------------------------------------------------

# near GOT WANTED NAME [BOUND]: means in seconds, within 3 % or BOUND (0.001)
near()
{
	if awk -v g="$1" -v w="$2" -v b="${4:-0.001}" 'BEGIN { d = g - w; if (d < 0) d = -d
		if (b < 0.03 * w) b = 0.03 * w; exit !(w > 0 && d <= b) }'; then
		ok "$3 ($1 s; its own word $2 s)"
	else
		not_ok "$3"
		diag "measured $1 s, the server says $2 s"
	fi
}

# nothing_lost [KIND=COUNT...]: no event without its request and no loss, but those that
# the server's protocol explains. That an answer was over only when nothing came any more
# (quiet) is no loss.
nothing_lost()
{
	local pair wanted=0

	is "$(status .events.unattributed)" 0 "$measured_name: no event is unattributed"
	for pair; do
		is "$(status ".losses.${pair%=*}")" "${pair#*=}" "$measured_name: ${pair%=*} as the protocol has it"
		wanted=$((wanted + ${pair#*=}))
	done
	is "$(status '[.losses | to_entries[] | select(.key | IN("quiet", "ambiguous") | not) | .value] | add')" \
		"$wanted" "$measured_name: nothing is lost"
	is "$(status .losses.ambiguous)" 0 "$measured_name: nothing is taken for pipelined"
}

# mean_of FILE: of the numbers in microseconds that its lines begin with; seconds
mean_of()
{
	awk '{ s += $1; n++ } END { printf "%.9f\n", n ? s / n / 1e6 : 0 }' "$1"
}

lines()
{
	wc -l <"$1"
}

# ---- servers ----------------------------------------------------------------

# get PORT REQUESTS CONNECTIONS URL...: in turn; fails if any answer is wrong
get()
{
	local port=$1 requests=$2 connections=$3 url ask=()
	shift 3

	for url; do
		ask+=(--ask "$url")
	done
	load --to "127.0.0.1:$port" --proto http --in-order "${ask[@]}" --seconds 200 \
		--requests "$requests" --connections "$connections" >"/tmp/load-$port.json" ||
		{ not_ok 'load'; diag "$(tail -n 5 "/tmp/load-$port.json")"; }
}

# start_apache MPM "MODULE..." LINE...: on port 8080. The lines shall have it start as many servers as
# it will ever want: where it starts or ends some it connects to itself, which would count.
start_apache()
{
	local mpm=$1 modules=$2 name
	shift 2

	rm -f /tmp/apache.log
	{
		for name in "mpm_$mpm" authz_core $modules; do
			echo "LoadModule ${name}_module /usr/lib/apache2/modules/mod_$name.so"
		done
		cat <<-END
		ServerName localhost
		Listen 127.0.0.1:8080
		PidFile /tmp/apache.pid
		DefaultRuntimeDir /tmp
		ErrorLog /tmp/apache-error.log
		User www-data
		Group www-data
		KeepAliveTimeout 300
		MaxKeepAliveRequests 0
		LogFormat "%D %>s %B %U" own
		CustomLog /tmp/apache.log own
		END
		printf '%s\n' "$@"
	} >/tmp/apache.conf
	apache2 -f /tmp/apache.conf -k start >/tmp/apache.start 2>&1
	wait_until 30 listening 8080 || { diag "$(cat /tmp/apache.start /tmp/apache-error.log)"; exit 1; }
}

# start_nginx_at PORT LOG-FORMAT LINE...: one server; lines of it
start_nginx_at()
{
	local port=$1 format=$2
	shift 2

	cat >/tmp/nginx.conf <<-END
	user www-data;
	pid /tmp/nginx.pid;
	events { }
	http {
		log_format own '$format';
		access_log /tmp/nginx.log own;
		keepalive_timeout 300s;
		keepalive_requests 1000000;
		server {
			listen 127.0.0.1:$port;
			root $www;
			$(printf '%s\n' "$@")
		}
	}
	END
	start_nginx /tmp/nginx.conf "$port"
}

# start_nginx_before_php PORT LOG-FORMAT ADDRESS [LINE...]: all is asked of php-fpm
start_nginx_before_php()
{
	start_nginx_at "$1" "$2" "${@:4}" 'location / {' 'include /etc/nginx/fastcgi_params;' \
		'fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;' "fastcgi_pass $3;" '}'
}

# Mean of the numbers in seconds that lines of nginx' log begin with.
nginx_mean()
{
	awk '{ s += $1 } END { print s / NR }' /tmp/nginx.log
}

# Stops what a server has noted in the file, and waits until it has gone.
stop_pid()
{
	local pid

	read -r pid <"$1"
	kill "$pid"
	wait_until 30 gone "$pid" || not_ok "$1: it ends"
}

gone()
{
	[ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"
}

# A page of some milliseconds, a small file, and one larger than a socket holds.
make_www()
{
	mkdir -p $www
	echo '<html>small</html>' >$www/small.html
	head -c 3000000 /dev/zero >$www/large.bin
	# shellcheck disable=SC2016
	echo '<?php for ($i = 0; $i < $_GET["n"]; $i++) $s = md5("$i"); echo $s, str_repeat("x", 2000);' >$www/work.php
	chmod -R a+rX $www
}
