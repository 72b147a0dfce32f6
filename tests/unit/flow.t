#!/bin/bash
# In which threads accesses are made, beside which others, and with which locks: programs as flow_test.c sees them. What it
# prints is explained there.
. tests/lib/tap.sh
programs=$PWD/tests/unit
. tests/lib/cc.sh
# Those that have a source: one may be left of a source that is gone.
objects=$build/obj/analysis.a
# shellcheck disable=SC2046,SC2086
ok "compiled" gcc -D_GNU_SOURCE -I"$root/include" -I"$root/src" -std=gnu11 -Wall -Wextra -Werror -g "$programs/flow_test.c" $objects \
	"$build/obj/tools.a" $(llvm-config-19 --ldflags) -lLLVM-19 -lelf -lzstd \
	-isystem "$(llvm-config-19 --includedir)" -o "$work/flow_test" || {
	done_testing
	exit
}

# visits PROGRAM PATTERN: what holds where variables that match are written, sorted
visits() {
	"$work/flow_test" "$1" | grep -E "^[^ ]+ ($2) write: " | sed 's/^[^ ]* //;
		s/_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJZ4mainE3$_\([0-9]\)EEEEE6_M_runEv/run\1/g' | LC_ALL=C sort -u
}

for level in -O0 -O1 -O2; do
	ok "threads $level: compiled" "$cc" $level -g -pthread "$programs/flow_threads.c" -o threads
	is "threads $level: what is alive in main" "$(visits threads 'stage|early|late')" "early write: main holds . with .
late write: main holds . with batch+,first,grandchild,handler:on_signal+,rest+,second,worker
stage write: main holds . with .
stage write: main holds . with batch+,grandchild,second
stage write: main holds . with careful,grandchild,second
stage write: main holds . with first
stage write: main holds . with grandchild,handler:on_signal+,rest+,second
stage write: main holds . with grandchild,rest+,second
stage write: main holds . with grandchild,second
stage write: main holds . with second"
	is "threads $level: what is alive beside them" "$(visits threads 'in_.*|caught')" \
"caught write: handler:on_signal+ holds . with grandchild,handler:on_signal+,main,rest+,second
in_batch write: batch+ holds . with batch+,grandchild,main,second
in_child write: careful holds . with grandchild,main,second
in_child write: careful holds . with main,second
in_first write: first holds . with main
in_grandchild write: grandchild holds . with batch+,careless,handler:on_signal+,main,rest+,second,worker
in_grandchild write: grandchild holds . with careful,main,second
in_rest write: rest+ holds . with grandchild,handler:on_signal+,main,rest+,second
in_second write: second holds . with batch+,careful,careless,grandchild,grandchild,handler:on_signal+,main,rest+,worker
in_worker write: worker holds . with grandchild,main,second"
done
is "threads: why there are many of a root" "$("$work/flow_test" --roots threads | grep '+' | LC_ALL=C sort)" \
"batch+ (created in a loop)
handler:on_signal+ (any thread may get the signal)
rest+ (created in a loop)"

for level in -O0 -O2; do
	ok "locks $level: compiled" "$cc" $level -g -pthread "$programs/flow_locks.c" -o locks
	is "locks $level" "$(visits locks 'tried|not_got|wrapped|timed|waited|reading|writing|both|dropped|in_once|asked|failed|box->inside' |
		sed 's/ with .*//')" "asked write: work holds m+0
both write: work holds m+0,n+0
box->inside write: work holds @-40
dropped write: work holds .
failed write: work holds .
in_once write: work holds once+0
not_got write: work holds .
reading write: work holds r:rw+0
timed write: work holds m+0
tried write: work holds m+0
waited write: work holds m+0
wrapped write: work holds m+0
writing write: work holds rw+0"
	# After a release that may have been of it, in a recursion, where a jump may lead.
	is "locks $level: what is not certain" "$(visits locks 'one_branch|twice|recursive|jumped' | sed 's/ with .*//' | grep -v 'm+0,n')" \
"jumped write: work holds .
one_branch write: work holds m+0
recursive write: work holds n+0,r:once+0
twice write: work holds ."
	is "locks $level: orders" "$("$work/flow_test" --orders locks | sort -u)" "work: m+0 then m+0
work: m+0 then n+0"

	ok "paths $level: compiled" "$cc" $level -g -pthread "$programs/flow_paths.c" -o paths
	is "paths $level" "$(visits paths 'given->count|locked->count|table\[\].count|moving->count|fixed|some|none' | sed 's/ with .*//')" \
