#!/bin/bash
# docs/design/invariants.md: each numbered invariant of a file has a row, and what rows name is there. And what no check in the code can see.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
document=docs/design/invariants.md

# rows: file and number of each row; steps: files whose numbers count steps; numbered FOLDER...: those of the files
rows() { sed -n 's/^| `\([^`]*\)` | \([0-9]\) | .*/\1 \2/p' "$document" | sort; }
steps() { sed -n 's/^Numbers in these files count steps.*: //p' "$document" | grep -o '`[^`]*`' | tr -d '`'; }
numbered() { grep -rnoE --include='*.[ch]' '^ \*[[:space:]]+[1-9]\. ' "$@" | sed -E 's/:[0-9]+: \*[[:space:]]+([1-9])\. /  \1/; s/  / /' | sort -u; }
rows >"$work/rows"
numbered src include | grep -v -F -f <(steps | sed 's/$/ /') >"$work/numbered"
ok "the table has rows" test "$(wc -l <"$work/rows")" -gt 80
is "each invariant has a row" "$(comm -13 "$work/rows" "$work/numbered")" ""
is "each row has an invariant" "$(comm -23 "$work/rows" "$work/numbered")" ""
is "no row says nothing" "$(grep -c '^| `[^`]*` | [0-9] |  |  |$' "$document")" 0

# A row names functions that check and tests that assure; the file itself says which tests.
wrong=
while IFS='|' read -r _ file number checks tests _; do
	file=$(tr -d '` ' <<<"$file") number=$(tr -d ' ' <<<"$number")
	while read -r path function; do
		[ -z "$path" ] || grep -qE "^([a-z_].*[ *])?$function\(" "$path" || wrong="$wrong$file $number: no $function in $path; "
	done < <(tr ',' '\n' <<<"$checks" | tr -d '`')
	for test in $(tr -d '`,' <<<"$tests"); do
		[ -f "$test" ] || wrong="$wrong$file $number: no $test; "
		grep -q "Assured by .*$test" "$file" || wrong="$wrong$file does not name $test; "
	done
done < <(grep '^| `' "$document")
is "what rows name is there" "$wrong" ""
mkdir -p "$work/src"
printf '/*\n *  1. An invariant.\n */\n' >"$work/src/new.h"
is "an invariant without a row is seen" "$(cd "$work" && numbered src)" "src/new.h 1"

# rt/enter/entrance.h: the entrance names no mode.
is "the entrance tests for no mode" "$(grep -nE '\bmode_[a-z]+\b|"control"|"pass"|"operations"' src/rt/enter/*.[ch])" ""
done_testing
