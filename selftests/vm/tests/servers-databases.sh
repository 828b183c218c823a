#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=1800 machine=virtual
#
# PostgreSQL against its log and its statement statistics, MariaDB (with a thread a
# connection and with its pool) against its performance schema. shop.sh has MariaDB behind
# PHP; here the database is the only tier.
. /job/servers.sh

connections=4 transactions=${TRANSACTIONS:-40}

psql_value()
{
	psql -h /tmp -U postgres -Atc "$1"
}

# The log's durations run from the query's arrival to its result's end; the statistics
# know the execution alone. ReadyForQuery and the log's own writing come after.
postgresql()
{
	local all=$((transactions * connections)) logged

	start_postgresql -c log_min_duration_statement=0 -c log_line_prefix='%u ' \
		-c shared_preload_libraries=pg_stat_statements
	psql_value 'CREATE EXTENSION pg_stat_statements; CREATE ROLE client LOGIN;
		CREATE TABLE t AS SELECT n, md5(n::text) AS s FROM generate_series(1, 20000) n;
		CREATE INDEX ON t (n); ANALYZE t; GRANT ALL ON t TO client' >/dev/null
	cat >/tmp/bench.sql <<-'END'
	\set k random(1, 20000)
	SELECT s FROM t WHERE n = :k;
	BEGIN;
	UPDATE t SET s = md5(s) WHERE n = :k;
	COMMIT;
	SELECT max(s), count(*) FROM t WHERE n % 7 = 3;
	SELECT s FROM t WHERE n < 2000;
	END
	psql_value 'SELECT pg_stat_statements_reset()' >/dev/null
	measure postgresql
	PGSSLMODE=disable PGGSSENCMODE=disable /usr/lib/postgresql/15/bin/pgbench -n -M simple \
		-h 127.0.0.1 -U client -f /tmp/bench.sql -c $connections -t "$transactions" postgres \
		>/tmp/pgbench.log 2>&1 || { not_ok 'pgbench'; diag "$(cat /tmp/pgbench.log)"; }
	measured
	cp /tmp/postgresql.log /out/
	sed -n 's/^client LOG:  duration: \([0-9.]*\) ms.*/\1/p' /tmp/postgresql.log |
		awk '{ print $1 * 1000 }' >/tmp/durations
	logged=$(lines /tmp/durations)
	is "$logged" $((6 * all)) 'PostgreSQL: its log has every statement'
	is "$(psql_value "SELECT sum(calls) FROM pg_stat_statements s JOIN pg_roles r ON s.userid = r.oid
		WHERE rolname = 'client'")" "$logged" 'PostgreSQL: so have its statistics'
	# Each connection logs in; pgbench looks first, once, whether it can.
	is "$(count 5432)" $((logged + connections + 1)) 'PostgreSQL: statements and logins'
	near "$(jq -n "$(cell_sum "$recording" 5432 response_ns) / $logged / 1e9")" "$(mean_of /tmp/durations)" \
		'PostgreSQL: mean response against its log' 0.0003
	is "$(tiers)" 'postgres:5432' 'PostgreSQL: its processes are one tier'
	# Terminate has no answer.
	nothing_lost unanswered=$((connections + 1))
	stop_pid /var/lib/postgresql/15/main/postmaster.pid
}

maria()
{
	mariadb --no-defaults --socket=/tmp/mariadb.sock --user=root -N "$@"
}

# Count and seconds of the client's statements.
maria_timer()
{
	maria -e "SELECT SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT) / 1e12
		FROM performance_schema.events_statements_summary_by_account_by_event_name
		WHERE USER = 'client' AND EVENT_NAME LIKE 'statement/sql/%'"
}

# mariadb NAME OPTION...
mariadb_with()
{
	local name=$1 all=$((transactions * connections)) statements seconds logins
	shift

	start_mariadb --socket=/tmp/mariadb.sock --pid-file=/tmp/mariadb.pid --performance-schema=ON \
		--performance-schema-instrument='statement/%=ON' \
		--performance-schema-consumer-thread-instrumentation=ON \
		--performance-schema-consumer-global-instrumentation=ON \
		--performance-schema-consumer-events-statements-current=ON --userstat=1 \
		--skip-name-resolve "$@"
	maria -e "CREATE OR REPLACE DATABASE own; USE own; CREATE OR REPLACE USER client@127.0.0.1;
		GRANT ALL ON *.* TO client@127.0.0.1;
		CREATE TABLE t (n INT PRIMARY KEY, s VARCHAR(32));
		INSERT INTO t SELECT seq, MD5(seq) FROM seq_1_to_5000"
	measure "mariadb-$name"
	mariadb-slap --no-defaults --host=127.0.0.1 --port=3306 --user=client --create-schema=own \
		--delimiter=';' --concurrency=$connections --number-of-queries=$((all * 4)) --query='
			SELECT s FROM t WHERE n = 77;
			UPDATE t SET s = MD5(s) WHERE n = 33;
			SELECT MAX(s), COUNT(*) FROM t WHERE n % 7 = 3;
			SELECT s FROM t WHERE n < 1000' >/tmp/slap.log 2>&1 ||
		{ not_ok 'mariadb-slap'; diag "$(cat /tmp/slap.log)"; }
	measured
	read -r statements seconds < <(maria_timer)
	is "$(maria -e "SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest
		WHERE SCHEMA_NAME = 'own' AND SUM_ERRORS > 0")" 0 "MariaDB, $name: no statement failed"
	logins=$(maria -e "SELECT TOTAL_CONNECTIONS FROM information_schema.USER_STATISTICS WHERE USER = 'client'")
	is "$(count 3306)" $((statements + logins)) "MariaDB, $name: statements and logins"
	near "$(mean 3306 response_ns)" "$(jq -n "$seconds / ($statements + $logins)")" \
		"MariaDB, $name: mean response against its statement timer" 0.0003
	is "$(tiers)" 'mariadbd:3306' "MariaDB, $name: its threads are one tier"
	nothing_lost push="$logins" unanswered="$logins"
	stop_pid /tmp/mariadb.pid
}

finish_first
postgresql
mariadb_with threads
mariadb_with pool --thread-handling=pool-of-threads --thread-pool-size=2
done_testing
