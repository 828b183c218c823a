#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: manual timeout=60
# The harness itself: what a test may count on.
# shellcheck source=selftests/vm/lib.sh
. /job/lib.sh

plan 6
is "$(id -u)" 0 'runs as root'
is "$(cat /sys/class/net/lo/operstate)" unknown 'the loopback is up'
check 'modules of the kernel can be loaded' modprobe veth
check 'debugfs is there' test -d /sys/kernel/debug/tracing
check 'cgroup2 is there' test -f /sys/fs/cgroup/cgroup.procs
diag "up for $(cut -d' ' -f1 /proc/uptime) s"
dd if=/dev/urandom of=/out/harness.bin bs=1M count=3 2>/dev/null
sha256sum </out/harness.bin >/out/harness.sum
check 'something can be left for the host' test -s /out/harness.sum
done_testing
