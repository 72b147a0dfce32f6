#!/bin/bash
# tests/analysis/no-missed.t with the cases of tests/detect as well.
cd "$(dirname "$0")/../.." || exit 1
RUNS=${RUNS:-100} ALL=1 exec tests/analysis/no-missed.t
