#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: manual arch=amd64 timeout=120
# The harness itself: the three tiers come up and answer.
# shellcheck source=selftests/vm/lib.sh
. /job/lib.sh

mkdir -p /tmp/www
cat >/tmp/www/index.php <<'END'
<?php
$db = new mysqli('localhost', 'root', '', 'mysql', 0, '/run/mysqld/mysqld.sock');
echo $db->query('SELECT 6 * 7')->fetch_row()[0];
END
cat >/tmp/nginx.conf <<'END'
events { }
http {
	access_log off;
	server {
		listen 8080;
		root /tmp/www;
		location / {
			include /etc/nginx/fastcgi_params;
			fastcgi_param SCRIPT_FILENAME /tmp/www/index.php;
			fastcgi_pass 127.0.0.1:9000;
		}
	}
}
END

plan 6
check 'MariaDB starts' start_mariadb
mariadb -e "ALTER USER root@localhost IDENTIFIED VIA mysql_native_password USING PASSWORD('')"
check 'php-fpm starts' start_php_fpm 2
check 'nginx starts' start_nginx /tmp/nginx.conf 8080
is "$(curl -s http://127.0.0.1:8080/)" 42 'a page through three tiers'
diag "tiers up $(cut -d' ' -f1 /proc/uptime) s after boot"
check 'a bounded load' ab -q -n 200 -c 4 http://127.0.0.1:8080/
redis-server --daemonize yes --port 6379 >/dev/null
check 'Redis starts' wait_for_port 6379 10
done_testing
