#!/bin/bash
# heddle-cc: every way a build links: libraries, static programs, relocatable links, archives, objects of other
# compilers and of assembly, options for the linker, other linkers.
. tests/lib/tap.sh
. tests/lib/cc.sh

$cc -O2 -g -c main.c && $cc -O2 -g -fPIC -c part.c
$clang -O2 -c main.c -o main-clang.o && gcc -O2 -c main.c -o main-gcc.o
gcc -O2 -fPIC -c part.c -o part-gcc.o

silent "-shared" $cc -shared part.o -o libpart.so
silent "a program that uses the library" $cc main.o -L. -lpart -Wl,-rpath,'$ORIGIN' -o prog
works "a woven library and a woven program" prog "$want" main
is "the library's functions" "$(woven_functions libpart.so)" "part_add part_calls"
gcc main-gcc.o -L. -lpart -Wl,-rpath,'$ORIGIN' -o prog
is "a woven library in a program of gcc: dormant" "$(./prog)" "$want"
is "a woven library in a program of gcc: switched" "$("$heddle" run --free --switch all -- ./prog 2>&1)" "$want"
like "a woven library in a program of gcc: counted" "$("$heddle" run --count -- ./prog 2>&1)" 'part\.c:.* part_add .* sum( |$)'
silent "-shared, compile and link" $cc -O2 -fPIC -shared part.c -Wl,-soname,libpart.so -o libpart.so
is "soname" "$(readelf -d libpart.so | grep -c 'soname: \[libpart.so\]')" 1
$cc -shared -fPIC -Wl,-z,defs part.c -o libdefs.so
is "-z defs" $? 0
$clang -shared -fPIC part.c -o libplain.so
is "a woven library exports what a plain one does" "$(nm -D --defined-only libpart.so | cut -d' ' -f2-)" \
	"$(nm -D --defined-only libplain.so | cut -d' ' -f2-)"
same "a woven library needs what a plain one does" "$(readelf -d libpart.so | grep NEEDED)" "$(readelf -d libplain.so | grep NEEDED)"

for kind in -static -static-pie; do
	said=$($cc -O2 $kind main.c part.c -o prog 2>&1)
	is "$kind: exit status" $? 0
	like "$kind: warning" "$said" '^heddle-cc: warning: "prog" is static and was not woven: .*link it dynamically'
	is "$kind: one line" "$(printf '%s\n' "$said" | wc -l)" 1
	is "$kind: runs" "$(./prog)" "$want"
	is "$kind: heddle sites refuses" "$(status "$heddle" sites prog)" 3
done
is "-static of plain objects: no warning" "$($cc -static main-gcc.o part-gcc.o -o prog 2>&1)" ""
silent "-static-libgcc is not static" $cc -static-libgcc main.o part.o -o prog
works "-static-libgcc" prog "$want" "$both"

silent "-r" $cc -r main.o part.o -o both.o
silent "the final link" $cc both.o -o prog
works "-r, then a link" prog "$want" "$both"
ld -r main.o -o r1.o && ld -r r1.o part.o -o r2.o && $cc r2.o -o prog
works "ld -r twice, then a link" prog "$want" "$both"
$cc -r -nostdlib main.c part.c -o both.o && $cc both.o -o prog
works "-r of sources" prog "$want" "$both"

# Archives.
ar rc libpart.a part.o && silent "an archive" $cc main.o -L. -l:libpart.a -o prog
works "an archive" prog "$want" "$both"
rm -f libthin.a && ar rcT libthin.a part.o && silent "a thin archive" $cc main.o libthin.a -o prog
works "a thin archive" prog "$want" "$both"
echo 'int unused_variable; int unused(void) { return unused_variable++; }' >unused.c
mkdir -p same && echo 'extern int part_calls(void); int twice; int helper(void) { return twice++ + part_calls(); }' >same/part.c
$cc -O2 -c unused.c && $cc -O2 -c same/part.c -o same/part.o
rm -f libmany.a && ar qc libmany.a unused.o part.o same/part.o
$cc main.o libmany.a -o prog
works "only some members are used" prog "$want" "$both"
is "members that are not used are not there" "$(woven_functions prog)" "main part_add part_calls"
is "units: the two that are used" "$("$heddle" sites --json prog | jq .units)" 2
is "the same member name twice" "$(ar t libmany.a | grep -c '^part.o$')" 2
$cc main.o -Wl,-u,helper libmany.a -o prog
works "the same member name twice, both used" prog "$want" "$both helper"
$cc main.o -Wl,--whole-archive libmany.a -Wl,--no-whole-archive -o prog
works "--whole-archive" prog "$want" "$both helper unused"
$cc -Wl,--start-group libmany.a main.o -Wl,--end-group -o prog
works "--start-group" prog "$want" "$both"
cp part.o again.o
is "the same object twice: as clang" "$($cc main.o part.o again.o -o prog >/dev/null 2>&1; echo $?)" 1
echo 'static int count; static int bump(void) { return ++count; } int NAME(void) { return bump(); }' >twin.c
echo 'int a(void), b(void); int printf(const char *, ...); int main(void) { a(); a(); printf("%d %d\n", a(), b()); return 0; }' >twins.c
$cc -O1 -fno-inline -DNAME=a -c twin.c -o twin-a.o && $cc -O1 -fno-inline -DNAME=b -c twin.c -o twin-b.o
silent "two units from one source" $cc twins.c twin-a.o twin-b.o -o prog
works "two units from one source" prog "3 1" "a b bump"
mkdir -p x y && echo 'static int n; int f(void) { return n += 1; }' >x/f.c
sed 's/ f(/ g(/;s/1/1/' x/f.c >y/f.c
echo 'int f(void), g(void); int printf(const char *, ...); int main(void) { f(); printf("%d %d\n", f(), g()); return 0; }' >fg.c
(cd x && $cc -O1 -c f.c) && (cd y && $cc -O1 -c f.c) && $cc fg.c x/f.o y/f.o -o prog
works "static variables of the same name in files of the same name" prog "2 1" "f g"

