#!/bin/sh
# readme.sh: writes what the demo prints into README.md, between the two comments that say so. A test compares them.
set -eu
cd "$(dirname "$0")/.."
new=$(mktemp) printed=$(mktemp)
trap 'rm -f "$new" "$printed"' EXIT
unset COLUMNS
sh mk/demo.sh >"$printed"
awk -v printed="$printed" '
	/^<!-- end of the demo/ { is_in = 0 }
	!is_in { print }
	/^<!-- the demo/ {
		is_in = 1
		print ""
		while ((getline line <printed) > 0)
			if (line != "" || is_begun) {
				is_begun = 1
				print (line == "" ? "" : "    " line)
			}
		print ""
	}' README.md >"$new"
cat "$new" >README.md
