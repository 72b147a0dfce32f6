#!/bin/bash
# heddle-cc: the options for code generation that builds use, and Heddle's own.
. tests/lib/tap.sh
. tests/lib/cc.sh

has_avx2() { grep -qw avx2 /proc/cpuinfo; }
for options in -O0 -O1 -O2 -O3 -Os -Oz -Og -O -Ofast "-O2 -g0" "-O2 -g" "-O2 -g3" "-O0 -g" "-O2 -g -gsplit-dwarf" "-O2 -g -gz" \
	"-O2 -g -gdwarf-4" "-O2 -gline-tables-only" "-O2 -g1" "-O2 -ggdb3 -fdebug-macro" "-O2 -no-pie -fno-pie" "-O2 -fPIE -pie" "-O2 -fPIC" \
	"-O2 -fcf-protection=full" "-O2 -fcf-protection=branch" "-O0 -fcf-protection=full" "-O2 -mcmodel=medium" "-O2 -mcmodel=large" "-O2 -fno-plt" \
	"-O2 -ffunction-sections -fdata-sections" "-O2 -fno-common" "-O2 -fcommon" "-O2 -fvisibility=hidden" \
	"-O2 -fstack-protector-all" "-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2" "-O2 -fstack-clash-protection" \
	"-O2 -fno-omit-frame-pointer" "-O2 -mno-red-zone" "-O2 -finstrument-functions" "-O2 -pg" \
	"-O2 -fno-exceptions -fno-asynchronous-unwind-tables" "-O2 -fexceptions" "-O2 -ftrivial-auto-var-init=pattern" \
	"-O2 -fno-strict-aliasing -fwrapv" "-O2 -fno-inline" "-O2 -funroll-loops" "-O2 -ffast-math" "-O2 -march=native" \
	"-O2 -mretpoline" "-O2 -mindirect-branch-cs-prefix" "-O2 -ftls-model=global-dynamic" "-O2 -fzero-call-used-regs=used" \
	"-O2 -fno-addrsig" "-O2 -pthread" "-O2 -flto" "-O2 -flto=thin" "-O2 -flto -fwhole-program-vtables -fvisibility=hidden" "-O2 -std=c17 -pedantic" \
	"-O2 -fprofile-instr-generate" "-O2 --coverage" "-O2 -fsemantic-interposition" "-O2 -falign-functions=64" "-O2 -falign-functions=1" \
	"-O2 -fbasic-block-sections=all" "-O2 -fno-unique-section-names" "-O2 -mrelax-all" "-O2 -fstack-size-section" "-O2 -fsplit-machine-functions" \
	"-O2 -fdebug-types-section -g" "-O2 -g -fdebug-prefix-map=$work=/src" "-O2 -fxray-instrument" \
	"-O2 -fno-semantic-interposition -fPIC" "-O2 -mno-sse4.2" "-O2 -D_GNU_SOURCE -Wall -Wextra -Werror" "-O2 -Qunused-arguments" \
	"-O2 -fmerge-all-constants" "-O2 -fno-builtin" "-O2 -ffreestanding" "-O2 -fprofile-generate" "-O2 -fsanitize=address -fno-sanitize=all"; do
	rm -f prog
	# What plain clang cannot do here (a runtime that is not installed), heddle-cc need not do either.
	if ! $clang $options main.c part.c -o plain >clang.said 2>&1; then
		skip "$options" "plain clang cannot: $(head -n 1 clang.said)"
		continue
	fi
	said=$($cc $options main.c part.c -o prog 2>&1)
	is "$options: says what clang says" "$said" "$(sed 's/-[0-9a-f]\{6\}\././g' clang.said)"
	works "$options" prog "$want" "$both"
done
# These want the entry of functions for themselves.
for options in "-O2 -fpatchable-function-entry=16" "-O2 -mfentry -pg"; do
	$cc $options main.c part.c -o prog
	is "$options: dormant" "$(./prog)" "$want"
	is "$options: switched" "$("$heddle" run --free --switch all -- ./prog 2>&1)" "$want"
	is "$options: left plain, and said" "$("$heddle" sites --json prog | jq -c '[.functions[].plain] | unique')" '["own_entry"]'
done
rm -f *.gcno *.gcda default.profraw gmon.out

cat >vector.c <<'END'
#include <stdio.h>
int a[64], b[64], index_[64], out[64];
__attribute__((noinline)) void gather(int n) { for (int i = 0; i < n; i++) out[i] = a[index_[i]] + b[i]; }
__attribute__((noinline)) void masked(int n) { for (int i = 0; i < n; i++) if (b[i] > 10) out[i] = a[i] * 3; }
int main(void)
{
	for (int i = 0; i < 64; i++)
		a[i] = i * i, b[i] = 64 - i, index_[i] = i * 7 % 64;
	gather(61);
	masked(63);
	unsigned sum = 0;
	for (int i = 0; i < 64; i++)
		sum = sum * 31 + (unsigned)out[i];
	printf("%u\n", sum);
}
END
if has_avx2; then
	$clang vector.c -o plain
	for options in "-O3 -mavx2" "-O2 -mavx" "-O3 -march=x86-64-v3" "-O3 -march=native" "-O3 -march=native -mprefer-vector-width=512"; do
		silent "$options: vectors" $cc $options vector.c -o prog
		works "$options: vectors" prog "$(./plain)" "gather masked"
	done
