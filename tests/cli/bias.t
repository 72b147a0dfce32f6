#!/bin/bash
# heddle guard --bias and --only-marked: which places are left out, the table of groups, sets for the rest; marks in programs; wrong use.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE
guard() { timeout -k 2 60 "$heddle" guard "$@" >out 2>err; }
# What computes makes nearly all accesses; a counter, and a lost addition, few.
cat >mix.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef MARKS
#include "heddle/heddle.h"
#else
#define HEDDLE_GUARD_FUNCTION
#define heddle_guard_begin()
#define heddle_guard_end()
#define heddle_guard_memory(address, size)
#endif
enum { SIZE = 4000 };
static int cells[SIZE], hits, sum, flag, nap_us;
static pthread_barrier_t both;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void add(int number)
{
	HEDDLE_GUARD_FUNCTION;
	pthread_mutex_lock(&lock);
	sum += number;
	pthread_mutex_unlock(&lock);
}
static void *work(void *argument)
{
	int own = argument != NULL;
	for (int i = own * SIZE / 2; i < (own + 1) * SIZE / 2; i++)
		cells[i] += i;
	pthread_barrier_wait(&both);
	for (int i = !own * SIZE / 2; i < (!own + 1) * SIZE / 2; i++)
		cells[i] ^= i;
	if (own)
		usleep(nap_us ? 200 : 4000);
	heddle_guard_begin();
	int seen = hits;
	if (nap_us)
		usleep(nap_us);
	hits = seen + 1;
	heddle_guard_end();
	add(own);
	if (own)
		flag = 3;
	pthread_barrier_wait(&both);
	return flag == 3 ? argument : &both;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	nap_us = argc > 1 ? atoi(argv[1]) : 0;
	heddle_guard_memory(&flag, sizeof flag);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, &sum);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return hits == 2 && sum == 1 ? 0 : 1;
}
END
$cc -O1 -g -pthread -DMARKS -I"$root/include" mix.c -o mix || fail "mix.c compiles"
ok "marks do nothing by themselves" ./mix
ok "trained" timeout -k 2 100 "$heddle" train --quiet --native -- ./mix
is "accesses are counted" "$(jq '[.places[] | select(.variable == "cells[]") | .accesses > 10000] | unique | tostring' .heddle/training/mix)" '"[true]"'
is "marked: a function, a block, memory" \
	"$(jq -r '[.places[] | select(.is_marked and .function != "main") | .variable] | unique | join(" ")' .heddle/training/mix)" "flag hits nap_us sum"
is "nothing else is" "$(jq '[.places[] | select(.is_marked and .variable == "cells[]")] | length' .heddle/training/mix)" 0
guard -- ./mix
whole=$(sed -n 's/^heddle guard: guarded \([0-9]*\) places.*/\1/p' err)
guard --bias -- ./mix
like "--bias: how many groups" "$(cat err)" '^heddle guard: 5 groups of places, [0-9]+ accesses$'
like "the one that computes is left out" "$(cat err)" '^  (99|100)\.[0-9] %       4  mix\.c:[0-9]+ [a-z]+ cells\[\]; left out$'
like "others are not" "$(cat err)" '^   0\.[0-9] %       [0-9]  mix\.c:[0-9]+ (read|write) hits$'
is "only one is" "$(grep -c 'left out$' err)" 1
like "fewer places are guarded" "$(sed -n 's/^heddle guard: guarded \([0-9]*\) places.*/\1/p' err) $whole" '^([0-9]+) [0-9]+$'
biased=$(sed -n 's/^heddle guard: guarded \([0-9]*\) places.*/\1/p' err)
is "by its four" "$((whole - biased))" 4
diag "places: $whole guarded, $biased with --bias"
guard --only-marked -- ./mix
marked=$(sed -n 's/^heddle guard: guarded \([0-9]*\) places.*/\1/p' err)
[ "$marked" -gt 0 ] && [ "$marked" -lt "$biased" ] && pass "--only-marked: fewer" || fail "--only-marked: fewer"
failures() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do "$@" >/dev/null 2>&1 || echo failed; done | wc -l
}
bare=$(failures ./mix 3000)
[ "$bare" -ge 5 ] && pass "unguarded, an addition is lost" || fail "unguarded, an addition is lost"
for option in --bias --only-marked; do
	# A run in which the thread that is waited for did not come in time does not count. In one that counts, at least, the addition would have been lost.
	right=0 wrong=0 late=0 prevented=0
	for ((i = 0; i < 100 && (right < 10 || prevented < 1); i++)); do
		if guard $option --json=found -- ./mix 3000; then
			right=$((right + 1))
			! jq -e 'any(.pairs[]; .resolved > 0)' found >/dev/null || prevented=$((prevented + 1))
		elif jq -e 'any(.pairs[]; .resolved < .seen)' found >/dev/null; then
			late=$((late + 1))
		else
			wrong=$((wrong + 1))
		fi
	done
	is "$option: it is not" "$((right >= 10)) $((prevented >= 1)) $wrong" "1 1 0"
	diag "$option: $bare of 10 runs fail; guarded, $right are right, in $prevented of which it was prevented, and in $late the other thread did not come in time"
done
ok "both, baked" timeout 60 "$heddle" guard --bias --only-marked --bake -o mix.guarded -- ./mix
ok "which runs" ./mix.guarded
# Counts and marks are merged.
cp .heddle/training/mix one && cp .heddle/training/mix two
ok "merged" timeout 60 "$heddle" train --merge --training=three --fresh one two
is "accesses are added" "$(jq '[.places[].accesses] | add' three)" "$((2 * $(jq '[.places[].accesses] | add' one)))"
is "marks stay" "$(jq '[.places[] | select(.is_marked)] | length' three)" "$(jq '[.places[] | select(.is_marked)] | length' one)"

# Without marks.
$cc -O1 -g -pthread mix.c -o plain || fail "mix.c compiles without marks"
ok "trained" timeout -k 2 100 "$heddle" train --quiet --native -- ./plain
guard --only-marked -- ./plain
like "nothing is marked: an error" "$? $(cat err)" '^3 heddle: error: the training saw no marked access to memory that several threads use'
printf '#include "heddle/heddle.h"\nint f(void) { HEDDLE_GUARD_FUNCTION; heddle_guard_memory(0, 0); return 0; }\n' >marks.h
for compiler in "gcc -std=gnu11 -xc" "g++ -xc++" "$clang -std=gnu11 -xc"; do
	ok "the marks compile: ${compiler%% *}" ${compiler% -x*} -Wall -Wextra -Werror -I"$root/include" -fsyntax-only "-x${compiler##*-x}" marks.h
done
done_testing
