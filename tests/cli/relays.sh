# relays.sh: what stands between the program and its server; read by sh steps.
#
#   relay ARGS...   start tests/net/relay; its port goes to $port, the file of its
#                   output to $log; it ends with the shell
#   serve SCENARIO  the same with a loopback server on that text; its address goes to
#                   $SERVER, the file of what it was asked to $REQUESTS

# shellcheck shell=sh
relays=0
begin_relay() { # COMMAND...
	relays=$((relays + 1))
	log=$HOME/relay.$relays
	"$@" >"$log" &
	until [ -s "$log" ]; do
		kill -0 $! || return 1
		sleep 0.02
	done
	read -r port <"$log"
}
relay() { begin_relay "$BUILD/tests/net/relay" "$@"; }
serve() {
	printf '%s\n' "$1" >"$HOME/scenario"
	REQUESTS=$HOME/requests.$relays
	: >"$REQUESTS"
	begin_relay "$BUILD/tests/net/loopback_server" -d -r "$REQUESTS" "$HOME/scenario" || return 1
	SERVER=http://127.0.0.1:$port
}
