# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the tests of the models' commands share. TIERLENS and SIM name the programs (make
# model-programs); what nobody names is built.

here=$(dirname "${BASH_SOURCE[0]}")
programs=$here/../../build/model-test
if [[ -z ${TIERLENS:-} || -z ${SIM:-} ]]; then
	make -s -C "$here/../.." -f selftests/model/model.mk model-programs >&2 || exit 1
fi
TIERLENS=${TIERLENS:-$programs/tierlens}
# shellcheck disable=SC2034  # for the tests
sim=$(realpath "${SIM:-$programs/sim-figures}")
TIERLENS_FAKE=$TIERLENS # nothing here needs a kernel
# shellcheck source=selftests/unit/user-cli.sh
. "$here/../unit/user-cli.sh"
