#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The packages on a Debian that is booted: its own kernel and systemd, in a virtual machine. The service begins in its
# sandbox, sees what it is to see, is reloaded, killed and stopped; then the packages are purged. Some minutes, root, and
# Debian's packages by network. Prints TAP.
set -uo pipefail

# shellcheck source=selftests/deb/root.sh
. "$(dirname "$0")/root.sh"
seconds=900

make_packages
begin=$SECONDS
make_root systemd-sysv,udev,kmod,nginx-light,curl,jq,linux-image-amd64,linux-headers-amd64,dkms,openssl >"$dir/root.out" 2>&1
point $? 'a root of Debian, with a kernel' "$dir/root.out"
took 'root' $begin
[ "$failed" = 0 ] || finish
begin=$SECONDS
install_packages
took 'install, with the module' $begin
[ "$failed" = 0 ] || finish

# What is run in there, once it is up: it ends the machine.
install -m 755 "$top/selftests/deb/boot-inside.sh" "$root/usr/local/sbin/boot-inside"
cat >"$root/etc/systemd/system/boot-inside.service" <<-'END'
[Unit]
After=multi-user.target nginx.service

[Service]
Type=oneshot
ExecStart=/usr/local/sbin/boot-inside
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=file:/dev/ttyS1
StandardError=journal+console

[Install]
WantedBy=multi-user.target
END
inside systemctl -q enable boot-inside.service
unmount
cp "$root"/boot/vmlinuz-* "$dir/vmlinuz"
cp "$root"/boot/initrd.img-* "$dir/initrd"
truncate -s 4G "$dir/disk"
mke2fs -q -t ext4 -d "$root" "$dir/disk" >"$dir/mke2fs.out" 2>&1
point $? 'its disk' "$dir/mke2fs.out"
[ "$failed" = 0 ] || finish
begin=$SECONDS
timeout $seconds qemu-system-x86_64 -M q35 -m 2048 -smp 2 -cpu max,la57=off,erms=off -accel tcg,thread=single -nic none -display none -no-reboot \
	-nodefaults -kernel "$dir/vmlinuz" -initrd "$dir/initrd" -append 'root=/dev/vda rw console=ttyS0 quiet no_timer_check tsc=reliable' \
	-drive "if=virtio,format=raw,file=$dir/disk" -serial "file:$dir/console" -serial "file:$dir/said"
point $? 'it has come to its end' "$dir/console"
took 'booted' $begin
while IFS= read -r line; do
	line=${line%$'\r'}
	case $line in
	'ok '*)	point 0 "${line#ok }" ;;
	'not ok '*) point 1 "${line#not ok }" ;;
	*)	echo "# $line" ;;
	esac
done <"$dir/said"
grep -qx "ok all was tried"$'\r*' "$dir/said"
point $? 'all was tried' "$dir/console"
finish