# Objects of other compilers, both ways.
silent "main by gcc" $cc main-gcc.o part.o -o prog
works "main by gcc" prog "$want" "part_add part_calls"
silent "part by gcc" $cc main.o part-gcc.o -o prog
works "part by gcc" prog "$want" main
like "functions of gcc are counted as foreign" "$("$heddle" sites --summary prog)" 'other compilers +[1-9]'
silent "all by gcc: a plain link" $cc main-gcc.o part-gcc.o -o prog
is "all by gcc: not woven" "$(status "$heddle" sites prog)" 3
is "all by gcc: runs" "$(./prog)" "$want"
is "heddle-cc's objects linked by gcc" "$(gcc main.o part.o -o prog 2>&1 && ./prog)" "$want"
is "heddle-cc's objects linked by clang" "$($clang main.o part.o -o prog 2>&1 && ./prog)" "$want"
gcc -O2 -flto -ffat-lto-objects -c part.c -o part-lto.o && $cc main.o part-lto.o -o prog
works "an object of gcc with fat LTO" prog "$want" main
cat >half.s <<'END'
	.text
	.globl part_calls
	.type part_calls,@function
part_calls:
	movl $5, %eax
	ret
	.size part_calls, .-part_calls
	.section .note.GNU-stack,"",@progbits
END
sed 's/int part_calls.*/int part_unused(void)/' part.c >half.c
sed 's/\$5/FIVE/;1i #define FIVE $5' half.s >Half.S
silent "assembly: .s" $cc -O2 main.c half.c half.s -o prog
works "assembly: .s" prog "$want" "main part_add"
silent "assembly: .S" $cc -O2 -DX main.c half.c Half.S -o prog
works "assembly: .S" prog "$want" "main part_add"
same "assembly: .S preprocessed" "$($cc -E Half.S 2>&1)" "$($clang -E Half.S 2>&1)"
$cc -c -Wa,--noexecstack -g Half.S half.s && $cc main.o half.c Half.o -o prog
works "assembly: -c" prog "$want" "main part_add"

# Options for the linker.
for option in -Wl,-s -s -Wl,-S -Wl,-x -Wl,-X -Wl,-z,now -Wl,-z,relro -Wl,-z,noseparate-code -Wl,--emit-relocs \
	-Wl,--hash-style=gnu -Wl,--build-id=sha1 -Wl,--no-undefined -Wl,--as-needed -Wl,-Bsymbolic -Wl,-O1 \
	-Wl,--sort-common -Wl,-Map=prog.map -Wl,--no-eh-frame-hdr -Wl,-z,lazy -Wl,-z,nodelete -rdynamic \
	-Wl,--export-dynamic -Wl,--gc-sections -Wl,--no-relax -Wl,-z,pack-relative-relocs -Wl,-z,ibt,-z,shstk \
	-Wl,--defsym=extra=main -Wl,--trace-symbol=none -Wl,--no-gc-sections -Wl,--icf=all,-fuse-ld=lld -no-pie; do
	case $option in *,-fuse-ld=lld) option="-fuse-ld=lld -Wl,--icf=all" ;; esac
	silent "$option: link" $cc $option main.o part.o -o prog
	works "$option" prog "$want" "$both"
