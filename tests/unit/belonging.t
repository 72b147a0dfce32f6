#!/bin/bash
# Belonging sets. The first three are the interleavings of the paper that defines them (Zhang and others, IEEE TSE 2016): remote
# predecessors, a place with two of them, and an order that no pair of reads and writes shows.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/test" tests/unit/belonging_test.c || {
	done_testing
	exit
}
# sets NAME WANT: "place: members; ..."
sets() {
	is "$1" "$("$work/test" "$1" 2>&1 | paste -sd';')" "$2"
}
sets own-thread "S1: nil;S2: S1;S3: nil;S4: S2;S5: nil;S6: S2"
sets twice "S1: nil;S2: S1 S3;S3: S2"
sets order "S1: nil S2;S2: nil S1;S3: S2;S4: S2"
sets selection "S3: S1;S5: nil"
sets shared "selected 2: S1 S2;members 2;S1: nil;S2: S1"
sets duties "S1: update;S2: check update;S3: nothing"
sets incomplete "S1: check update;S2: update"
sets random "3000 selections, 0 wrong;some need less"
done_testing
