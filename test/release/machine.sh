#!/bin/sh
# Runs a script as root in a temporary copy of this machine with its own network namespace:
#   unshare --mount --net --pid --fork --kill-child test/release/machine.sh FOLDER SCRIPT FILE...
# The files are copied to the root directory of the copy.
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
# Without exec: when this first process of the namespace ends, all processes of the script end too.
chroot "$work/copy" sh /script.sh