done
$cc -s main.o part.o -o prog
is "-s: nothing is left in the symbol table" "$(nm prog 2>&1 | grep -c 'no symbols')" 1
cat >dropped.c <<'END'
int used_variable;
int used(void) { return used_variable++; }
int dropped_variable;
int dropped_one(void) { return dropped_variable++; }
int dropped_two(void) { return dropped_one() + dropped_variable; }
static int dropped_static(void) { return dropped_variable += 2; }
int dropped_three(void) { return dropped_static(); }
int main(void) { return used(); }
END
for linker in bfd gold lld; do
	command -v ld.$linker >/dev/null || { skip "-fuse-ld=$linker" "there is no ld.$linker"; continue; }
	silent "-fuse-ld=$linker: link" $cc -fuse-ld=$linker main.o part.o -o prog
	works "-fuse-ld=$linker" prog "$want" "$both"
	silent "-fuse-ld=$linker -shared" $cc -fuse-ld=$linker -shared part.o -o libpart.so
	is "-fuse-ld=$linker -shared" "$(woven_functions libpart.so)" "part_add part_calls"
	silent "-fuse-ld=$linker --gc-sections" $cc -O1 -fno-inline -ffunction-sections -fdata-sections -Wl,--gc-sections \
		-fuse-ld=$linker dropped.c -o gc
	works "-fuse-ld=$linker --gc-sections" gc "" "main used"
	is "-fuse-ld=$linker --gc-sections: what stays" "$(woven_functions gc)" "main used"
	like "-fuse-ld=$linker --gc-sections: dropped functions are counted" "$("$heddle" sites --summary gc)" 'dropped +4$'
	silent "-fuse-ld=$linker -s" $cc -s -fuse-ld=$linker main.o part.o -o prog
	works "-fuse-ld=$linker -s" prog "$want" "$both"
	silent "-fuse-ld=$linker --emit-relocs" $cc -Wl,--emit-relocs -fuse-ld=$linker main.o part.o -o prog
	works "-fuse-ld=$linker --emit-relocs" prog "$want" "$both"
done
silent "--ld-path" $cc --ld-path="$(command -v ld.lld || command -v ld.bfd)" main.o part.o -o prog
works "--ld-path" prog "$want" "$both"

printf 'V1 { global: part_add; local: *; };\nV2 { global: part_calls; } V1;\n' >script.map
for linker in bfd gold lld; do
	silent "--version-script, $linker" $cc -fuse-ld=$linker -shared part.o -Wl,--version-script=script.map -o libpart.so
	is "--version-script, $linker: exported" "$(nm -D --defined-only libpart.so | sed 's/.* //' | grep part | sort | tr '\n' ' ')" \
		"part_add@@V1 part_calls@@V2 "
	$cc main.o libpart.so -Wl,-rpath,'$ORIGIN' -o prog
	works "--version-script, $linker" prog "$want" main
	like "--version-script, $linker: counted" "$("$heddle" run --count -- ./prog 2>&1)" 'part_add .* sum( |$)'
done
cat >wrap.c <<'END'
int __real_part_add(int), wrapped;
int __wrap_part_add(int value) { wrapped++; return __real_part_add(value); }
END
for linker in bfd gold lld; do
	silent "--wrap, $linker" $cc -O2 -fuse-ld=$linker main.o part.o wrap.c -Wl,--wrap=part_add -o prog
	works "--wrap, $linker" prog "$want" "$both __wrap_part_add"
	like "--wrap, $linker: the clone of main calls the wrapper" "$("$heddle" run --count -- ./prog 2>&1)" '^ +5 .* __wrap_part_add .* wrapped( |$)'
done
echo 'SECTIONS { .extra : { *(.extra) } } INSERT AFTER .data;' >insert.ld
silent "a linker script" $cc main.o part.o -Wl,-T,insert.ld -o prog
works "a linker script" prog "$want" "$both"
echo "INPUT(main.o part.o)" >input.ld && $cc input.ld -o prog
works "a linker script as input" prog "$want" "$both"
printf '{ main; };' >dynamic.list && $cc main.o part.o -Wl,--dynamic-list=dynamic.list -o prog
works "--dynamic-list" prog "$want" "$both"
cat >start.c <<'END'
int counter;
__attribute__((noinline)) int bump(void) { return ++counter; }
void _start(void) { int r = bump() - 1; __asm__ volatile("syscall" : : "a"(231), "D"(r)); }
END
silent "-nostdlib with a _start of its own" $cc -O2 -nostdlib start.c -o start
is "-nostdlib with a _start of its own: runs" "$(./start; echo $?)" 0
silent "-nostartfiles -shared" $cc -O2 -nostartfiles -nodefaultlibs -shared -fPIC part.c -o libbare.so
is "-nostartfiles -shared" "$(woven_functions libbare.so)" "part_add part_calls"
$cc -O2 main.c part.c -o /dev/null
is "-o /dev/null" $? 0
ok "-o /dev/null stays what it is" test -c /dev/null
silent "the output is replaced" $cc main.o part.o -o prog
ln prog hard && $cc -O1 main.c part.c -o prog
works "linking over a program" prog "$want" "$both"
ln -sf prog link && $cc main.o part.o -o link
works "linking over a symbolic link" link "$want" "$both"
is_clean "no leftovers"
done_testing
