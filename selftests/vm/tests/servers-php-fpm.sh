#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=1800 machine=virtual
#
# php-fpm against its access log, over TCP and over a UNIX socket, behind nginx; its pages
# ask PostgreSQL and memcached, which count, too. Its time runs from the accepted
# connection to the page's end; connections are closed and what is buffered is sent only
# then, which is some tenths of a millisecond.
. /job/servers.sh

requests=${REQUESTS:-200} connections=4

# behind NAME ADDRESS KEY: measures php-fpm, which the recording knows by KEY
behind()
{
	local name=$1 address=$2 key=$3 pages=$((requests / 2)) own=/tmp/php-access.log

	start_php_fpm 6 "$address" "access.log = $own" 'access.format = "%{micro}d %s"'
	start_nginx_before_php 8080 '$request_time $upstream_response_time' "${address/#\//unix:/}"
	get 8080 20 $connections /ask.php '/work.php?n=100'
	: >$own
	: >/tmp/nginx.log
	measure "php-fpm-$name"
	get 8080 "$requests" $connections /ask.php '/work.php?n=8000'
	measured
	cp $own "/out/php-fpm-$name-access.log"
	is "$(count 8080)" "$requests" "$name: nginx: every request counted once"
	is "$(calls 8080 "$key")" "$requests" "$name: nginx: as many calls to php-fpm"
	near "$(call_mean 8080 "$key")" "$(awk '{ s += $2 } END { print s / NR }' /tmp/nginx.log)" \
		"$name: nginx: their mean time against \$upstream_response_time"
	is "$(count "$key")" "$(lines $own)" "$name: php-fpm: as many requests as its log has"
	near "$(mean "$key" response_ns)" "$(mean_of $own)" "$name: php-fpm: mean response against its log"
	# Login and two queries over a connection of its own; two sets and a get.
	is "$(calls "$key" 5432)" $((3 * pages)) "$name: php-fpm: calls to PostgreSQL"
	is "$(count 5432)" $((3 * pages)) "$name: PostgreSQL: every request counted once"
	is "$(calls "$key" 11211)" $((3 * pages)) "$name: php-fpm: calls to memcached"
	is "$(count 11211)" $((3 * pages)) "$name: memcached: every request counted once"
	# Both are told when their client leaves, and say nothing to it.
	nothing_lost unanswered=$((2 * pages))
	stop_pid /tmp/nginx.pid
	stop_pid /tmp/php-fpm.pid
}

finish_first
make_www
cat >"$www/ask.php" <<'END'
<?php
$pg = pg_connect('host=127.0.0.1 user=postgres sslmode=disable gssencmode=disable');
$m = new Memcached();
$m->setOption(Memcached::OPT_TCP_NODELAY, true);
$m->addServer('127.0.0.1', 11211);
for ($i = 0; $i < 2; $i++) {
	$row = pg_fetch_row(pg_query($pg, "SELECT sum(n) FROM generate_series(1, 2000) n"));
	$m->set('sum', $row[0]);
}
echo $m->get('sum');
END
start_postgresql
start_memcached
behind tcp 127.0.0.1:9000 9000
behind unix /run/php/own.sock /run/php/own.sock
done_testing
