#!/bin/bash
# The files of training and guarded runs: the program may have written anything into them.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/test" tests/unit/guard_files_test.c || {
	done_testing
	exit
}
# read_as WHAT CASE WANT
read_as() {
	is "$1: $2" "$("$work/test" "$1" "$2" 2>&1 | paste -sd';')" "$3"
}
read_as train good "1 objects, 3 histories, 0 damaged, 0 objects lost"
for case in site zero other count end; do
	read_as train $case "1 objects, 2 histories, 1 damaged, 0 objects lost"
done
read_as train unready "1 objects, 2 histories, 0 damaged, 0 objects lost"
read_as train overlap "1 objects, 3 histories, 0 damaged, 1 objects lost"
read_as train wrap "1 objects, 3 histories, 0 damaged, 0 objects lost"
read_as train half "1 objects, 3 histories, 0 damaged, 0 objects lost"
read_as train many "1 objects, 3 histories, 0 damaged, 7 objects lost"
read_as train magic "error: the program has overwritten the file for histories"
read_as train truncate "sealed;1 objects, 3 histories, 0 damaged, 0 objects lost"

read_as guard content "HEDDLEGU 1: site 4 place 2, row of 2: 2, words 1;nobody changes it"
read_as guard good "2 pairs, 2 violations, 0 damaged, 0 lost"
for case in place nil previous; do
	read_as guard $case "2 pairs, 2 violations, 1 damaged, 0 lost"
done
for case in violation before end stack; do
	read_as guard $case "2 pairs, 1 violations, 1 damaged, 0 lost"
done
read_as guard unready "2 pairs, 1 violations, 0 damaged, 0 lost"
read_as guard many "2 pairs, 2 violations, 0 damaged, 4294963199 lost"
read_as guard magic "error: the program has overwritten the log of the guard"
done_testing
