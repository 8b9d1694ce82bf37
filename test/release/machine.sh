#!/bin/sh
# Runs a script in a copy of this machine that is gone afterwards, with a network of its own, as root:
#   unshare --mount --net --pid --fork --kill-child test/release/machine.sh FOLDER SCRIPT FILE...
# The files are in the root folder there.
set -eu

work=$1 script=$2
shift 2
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/own" "$work/copy"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/own" "$work/copy"
mount -t proc proc "$work/copy/proc"
mount --bind /dev "$work/copy/dev"
mount -t tmpfs -o mode=1777 tmpfs "$work/copy/dev/shm"
mount -t devpts devpts "$work/copy/dev/pts"
ip link set lo up
cp -r "$@" "$work/copy/"
cp "$script" "$work/copy/script.sh"
# Not replaced by the script: when this first process ends, so do all that the script has started.
chroot "$work/copy" sh /script.sh
