#!/bin/bash
# Which findings have one cause, from their facts.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ok "compiled" gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -O1 -g -fsanitize=address,undefined tests/unit/group_test.c \
	src/model/group.c src/model/kinds.c -o "$work/test"
"$work/test" >"$work/out"
is "it ends well" "$?" 0
is "each group is right" "$(grep -v '^ok\|^1\.\.' "$work/out")" ""
ok "there are some" test "$(grep -c '^ok' "$work/out")" -ge 25
done_testing
