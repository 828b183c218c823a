#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What nginx and MariaDB say themselves about the load between two calls, as JSON:
#
#	truth.sh before FILE	notes where they stand
#	truth.sh after FILE	prints the difference
#
# Call it when no request is in flight, and after a load a moment later (0.2 s): MariaDB ends
# a connection after its client has gone.
#
# nginx: lines of the access log in between. Its times are whole milliseconds, of a clock that
# it reads once a turn of its event loop: a mean may be off by one millisecond.
#
# MariaDB: only what the user "shop" did, so that this script's own statements (root, over the
# UNIX socket) do not count at all:
#   statements   from the user statistics, which are exact; one statement is one round trip
#                here, since the shop uses neither prepared nor multiple statements, and a
#                result is one answer whatever its length
#   changes      "Change user", with which PHP takes up a kept connection (start.sh
#                --db-persistent); answered, so one round trip
#   connections  logins; the server speaks first (a greeting that answers nothing), then the
#                client's login packet is answered: one round trip
#   quits        sent by the client and not answered: bytes arrive, no round trip
#   expected_round_trips = statements + changes + connections: the requests with an answer
#                that somebody who looks at the TCP connections must count
#   busy_s cpu_s time and CPU time in the server, from the user statistics
#   statement_s statement_mean_s events
#                from the performance schema: from the packet's arrival to the end of the
#                execution; the answer may be sent by then, or its last part may follow. It
#                adds up without locks when connections end, so a few statements may be
#                missing of many: statement_count says how many it has
#   global       counters of the whole server; "own" is what this script has added to them
#                between its two readings (the first call's Quit, the second call's login and
#                its one SELECT), "shop" the rest, if nobody else was there
#   agree        whether Questions, which counts Quit but not logins, confirms the statistics
set -euo pipefail

run=${SHOP_RUN:-/run/shop}
log=${SHOP_LOG:-/tmp}/shop-access.log

# One statement in one session: it counts as one SELECT and one question, in itself as well.
readonly QUERY="
SELECT CONCAT('global ', VARIABLE_NAME), VARIABLE_VALUE, 0
FROM information_schema.GLOBAL_STATUS
WHERE VARIABLE_NAME IN ('QUESTIONS', 'CONNECTIONS', 'COM_SELECT', 'COM_INSERT', 'COM_UPDATE',
	'COM_DELETE', 'COM_BEGIN', 'COM_COMMIT', 'COM_ROLLBACK', 'COM_SET_OPTION', 'COM_STMT_PREPARE',
	'COM_ADMIN_COMMANDS', 'ABORTED_CLIENTS')
UNION ALL
SELECT 'user connections', TOTAL_CONNECTIONS, 0 FROM information_schema.USER_STATISTICS WHERE USER = 'shop'
UNION ALL
SELECT 'user open', CONCURRENT_CONNECTIONS, 0 FROM information_schema.USER_STATISTICS WHERE USER = 'shop'
UNION ALL
SELECT 'user statements', SELECT_COMMANDS + UPDATE_COMMANDS + OTHER_COMMANDS, 0
FROM information_schema.USER_STATISTICS WHERE USER = 'shop'
UNION ALL
SELECT 'user busy', BUSY_TIME, 0 FROM information_schema.USER_STATISTICS WHERE USER = 'shop'
UNION ALL
SELECT 'user cpu', CPU_TIME, 0 FROM information_schema.USER_STATISTICS WHERE USER = 'shop'
UNION ALL
SELECT 'user bytes_in', BYTES_RECEIVED, 0 FROM information_schema.USER_STATISTICS WHERE USER = 'shop'
UNION ALL
SELECT 'user bytes_out', BYTES_SENT, 0 FROM information_schema.USER_STATISTICS WHERE USER = 'shop'
UNION ALL
SELECT CONCAT('statement ', EVENT_NAME), SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT)
FROM performance_schema.events_statements_summary_by_account_by_event_name
WHERE USER = 'shop' GROUP BY EVENT_NAME HAVING SUM(COUNT_STAR) > 0"

# Lines: kind, name, value, picoseconds; separated by tabs.
read_now()
{
	printf 'time\t-\t%s\t0\n' "$EPOCHREALTIME"
	printf 'offset\t-\t%s\t0\n' "$(stat -c %s "$log")"
	mariadb --no-defaults --socket="$run/mariadb.sock" --user=root --batch --skip-column-names \
		-e "$QUERY" | sed 's/ /\t/'
}

