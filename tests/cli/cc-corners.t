#!/bin/bash
# heddle-cc where the weave has to step aside or to look twice: names and assembly that mean something only in their own
# object, code models, symbols that the linker redirects, objects that were changed, files the linker writes.
. tests/lib/tap.sh
. tests/lib/cc.sh

# reason FILE FUNCTION: why it has no clone
reason() {
	"$heddle" sites --json "$1" | jq -r --arg name "$2" '.functions[] | select(.linkage_name == $name or .function == $name) | .plain'
}

for name in ch dx si ip cx st al bp sp cs mm0 eiz rax r11 offset ptr byte; do
	echo "int $name; int bump(void) { return ++$name; } int main(void) { return bump() - 1; }" >register.c
	$cc -O1 register.c -o register 2>said && "$heddle" run --free --switch all -- ./register ||
		bad="$bad $name $(cat said)"
done
is "variables with names of registers and operators" "$bad" ""
cat >quote.c <<'END'
int odd __asm__("qu\"ote");
int main(void) { odd += 2; return odd - 2; }
END
$cc quote.c -o quote && is "a variable with a quote in its name" "$(status "$heddle" run --free --switch all -- ./quote)" 0
# Names of files may have anything: newlines, quotes, what a shell would take for more.
name=$'odd\n "\'&\xff%s$(touch ran)\\.c'
cp quote.c "$name"
$cc "$name" -o odd && is "a file with a strange name" "$(status "$heddle" run --free --switch all -- ./odd)" 0
ok "a file with a strange name: to an object" $cc -c "$name" -o odd.o
ok "a file with a strange name: nothing else is done" test ! -e ran

cat >file.c <<'END'
#include <stdio.h>
__asm__(".pushsection .rodata\nlocal_table: .long 11, 22, 33\n.popsection\n"
	".macro twice\nnop\nnop\n.endm\n"
	".globl visible\n.pushsection .data\nvisible: .long 5\n.popsection");
