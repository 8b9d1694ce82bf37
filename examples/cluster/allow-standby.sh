#!/bin/sh
# Run by the image when it makes the primary's data: the standby may follow it, and from the next
# start on every commit is on the standby before it is answered. Not sooner, or what makes the
# database would wait for a standby that cannot be there yet. Without a standby nothing is written
# then: set it to '' and reload, to go on with one.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE standby WITH REPLICATION LOGIN PASSWORD :'password';
ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)';
SQL
echo 'host replication standby all scram-sha-256' >>"$PGDATA/pg_hba.conf"
