#!/bin/sh
# Installs, upgrades, removes and purges the package; run by machine.sh, with /old.deb and /new.deb.
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /
say() { echo "--- $*"; }
serve() {
  # Not with runuser, which would stay as the parent process and get the signal instead.
  setpriv --reuid=multitude --regid=multitude --init-groups multitude serve --port 18765 --log-format json >/served 2>&1 &
  server=$!
  for _ in $(seq 300); do
    runuser -u multitude -- multitude health --port 18765 >/dev/null 2>&1 && return
    sleep 0.2
  done
  cat /served
  exit 1
}
end() { kill -TERM $server; wait $server; }
systems() { runuser -u multitude -- multitude system list --json | grep -o '"name":"[^"]*"'; }
packages() { dpkg-query -W -f '${Version} ${Status}\n' multitude; }

rm -f /etc/multitude.env /usr/bin/multitude
rm -rf /var/lib/multitude
say install
dpkg -i /old.deb >/dev/null
packages
getent passwd multitude | cut -d : -f 1,6,7
stat -c '%a %U %G %n' /etc/multitude.env /var/lib/multitude
serve
grep -o 'sudo .*' /served
runuser -u multitude -- multitude system create --name Lantern --json >/dev/null
end
test -e /lib/systemd/system/multitude.service
man -w multitude >/dev/null

say upgrade
echo 'LOG_LEVEL=debug' >>/etc/multitude.env
chmod 600 /etc/multitude.env
chown multitude /etc/multitude.env
dpkg -i /new.deb >/dev/null
packages
stat -c '%a %U %n' /etc/multitude.env
grep -c LOG_LEVEL=debug /etc/multitude.env
serve
end
systems
runuser -u multitude -- multitude doctor

say remove
dpkg -r multitude >/dev/null
test ! -e /usr/bin/multitude
test -e /etc/multitude.env
stat -c '%n' /var/lib/multitude/multitude.db

say again
dpkg -i /new.deb >/dev/null
systems

say purge
dpkg -P multitude 2>&1 | grep kept
test ! -e /etc/multitude.env
stat -c '%n' /var/lib/multitude/multitude.db
