#!/bin/bash
# Damaged files, with many more seeds than the suite has time for.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
for seed in $(seq 101 120); do
	ok "seed $seed" env SEED=$seed tests/unit/hostile.t
done
done_testing