else
	skip "-mavx2" "this processor has no AVX2"
fi

cat >omp.c <<'END'
#include <stdio.h>
int total, cells[100];
int main(void)
{
#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < 100; i++)
		total += cells[i] = i;
	printf("%d\n", total);
}
END
if $clang -fopenmp omp.c -o plain 2>/dev/null; then
	silent "-fopenmp" $cc -O2 -fopenmp omp.c -o prog
	works "-fopenmp" prog 4950 main
else
	skip "-fopenmp: compile and link" "plain clang has no libomp to link with (libomp-19-dev)"
	silent "-fopenmp -c" $cc -O2 -fopenmp -c omp.c
	if library=$(ls /usr/lib/x86_64-linux-gnu/libomp.so.5 2>/dev/null); then
		silent "-fopenmp with libomp.so.5" $cc omp.o "$library" -o prog
		works "-fopenmp with libomp.so.5" prog 4950 main
	fi
fi
cat >threads.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int count;
static void *work(void *argument) { for (int i = 0; i < 1000; i++) count++; return argument; }
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", count);
}
END
silent "-pthread" $cc -O2 -pthread threads.c -o prog
works "-pthread" prog 4000 "main work"

# -flto is accepted, and the objects are native.
silent "-flto -c" $cc -O2 -flto -c main.c part.c
like "-flto -c: native code" "$(file main.o)" 'ELF 64-bit'
gcc main.o part.o -o prog
is "-flto -c: any linker can link it" "$(./prog)" "$want"

# Sanitizers: more in cc-checks.t.
said=$($cc -fsanitize=address,undefined -c main.c -o sanitized.o 2>&1)
is "-fsanitize=address,undefined: exit status" $? 2
like "-fsanitize=address,undefined: reason" "$said" '^heddle-cc: error: "-fsanitize=address" cannot be woven: '
ok "-fsanitize: nothing is written" test ! -e sanitized.o
silent "-fno-sanitize takes it back" $cc -fsanitize=address -fno-sanitize=address -c main.c
silent "--heddle-off lets it pass" $cc --heddle-off -fsanitize=address -c main.c

# Heddle's own options.
for options in "" "-O2 -g" "-O3 -fPIC" "-flto" "-flto=thin -O2"; do
	$clang $options -c main.c -o plain.o && $cc --heddle-off $options -c main.c -o off.o
	ok "--heddle-off $options: clang's object, byte for byte" cmp plain.o off.o
	HEDDLE_CC_OPTIONS=off $cc $options -c main.c -o off.o
	ok "HEDDLE_CC_OPTIONS=off $options: clang's object, byte for byte" cmp plain.o off.o
done
$cc --heddle-off main.c part.c -o prog
is "--heddle-off: not woven" "$(status "$heddle" sites prog)" 3
HEDDLE_CC_OPTIONS=off:prove=no $cc --heddle-off=0 main.c part.c -o prog
works "the command line wins over the environment" prog "$want" "$both"
$cc --heddle-off main.c -c && $cc main.o part.c -o prog
works "an object made with --heddle-off" prog "$want" "part_add part_calls"
like "--heddle-version" "$($cc --heddle-version)" '^heddle-cc [0-9]+\.[0-9]+\.[0-9]+$'
is "--heddle-version: exit status" "$(status $cc --heddle-version)" 0
like "-heddle-version: one dash" "$($cc -heddle-version)" '^heddle-cc [0-9]'
# Heddle's own header is found, behind everything else, where it is built and where it is installed.
cat >annotated.c <<'END'
#include <heddle/heddle.h>
int value;
int main(void)
{
	return value;
}
END
ok "heddle/heddle.h is found" "$cc" annotated.c -o annotated
ok "heddle/heddle.h is found: not woven" "$cc" --heddle-off annotated.c -o annotated
ok "heddle/heddle.h is found: only preprocessed" "$cc" -E annotated.c -o annotated.i
ok "heddle/heddle.h is found: C++" "$cxx" -x c++ annotated.c -o annotated
ok "heddle/heddle.h is found: files behind --" "$cc" -o annotated -- annotated.c
is "a link alone has nothing to say about it" "$("$cc" -c annotated.c && "$cc" annotated.o -o annotated 2>&1)" ""
mkdir -p first/heddle && echo '#error the first' >first/heddle/heddle.h
like "a folder of the user's is looked into first" "$("$cc" -I first annotated.c -o annotated 2>&1)" 'the first'
mkdir -p "$work/installed/bin" "$work/installed/lib" "$work/installed/include"
cp "$cc" "$work/installed/bin/" && cp -r "$build/lib/heddle" "$work/installed/lib/" && cp -r "$root/include/heddle" "$work/installed/include/"
ok "heddle/heddle.h is found: installed" "$work/installed/bin/heddle-cc" annotated.c -o annotated

