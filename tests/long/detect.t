#!/bin/bash
# tests/detect/run.t with many schedules for each case.
cd "$(dirname "$0")/../.." || exit 1
TEST_RUNS=${TEST_RUNS:-200} exec tests/detect/run.t
