#!/bin/bash
# The cases of tests/cases at the levels and with the options that the suite has no time for.
cd "$(dirname "$0")/../.." || exit 1
LEVELS="-O1 -O3 -Os -Oz -O2+-fPIC -O2+-no-pie -O2+-fcf-protection=full -O2+-fuse-ld=lld -O2+-fuse-ld=gold" exec tests/cases/run.t
