# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For tests in the guest that record sync points: the recording, and two servers with pools of threads.

# ---- a program that is recorded from its begin ------------------------------

# hold FILE COMMAND...: which waits for a line on standard input, in $program; FILE gets what it prints
hold()
{
	rm -f /tmp/go
	mkfifo /tmp/go
	"${@:2}" </tmp/go >"$1" &
	program=$!
	exec 9>/tmp/go
}

let_go()
{
	echo >&9
	exec 9>&-
}

# ---- the recording ----------------------------------------------------------

# begin_recording FILE.csv OPTION...: what tasks record says goes to FILE.json
begin_recording()
{
	recording_name=${1%.csv}
	tierlens tasks record "${@:2}" --seconds 600 --buffer 67108864 -o "$1" --json >"$recording_name.rec" 2>/tmp/record.err &
	recorder=$!
	wait_until 60 eval 'ls -l /proc/$recorder/fd | grep -q tierlens-sync' ||
		{ not_ok "$recording_name: recording begins"; diag "$(cat /tmp/record.err)"; }
}

end_recording()
{
	kill -INT $recorder
	wait $recorder || { not_ok "$recording_name: recording ends well"; diag "$(cat /tmp/record.err)"; }
}

# Of the last recording.
recorded_lost()
{
	jq .lost "$recording_name.rec"
}

# ---- Apache, event MPM ------------------------------------------------------

apache_files=8

start_event_apache()
{
	local modules=/usr/lib/apache2/modules i

	mkdir -p /tmp/www /tmp/apache
	for ((i = 1; i <= apache_files; i++)); do
		head -c $((i * 3000)) /dev/zero >/tmp/www/f$i
	done
	cat >/tmp/apache/conf <<-END
	ServerRoot /tmp/apache
	PidFile /tmp/apache/pid
	Listen 127.0.0.1:8080
	ServerName localhost
	LoadModule mpm_event_module $modules/mod_mpm_event.so
	LoadModule authz_core_module $modules/mod_authz_core.so
	DocumentRoot /tmp/www
	ErrorLog /tmp/apache/error
	EnableSendfile Off
	StartServers 1
	ServerLimit 1
	ThreadsPerChild 8
	MaxRequestWorkers 8
	END
	apache2 -f /tmp/apache/conf
	wait_for_port 8080 30 || { diag "$(cat /tmp/apache/error)"; return 1; }
}

# ask_apache N: each file so often
ask_apache()
{
	local i

	for ((i = 1; i <= apache_files; i++)); do
		ab -q -n "$1" -c 3 "http://127.0.0.1:8080/f$i" >/dev/null 2>&1 || return
	done
}

# ---- MariaDB, pool of threads -----------------------------------------------

mariadb_clients=3

# start_pooled_mariadb N: where each client has 2 N statements to ask
start_pooled_mariadb()
{
	local client i

	start_mariadb --thread-handling=pool-of-threads --thread-pool-size=2 || return
	{
		echo 'create database d; use d; create table t (id int primary key, v varchar(100)) engine=innodb;'
		echo 'create user u@localhost; grant all on d.* to u@localhost;'
		for ((i = 1; i <= 100; i++)); do
			echo "insert into t values ($i, repeat('x', 50));"
		done
	} | mariadb || return
	for ((client = 1; client <= mariadb_clients; client++)); do
		for ((i = 0; i < $1; i++)); do
			echo "select v from t where id = $(((i * 7 + client) % 100 + 1));"
			echo "update t set v = repeat('y', 40) where id = $(((i * 3 + client) % 100 + 1));"
		done >/tmp/statements$client
	done
}

ask_mariadb()
{
	local clients=() client

	for ((client = 1; client <= mariadb_clients; client++)); do
		mariadb -u u -h 127.0.0.1 --batch --unbuffered d <"/tmp/statements$client" >/dev/null &
		clients+=($!)
	done
	wait "${clients[@]}"
}
