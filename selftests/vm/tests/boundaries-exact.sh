#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=600 machine=virtual
#
# Where requests begin and end, with times that are those of the programs.
. /job/boundaries.sh 100000
