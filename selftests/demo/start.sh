#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Starts the shop: nginx (8080) -> php-fpm (9000) -> MariaDB (3306), all on 127.0.0.1 or each on a host
# of its own, by hand, as root, in a guest or a chroot. Everything it makes is in $SHOP_RUN and $SHOP_LOG, except
# the database, which is in /var/lib/mysql and is made anew each time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
run=${SHOP_RUN:-/run/shop}
log=${SHOP_LOG:-/tmp}
children=8
thread_handling=one-thread-per-connection
db_persistent=0
app=
fcgi_keep_conn=off
only=
php=127.0.0.1
db=127.0.0.1

usage()
{
	cat <<-END
	Usage: start.sh [OPTION...]
	  --children N      PHP processes ($children)
	  --fcgi-keep       nginx keeps its connections to php-fpm
	  --db-persistent   PHP keeps its connections to MariaDB
	  --app DIR         another application: pages.php, schema.sql and seed.sql in DIR
	  --db-pool         MariaDB serves with a thread pool instead of a thread a connection
	  --only NAME       nginx, php-fpm or mariadb: the others are on other hosts
	  --php ADDRESS     of php-fpm's host ($php)
	  --db ADDRESS      of MariaDB's ($db)
	END
}

die()
{
	echo "start.sh: $*" >&2
	exit 1
}

parse_options()
{
	while [ $# -gt 0 ]; do
		case $1 in
		--children)	 children=${2:?--children N}; shift
				 [ "$children" -ge 3 ] || die 'at least 3 children' ;;
		--fcgi-keep)	 fcgi_keep_conn=on ;;
		--db-persistent) db_persistent=1 ;;
		--app)		 app=$(cd "${2:?--app DIR}" && pwd); shift ;;
		--db-pool)	 thread_handling=pool-of-threads ;;
		--only)		 only=${2:?--only NAME}; shift
				 [[ $only =~ ^(nginx|php-fpm|mariadb)$ ]] || die "--only $only: nginx, php-fpm or mariadb" ;;
		--php)		 php=${2:?--php ADDRESS}; shift ;;
		--db)		 db=${2:?--db ADDRESS}; shift ;;
		-h | --help)	 usage; exit 0 ;;
		*)		 usage >&2; exit 2 ;;
		esac
		shift
	done
}

# listening PORT...: asks the kernel, so that no connection is made to find out.
listening()
{
	local port

	for port in "$@"; do
		grep -q "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$port") [0-9A-F:]* 0A " /proc/net/tcp ||
			return 1
	done
}

# wait_until WHAT SECONDS COMMAND...
wait_until()
{
	local what=$1 end=$((SECONDS + $2))

	shift 2
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || die "$what does not come up; see $log/shop-*.log"
		sleep 0.1
	done
}

# A PHP process serves one connection until that is closed. nginx's two workers together must
# keep fewer than there are processes, or requests on other connections would wait for ever.
keepalive()
{
	[ $fcgi_keep_conn = off ] || echo "keepalive $(((children - 1) / 2));"
}

# Fills in the configuration files and puts the pages where www-data can read them.
prepare()
{
	local file fcgi_keep

	fcgi_keep=$(keepalive)
	mkdir -p "$run/tmp" "$log"
	chmod 1777 "$run/tmp"
	chmod 755 "$run"
	chown mysql "$run"
	rm -rf "$run/shop" "$log"/shop-{nginx,access,php,mariadb,start}.log
	cp -r "$here/shop" "$run/"
	[ -z "$app" ] || cp "$app/pages.php" "$run/shop/"
	chmod -R a+rX "$run/shop"
	for file in nginx.conf php-fpm.conf my.cnf; do
		sed -e "s|@RUN@|$run|g; s|@LOG@|$log|g; s|@CHILDREN@|$children|g" \
			-e "s|@DB_PERSISTENT@|$db_persistent|g; s|@THREAD_HANDLING@|$thread_handling|g" \
			-e "s|@FCGI_KEEP@|$fcgi_keep|g; s|@FCGI_KEEP_CONN@|$fcgi_keep_conn|g; s|@PHP@|$php|g; s|@DB@|$db|g" \
			"$here/etc/$file" >"$run/$file"
	done
}

# launch NAME COMMAND...: in its own session, its process number noted for stop.sh.
launch()
{
	local name=$1

	shift
	setsid "$@" </dev/null >>"$log/shop-start.log" 2>&1 &
	echo "$name $!" >>"$run/pids"
}

find_php_fpm()
{
	compgen -c php-fpm | sort -V | tail -n 1
}

# Statements from standard input.
sql()
{
	mariadb --no-defaults --socket="$run/mariadb.sock" --user=root --batch --skip-column-names
}

database_answers()
{
	sql <<<'DO 1'
}

is_here()
{
	[ -z "$only" ] || [ "$only" = "$1" ]
}

start_mariadb()
{
	if [ ! -d /var/lib/mysql/mysql ]; then
		mariadb-install-db --no-defaults --user=mysql --datadir=/var/lib/mysql \
			--auth-root-authentication-method=socket >>"$log/shop-start.log"
	fi
	launch mariadb "$(command -v mariadbd)" --defaults-file="$run/my.cnf"
}

start_servers()
{
	: >"$run/pids"
	! is_here mariadb || start_mariadb
	! is_here php-fpm || launch php-fpm "$(command -v "$(find_php_fpm)")" --nodaemonize --fpm-config "$run/php-fpm.conf"
	! is_here nginx || launch nginx "$(command -v nginx)" -c "$run/nginx.conf"
	! is_here nginx || wait_until nginx 60 listening 8080
	! is_here php-fpm || wait_until php-fpm 60 listening 9000
	! is_here mariadb || wait_until MariaDB 120 database_answers
	! is_here mariadb || wait_until MariaDB 60 listening 3306
}

main()
{
	local from=$EPOCHREALTIME up

	parse_options "$@"
	[ "$(id -u)" = 0 ] || die 'must be root'
	! listening 8080 || die 'port 8080 is taken; is the shop running already? (stop.sh ends it)'
	export PATH=$PATH:/usr/sbin:/sbin
	prepare
	start_servers
	up=$EPOCHREALTIME
	! is_here mariadb || cat "$here/sql/database.sql" "${app:-$here/sql}"/{schema,seed}.sql | sql >/dev/null
	awk -v a="$from" -v b="$up" -v c="$EPOCHREALTIME" 'BEGIN {
		printf "shop: up in %.1f s, seeded in %.1f s, http://127.0.0.1:8080/\n", b - a, c - b }'
}

main "$@"
