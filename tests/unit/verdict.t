#!/bin/bash
# The verdicts on data races that follow from runs of both orders.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ok "compiled" gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -O1 -g -fsanitize=address,undefined tests/unit/verdict_test.c \
	src/model/verdict.c src/model/analyzer.c -o "$work/test"
"$work/test" >"$work/out"
is "it ends well" "$?" 0
is "each verdict is right" "$(grep -v '^ok\|^1\.\.' "$work/out")" ""
ok "there are some" test "$(grep -c '^ok' "$work/out")" -ge 20
done_testing
