#!/bin/sh
# Creates the role and the schema of docs/fleet.md with the database.
# docker-compose.fleet.yml mounts this file too; it is here because kustomize reads no file above its own folder.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --set password="$DAEMON_DATABASE_PASSWORD" -U "$POSTGRES_USER" -d trading <<'SQL'
revoke all on schema public from public;
create role trading_daemon login password :'password';
create schema trading authorization trading_daemon;
alter role trading_daemon in database trading set search_path = trading;
SQL
