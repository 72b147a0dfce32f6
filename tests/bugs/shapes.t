#!/bin/bash
# The programs of bugs/shapes: what is in them is found, soon if they are small, and the fixed twins are silent. bench/run shapes has the
# figures.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
unset HEDDLE_CC_OPTIONS HEDDLE HEDDLE_OPTIONS HEDDLE_SUPPRESSIONS HEDDLE_STORE LD_PRELOAD
command -v jq >/dev/null || skip_all "there is no jq: ./setup build installs it"
[ -x "${BUILD:-build}/bin/heddle" ] || skip_all "run make first"

output=$(bench/shapes --seeds 2 --runs 300 --size 3 --strategy portfolio 2>&1)
is "the smallest ones are tested" $? 0
for shape in setters stages wronglock order philosophers spinning chain twice; do
	like "$shape: found by each test" "$output" "^\| $shape \| 3 \| [0-9]+ / [0-9]+ \|$"
done
output=$(bench/shapes --seeds 2 --runs 300 --size 5 --strategy portfolio --only sort 2>&1)
like "sort: found by each test" "$output" '^\| sort \| 5 \| [0-9]+ / [0-9]+ \|$'
output=$(bench/shapes --twins 60 --size 3 2>&1)
is "the twins are silent" "$? $output" "0 "
output=$(bench/shapes --twins 60 --size 5 --only sort 2>&1)
is "and that of sort" "$? $output" "0 "
done_testing
