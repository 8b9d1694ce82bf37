#!/bin/sh
# Replaces systemctl in a chroot, where systemd cannot run: starts and stops the server as its unit
# file declares, and checks the configurations that other services reload.
set -eu

unit=/etc/systemd/system/multitude.service
[ -e "$unit" ] || unit=/lib/systemd/system/multitude.service
value() { sed -n "s/^$1=//p" "$unit"; }

stop() {
  [ -e /run/multitude.pid ] || return 0
  pid=$(cat /run/multitude.pid)
  kill -TERM "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  rm /run/multitude.pid
}

start() {
  user=$(value User)
  install -d -m 700 -o "$user" -g "$user" /var/lib/multitude
  cd /var/lib/multitude
  # shellcheck disable=SC2046 # the words of the command
  setpriv --reuid="$user" --regid="$user" --init-groups $(value ExecStart) >>/served 2>&1 &
  echo $! >/run/multitude.pid
  for _ in $(seq 300); do
    setpriv --reuid="$user" --regid="$user" --init-groups multitude health >/dev/null 2>&1 && return
    sleep 0.2
  done
  cat /served
  exit 1
}

case "$*" in
  daemon-reload) ;;
  'start multitude' | 'enable --now multitude') start ;;
  'stop multitude') stop ;;
  'restart multitude') stop && start ;;
  'reload caddy') caddy validate --config /etc/caddy/Caddyfile >/dev/null 2>&1 ;;
  'reload prometheus') promtool check config /etc/prometheus/prometheus.yml ;;
  *) echo "systemctl.sh does not know $*" >&2 && exit 64 ;;
esac
