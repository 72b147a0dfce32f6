#!/bin/bash
# Candidates: races_find settles accesses by the ways in which they are made; a slow search pair by pair must find the same, in
# programs of many kinds.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/cc.sh
ok "the slow search builds" gcc -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -g "-I$root/include" "-I$root/src" \
	"$root/tests/unit/races_slow.c" "$build/obj/analysis.a" \
	"$build/obj/tools.a" $(llvm-config-19 --ldflags) -lLLVM-19 -lelf -lzstd -o races_slow
for source in "$root"/tests/analysis/*.c "$root"/tests/analysis/*.cc "$root"/bugs/{apache,mysql,pbzip2,stringbuffer,thread-pool}*; do
	name=${source##*/} compiler=$cc
	[ "${source%.cc}" = "$source" ] || compiler=$cxx
	again=$(sed -n 's/^ \* again: *//p' "$source")
	[ -z "$again" ] || "$compiler" -O1 -g -pthread -c $again "$source" -o again.o 2>err || continue
	"$compiler" -O1 -g -pthread $(sed -n 's/^ \* options: *//p' "$source") "$source" ${again:+again.o} -o program 2>err || continue
	said=$(timeout 300 ./races_slow program 2>&1)
	status=$?
	if [ $status -eq 0 ]; then pass "$name: $said"; else fail "$name: $said"; fi
	case $name in
	pointers.c | objects.c | types.c | cxx.cc | mysql-12228*) ok "$name: the same where objects are lumped together" timeout 300 ./races_slow program lump ;;
	esac
done
[ $tap_count -ge 20 ] || fail "too few programs were built"
done_testing
