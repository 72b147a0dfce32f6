#!/bin/bash
# The class of a race does not depend on the schedule that shows it first: programs with several ways to their failure, and one with a harmless race beside a
# harmful one, each tested with several seeds.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
said=$(mktemp)
trap 'rm -f "$said"' EXIT
for seed in 2 3 4 5 6; do
	SEED=$seed bash tests/classify/run.t harm-input-size harm-stack-top harm-stop-reset mixed-reload >"$said" 2>&1
	is "seed $seed: how run.t ends, and what is wrong" "$? $(grep '^not ok' "$said")" "0 " || diag "$(cat "$said")"
	ok "seed $seed: races were judged" test "$(grep -c '^ok' "$said")" -ge 13
done
done_testing
