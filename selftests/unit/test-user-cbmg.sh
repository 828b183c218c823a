#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tierlens cbmg: wrong usage, and long logs in little memory. What comes of logs and matrices
# is test-cbmg.sh's business. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/unit/user-cli.sh
. "$(dirname "$0")/user-cli.sh"

usage()
{
	says 2 'cbmg needs access logs or a matrix' "$real" cbmg
	says 2 '--gap "0" is not a number from 1' "$real" cbmg --gap 0 a
	says 2 '--state "cart" is no NAME=VALUE' "$real" cbmg --state cart a
	says 2 '--state cart=\q: unknown escape' "$real" cbmg --state 'cart=\q' a
	says 2 'the prefix of state "b" is that of state "a", too' "$real" cbmg --state a=/x --state b=/x a
	says 2 'the name "(exit)" of a state must' "$real" cbmg --state '(exit)=/x' a
	says 2 '--field has no "tim", but time' "$real" cbmg --field tim=x a
	says 2 '--session cookie: needs its name' "$real" cbmg --session cookie: a
	says 2 '--broken 5 is above 1' "$real" cbmg --broken 5 a
	says 2 '--depth 0 is out of range' "$real" cbmg --depth 0 a
	says 1 'none.states: cannot read' "$real" cbmg --states "$dir/none.states" a
	says 1 'none.log: cannot read (No such file' "$real" cbmg "$dir/none.log"
	printf '# of the shop\ncart /cart\nbuy POST /order\ncart2 /cart\n' >"$dir/twice.states"
	says 1 'twice.states:4: the prefix of state "cart2" is that of state "cart"' \
		"$real" cbmg --states "$dir/twice.states" a
}

# within KIB PROGRAM ARGUMENTS...: the same with no more address space than that
within()
{
	# shellcheck disable=SC2016
	run bash -c 'ulimit -v "$0"; exec "$@"' "$@"
	[[ $status == 0 ]]
}

# Ten new sessions a second, of five requests each; whoever kept them all would be seen to.
large()
{
	local n lines=300000 few

	[[ ${TIERLENS_TESTS:-} != all ]] || lines=1000000
	python3 - "$lines" >"$dir/big.log" <<-END
	import sys
	for i in range(int(sys.argv[1])):
	    print('10.%d.%d.%d - - [01/Dec/2025:%02d:%02d:%02d +0000] "GET /%d HTTP/1.1" 200 1 "-" "x"'
	          % (i // 5 >> 16, i // 5 >> 8 & 255, i // 5 & 255, i // 50 // 3600 % 24,
	             i // 50 // 60 % 60, i // 50 % 60, i % 5))
	END
	head -n 10000 "$dir/big.log" >"$dir/small.log"
	for ((few = 4096; few < 1048576; few += 512)); do
		! within "$few" "$real" cbmg "$dir/small.log" --gap 10 --json || break
	done
	within "$((few + 2048))" "$real" cbmg "$dir/big.log" --gap 10 --json
	n=$((lines / 5))
	good "$lines lines of $n sessions in 2 MiB more than 10000 lines take" ".[0] |
		.log.lines == $lines and .sessions == $n and .requests == $lines and .visits[\"/0\"] == 1"
}

usage
large
finish
