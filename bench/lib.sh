# lib.sh: what the benchmarks share. Source it from a script in bench/ that has set -euo pipefail; its first lines of comment
# are its help. It sets
#   top     the project              out    build/bench, where measurements are kept
#   bin     heddle and heddle-cc     work   after begin: a folder to write to, which is removed at the end
# and is_wanted looks at $only, the names that --only was given.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${HEDDLE_BIN:-$top/build/bin}
heddle=$bin/heddle
runtime=$bin/../lib/heddle/libheddle.so
out=$top/build/bench
only=
# A server that is running: it is ended with the script.
server=

# help: the comment at the head of the script, without its first line.
help() {
	sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p;}' "$0"
}

# usage: of the help, the commands and their options.
usage() {
	help | grep -E '^  (bench/|  )' >&2
	exit 2
}

# number_or_usage VALUE LEAST
number_or_usage() {
	if ! [[ $1 =~ ^[0-9]{1,9}$ ]] || [ "$1" -lt "$2" ]; then
		usage
	fi
}

is_wanted() {
	[ -z "$only" ] || [[ " $only " == *" $1 "* ]]
}

leave() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || :
	rm -rf "$work"
}

# begin COMMAND...: checks that what is built and the commands are there, makes $work, and compiles the timer.
begin() {
	local need
	for need in "$heddle" "$bin/heddle-cc" "$runtime"; do
		[ -e "$need" ] || { echo "bench: no \"$need\"; run make first" >&2; exit 3; }
	done
	for need in clang-19 "$@"; do
		command -v "$need" >/dev/null || { echo "bench: there is no $need here" >&2; exit 3; }
	done
	mkdir -p "$out"
	work=$(mktemp -d)
	trap leave EXIT
	trap 'exit 3' INT TERM HUP
	clang-19 -std=gnu11 -D_GNU_SOURCE -O2 "$top/bench/timer.c" -o "$work/timer"
}

# quantile PART: of the numbers on standard input, one a line; 0.5 is the median.
quantile() {
	sort -g | awk -v part="$1" '{ v[NR] = $1 } END { at = 1 + (NR - 1) * part; i = int(at); f = at - i
		printf "%.6f\n", v[i] + (f > 0 ? f * (v[i + 1] - v[i]) : 0) }'
}

divide() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a / b }'
}
