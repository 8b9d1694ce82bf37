#!/bin/sh
# Run by the image when it makes the primary's data: the standby may follow it.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE standby WITH REPLICATION LOGIN PASSWORD :'password';
SQL
echo 'host replication standby all scram-sha-256' >>"$PGDATA/pg_hba.conf"
