#!/bin/bash
# Progress of a test: a line now and then in a log, the same line again and again on a terminal.
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

ok "compiled" gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -Wno-format-truncation -O1 -g -fsanitize=address,undefined \
	tests/unit/progress_test.c src/narrate/progress.c src/narrate/layout.c src/base/text.c src/base/mem.c src/base/err.c \
	-o "$work/progress" || {
	done_testing
	exit
}
cd "$work" || exit 1
unset COLUMNS

is "a log: a line a minute" "$(./progress 1 30 61.5 100 122 2>&1)" \
"heddle: 300 of 1000 schedules, 4.9 per second; 2 findings; new behaviour in 2 of the last 3
heddle: reducing H1: 12 runs; 2 findings"
is "a log: nothing in a short test" "$(./progress 1 2 3 2>&1)" ""
if command -v script >/dev/null; then
	got=$(COLUMNS=200 script -qec './progress 1 1.1 1.3' /dev/null </dev/null | tr '\r' '\n' | cat -v)
	is "a terminal: five times a second, and nothing is left" "$got" \
"100 of 1000 schedules, 100.0 per second; 1 finding; new behaviour in 1 of the last 1
^[[K300 of 1000 schedules, 230.8 per second; 2 findings; new behaviour in 2 of the last 3
^[[K"
	got=$(COLUMNS=60 script -qec './progress 1' /dev/null </dev/null | tr '\r' '\n' | head -n 1)
	is "a narrow terminal: it is cut, so that it can be taken back" "$got" \
		"100 of 1000 schedules, 100.0 per second; 1 finding; new b.."
else
	skip "a terminal" "there is no script"
fi
done_testing
