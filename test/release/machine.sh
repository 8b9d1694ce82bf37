#!/bin/sh
# Runs a script in a copy of this machine that is gone afterwards, with a network of its own, as root:
#   unshare --mount --net --pid --fork --kill-child test/release/machine.sh FOLDER SCRIPT FILE...
# The files are in the root folder there.
set -eu

work=$1 script=$2
shift 2
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/own" "$work/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/own" "$work/root"
mount -t proc proc "$work/root/proc"
mount --bind /dev "$work/root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$work/root/dev/shm"
mount -t devpts devpts "$work/root/dev/pts"
ip link set lo up
cp -r "$@" "$work/root/"
cp "$script" "$work/root/script.sh"
# Not replaced by the script: when this first process ends, so do all that the script has started.
chroot "$work/root" sh /script.sh
