#!/bin/bash
# The reasons why data races are harmless that follow from accesses to their memory.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ok "compiled" gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Wno-override-init -Werror -g -fsanitize=address,undefined tests/unit/reason_test.c \
	src/model/reason.c src/model/verdict.c -o "$work/test"
"$work/test" >"$work/out"
is "it ends well" "$?" 0
is "each reason is right" "$(grep -v '^ok\|^1\.\.' "$work/out")" ""
ok "there are some" test "$(grep -c '^ok' "$work/out")" -ge 40
done_testing