"fixed write: work holds locks+80
given->count write: work holds @-40
locked->count write: work holds @-40
moving->count write: work holds ?table+0
none write: work holds .
some write: work holds ?locks+0
table[].count write: walk holds .
table[].count write: work holds @-40"
	is "paths $level: through memory that does not change" "$(visits paths 'pool.*|\*pool.*' | grep 'work holds' | sed 's/.* write: //')" \
		"work holds @-40 with main,walk"
	is "paths $level: a new block" "$(visits paths 'made->count')" "made->count write: work holds . with main,walk
made->count write: work holds . with main,walk (new)"
done

ok "objects: compiled" "$cxx" -O2 -std=c++17 -g -pthread "$programs/flow_objects.cc" -o objects
is "objects" "$(visits objects 'to->balance|guarded|released|reading|in_once|in_static|caught|after|beside' | grep -v run1:)" \
"after write: run0 holds r:_ZGVZL4workP7accountE5value+0,r:_ZL4flag+0 with run1,main
after write: run1 holds r:_ZGVZL4workP7accountE5value+0,r:_ZL4flag+0 with run0,main
beside write: main holds . with .
beside write: main holds . with run0,run1
caught write: run0 holds . with run1,main
caught write: run1 holds . with run0,main
guarded write: run0 holds _ZL5guard+0 with run1,main
guarded write: run1 holds _ZL5guard+0 with run0,main
in_once write: run0 holds _ZL4flag+0 with run1,main
in_once write: run1 holds _ZL4flag+0 with run0,main
in_static write: run0 holds _ZGVZL4workP7accountE5value+0,r:_ZL4flag+0 with run1,main
in_static write: run1 holds _ZGVZL4workP7accountE5value+0,r:_ZL4flag+0 with run0,main
reading write: run0 holds r:_ZL5modes+0 with run1,main
reading write: run1 holds r:_ZL5modes+0 with run0,main
released write: run0 holds . with run1,main
released write: run1 holds . with run0,main
to->balance write: run0 holds @-40 with run1,main
to->balance write: run1 holds @-40 with run0,main"

# Without optimisation all of the program's unique_ptrs are made by one copy of a constructor.
ok "objects -O0: compiled" "$cxx" -O0 -std=c++17 -g -pthread "$programs/flow_objects.cc" -o objects
is "objects -O0: what each std::thread runs" "$(visits objects 'beside|guarded' | grep -v 'guarded.*main holds')" "beside write: main holds . with .
beside write: main holds . with run0,run1
guarded write: run0 holds _ZL5guard+0 with run1,main
guarded write: run1 holds _ZL5guard+0 with run0,main"

for level in -O1 -O2; do
	ok "joins $level: compiled" "$cxx" $level -std=c++20 -g -pthread "$programs/flow_joins.cc" -o joins
	is "joins $level: what is alive behind them" "$(visits joins 'by_calls|by_loop|in_array|by_destructor' | sed 's/.* with //' | sort -u)" "."
	is "joins $level: what is not waited for" \
		"$(visits joins 'one_twice|too_few|one_left|moved' | sed 's/ write.* with / /;s/[^ ,]*_M_runEv/run/;s/_ZL[0-9]*\([a-z]*\)Pv/\1/g;s/inner,//;s/kept,//;s/+//')" \
		"moved run
one_left outer
one_twice lost
too_few three"
	for part in VECTOR MEMBER; do
		ok "$part $level: compiled" "$cxx" $level -D$part -std=c++17 -g -pthread "$programs/flow_vector.cc" -o vector
		is "$part $level: nothing is alive behind the joins" "$(visits vector last)" "last write: main holds . with ."
		is "$part $level: something is before" "$(visits vector 'stage' | grep -c -v 'with \.$')" 1
	done
	ok "detached $level: compiled" "$cxx" $level -std=c++20 -g -pthread "$programs/flow_detached.cc" -o detached
	is "detached $level" "$(visits detached let_go | sed 's/.* with //')" "run0"
done

ok "many: compiled" "$cc" -O1 -g -pthread "$programs/flow_many.c" -o many
is "many: as many roots as routines" "$("$work/flow_test" --roots many | LC_ALL=C sort | sed '3,16d')" "main
routine_0+ (created in several places)
routine_9+ (created in several places)"
# Which of them a handle is of is not known: no join takes anything away.
is "many: all are beside each other, and alive behind the joins" "$(visits many shared | sed 's/shared write: //;s/_[0-9]*//g' | sort -u)" \
"main holds . with $(printf 'routine+,%.0s' {1..15})routine+
routine+ holds . with main,$(printf 'routine+,%.0s' {1..15})routine+"

ok "library: compiled" "$cc" -O2 -g -fPIC -shared "$programs/flow_library.c" -o library.so
is "library: anybody, in any thread" "$(visits library.so '.*')" "counter->locked write: exported+ holds @-40 with exported+
counter->open write: exported+ holds . with exported+"
done_testing
