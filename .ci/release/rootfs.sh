#!/bin/sh
# Creates the root folder of the container: the executable, the libraries that it loads, a user and
# a folder for the data. It contains nothing else, not even a shell.
#
#   .ci/release/rootfs.sh EXECUTABLE ROOT
set -eu

executable=$1
root=$2
id=10001

mkdir -p "$root/usr/bin" "$root/etc" "$root/var/lib/multitude" "$root/tmp" "$root/proc"
cp "$executable" "$root/usr/bin/multitude"
chmod 755 "$root/usr/bin/multitude"

# Copy the libraries under the paths that the loader uses; follow links.
ldd "$executable" | grep -o '/[^ ]*' | sort -u | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done

echo "multitude:x:$id:$id::/var/lib/multitude:/nonexistent" >"$root/etc/passwd"
echo "multitude:x:$id:" >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
chmod 1777 "$root/tmp"
chown "$id:$id" "$root/var/lib/multitude"
chmod 700 "$root/var/lib/multitude"
