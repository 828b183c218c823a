#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The oracle itself, not what it once said: TIERLENS_TESTS=all, and octave-queueing installed.
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${TIERLENS_TESTS:-}" != all ]; then
	echo '1..0 # SKIP the table of its answers is enough: TIERLENS_TESTS=all asks the oracle'
	exit 0
elif ! octave-cli -q --eval 'pkg load queueing' >/dev/null 2>&1; then
	echo '1..0 # SKIP no oracle: apt-get install octave-queueing'
	exit 0
fi
if [ -z "${SIM:-}" ]; then
	make -s -C "$top" -f selftests/model/model.mk model-programs build/model-test/test-mva >&2 || exit 1
	SIM=$top/build/model-test/sim-figures
fi

table=$(mktemp) || exit 1
trap 'rm -f "$table"' EXIT
octave-cli -q "$top/selftests/model/oracle-queueing.m" >"$table" || exit 1
ORACLE=$table "$(dirname "$SIM")/test-mva"
