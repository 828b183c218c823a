#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=1800 machine=virtual
#
# Apache against its access log: a process for each connection, with PHP inside that asks
# Redis; threads behind a listener, which files the connections, in front of nginx and
# php-fpm. Its %D runs from the request line read to the answer's last byte handed to the
# kernel, in microseconds.
. /job/servers.sh

requests=${REQUESTS:-300} connections=4
files=('TypesConfig /dev/null' "DocumentRoot $www" 'EnableSendfile on')

# own_word NAME: of count, status and time in the access log
own_word()
{
	is "$(count 8080)" "$requests" "$1: every request counted once"
	is "$(lines /tmp/apache.log)" "$requests" "$1: as many as its log has"
	is "$(awk '$2 != 200' /tmp/apache.log | wc -l)" 0 "$1: and all were answered well"
	# From where the request arrives to where its line has been read, and the log's
	# own writing, it is some hundred microseconds.
	near "$(mean 8080 response_ns)" "$(mean_of /tmp/apache.log)" "$1: mean response against %D" 0.0003
	cp /tmp/apache.log "/out/$measured_name-access.log"
}

redis_calls()
{
	redis-cli info commandstats | tr -d '\r' | sed -n 's/^cmdstat_get:calls=\([0-9]*\),.*/\1/p'
}

with_php_inside()
{
	redis-server --daemonize yes --port 6379 --save '' >/dev/null
	wait_for_port 6379 10
	redis-cli set key "$(head -c 1000 /dev/zero | tr '\0' v)" >/dev/null
	cat >"$www/redis.php" <<-'END'
	<?php
	$r = new Redis();
	$r->connect('127.0.0.1', 6379);
	for ($i = 0; $i < 3; $i++)
		echo $r->get('key');
	END
	start_apache prefork mime "${files[@]}" \
		'LoadModule php_module /usr/lib/apache2/modules/libphp8.2.so' \
		'AddType application/x-httpd-php .php' 'StartServers 8' 'MinSpareServers 1' \
		'MaxSpareServers 20' 'MaxRequestWorkers 8'
	get 8080 40 $connections /redis.php '/work.php?n=100'
	: >/tmp/apache.log
	redis-cli config resetstat >/dev/null
	measure apache-prefork
	get 8080 "$requests" $connections /small.html /large.bin '/work.php?n=3000' /redis.php
	measured
	own_word 'prefork'
	is "$(calls 8080 6379)" "$(redis_calls)" "prefork: calls to Redis against Redis' own count"
	is "$(count 6379)" "$(redis_calls)" 'Redis: every command counted once'
	is "$(tiers)" 'apache2:8080 redis-server:6379' 'prefork: these two tiers and no other'
	nothing_lost
	stop_pid /tmp/apache.pid
	redis-cli shutdown nosave
}

as_proxy()
{
	# Its clock stands while it sends.
	start_nginx_at 8081 '$request_time $status' 'sendfile on;' 'sendfile_max_chunk 64k;'
	start_php_fpm 6
	start_apache event 'mime proxy proxy_http proxy_fcgi' "${files[@]}" \
		'StartServers 2' 'ThreadsPerChild 8' 'MinSpareThreads 1' \
		'MaxSpareThreads 16' 'MaxRequestWorkers 16' 'ProxyPass /nginx http://127.0.0.1:8081' \
		"ProxyPassMatch ^/(.*\\.php)\$ fcgi://127.0.0.1:9000$www/\$1"
	get 8080 40 $connections /nginx/small.html '/work.php?n=100'
	: >/tmp/apache.log
	: >/tmp/nginx.log
	measure apache-event
	get 8080 "$requests" $connections /small.html /large.bin /nginx/small.html /nginx/large.bin \
		'/work.php?n=3000'
	measured
	own_word 'event'
	is "$(calls 8080 8081)" "$(lines /tmp/nginx.log)" "event: calls to nginx against nginx' log"
	is "$(count 8081)" "$(lines /tmp/nginx.log)" 'nginx: every request counted once'
	near "$(mean 8081 response_ns)" "$(nginx_mean)" 'nginx: mean response against $request_time'
	is "$(calls 8080 9000)" $((requests / 5)) 'event: calls to php-fpm'
	is "$(count 9000)" $((requests / 5)) 'php-fpm: every request counted once'
	nothing_lost
	stop_pid /tmp/apache.pid
	stop_pid /tmp/nginx.pid
}

finish_first
make_www
with_php_inside
as_proxy
done_testing
