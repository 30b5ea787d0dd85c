# lib.sh: what the tests without a screen have in common; read by their sh steps.
#
#   gives STATUS ARGS...   run ikigai; its output goes to $HOME/out and $HOME/err,
#                          its input comes from the file $input (/dev/null)
#   has FILE TEXT          out or err holds TEXT; lacks: does not
#   is FILE TEXT           out or err is TEXT and a line feed
#   check EXPRESSION       a Python expression holds: text and err are what was
#                          printed, lines the JSON of each line, of(TYPE) those
#                          of a type, requests the bodies that the server got

# shellcheck shell=sh
gives() {
	want=$1
	shift
	got=0
	"$BUILD/ikigai" "$@" <"${input:-/dev/null}" >"$HOME/out" 2>"$HOME/err" || got=$?
	[ "$got" -eq "$want" ] && return
	echo "status $got instead of $want"
	head -c 3000 "$HOME/out" "$HOME/err"
	return 1
}

has() {
	grep -qF -- "$2" "$HOME/$1" && return
	head -c 3000 "$HOME/$1"
	return 1
}

lacks() {
	grep -qF -- "$2" "$HOME/$1" || return 0
	head -c 3000 "$HOME/$1"
	return 1
}

is() {
	printf '%s\n' "$2" | cmp - "$HOME/$1" && return
	head -c 3000 "$HOME/$1"
	return 1
}

check() {
	python3 - "$1" "$HOME/out" "$HOME/err" "${REQUESTS:-/dev/null}" <<-'PYTHON'
	import json, os, re, sys
	expression, out, err, record = sys.argv[1:]
	read = lambda path: open(path, encoding="utf-8").read() if os.path.exists(path) else ""
	text, err = read(out), read(err)
	def parse(line):
	    try:
	        return json.loads(line)
	    except ValueError:
	        return None
	lines = [parse(line) for line in text.split("\n") if line]
	of = lambda kind: [line for line in lines if line and line.get("type") == kind]
	requests = [json.loads(line["body"]) for line in map(json.loads, read(record).splitlines())
	            if line.get("body")]
	if not eval(expression, globals()):
	    sys.exit("does not hold: " + expression + "\nprinted: " + text[-3000:] + "\nerrors: " + err[-1000:])
	PYTHON
}