extern const volatile int local_table[];
extern int visible;
static int helper_calls;
__attribute__((used, noinline)) static void helper(void) { helper_calls++; }
__attribute__((noinline)) int from_table(int i) { return local_table[i]; }
__attribute__((noinline)) int with_macro(int *p) { __asm__ volatile("twice"); return ++*p; }
__attribute__((noinline)) int by_name(void)
{
	__asm__ volatile("sub $256, %%rsp\n\tcall helper\n\tadd $256, %%rsp" ::: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
	return helper_calls;
}
__attribute__((noinline)) int exported(void) { return visible++; }
int main(void)
{
	int n = 1, i = from_table(1), m = with_macro(&n), b = by_name();
	printf("%d %d %d %d\n", i, m, b, exported());
}
END
silent "file-scope assembly" $cc -O1 file.c -o file
works "what it defines is reached" file "22 2 1 5" "main exported helper"
is "a private label of it" "$(reason file from_table)" assembly_private
is "a macro of it" "$(reason file with_macro)" assembly_private
is "a static function that assembly names" "$(reason file by_name)" assembly_private
cat >prefix.c <<'END'
static int word;
__attribute__((noinline)) static int lock(int by)
{
	__asm__ volatile("lock; addl %1, %0" : "+m"(word) : "r"(by) : "memory");
	return word;
}
int main(void) { return lock(3) != 3; }
END
$cc -O1 prefix.c -o prefix
like "a function that has the name of an instruction" "$(woven_functions prefix)" '(^| )lock( |$)'

cat >big.c <<'END'
#include <stdio.h>
static char big[3ul << 30];
int small = 3;
int main(void) { big[5]++; small++; printf("%d %d\n", big[5], small); }
END
for model in medium large; do
	$clang -mcmodel=$model big.c -o big-plain 2>/dev/null || { skip "-mcmodel=$model with 3 GiB" "clang cannot either"; continue; }
	silent "-mcmodel=$model with 3 GiB of data" $cc -mcmodel=$model big.c -o big
	works "-mcmodel=$model runs" big "1 4" main
done
cat >tls.c <<'END'
#include <stdio.h>
static __thread int mine = 4;
int main(void) { printf("%d\n", ++mine); }
END
silent "-femulated-tls" $cc -femulated-tls tls.c -o tls
is "-femulated-tls runs" "$(./tls)" 5

like "the driver's warnings in colours" "$($cc -fcolor-diagnostics -c part.c -lm 2>&1)" 'warning: .*-lm'
printf 'int f(void) { int unused; char room[5000]; __asm__("" :: "r"(room)); return 0; }\n' >warn.c
like "standard input: warnings of the compiler" "$($cc -O1 -Wall -Wframe-larger-than=100 -x c -c - -o warn.o <warn.c 2>&1)" 'unused variable'
silent "another action by -Xclang" $cc -c -Xclang -fsyntax-only part.c -o syntax.o
ok "another action by -Xclang makes no output" test ! -e syntax.o

silent "--dependency-file" $cc main.c part.c -Wl,--dependency-file=link.d -o prog
is "--dependency-file: the target" "$(head -n 1 link.d | sed 's/:.*//')" prog
unlike "--dependency-file: no clones" "$(cat link.d)" 'clones|build\.o|woven'
for option in -strip-all --strip-all -s -strip-debug; do
	silent "-Wl,$option" $cc main.c part.c -Wl,$option -o prog
	works "-Wl,$option is woven" prog "$want" "$both"
done
echo --strip-all >strip.rsp && $cc -c main.c && $cc -c part.c
like "a strip option where it cannot be seen is said" "$($cc main.o part.o -Wl,@strip.rsp -o prog 2>&1)" 'was not woven: .*strip option'
is "and the program runs" "$(./prog)" "$want"
like "-z nodynamic-undefined-weak is plain, and says so" "$($cc main.c part.c -Wl,-z,nodynamic-undefined-weak -o prog 2>&1)" 'was not woven'
is "and runs" "$(./prog)" "$want"

echo 'int main(void) { return 0; }' >nothing.c
$cc nothing.c -o nothing
like "an object without sites is switched" "$("$heddle" run --count -- ./nothing 2>&1)" '^heddle: 0 accesses at 0 of 0 sites, 1 process, 1 function switched'

cat >hidden.c <<'END'
static int inner;
__attribute__((visibility("hidden"))) int step(void) { return ++inner; }
int outer(void) { return step() + step(); }
END
cat >use.c <<'END'
#include <stdio.h>
int outer(void);
int total;
int main(void) { total += outer(); printf("%d\n", total); }
END
$cc -O1 -c hidden.c && $cc -r hidden.o -o single.o && objcopy --localize-hidden single.o
like "objcopy --localize-hidden: said" "$($cc -O1 use.c single.o -o use 2>&1)" 'warning: 1 of the objects .* stay plain'
works "objcopy --localize-hidden: the rest is woven" use 3 main

cat >own.c <<'END'
int value = 1;
__attribute__((noinline)) int get(void) { return value; }
int use(void) { return get() + 10 * value; }
END
cat >other.c <<'END'
#include <stdio.h>
int use(void);
int value = 5;
int get(void) { return 99; }
int main(void) { printf("%d\n", use()); }
END
for option in -fsemantic-interposition -fno-semantic-interposition ""; do
	$clang -O1 -fPIC $option -shared own.c -o libown.so && $clang -O1 other.c -L. -lown -Wl,-rpath,"$PWD" -o other
	plain=$(./other)
	$cc -O1 -fPIC $option -shared own.c -o libown.so && $cc -O1 other.c -L. -lown -Wl,-rpath,"$PWD" -o other
	is "interposition, ${option:-as it comes}: dormant" "$(./other)" "$plain"
	is "interposition, ${option:-as it comes}: switched" "$("$heddle" run --free --switch all -- ./other)" "$plain"
done

cat >wrap.c <<'END'
int foo(void) { return 1; }
int inside(void) { return foo(); }
int (*pointer(void))(void) { return foo; }
END
cat >wrapper.c <<'END'
#include <stdio.h>
int foo(void), inside(void), (*pointer(void))(void);
int __wrap_foo(void) { return 2; }
int main(void) { printf("%d %d %d\n", inside(), pointer()(), foo()); }
END
for linker in bfd gold lld; do
	for level in -O0 -O1+-fno-inline; do
		$clang -fuse-ld=$linker ${level//+/ } -Wl,--wrap=foo wrap.c wrapper.c -o wrap 2>/dev/null || continue
		plain=$(./wrap)
		$cc -fuse-ld=$linker ${level//+/ } -Wl,--wrap=foo wrap.c wrapper.c -o wrap
		is "--wrap, $linker $level: dormant" "$(./wrap)" "$plain"
		is "--wrap, $linker $level: switched" "$("$heddle" run --free --switch all -- ./wrap)" "$plain"
	done
done

cat >invoke.cc <<'END'
#include <atomic>
#include <cstdio>
extern "C" unsigned long __atomic_fetch_add_8(volatile void *, unsigned long, int);
struct guard { ~guard() { std::puts("left"); } };
static unsigned long cell;
struct wide { long a, b, c; };
static std::atomic<wide> shared_wide{ wide{ 1, 2, 3 } };
int main()
{
	guard g;
	__atomic_fetch_add_8(&cell, 3, 5);
	wide copy = shared_wide.load();
	std::printf("%lu %ld\n", cell, copy.c);
}
END
if $clangxx -w -O1 invoke.cc -o invoke -latomic 2>/dev/null || libatomic=$(ls /usr/lib/x86_64-linux-gnu/libatomic.so.1 2>/dev/null); then
	$cxx -w -O1 invoke.cc -o invoke ${libatomic:--latomic}
	works "libatomic's functions as calls that may throw" invoke "3 3
left" main
else
	skip "libatomic's functions as calls that may throw" "there is no libatomic"
fi

cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int (*f)(void), (*g)(void);
	f = (int (*)(void))dlsym(dlopen("./plugin.so", RTLD_NOW), "work");
	f();
	rename("./plugin2.so", "./plugin.so");
	g = (int (*)(void))dlsym(dlopen("././plugin.so", RTLD_NOW), "work");
	g();
	f();
	printf("%d\n", f != g);
	return argc - 1 + !argv;
}
END
echo 'int n; int work(void) { for (volatile int i = 0; i < 100; i++) n++; return n; }' >plugin.c
$cc -O1 host.c -o host && $cc -O1 -fPIC -shared plugin.c -o plugin.so && cp plugin.so plugin2.so
"$heddle" run --json twice.json -- ./host >said 2>&1
is "the same library twice in a process: counted" "$(cat said | head -n 1) $(jq '[.objects[].sites[] | select(.function == "work" and .access == "write" and .variable == "n") | .count] | add' twice.json)" "1 300"

cat >step.c <<'END'
/* Steps through a function one instruction at a time; from each, the stack must lead back to main. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
static volatile int steps, broken;
static char *low, *high;
int cell, block[8];
__attribute__((noinline)) int work(int *p)
{
	*p = 3;
	cell = *p;
	__atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);
	memcpy(block, p, (size_t)*p);
	return *p;
}
__attribute__((disable_sanitizer_instrumentation)) int main(void);
__attribute__((disable_sanitizer_instrumentation)) static void trap(int number, siginfo_t *info, void *context)
{
	char *pc = (char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	void *frames[64];
	(void)number;
	(void)info;
	if (pc >= low && pc < high)
		return;
	int count = backtrace(frames, 64), is_found = 0;
	for (int i = 0; i < count; i++)
		is_found |= (char *)frames[i] >= low && (char *)frames[i] <= high;
	steps++;
	broken += !is_found;
}
int main(void)
{
	static int words[4];
	void *warm[4];
	struct sigaction action = { .sa_sigaction = trap, .sa_flags = SA_SIGINFO };
	backtrace(warm, 4);
	low = (char *)main;
	high = (char *)&&end;
	work(words);
	sigaction(SIGTRAP, &action, NULL);
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	work(words);
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
	printf("%s, broken %d\n", steps > 10 ? "stepped" : "not stepped", broken);
end:
	return 0;
}
END
$cc -O1 -g -mno-red-zone step.c -o step
for how in "--switch none" "--switch all" --count; do
	is "a backtrace from every instruction, $how" "$("$heddle" run --free $how -- ./step 2>/dev/null)" "stepped, broken 0"
done
# A linker that is not there. All that are made for Debian may be installed: PATH and clang's own folder are hidden.
mkdir bin && ln -s "$(readlink -f "$(command -v $clang)")" bin/clang-19
said=$(PATH=$work/bin $cc -fuse-ld=mold main.c part.c -o none 2>&1)
is "a linker that is not installed: exit status" $? 3
like "a linker that is not installed: message" "$said" '^heddle-cc: error: cannot find the linker for "-fuse-ld=mold"'
like "a linker that is not installed: next step" "$said" '^heddle-cc: hint: apt-get install mold'
ok "a linker that is not installed: no output" test ! -e none

is_clean "nothing is left behind"
done_testing
