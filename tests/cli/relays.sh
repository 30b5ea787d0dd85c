# relays.sh: what stands between the program and its server; read by sh steps.
#
#   relay ARGS...   start tests/net/relay; its port goes to $port, the file of its
#                   output to $log; it ends with the shell

# shellcheck shell=sh
relays=0
relay() {
	relays=$((relays + 1))
	log=$HOME/relay.$relays
	"$BUILD/tests/net/relay" "$@" >"$log" &
	until [ -s "$log" ]; do
		kill -0 $! || return 1
		sleep 0.02
	done
	read -r port <"$log"
}
