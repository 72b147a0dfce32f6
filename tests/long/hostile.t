#!/bin/bash
# Damaged files, with many more seeds than the suite has time for. A build with sanitizers sees more: make BUILD=build-san
# SAN=address,undefined, then BUILD=build-san tests/run tests/long/hostile.t.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
first=${SEED:-101}
for seed in $(seq "$first" $((first + 19))); do
	ok "programs, seed $seed" env SEED="$seed" tests/unit/hostile.t
	ok "evidence and stores, seed $seed" env SEED="$seed" ROUNDS=5 tests/cli/hostile.t
done
done_testing
