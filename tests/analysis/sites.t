#!/bin/bash
# The analysis knows accesses by the numbers that the weave gave their sites: for many programs, at several levels of
# optimisation, both must list the same accesses at the same places in the same order, function by function.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/cc.sh
analyse=$build/lib/heddle/heddle-analyse

# analysed PROGRAM: function, number, file:line:column, size and variable of each access, as the analysis has them
analysed() {
	"$analyse" --dump "$1" | awk '
		/^function / { name = substr($0, 10) }
		/^\t[^\t]/ { place = ":0:0"; if (match($0, /  ; .*$/)) place = substr($0, RSTART + 4) }
		# What frees a block is a call, and has no site.
		/^\t\tsite 4294967295 / { next }
		/^\t\tsite / { variable = ""; for (i = 7; i <= NF; i++) variable = variable (i > 7 ? " " : "") $i
			print name, $2, place, variable, "size", $6 }'
}

# woven PROGRAM: the same from its tables
woven() {
	"$heddle" sites --json "$1" | jq -r '.functions as $f | .sites[] |
		"\($f[.function_id].linkage_name) \(.id - $f[.function_id].first_site) \(.file // ""):\(.line):\(.column) \(.variable // "") size \(.size // 0)"'
}

# plain PROGRAM: functions without a clone, which have no sites
plain() {
	"$heddle" sites --json "$1" | jq -r '.functions[] | select(.plain != null) | .linkage_name'
}

compare() {
	woven "$2" | LC_ALL=C sort >woven
	plain "$2" >plain
	# Of a function that several units have, and of those without clones, the tables know nothing.
	analysed "$2" | awk 'BEGIN { while ((getline line <"plain") > 0) skip[line] = 1 } !($1 in skip)' | LC_ALL=C sort >analysed
	if [ ! -s analysed ] && [ -s woven ]; then
		fail "$1: nothing was analysed"
		return
	fi
	# What the linker dropped is in the units, but not in the tables.
	awk '{ print $1 }' woven | sort -u >names
	awk 'BEGIN { while ((getline line <"names") > 0) keep[line] = 1 } $1 in keep' analysed >kept
	if cmp -s woven kept; then
		pass "$1: $(wc -l <woven) sites"
	else
		fail "$1: sites differ"
		diag "$(diff woven kept | head -n 10)"
	fi
}

for source in "$root"/bugs/*.c "$root"/bugs/*.cc "$root"/tests/detect/*.c "$root"/tests/detect/*.cc \
	"$root"/tests/cases/memory.c "$root"/tests/cases/varargs.c "$root"/tests/cases/atomics.c \
	"$root"/tests/cases/vectors.c "$root"/tests/cases/intrinsics.c "$root"/tests/cases/tls.c; do
	name=$(basename "$source")
	compiler=$cc
	[ "${source%.cc}" = "$source" ] || compiler=$cxx
	level=$((${#name} % 3))
	options=$(sed -n 's/^ \* options: *//p' "$source")
	"$compiler" -O$level -g -pthread $options "$source" -o program -lm -latomic 2>err || {
		# What needs more than one unit is built elsewhere.
		grep -q 'undefined\|cannot find\|error' err && continue
	}
	compare "$name -O$level" program
done
done_testing
