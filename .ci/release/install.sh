#!/bin/sh
# Installs Multitude from a release: the executable, its manual page and its completions.
#
#   sh install.sh FROM [PREFIX]
#
# FROM is the folder or the https address with the files of the release. The default of PREFIX is
# /usr/local. A file that does not match its checksum is not installed.
set -eu

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

fetch() { # NAME; writes to the temporary folder
  case $from in
    https://* | http://127.0.0.1:* | http://localhost:*)
      if command -v curl >/dev/null; then
        curl -fsSL -o "$work/$1" "$from/$1" || fail "cannot download $from/$1"
      elif command -v wget >/dev/null; then
        wget -q -O "$work/$1" "$from/$1" || fail "cannot download $from/$1"
      else
        fail "curl or wget is required"
      fi
      ;;
    *://*) fail "$from: must be an https address or a folder" ;;
    *) cp "$from/$1" "$work/$1" || fail "cannot copy $from/$1" ;;
  esac
}

sum() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1" | cut -d ' ' -f 1
  else
    shasum -a 256 "$1" | cut -d ' ' -f 1
  fi
}

machine() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "there is no release for $(uname -s)" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no release for $(uname -m)" ;;
  esac
  # The ldd of musl prints its name. The loader of musl may be installed beside another libc.
  if [ "$os" = linux ] && ldd --version 2>&1 | grep -qi musl; then
    arch=$arch-musl
  fi
  echo "$os-$arch"
}

[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: sh install.sh FROM [PREFIX]"
from=${1%/}
prefix=${2:-/usr/local}
target=$(machine)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch SHA256SUMS
line=$(grep -E "^[0-9a-f]{64}  multitude-[^/ ]+-$target\.tar\.gz$" "$work/SHA256SUMS" || true)
[ -n "$line" ] || fail "the release has no archive for $target"
[ "$(echo "$line" | wc -l)" -eq 1 ] || fail "SHA256SUMS names more than one archive for $target"
wanted=${line%% *}
archive=${line##* }

fetch "$archive"
[ "$(sum "$work/$archive")" = "$wanted" ] ||
  fail "$archive does not match its checksum: nothing was installed"

tar -xzf "$work/$archive" -C "$work"
files=$work/${archive%.tar.gz}
# The executable for musl loads libstdc++, which Alpine Linux does not install by default.
case $target in
  *-musl)
    if ldd "$files/multitude" 2>&1 | grep -q 'Error loading shared library libstdc++'; then
      fail 'libstdc++ is missing, run "apk add libstdc++" first: nothing was installed'
    fi
    ;;
esac
put() { # MODE FROM TO
  mkdir -p "$(dirname "$3")" || fail "$(dirname "$3") cannot be created: try with sudo"
  # Write to another name and rename, because the installed executable may be running.
  cp "$2" "$3.new" || fail "$3 cannot be written: try with sudo"
  chmod "$1" "$3.new"
  mv "$3.new" "$3"
}
put 755 "$files/multitude" "$prefix/bin/multitude"
put 644 "$files/multitude.1" "$prefix/share/man/man1/multitude.1"
put 644 "$files/completions/multitude.bash" "$prefix/share/bash-completion/completions/multitude"
put 644 "$files/completions/_multitude" "$prefix/share/zsh/site-functions/_multitude"
put 644 "$files/completions/multitude.fish" "$prefix/share/fish/vendor_completions.d/multitude.fish"

"$prefix/bin/multitude" version
echo "Installed $prefix/bin/multitude. Start the server with: multitude serve"
