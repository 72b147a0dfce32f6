#!/bin/bash
# At least three of the four real programs must be tested: one source package that cannot be had is skipped, loudly.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh

had=0
for name in pbzip2 memcached sqlite3 redis; do
	if message=$(tests/real/fetch "$name" 2>&1 >/dev/null); then
		pass "$name: source is there"
		had=$((had + 1))
	else
		skip "$name: source is there" "cannot be had"
		diag "SKIPPED: $message"
	fi
done
ok "at least three real programs are tested" test "$had" -ge 3
done_testing
