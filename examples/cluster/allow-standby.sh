#!/bin/sh
# Run by the image when it initializes the primary: allows the standby to replicate, and makes every
# commit wait for the standby from the next start on. Not before, or the initialization would wait
# for a standby that does not exist yet. While the standby is down no write succeeds; to continue
# without it, set synchronous_standby_names to '' and reload.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE standby WITH REPLICATION LOGIN PASSWORD :'password';
ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)';
SQL
echo 'host replication standby all scram-sha-256' >>"$PGDATA/pg_hba.conf"
