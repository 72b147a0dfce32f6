#!/bin/bash
# What heddle-cc leaves: the program after strip and objcopy, its symbol table, debuggers, and no temporary files, not
# even when it is interrupted.
. tests/lib/tap.sh
. tests/lib/cc.sh

$cc -O2 -g main.c part.c -o prog
works "the program" prog "$want" "$both"
sites=$("$heddle" sites prog)
unlike "no symbols of the weave are left" "$(nm prog)" '__heddle_[ov]\.'
unlike "none in the dynamic symbol table" "$(nm -D prog)" 'heddle_[ov]\.'
for options in "-O0" "-O2 -fuse-ld=gold" "-O2 -fuse-ld=lld" "-O2 -shared -fPIC" "-O2 -r -nostdlib"; do
	$cc $options main.c part.c -o other
	case $options in
	*-r*) ;;
	*) unlike "no symbols of the weave are left, $options" "$(nm other)" '__heddle_[ov]\.' ;;
	esac
	ok "the symbol table is whole, $options" sh -c 'readelf -sW other >/dev/null 2>said && ! test -s said'
done
is "names of functions" "$(nm prog | grep -E ' T (main|part_)' | cut -d' ' -f3 | sort | tr '\n' ' ')" "main part_add part_calls "
ok "readelf finds nothing odd" sh -c 'readelf -aW prog 2>said >/dev/null; ! test -s said'
if command -v eu-elflint >/dev/null; then
	$clang -O2 -g main.c part.c -o plain
	is "eu-elflint finds what it finds in clang's" "$(eu-elflint --gnu-ld prog 2>&1 | wc -l)" "$(eu-elflint --gnu-ld plain 2>&1 | wc -l)"
fi
$clang -O2 -g -fuse-ld=lld main.c part.c -o plain && $cc -O2 -g -fuse-ld=lld main.c part.c -o other
if command -v llvm-dwarfdump-19 >/dev/null && llvm-dwarfdump-19 --verify plain >/dev/null 2>&1; then
	ok "llvm-dwarfdump verifies the debug information" llvm-dwarfdump-19 --verify other
else
	skip "llvm-dwarfdump verifies the debug information" "there is no llvm-dwarfdump-19, or it does not like clang's own"
fi

for how in "strip" "strip -s" "strip -g" "strip --strip-unneeded" "objcopy" "objcopy --strip-debug" \
	"objcopy --only-section=* " "llvm-strip-19" "objcopy --compress-debug-sections" "strip -R .comment"; do
	command -v ${how%% *} >/dev/null || { skip "$how" "there is no ${how%% *}"; continue; }
	cp prog changed
	$how changed 2>said
	works "$how" changed "$want" "$both"
	is "$how: the same sites" "$("$heddle" sites changed)" "$sites"
	case $how in
	"strip" | "strip -s" | "strip -g" | "strip --strip-unneeded" | "objcopy --strip-debug" | llvm-strip*)
		is "$how: the units are gone" "$(readelf -SW changed | grep -c 'stab\.heddle')" 0
		;;
	esac
done
$cc -O2 -g -c main.c part.c && strip -g part.o && $cc main.o part.o -o changed
is "objects after strip -g: they link" "$(./changed)" "$want"
is "objects after strip -g: the units went with the debug information" "$(woven_functions changed)" main
objcopy --only-keep-debug prog prog.debug && strip prog -o split && objcopy --add-gnu-debuglink=prog.debug split
works "separate debug information" split "$want" "$both"
ok "prelink-like copies: cp and chmod" sh -c 'cp prog copy && chmod 755 copy && ./copy'

# Debuggers see the program's own names, in the original and in the clone.
if command -v gdb >/dev/null && gdb -nx -batch -ex 'run' --args true >/dev/null 2>&1; then
	cat >deep.c <<'END'
