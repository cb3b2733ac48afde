#!/bin/sh
# Makes the role and the schema of docs/fleet.md when the database is created.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --set password="$DAEMON_DATABASE_PASSWORD" -U "$POSTGRES_USER" -d trading <<'SQL'
revoke all on schema public from public;
create role trading_daemon login password :'password';
create schema trading authorization trading_daemon;
alter role trading_daemon in database trading set search_path = trading;
SQL
