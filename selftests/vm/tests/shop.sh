#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=600 machine=virtual
#
# A real service against its own word: nginx's log and MariaDB's counters. Counts
# exact, means within 3 % or 1 ms, whichever is larger. Then nginx keeps its connections to php-fpm, which
# reads the end of what it was asked when it waits for the next request.
. /job/servers.sh

requests=${REQUESTS:-400} connections=${CONNECTIONS:-4}

# shop NAME OPTION...: as start.sh starts it
shop()
{
	local name=$1 web db php_calls port outside used

	diag "$name: ${*:2}"
	cd /job/demo || exit 1
	./start.sh "${@:2}" >/tmp/start.log 2>&1 || { diag "$(tail -n 20 /tmp/start.log)"; exit 1; }
	# It asks MariaDB, which shall not be measured.
	./truth.sh before /tmp/truth
	measure "$name"
	load --to 127.0.0.1:8080 --proto http --mix mix.txt --tail '</html>' \
		--seconds 150 --requests "$requests" --connections "$connections" >/tmp/load.json || not_ok 'load'
	measured
	./truth.sh after /tmp/truth >/tmp/truth.json
	./stop.sh >/dev/null
	cp /tmp/truth.json "/out/$name-truth.json"
	cp /tmp/load.json "/out/$name-load.json"

	web=$(count 8080)
	db=$(count 3306)
	is "$(jq .errors /tmp/load.json)" 0 'no request failed'
	is "$web" "$requests" 'nginx: every request counted once'
	is "$web" "$(jq .nginx.count /tmp/truth.json)" 'nginx: as many as its log has'
	near "$(mean 8080 response_ns)" "$(jq .nginx.request_mean_s /tmp/truth.json)" \
		'nginx: mean response against $request_time'
	php_calls=$(calls 8080 9000)
	is "$php_calls" "$(jq .nginx.upstream_count /tmp/truth.json)" 'nginx: calls to php-fpm'
	near "$(call_mean 8080 9000)" \
		"$(jq .nginx.upstream_mean_s /tmp/truth.json)" \
		'nginx: their mean time against $upstream_response_time'
	is "$(count 9000)" "$php_calls" 'php-fpm: as many requests as calls'
	is "$(jq .mariadb.agree /tmp/truth.json)" true "MariaDB's own counters agree"
	is "$db" "$(jq .mariadb.expected_round_trips /tmp/truth.json)" \
		'MariaDB: statements and logins'
	is "$(calls 9000 3306)" "$db" 'php-fpm: as many calls to MariaDB'
	# Its timer knows statements only; a login takes it some 20 us, far within the bounds.
	near "$(mean 3306 response_ns)" \
		"$(jq '.mariadb | .statement_s / .expected_round_trips' /tmp/truth.json)" \
		'MariaDB: mean response against its statement timer'
	# Who looks for a request, logs it or ends its connection does that for a request. What is left is the
	# life of threads and processes, and MariaDB's accepting thread.
	for port in 8080 9000 3306; do
		outside=$(usage_sum $port '.cpu_ns - .request_cpu_ns') used=$(usage_sum $port .cpu_ns)
		check "$port: of all that it used, $(jq -n "100 * $outside / $used * 10 | round / 10") % is outside of requests" \
			jq -en "$used > 0 and ($outside / $used | fabs) < 0.05"
	done
	# Also what a connection's end takes, whose caller has gone by then.
	is "$(jq -s '[.[].paths[] | select(.parent == null and (.tier | test(":(9000|3306)$")))] | length' "$recording")" 0 \
		'php-fpm and MariaDB: all work is done for somebody'
	# MariaDB speaks first, and the only requests without answer are Quit.
	nothing_lost push="$(jq .mariadb.connections /tmp/truth.json)" \
		unanswered="$(jq .mariadb.quits /tmp/truth.json)"
}

finish_first
shop shop
shop kept --fcgi-keep
done_testing
