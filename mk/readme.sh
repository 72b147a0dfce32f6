#!/bin/sh
# readme.sh: writes what the demo prints into docs/TOUR.md, and its first failure into README.md, between the comments that say so. A test
# compares them. With the argument "finding" it reads a transcript of the demo and prints that failure.
set -eu
cd "$(dirname "$0")/.."

# The failure, from its headline to what to try.
finding() {
	awk '/^H2 / && !is_over { is_in = 1 } is_in && /^[0-9]+ schedules/ { is_in = 0; is_over = 1 } is_in { print }'
}

# put NAME FILE: replaces what is between the two comments of NAME in FILE by the standard input, as a block of code
put() {
	sed 's/^\(..*\)/    \1/' | cat -s >"$block"
	awk -v name="$1" -v block="$block" '
		index($0, "<!-- end of the " name) == 1 { is_in = 0 }
		!is_in { print }
		$0 ~ "^<!-- (the|one) " name ":" {
			is_in = 1
			print ""
			while ((getline line <block) > 0)
				if (line != "" || is_begun) {
					is_begun = 1
					print line
				}
			if (line != "")
				print ""
		}' "$2" >"$new"
	cat "$new" >"$2"
}

if [ "${1:-}" = finding ]; then
	finding
	exit
fi
new=$(mktemp) printed=$(mktemp) block=$(mktemp)
trap 'rm -f "$new" "$printed" "$block"' EXIT
unset COLUMNS
sh mk/demo.sh >"$printed"
put demo docs/TOUR.md <"$printed"
finding <"$printed" | put finding README.md