#include <stdio.h>
int shared;
__attribute__((noinline)) int inner(int value)
{
	shared += value;
	return shared;
}
__attribute__((noinline)) int outer(int value)
{
	return inner(value + 1) * 2;
}
int main(void)
{
	printf("%d\n", outer(1));
	return 0;
}
END
	runtime=$build/lib/heddle/libheddle.so
	for options in "-O0 -g" "-O1 -g -fno-optimize-sibling-calls" "-O2 -g -fno-optimize-sibling-calls"; do
		$cc $options deep.c -o deep
		like "gdb $options: break by name, dormant" "$(gdb -nx -batch -ex 'break inner' -ex run -ex bt ./deep 2>&1)" '#1 .* outer .*deep\.c:10'
		got=$(gdb -nx -batch -ex "set environment LD_PRELOAD $runtime" -ex 'set environment HEDDLE pass' \
			-ex 'set environment HEDDLE_OPTIONS switch=all' -ex 'break inner' -ex run -ex bt -ex continue ./deep 2>&1)
		like "gdb $options: break by name, clones on" "$got" 'Breakpoint 1'
		like "gdb $options: backtrace through clones" "$got" '#1 .* outer .*deep\.c:10'
		like "gdb $options: main is at the bottom" "$got" '#2 .* main .*deep\.c:14'
		got=$(gdb -nx -batch -ex "set environment LD_PRELOAD $runtime" -ex 'set environment HEDDLE pass' \
			-ex 'set environment HEDDLE_OPTIONS switch=all' -ex 'break main' -ex run -ex 'watch shared' -ex continue -ex bt ./deep 2>&1)
		like "gdb $options: a watchpoint in a clone shows function and line" "$got" '#0 .*inner .*deep\.c:[56]'
		like "gdb $options: a watchpoint in a clone: its callers" "$got" '#1 .* outer .*deep\.c:10'
		got=$(gdb -nx -batch -ex "set environment LD_PRELOAD $runtime" -ex 'set environment HEDDLE pass' \
			-ex 'set environment HEDDLE_OPTIONS switch=all' -ex 'break deep.c:5' -ex run -ex 'info symbol $pc' -ex 'print value' ./deep 2>&1)
		like "gdb $options: break by line stops in the clone" "$got" 'Breakpoint 1(\.[0-9])?, .*inner'
		like "gdb $options: the value of a parameter" "$got" '= 2|optimized out'
	done
	$cc -O1 deep.c -o nodebug
	like "gdb without -g: names" "$(gdb -nx -batch -ex 'break inner' -ex run -ex bt ./nodebug 2>&1)" '#0 .* inner'
else
	skip "gdb" "cannot find gdb, or it may not trace"
fi
is_clean "no leftovers after success"

# Failure and interruption leave nothing behind.
echo 'int f(void) { return x; }' >error.c
$cc -c error.c 2>/dev/null
$cc error.c main.c -o none 2>/dev/null
is_clean "no leftovers after failure"
# alone NAME: no process that heddle-cc started is left; ends those that are
alone() {
	left=$(ps -eo pid,args | grep -F "$work/tmp/heddle-" | grep -v grep)
	is "$1: no process is left" "$left" ""
	for left in $(printf '%s\n' "$left" | awk '{ print $1 }'); do
		kill -9 "$left"
	done
}
# A source that takes a while in each stage.
{
	echo 'int data[100];'
	for i in $(seq 1 3000); do echo "int f$i(int x) { for (int i = 0; i < x; i++) data[i % 100] += data[(i * $i) % 100] + x; return data[x % 100]; }"; done
	echo 'int main(void) { return 0; }'
} >slow.c
for signal in INT TERM HUP; do
	for delay in 0.05 0.3 1 2; do
		rm -f slow.o
		perl -e '$SIG{INT} = $SIG{HUP} = "DEFAULT"; setpgrp; exec @ARGV' $cc -O2 -c slow.c -o slow.o >/dev/null 2>&1 &
		process=$!
		sleep $delay
		kill -$signal $process 2>/dev/null
		wait $process
		code=$?
		sleep 0.1
		if [ $code = 0 ]; then
			skip "SIG$signal after $delay s" "it had ended by then"
			continue
		fi
		[ "$code" -gt 128 ] && pass "SIG$signal after $delay s: ended by it" || fail "SIG$signal after $delay s: exit status $code"
		is_clean "SIG$signal after $delay s: no leftovers"
		ok "SIG$signal after $delay s: no output" test ! -e slow.o
		alone "SIG$signal after $delay s"
		rm -rf "$TMPDIR"/*
	done
done
$cc -O1 -c slow.c -o slow.o
for delay in 0.2 0.5 1; do
	rm -f slow
	perl -e '$SIG{INT} = $SIG{HUP} = "DEFAULT"; setpgrp; exec @ARGV' $cc slow.o -o slow >/dev/null 2>&1 &
	process=$!
	sleep $delay
	kill -TERM $process 2>/dev/null
	wait $process
	code=$?
	sleep 0.3
	if [ $code = 0 ]; then
		skip "SIGTERM $delay s into a link" "it had ended by then"
		continue
	fi
	is_clean "SIGTERM $delay s into a link: no leftovers"
	ok "SIGTERM $delay s into a link: no output" test ! -e slow
	alone "SIGTERM $delay s into a link"
	rm -rf "$TMPDIR"/*
done
# The optimiser makes a variable of each member of a structure that it sees all uses of.
cat >apart.c <<'END'
struct whole { int first; long second; int third[2]; };
static struct whole whole;
long use(void)
{
	whole.third[1]++;
	whole.second++;
	whole.first++;
	return whole.second;
}
END
for level in -O0 -O1 -O2; do
	$cc $level -g -fPIC -shared apart.c -o apart.so
	is "members of a structure that is taken apart, $level" \
		"$("$heddle" sites apart.so | awk '$1 ~ /^[0-9]+$/ { sub(".*:", "", $2); print $NF }' | sort -u | tr '\n' ' ')" \
		"whole.first whole.second whole.third[1] "
done

done_testing
