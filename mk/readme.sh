#!/bin/sh
# readme.sh: writes what the demo prints into docs/TOUR.md, its first failure into README.md, and a race and a deadlock into docs/MANUAL.md, between
# the comments that say so. A test compares them. With the arguments "finding ID" it reads a transcript of the demo and prints that finding.
set -eu
cd "$(dirname "$0")/.."

# finding ID: a finding, from its headline to the next one or the summary
finding() {
	awk -v id="$1" '
		is_in && (/^[0-9]+ schedules/ || (/^H[0-9]+ / && $1 != id)) { exit }
		$1 == id && /^H/ { is_in = 1 }
		is_in { print }'
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
	finding "$2"
	exit
fi
new=$(mktemp) printed=$(mktemp) block=$(mktemp)
trap 'rm -f "$new" "$printed" "$block"' EXIT
unset COLUMNS
sh mk/demo.sh >"$printed"
put demo docs/TOUR.md <"$printed"
finding H2 <"$printed" | put finding README.md
finding H1 <"$printed" | put race docs/MANUAL.md
finding H4 <"$printed" | put deadlock docs/MANUAL.md
