#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=900 machine=virtual
#
# Bodies that curl sends only when it is asked for them, to nginx and through Apache: with a
# rule for its tier one request is one, at each of them, and one call between them; without
# rules nobody looks at what is said before the answer, and there are two.
. /job/servers.sh

requests=${REQUESTS:-30}

# post PORT NAME: over one connection; the server asks for each body
post()
{
	: >/tmp/nginx.log
	curl -sv -H 'Expect: 100-continue' --data-binary @/tmp/body \
		"http://127.0.0.1:$1/length.php?n=[1-$requests]" >/tmp/curl.out 2>/tmp/curl.err
	is "$(grep -c '^< HTTP/1.1 100' /tmp/curl.err)" "$requests" "$2: each body was asked for"
	is "$(grep -c '^< HTTP/1.1 200' /tmp/curl.err)" "$requests" "$2: each was answered"
	is "$(sort /tmp/curl.out | uniq -c | xargs)" "$requests 200000" "$2: each arrived"
}

# one_each NAME PORT...: every request counted once, and as long as nginx says
one_each()
{
	local name=$1 port
	shift

	for port; do
		is "$(count "$port")" "$requests" "$name: $port: every request counted once"
	done
	is "$(calls 8081 9000)" "$requests" "$name: calls of nginx to php-fpm"
	is "$(lines /tmp/nginx.log)" "$requests" "$name: as many as nginx has in its log"
	near "$(mean 8081 response_ns)" "$(nginx_mean)" \
		"$name: mean response of nginx against \$request_time"
	nothing_lost
}

finish_first
make_www
head -c 200000 /dev/zero >/tmp/body
echo '<?php usleep(20000); echo strlen(file_get_contents("php://input")), PHP_EOL;' >"$www/length.php"
start_php_fpm 4
start_nginx_before_php 8081 '$request_time $status $request_length' 127.0.0.1:9000 'client_body_buffer_size 1m;'
start_apache event 'proxy proxy_http' 'StartServers 1' 'MinSpareThreads 1' 'MaxSpareThreads 64' \
	'ProxyPass / http://127.0.0.1:8081/'
post 8080 'warm up'

measure continue-no-rule
post 8081 'no rule'
measured
is "$(count 8081)" $((2 * requests)) 'no rule: two of each'

measure continue-nginx
tierlens class add post 'POST ' >/dev/null
post 8081 'nginx'
measured
one_each 'nginx' 8081 9000

measure continue-apache
tierlens class add post 'POST ' >/dev/null
: >/tmp/apache.log
post 8080 'Apache'
measured
one_each 'Apache' 8080 8081 9000
is "$(calls 8080 8081)" "$requests" 'Apache: one call for each'
is "$(edge_sum "$recording" 8080 8081 joined)" "$requests" 'Apache: the other end of each was seen'
near "$(mean 8080 response_ns)" "$(mean_of /tmp/apache.log)" 'Apache: mean response against %D'
stop_pid /tmp/apache.pid
stop_pid /tmp/nginx.pid
stop_pid /tmp/php-fpm.pid
done_testing
