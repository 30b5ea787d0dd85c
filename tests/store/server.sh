# shellcheck shell=sh disable=SC2034
# server.sh: a PostgreSQL of its own for tests, sourced by them: started in a temporary
# directory on a Unix socket and TCP with TLS, stopped when the test ends.  Afterwards
#   $server_missing               why there is none; empty: it runs
#   $work, $server, $port, $tls   directories (the second is the server's own); on or off
#   $bin                          where its programs are
#   as_server COMMAND...          runs it as the server's user: it refuses to be root
# and IK_TEST_POSTGRES_ADMIN and IK_TEST_POSTGRES_CONTROL are exported: how to reach it, and the
# command that stops, crashes and starts it.

server_missing=
bin=
for directory in "$(pg_config --bindir 2>/dev/null)" /usr/lib/postgresql/*/bin /usr/bin /usr/local/bin; do
	if [ -n "$directory" ] && [ -x "$directory/initdb" ] && [ -x "$directory/postgres" ]; then
		bin=$directory
	fi
done
if [ -z "$bin" ]; then
	server_missing="there is no server here (Debian: postgresql)"
	return 0
fi

# The server refuses to be root's; a short place, because sockets have short names.
work=$(mktemp -d /tmp/ikigai-pg.XXXXXX) || exit 99
chmod 755 "$work"
user=
if [ "$(id -u)" -eq 0 ]; then
	for user in postgres nobody; do id "$user" >/dev/null 2>&1 && break; done
	mkdir "$work/server" && chown "$user" "$work/server"
else
	mkdir "$work/server"
fi
as_server() {
	if [ -n "$user" ]; then
		setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups env HOME="$work/server" "$@"
	else
		"$@"
	fi
}
server=$work/server
trap 'as_server "$bin/pg_ctl" -D "$server/data" -m immediate stop >/dev/null 2>&1
	[ ! -f "$server/pgbouncer.pid" ] || kill "$(cat "$server/pgbouncer.pid")" 2>/dev/null
	rm -rf "$work"' EXIT
trap 'exit 143' TERM INT HUP

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo secret >"$work/password" && chmod 644 "$work/password"
as_server "$bin/initdb" -D "$server/data" -U ikigai -E UTF8 --locale=C --pwfile="$work/password" \
	-N >"$work/log" 2>&1 || { sed 's/^/# /' "$work/log"; echo "Bail out! initdb"; exit 1; }
as_server openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost -keyout "$server/data/server.key" \
	-out "$server/data/server.crt" >>"$work/log" 2>&1 && tls=on || tls=off
cat >"$work/pg_hba.conf" <<END
local all all trust
hostssl all all 127.0.0.1/32 scram-sha-256
hostssl all all ::1/128 scram-sha-256
END
cat >"$work/options" <<END
unix_socket_directories = '$server'
listen_addresses = '127.0.0.1'
port = $port
hba_file = '$work/pg_hba.conf'
ssl = $tls
fsync = off
max_connections = 60
END
cat "$work/options" | as_server tee -a "$server/data/postgresql.conf" >/dev/null

# What stops and starts it, for the tests.
cat >"$work/control" <<END
#!/bin/sh
[ "\$(id -u)" -ne 0 ] || exec setpriv --reuid="$user" --regid="\$(id -g "${user:-root}")" --clear-groups "\$0" "\$@"
case \$1 in
start)
	"$bin/pg_ctl" -D "$server/data" -s status >/dev/null 2>&1 && exit 0
	exec "$bin/pg_ctl" -D "$server/data" -l "$server/log" -s -w start ;;
stop) exec "$bin/pg_ctl" -D "$server/data" -s -w -m fast stop ;;
immediate) exec "$bin/pg_ctl" -D "$server/data" -s -w -m immediate stop ;;
esac
END
chmod 755 "$work/control"
"$work/control" start >>"$work/log" 2>&1 || { sed 's/^/# /' "$work/log" "$server/log"; echo "Bail out! start"; exit 1; }
IK_TEST_POSTGRES_ADMIN="host=$server port=$port user=ikigai dbname=postgres"
IK_TEST_POSTGRES_CONTROL=$work/control
export IK_TEST_POSTGRES_ADMIN IK_TEST_POSTGRES_CONTROL