like "--heddle-help" "$($cc --heddle-help)" '^usage: heddle-cc '
for option in --help -help "-O2 main.c --help"; do
	same "$option: Heddle's own options" "$($cc $option 2>&1)" "$($cc --heddle-help)"
done
like "and how to get clang's" "$($cc --help)" 'heddle-cc --heddle-off --help lists them'
is "--heddle-help: nothing on standard error" "$($cc --heddle-help 2>&1 >/dev/null)" ""
for option in $($cc --heddle-help | sed -n 's/^  \(--heddle-[a-z]*\).*/\1/p'); do
	like "$option is in --heddle-help and known" "$option $($cc $option=1 --heddle-version 2>&1)" \
		"(heddle-cc [0-9]|version|help)"
done
said=$($cc --heddle-foo -c main.c -o foo.o 2>&1)
is "--heddle-foo: exit status" $? 2
like "--heddle-foo: message" "$said" '^heddle-cc: error: unknown option "--heddle-foo"'
for option in --heddle-allocator --heddle-assume-private= --heddle-jobs=none; do
	name=${option%%=*}
	said=$("$cc" $option -c main.c 2>&1)
	is "$option: exit status" $? 2
	like "$option: message" "$said" "^heddle-cc: error: \"$option\": the option requires a value, $name=VALUE: N"
done
like "--heddle-prove=maybe: message" "$("$cc" --heddle-prove=maybe -c main.c 2>&1)" 'requires a value, --heddle-prove=VALUE: private, locked, heap, no$'
like "--heddle-foo: hint" "$said" '^heddle-cc: hint: .*--heddle-help'
ok "--heddle-foo: nothing is written" test ! -e foo.o
is "HEDDLE_CC_OPTIONS=foo: exit status" "$(HEDDLE_CC_OPTIONS=foo status $cc -c main.c)" 2
for value in 0 x -1 99999 ''; do
	is "--heddle-jobs=$value: exit status" "$(status $cc --heddle-jobs=$value -c main.c)" 2
done
silent "--heddle-jobs=1" $cc --heddle-jobs=1 -O2 main.c part.c -o one
silent "--heddle-jobs=7" $cc --heddle-jobs=7 -O2 main.c part.c -o seven
ok "the number of jobs changes nothing" cmp one seven
said=$($cc --heddle-verbose -O2 main.c part.c -o prog 2>&1 >stdout)
is "--heddle-verbose: exit status" $? 0
like "--heddle-verbose: compile" "$said" '^heddle-cc: .*-cc1.*main\.c'
like "--heddle-verbose: prepare" "$said" '^heddle-cc: .*heddle-weave prepare'
like "--heddle-verbose: weave" "$said" '^heddle-cc: .*heddle-weave weave'
like "--heddle-verbose: link" "$said" '^heddle-cc: .*ld.* -o prog'
is "--heddle-verbose: nothing on standard output" "$(cat stdout)" ""
is "HEDDLE_CC_OPTIONS=verbose says the same" "$(HEDDLE_CC_OPTIONS=verbose:prove=no $cc -O2 main.c part.c -o prog 2>&1 | wc -l)" \
	"$(printf '%s\n' "$said" | wc -l)"
printf -- '--heddle-verbose' >verbose.rsp
like "Heddle's options in a response file" "$($cc @verbose.rsp -O2 -c main.c 2>&1)" 'heddle-weave prepare'

# What clang answers, clang answers.
for option in --version -dumpversion -dumpmachine -print-search-dirs -print-resource-dir -print-prog-name=ld \
	-print-file-name=libc.so.6 -print-libgcc-file-name -print-multiarch --help-hidden "--heddle-off --help" -v "-### -c main.c"; do
	is "$option" "$($cc $option 2>&1 | sed 's/-[0-9a-f]\{6\}\././g')" "$($clang ${option#--heddle-off } 2>&1 | sed 's/-[0-9a-f]\{6\}\././g')"
done
is "-v with a link: the same commands" "$($cc -v main.c part.c -o prog 2>&1 | grep -c '^ *"')" "$($clang -v main.c part.c -o prog 2>&1 | grep -c '^ *"')"
like "-v: the version" "$($cc -v -c main.c 2>&1)" 'clang version'
is "builds are reproducible" "$(for i in 1 2; do $cc -O2 -g main.c part.c -o prog && sha256sum prog; done | uniq | wc -l)" 1
mkdir -p again && TMPDIR=$work/again $cc -O2 -g main.c part.c -o prog2
ok "the place of temporary files does not show" cmp prog prog2
is_clean "no leftovers"
done_testing
