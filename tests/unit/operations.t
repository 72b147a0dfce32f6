#!/bin/bash
# The ways through the entrance for one function (rt/enter/operation.h): what the mode sees when it succeeds, fails, is interrupted, and is left
# by a cancellation; and that the program notices none of it.
. tests/lib/tap.sh
. tests/lib/unit.sh
[ -f "$build/lib/heddle/libheddle.so" ] || skip_all "run make first"
rt_flags=$(printf 'flags:\n\t@echo $(CPPFLAGS) $(RT_CFLAGS)\n' | make -s -f Makefile -f - flags)
rt_flags=${rt_flags//\"/}
program=$work/program
gcc -D_GNU_SOURCE -O1 -Wall -Wextra -fno-pie -no-pie -pthread tests/unit/operations_program.c -o "$program" || fail "the program compiles"
"$program" >"$work/native" 2>&1
is "the program, as it is" "$(sed '/^[0-9]/d' "$work/native" | tr '\n' ' ')" \
	"free 0 again 35 thread 0 dead 130 posted 0 interrupted -1 1 cancelled thread 1 "

# seen WAY: what the mode saw, with the names of the objects
seen() {
	HEDDLE=control HEDDLE_OPTIONS=$1 LD_PRELOAD=$work/mode.so timeout 30 "$program" 9>"$work/lines" >"$work/out" 2>&1
	is "$compiler: $1: the program runs as it does without" "$? $(cat "$work/out")" "0 $(cat "$work/native")"
	is "$compiler: $1: what the mode sees" "$(sed "$(sed -n 's/^\([0-9]*\) \(.*\)/s, \1 , \2 ,/p' "$work/out")" "$work/lines")" "$2"
}

for compiler in gcc clang-19; do
	unit_runtime $compiler || fail "$compiler: the runtime compiles"
	# shellcheck disable=SC2086
	ok "$compiler: the mode compiles" $compiler -Werror $rt_flags -shared -Wl,-z,initfirst -Wl,-z,now -Wl,-z,defs \
		-Wl,--version-script=src/rt/libheddle.map tests/unit/operations_mode.c "$rt" -o "$work/mode.so"
	seen function "before pthread_mutex_lock checking program
after pthread_mutex_lock checking program succeeded
before pthread_mutex_lock checking program
after pthread_mutex_lock checking program failed 35
before pthread_mutex_lock robust program
after pthread_mutex_lock robust program succeeded
before pthread_mutex_lock robust program
after pthread_mutex_lock robust program succeeded 130
before sem_wait semaphore program
after sem_wait semaphore program succeeded
before sem_wait semaphore program
after sem_wait semaphore program failed 4294967295
before sem_wait semaphore program
after sem_wait semaphore program unwound"
	seen announced "announce pthread_mutex_lock checking program
announce pthread_mutex_lock checking program
announce pthread_mutex_lock robust program
announce pthread_mutex_lock robust program
announce sem_wait semaphore program
announce sem_wait semaphore program
announce sem_wait semaphore program"
	seen checked "announce pthread_mutex_lock checking program
announce pthread_mutex_lock checking program
after pthread_mutex_lock - - failed 35
announce pthread_mutex_lock robust program
announce pthread_mutex_lock robust program
after pthread_mutex_lock - - succeeded 130
announce sem_wait semaphore program
announce sem_wait semaphore program
after sem_wait - - failed 4294967295
announce sem_wait semaphore program
after sem_wait - - unwound"
	seen followed "announce pthread_mutex_lock checking program
finish pthread_mutex_lock checking program
announce pthread_mutex_lock checking program
after pthread_mutex_lock checking program failed 35
announce pthread_mutex_lock robust program
finish pthread_mutex_lock robust program
announce pthread_mutex_lock robust program
after pthread_mutex_lock robust program succeeded 130
announce sem_wait semaphore program
finish sem_wait semaphore program
announce sem_wait semaphore program
after sem_wait semaphore program failed 4294967295
announce sem_wait semaphore program
after sem_wait semaphore program unwound"
done
done_testing
