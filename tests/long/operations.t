#!/bin/bash
# Every program of tests/control that can run natively, plain and woven, by heddle run --operations. Those with `skip: native` and those that end in
# a deadlock or a livelock cannot; `uncounted:` says why of others.
cd "$(dirname "$0")/../.." || exit 1
TEST_OPERATIONS=1 exec tests/control/run.t "$@"
