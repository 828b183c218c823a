# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests in the guest: TAP, the module, waiting, and the servers.
# Their jq is gojq (tools/image), which prints keys in order and knows no -S.

export LC_ALL=C.UTF-8
exit_skip=4

# How much slower than others this kernel is: tests do so much less, in so much more time.
slow=1
[ ! -e /sys/kernel/debug/kmemleak ] || slow=8
[ ! -e /sys/kernel/debug/kcsan ] || slow=8
readonly slow

# ---- TAP --------------------------------------------------------------------

tap_points=0
tap_failed=0
tap_planned=

plan()
{
	tap_planned=$1
	echo "1..$1"
}

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

ok()
{
	tap_points=$((tap_points + 1))
	echo "ok $tap_points - $*"
}

not_ok()
{
	tap_points=$((tap_points + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_points - $*"
}

# is GOT WANTED NAME
is()
{
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		diag "$3: got '$1', wanted '$2'"
	fi
}

# check NAME COMMAND...: the command succeeds. Its output goes to a file, not to a
# substitution, which would wait for a server that keeps its end open.
check()
{
	local name=$1 output=/tmp/check.$BASHPID
	shift

	if "$@" >"$output" 2>&1; then
		ok "$name"
	else
		not_ok "$name"
		diag "$(tail -n 40 "$output")"
	fi
	rm -f "$output"
}

skip_all()
{
	echo "1..0 # SKIP $*"
	exit $exit_skip
}

# To be called last: plans if that was not done, and ends with the right status.
done_testing()
{
	[ -n "$tap_planned" ] || plan "$tap_points"
	[ "$tap_failed" = 0 ] && [ "$tap_planned" = "$tap_points" ]
	exit
}

# ---- figures ----------------------------------------------------------------

# middle FILE: prints the median of its numbers
middle()
{
	sort -n "$1" | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}

# ---- the module -------------------------------------------------------------

# load_module [PARAMETER=VALUE...]
load_module()
{
	[ -f /job/modules/tierlens.ko ] || skip_all 'no module was built for this kernel'
	insmod /job/modules/tierlens.ko "$@"
}

unload_module()
{
	rmmod tierlens
}

# ---- waiting ----------------------------------------------------------------

# wait_until SECONDS COMMAND...: longer on a kernel that is slower
wait_until()
{
	local end=$((SECONDS + $1 * slow))
	shift

	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

port_open()
{
	: <"/dev/tcp/127.0.0.1/$1"
}

# wait_for_port PORT SECONDS
wait_for_port()
{
	wait_until "$2" port_open "$1"
}

# ---- handing over -----------------------------------------------------------

# stream_files DIR FILE...: to the host, now; in this order, so that who finds the last has all.
stream_files()
{
	tar -C "$1" -cf /tmp/stream.tar "${@:2}" && cat /tmp/stream.tar >/dev/virtio-ports/stream
}

# ---- servers ----------------------------------------------------------------

# start_mariadb [OPTION...]: on port 3306; root comes in through the socket.
start_mariadb()
{
	mariadbd --user=mysql --bind-address=127.0.0.1 "$@" >/tmp/mariadb.log 2>&1 &
	wait_for_port 3306 60 || { diag "$(tail -n 20 /tmp/mariadb.log)"; return 1; }
}

# start_php_fpm [WORKERS [ADDRESS [LINE...]]]: a fixed number of workers; lines for its pool.
start_php_fpm()
{
	local workers=${1:-4} address=${2:-127.0.0.1:9000} lines=("${@:3}")

	cat >/tmp/php-fpm.conf <<-END
	[global]
	error_log = /tmp/php-fpm.log
	pid = /tmp/php-fpm.pid
	[www]
	user = www-data
	group = www-data
	listen = $address
	listen.owner = www-data
	pm = static
	pm.max_children = $workers
	$(printf '%s\n' "${lines[@]}")
	END
	"$(compgen -c php-fpm | head -n 1)" --daemonize --fpm-config /tmp/php-fpm.conf >/tmp/php-fpm.start 2>&1
	case $address in
	/*)	wait_until 30 test -S "$address" ;;
	*)	wait_for_port "${address##*:}" 30 ;;
	esac
}

# start_nginx CONF [PORT]
start_nginx()
{
	if ! nginx -c "$1" >/tmp/nginx.log 2>&1 || ! wait_for_port "${2:-80}" 30; then
		diag "$(tail -n 20 /tmp/nginx.log)"
		return 1
	fi
}

# start_postgresql [OPTION...]: on port 5432, open to everybody, and a socket in /tmp. Its
# housekeeping stays away.
start_postgresql()
{
	printf '%s\n' 'local all all trust' 'host all all 127.0.0.1/32 trust' >/tmp/pg_hba.conf
	setpriv --reuid=postgres --regid=postgres --clear-groups /usr/lib/postgresql/15/bin/postgres \
		-D /var/lib/postgresql/15/main -c config_file=/etc/postgresql/15/main/postgresql.conf \
		-c hba_file=/tmp/pg_hba.conf -c unix_socket_directories=/tmp -c listen_addresses=127.0.0.1 \
		-c external_pid_file= -c ssl=off -c fsync=off -c autovacuum=off "$@" \
		>/tmp/postgresql.log 2>&1 </dev/null &
	wait_until 60 psql -h /tmp -U postgres -c '' || { diag "$(tail -n 20 /tmp/postgresql.log)"; return 1; }
}

# start_memcached [OPTION...]: on port 11211
start_memcached()
{
	memcached -d -u memcache -l 127.0.0.1 "$@"
	wait_until 30 port_open 11211
}
