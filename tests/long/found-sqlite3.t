#!/bin/bash
# A bug of SQLite's that heddle test shows: docs/FOUND.md. First the race, with everything woven; then, with the functions
# of the race alone, the row that is lost.
cd "$(dirname "$0")/../.." || exit 1
. tests/real/lib.sh sqlite3
. tests/real/control.sh

version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "${HEDDLE_REAL:-build/real}/src/sqlite3/debian/changelog")
[ "$version" = "3.40.1-2+deb12u2" ] || skip_all "the bug was shown in 3.40.1-2+deb12u2; this is $version"

reset=$woven/sqlreset
if [ ! "$reset" -nt "$woven/sqlite3.o" ] || [ ! "$reset" -nt tests/real/sqlreset.c ]; then
	ok "the program links with the woven object" "${HEDDLE_CC:-$bin/heddle-cc}" -O2 -g -I"$woven" tests/real/sqlreset.c \
		"$woven/sqlite3.o" -lpthread -ldl -lm -lz -o "$work/sqlreset"
	mv "$work/sqlreset" "$reset"
fi
cd "$work" || exit 1
is "without control: all rows are there" "$("$reset" plain.db)" "4 rows
ok"

bounded 300 "$bin/heddle" test --runs 200 --output ignore --sandbox -- "$reset" a.db >races 2>&1
like "everything woven: the race is found" "$(cat races)" 'in walRestartHdr' || diag "$(tail -n 20 races)"
like "with the checkpoint" "$(cat races)" 'in walCheckpoint'

rm -rf .heddle
bounded 300 "$bin/heddle" test --runs 1000 --sandbox --switch "sqlite3WalCheckpoint,walIndexReadHdr,walRestartHdr" -- \
	"$reset" a.db >lost 2>&1
like "its functions alone: a row is lost" "$(cat lost)" '^    \+ 3 rows$' || diag "$(tail -n 20 lost)"
like "by one preemption" "$(cat lost)" 'needs 1 preemption:$'
for _ in 1 2; do
	is "the replay loses it again" "$(bounded 60 "$bin/heddle" replay .heddle/evidence/output-differs-*.trace 2>/dev/null | head -n 1)" "3 rows"
done
done_testing
