#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=90
#
# Comes last on a debug kernel: what has been allocated and is referred to by nobody?
# It takes two scans with some seconds between, since fresh objects are not reported.
# shellcheck source=selftests/vm/lib.sh
. /job/lib.sh

leaks=/sys/kernel/debug/kmemleak
[ -w $leaks ] || skip_all 'this kernel cannot look for leaks'

plan 1
echo scan >$leaks
sleep 6
echo scan >$leaks
cat $leaks >/out/kmemleak
is "$(grep -c '^unreferenced' /out/kmemleak)" 0 'no leaks since the machine started'
[ ! -s /out/kmemleak ] || diag "$(head -n 100 /out/kmemleak)"
done_testing
