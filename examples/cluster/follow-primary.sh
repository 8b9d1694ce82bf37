#!/bin/sh
# Copies the primary once, then replicates it under the name that its commits wait for.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until pg_basebackup -d "host=primary user=standby application_name=standby" -D "$PGDATA" -R -c fast; do
    echo 'waiting for the primary' >&2
    find "$PGDATA" -mindepth 1 -delete
    sleep 2
  done
  chmod 700 "$PGDATA"
  # After a promotion there is no standby to wait for.
  echo "synchronous_standby_names = ''" >>"$PGDATA/postgresql.auto.conf"
fi
exec postgres
