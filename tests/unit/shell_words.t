#!/bin/bash
# Lines of arguments are split into words as a shell does, and nothing is expanded.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/words" tests/unit/shell_words_test.c || {
	done_testing
	exit
}
cd "$work" || exit 1

# Both split it in the same way.
shell() {
	eval "set -- $1"
	[ $# -eq 0 ] || printf '[%s]' "$@"
	echo
}
for line in 'a b' '  a	b  ' '' "'a b' c" '"a b"c' "a'b c'd" "''" '""' 'a\ b' '\\' '"\"x\\"' "'\\'" '"a\b"' "\"it's\"" "'\"'" "a\"\"b ''" '-x=1 --long "two words"'; do
	is "as a shell: $line" "$(./words "$line")" "$(shell "$line")"
done
is "nothing is expanded" "$(./words '$HOME *' '`ls` $(ls) ~' 'a;b|c&d >e #f')" '[$HOME][*]
[`ls`][$(ls)][~]
[a;b|c&d][>e][#f]'
is "the end of a line of DOS" "$(./words $'a b\r')" "[a][b]"
for line in "it's" '"a' 'a\' '"a\' "'a\\" 'a "b'; do
	is "not closed: $line" "$(./words "$line")" "not closed"
done
done_testing