nginx_json()
{
	tail -c "+$(($1 + 1))" "$log" | awk -F'\t' '
		function upstream(text,   part, n, i, s) {
			n = split(text, part, /[ ,:]+/)
			for (i = 1; i <= n; i++)
				if (part[i] != "-" && part[i] != "") { s += part[i]; asked++; has[path]++ }
			return s
		}
		{
			path = $6
			sub(/\?.*/, "", path)
			count++
			if ($2 != 200)
				bad++
			n[path]++
			request += $3; by[path] += $3
			u = upstream($4)
			php += u; php_by[path] += u
		}
		END {
			printf "{\"count\": %d, \"not_200\": %d, \"request_s\": %.3f, \"request_mean_s\": %.6f, ",
				count, bad, request, count ? request / count : 0
			printf "\"upstream_count\": %d, \"upstream_s\": %.3f, \"upstream_mean_s\": %.6f, \"resolution_s\": 0.001,\n  \"paths\": {",
				asked, php, asked ? php / asked : 0
			for (path in n)
				printf "%s\n   \"%s\": {\"count\": %d, \"request_s\": %.3f, \"upstream_count\": %d, \"upstream_s\": %.3f}",
					sep++ ? "," : "", path, n[path], by[path], has[path], php_by[path]
			printf "}}"
		}'
}

# Reads the two notes, the older first.
mariadb_json()
{
	awk -F'\t' '
		FNR == NR { old[$1, $2] = $3; old_ps[$1, $2] = $4; next }
		{ d = $3 - old[$1, $2] }
		$1 == "user" { user[$2] = d }
		$1 == "global" { global[tolower($2)] = d }
		$1 == "statement" && d {
			name = $2
			sub(/^statement\//, "", name)
			count[name] = d
			s[name] = ($4 - old_ps[$1, $2]) / 1e12
			if (name !~ /^com\//) { ps_n += d; ps_s += s[name] }
		}
		function counter(name, own) {
			printf "%s\n   \"%s\": {\"all\": %d, \"own\": %d, \"shop\": %d}", sep++ ? "," : "",
				name, global[name], own, global[name] - own
		}
		END {
			own["connections"] = own["com_select"] = 1
			own["questions"] = 2
			changes = global["com_admin_commands"]
			quits = user["connections"] - user["open"] - global["aborted_clients"]
			printf "{\"user\": \"shop\", \"statements\": %d, \"changes\": %d, \"connections\": %d, ",
				user["statements"], changes, user["connections"]
			printf "\"quits\": %d,\n  \"expected_round_trips\": %d,\n", quits,
				user["statements"] + changes + user["connections"]
			printf "  \"busy_s\": %.6f, \"cpu_s\": %.6f, \"bytes_in\": %d, \"bytes_out\": %d,\n",
				user["busy"], user["cpu"], user["bytes_in"], user["bytes_out"]
			printf "  \"statement_count\": %d, \"statement_s\": %.9f, \"statement_mean_s\": %.9f,\n  \"events\": {",
				ps_n, ps_s, ps_n ? ps_s / ps_n : 0
			for (name in count)
				printf "%s\n   \"%s\": {\"count\": %d, \"seconds\": %.9f}", sep++ ? "," : "", name, count[name], s[name]
			printf "},\n  \"global\": {"
			sep = 0
			for (name in global)
				counter(name, own[name])
			printf "},\n  \"agree\": %s}", global["questions"] - own["questions"] == \
				user["statements"] + changes + quits ? "true" : "false"
		}' "$1" "$2"
}

after()
{
	local before=$1 now

	[ -s "$before" ] || { echo "truth.sh: $before was not written by 'truth.sh before'" >&2; exit 1; }
	now=$(mktemp)
	# shellcheck disable=SC2064  # the name of now
	trap "rm -f '$now'" EXIT
	read_now >"$now"
	printf '{"seconds": %s,\n "nginx": %s,\n "mariadb": %s}\n' \
		"$(awk -F'\t' '$1 == "time" { t = $3 - t } END { printf "%.6f", t }' "$before" "$now")" \
		"$(nginx_json "$(awk -F'\t' '$1 == "offset" { print $3 }' "$before")")" \
		"$(mariadb_json "$before" "$now")"
}

case ${1:-} in
before)	read_now >"${2:?truth.sh before FILE}" ;;
after)	after "${2:?truth.sh after FILE}" ;;
*)	echo 'usage: truth.sh before FILE; truth.sh after FILE' >&2; exit 2 ;;
esac
