#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The history of tierlensd, against a fake kernel, and the commands that read it. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"
own_daemon
need_programs
db=$dir/h.db

kept()
{
	export TIERLENS_FAKE=fault,hints
	run "$daemon" -n 90 --history "$db" --log "$dir/log.jsonl"
	result $status "90 intervals are kept"
	unset TIERLENS_FAKE
	run "$fake" replay "$db" --speed 0 --json
	good "replay: all of them, in order" 'length == 90 and (map(.generation) | . == sort) and .[0].tiers[0].cells[0].count > 0 and
		all(.[]; .missed == 0)'
	cp "$dir/out" "$dir/all"
	run "$real" adapt --dry-run "$db" --json
	good "adapt: what the daemon decided" '[.[] | select(.kind == "decision" and .from != .to)] | length == 2'
	run "$real" report "$db" -o "$dir/h.html"
	[[ $status == 0 ]] && grep -q '</html>' "$dir/h.html"
	result $? "report"
	if command -v dot >/dev/null; then
		run "$real" graph "$db" -o "$dir/h.svg"
		[[ $status == 0 && -s $dir/h.svg ]]
		result $? "graph"
	fi
	run "$real" track "$db" --json
	[[ $status != 2 ]] && ! grep -q 'not a recording' "$dir/err"
	result $? "track takes it"
}

spans()
{
	local first third

	read -r first third < <(jq -rs '[.[0].t, .[2].t] | map(. * 1e6 | round / 1e6) | @tsv' "$dir/all")
	run "$fake" replay "$db" --speed 0 --json --from "$first" --to "$third"
	[[ $status == 0 && $(jq -s length "$dir/out") =~ ^[23]$ ]]
	result $? "--from and --to"
	jq -c . "$dir/all" >"$dir/all.jsonl"
	run "$fake" replay "$dir/all.jsonl" --speed 0 --json --from "$third"
	[[ $status == 0 && $(jq -s length "$dir/out") =~ ^8[78]$ ]]
	result $? "of a recording too"
	says 1 'has no interval of that time: give other --from and --to' "$real" replay "$db" --to 2001-01-01
	says 1 'has no interval of that time: give other --from and --to' "$real" replay "$dir/all.jsonl" --to 1000
	says 2 '--from "soon" is no time: give one such as' "$real" replay "$db" --from soon
	printf 't,seconds,n_a\n1,1,1\n' >"$dir/t.csv"
	says 1 'are for recordings and the history' "$real" track "$dir/t.csv" --from -2h
}

decisions()
{
	python3 - "$db" <<-'END'
	import json, sqlite3, sys
	rows = [(t, json.loads(row)) for t, row in sqlite3.connect(sys.argv[1]).execute("SELECT t, row FROM log ORDER BY id")]
	assert any(row["kind"] == "decision" and row["t"] == t for t, row in rows), rows
	assert rows[0][1]["kind"] == "begin" and rows[0][0] > 1e9
	END
	result $? "what was decided is kept"
}

faults()
{
	says 2 '--history-size 5 is out of range: give one from 32' "$daemon" --history-size 5
	printf 'CREATE TABLE a(b);' | python3 -c 'import sqlite3,sys; sqlite3.connect(sys.argv[1]).executescript(sys.stdin.read())' "$dir/other.db"
	says 1 'other.db: a database, but no history: give the file that tierlensd --history wrote' "$daemon" --history "$dir/other.db"
	says 1 'other.db: a database, but no history: give the file that tierlensd --history wrote' "$real" replay "$dir/other.db"
	says 1 'cannot open (No such file or directory)' "$daemon" --history "$dir/none/h.db"
	python3 - "$db" <<-'END'
	import sys
	with open(sys.argv[1], "r+b") as f:
	    f.seek(4096 + 20)
	    f.write(b"\xff" * 20000)
	END
	export TIERLENS_FAKE=ok,hints
	: >"$dir/log.jsonl"
	run "$daemon" -n 20 --history "$db" --log "$dir/log.jsonl"
	unset TIERLENS_FAKE
	compgen -G "$db.damaged-*" >/dev/null && jq -es 'any(.[]; .kind == "history" and (.text | test("was damaged")))' \
		"$dir/log.jsonl" >/dev/null
	result $? "a damaged one is moved aside, and it is said"
	run "$fake" replay "$db" --speed 0 --json
	good "and another one is kept" 'length == 20'
}

kept
spans
decisions
faults
finish
