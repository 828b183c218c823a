#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: brief=6.1 timeout=400
#
# Where requests begin and end, on every kernel. A busy emulator may stand between a server
# that looks at its clock and the module that does: it must not take for that what a wrong
# boundary makes of a time, which is 100 ms and more.
. /job/boundaries.sh 60000000
