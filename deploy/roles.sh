#!/bin/sh
# Run once by the database's container on an empty volume: the role that the program serves as. The migrator grants it what it needs.
set -eu
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set=password="$COMMONPLACE_APP_PASSWORD" <<'SQL'
create role commonplace_app login password :'password';
SQL
