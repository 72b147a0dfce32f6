#!/bin/bash
# Inline assembly that is not understood: heddle test and heddle run say so, if it ran, and heddle sites lists it.
. tests/lib/tap.sh
. tests/lib/cc.sh

cat >copy.c <<'XX'
#include <pthread.h>
static char from[16] = "hello", to[2][16];
static inline void copy(char *d, const char *s, long n)
{
	__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
}
static __attribute__((noinline)) void never(int *p)
{
	__asm__ volatile("call *%0" : : "r"(p) : "memory");
}
static void *work(void *at)
{
	unsigned low, high;
	copy(at, from, 6);
	/* None of these is anything to wonder about. */
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	__asm__ volatile("" : : : "memory");
	__asm__ volatile("rep; nop" : : : "memory");
	__asm__("bsfl %1,%0" : "=r"(low) : "r"(high | 1));
	__asm__ volatile("cpuid" : "+a"(low) : : "ebx", "ecx", "edx", "memory");
	return 0;
}
int main(int count, char **arguments)
{
	pthread_t threads[2];
	(void)arguments;
	if (count > 1)
		never(0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, work, to[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	return to[0][0] != 'h';
}
XX
"$cc" -g -O1 -pthread copy.c -o copy || fail "copy.c is built"
note="inline assembly at copy.c:5 in copy is not observed: its memory accesses are not events, and it does not order threads"
is "test: exit status" "$("$heddle" test --classify no --runs 10 --json json ./copy >said 2>errors; echo $?)" 0
is "test: a note, of what ran alone" "$(grep assembly said)" "note: $note"
is "test: the same in JSON" "$(jq -r '.notes[]' json)" "$note"
"$heddle" run ./copy 2>said
is "run: a note" "$(grep assembly said)" "heddle: note: $note"
is "sites: what is opaque" "$("$heddle" sites ./copy | awk '/opaque/ { print $2 }' | sed 's/:[0-9]*$//' | sort)" "copy.c:5
copy.c:9"
is "sites: their number in the summary" "$("$heddle" sites --summary ./copy | awk '/^inline assembly statements|^  opaque/ { print $NF }')" "2
2"

# Many of them are not listed all.
{
	for i in 1 2 3 4 5 6 7 8; do echo "void f$i(char *d) { long n = 1; __asm__ volatile(\"rep stosb\" : \"+D\"(d), \"+c\"(n) : \"a\"(0) : \"memory\"); }"; done
	echo 'int main(void) { char to[8]; f1(to); f2(to); f3(to); f4(to); f5(to); f6(to); f7(to); f8(to); f1(to); return to[0]; }'
} >many.cc
"$cxx" -g -O0 -pthread many.cc -o many || fail "many.cc is built"
"$heddle" test --classify no --runs 5 ./many >said 2>errors
is "test: five are named" "$(grep -c "^note: inline assembly at many.cc:[1-5] in f[1-5]" said)" 5
like "test: the others are counted" "$(cat said)" "note: 3 more statements of inline assembly are not observed"

# What heddle check makes of it.
cat >race.c <<'XX'
#include <pthread.h>
static int shared, other;
static void *work(void *at)
{
	__asm__ volatile("addl $1,%0" : "+m"(shared));
	__asm__ volatile("lock; addl $1,%0" : "+m"(other));
	return at;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	return 0;
}
XX
"$cc" -g -O1 -pthread race.c -o race || fail "race.c is built"
"$heddle" check ./race >said 2>errors
is "check: the race by assembly, and none by a locked instruction" "$(grep candidates said)" "shared: global variable shared at race.c:2; 2 candidates
2 candidates for data races at 1 variable"
unlike "check: nothing is left out" "$(cat said)" "inline assembly"
"$heddle" check ./copy >said 2>errors
like "check: what is not understood" "$(cat said)" "x inline assembly"
done_testing
