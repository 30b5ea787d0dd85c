# shellcheck shell=sh disable=SC2034
# server.sh: a PostgreSQL of its own for tests, sourced by them: started in a temporary
# directory on a Unix socket and TCP with TLS, stopped when the test ends.  Afterwards
#   $server_missing               why there is none; empty: it runs
#   $work, $server, $port, $tls   directories (the second is the server's own); on or off
#   $bin                          where its programs are
#   $server_connections          how many it takes, if it is set before: else 60
#   as_server COMMAND...          runs it as the server's user: it refuses to be root
# and these are exported, each beginning with IK_TEST_POSTGRES_: ADMIN, how to reach it; SOCKETS
# and PORT, parts of that; BIN, as above; CONTROL, the command that stops, crashes and starts it and a standby;
# DISK, a directory with little room, where root can make one.

server_missing=
bin=
for directory in "$(pg_config --bindir 2>/dev/null)" /usr/lib/postgresql/*/bin /usr/bin /usr/local/bin; do
	if [ -n "$directory" ] && [ -x "$directory/initdb" ] && [ -x "$directory/postgres" ]; then
		bin=$(dirname "$(readlink -f "$directory/postgres")") # the others are beside it
		break
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
disk=
trap '[ ! -x "$work/control" ] || "$work/control" thaw
	as_server "$bin/pg_ctl" -D "$server/data" -m immediate stop >/dev/null 2>&1
	as_server "$bin/pg_ctl" -D "$server/standby/data" -m immediate stop >/dev/null 2>&1
	[ -z "$disk" ] || umount "$disk"
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
[ "$tls" = on ] && host=hostssl || host=host
cat >"$work/pg_hba.conf" <<END
local all,replication all trust
$host all all 127.0.0.1/32 scram-sha-256
$host all all ::1/128 scram-sha-256
END
cat >"$work/options" <<END
unix_socket_directories = '$server'
listen_addresses = '127.0.0.1'
port = $port
hba_file = '$work/pg_hba.conf'
ssl = $tls
fsync = off
max_connections = ${server_connections:-60}
END
cat "$work/options" | as_server tee -a "$server/data/postgresql.conf" >/dev/null

# A disk that is full soon, where there may be one.
mkdir "$work/disk"
if [ -n "$user" ] && mount -t tmpfs -o "size=1m,mode=0700,uid=$user" none "$work/disk" 2>/dev/null; then
	disk=$work/disk
	export IK_TEST_POSTGRES_DISK="$disk"
fi

cat >"$work/pgbouncer.ini" <<END
[databases]
* = host=$server port=$port user=ikigai
[pgbouncer]
listen_port = 6432
unix_socket_dir = $server
unix_socket_mode = 0777
auth_type = any
pool_mode = transaction
server_login_retry = 1
max_client_conn = 1000
logfile = $server/pgbouncer.log
pidfile = $server/pgbouncer.pid
END

# What stops and starts it, for the tests.
cat >"$work/control" <<END
#!/bin/sh
[ "\$1" != grow ] || exec mount -o remount,size=64m "$disk"
[ "\$(id -u)" -ne 0 ] || exec setpriv --reuid="$user" --regid="\$(id -g "${user:-root}")" --clear-groups "\$0" "\$@"
# Its processes, the first of them first.
first=\$(head -n 1 "$server/data/postmaster.pid" 2>/dev/null)
all() {
	echo "\$first"
	grep -lsE "^PPid:[[:space:]]*\$first\$" /proc/[0-9]*/status | sed 's,[^0-9],,g'
}
case \$1 in
freeze) exec kill -STOP \$(all) ;;
thaw) [ -z "\$first" ] || exec kill -CONT \$(all) ;;
start)
	"\$0" thaw 2>/dev/null
	if [ -d "$server/standby" ]; then
		"$bin/pg_ctl" -D "$server/standby/data" -s -w -m immediate stop
		rm -rf "$server/standby"
	fi
	"$bin/pg_ctl" -D "$server/data" -s status >/dev/null 2>&1 && exit 0
	exec "$bin/pg_ctl" -D "$server/data" -l "$server/log" -s -w start ;;
stop) exec "$bin/pg_ctl" -D "$server/data" -s -w -m fast stop ;;
standby)
	mkdir "$server/standby"
	"$bin/pg_basebackup" -h "$server" -p "$port" -U ikigai -D "$server/standby/data" -R -N -c fast || exit
	exec "$bin/pg_ctl" -D "$server/standby/data" -l "$server/standby/log" -s -w start \\
		-o "-c unix_socket_directories='$server/standby' -c listen_addresses=''" ;;
promote) exec "$bin/pg_ctl" -D "$server/standby/data" -s -w promote ;;
pgbouncer)
	"$(command -v pgbouncer)" -d -q "$work/pgbouncer.ini" || exit
	tries=600 # it goes into the background before it listens
	while [ ! -S "$server/.s.PGSQL.6432" ] && [ "\$tries" -gt 0 ]; do
		sleep 0.1
		tries=\$((tries - 1))
	done ;;
immediate) exec "$bin/pg_ctl" -D "$server/data" -s -w -m immediate stop ;;
esac
END
chmod 755 "$work/control"
"$work/control" start >>"$work/log" 2>&1 || { sed 's/^/# /' "$work/log" "$server/log"; echo "Bail out! start"; exit 1; }
IK_TEST_POSTGRES_ADMIN="host=$server port=$port user=ikigai dbname=postgres"
IK_TEST_POSTGRES_CONTROL=$work/control
IK_TEST_POSTGRES_SOCKETS=$server
IK_TEST_POSTGRES_PORT=$port
IK_TEST_POSTGRES_BIN=$bin
export IK_TEST_POSTGRES_BIN IK_TEST_POSTGRES_ADMIN IK_TEST_POSTGRES_CONTROL IK_TEST_POSTGRES_SOCKETS IK_TEST_POSTGRES_PORT
