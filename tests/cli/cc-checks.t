#!/bin/bash
# What the compiler itself adds to a program is none of the program's: counters of --coverage, profiles and -fsanitize-coverage, and the
# checks of UndefinedBehaviorSanitizer. They work as with clang, plain and under control, and are no findings. Sanitizers that
# instrument memory are refused.
. tests/lib/tap.sh
. tests/lib/cc.sh

cat >count.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
__attribute__((noinline)) static int step(int i)
{
	return i % 3 ? i : 2 * i;
}
static void *work(void *argument)
{
	int sum = 0;
	for (int i = 0; i < 5; i++)
		sum += step(i);
	pthread_mutex_lock(&lock);
	total += sum;
	pthread_mutex_unlock(&lock);
	return argument;
}
#ifdef COVERED
/* -fsanitize-coverage asks for these. */
void __sanitizer_cov_8bit_counters_init(char *start, char *end);
void __sanitizer_cov_8bit_counters_init(char *start, char *end) { (void)start; (void)end; }
void __sanitizer_cov_bool_flag_init(char *start, char *end);
void __sanitizer_cov_bool_flag_init(char *start, char *end) { (void)start; (void)end; }
#endif
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", total);
	return 0;
}
END_C

# counted OPTIONS: a program with counters has no findings.
counted() {
	rm -rf .heddle
	ok "$*: builds" $cc -g -pthread "$@" count.c -o count
	is "$*: plain" "$(./count)" 26
	said=$("$heddle" test --runs 10 -- ./count 2>&1)
	is "$*: no finding" "$?" 0
	like "$*: schedules ran" "$said" '^10 schedules, .*nothing found'
	unlike "$*: no site" "$("$heddle" sites count)" '__llvm_gcov_ctr|__prof|__sancov'
}
counted -O0 --coverage
counted -O1 --coverage
for how in plain control; do
	rm -f ./*.gcda ./*.gcov
	if [ $how = plain ]; then ./count >out; else "$heddle" run -- ./count >out; fi
	llvm-cov-19 gcov count-count.gcda >out 2>&1
	like "--coverage: what gcov says, $how" "$(cat count.c.gcov)" '^ +10: +7:'
done
counted -O1 -fprofile-instr-generate
counted -O2 -fprofile-generate
counted -O1 -fprofile-instr-generate -mllvm -runtime-counter-relocation
counted -O1 -DCOVERED -fsanitize-coverage=inline-8bit-counters,edge
counted -O1 -DCOVERED -fsanitize-coverage=inline-bool-flag,bb

cat >overflow.c <<'END_C'
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last, racing;
__attribute__((noinline)) static int grow(int x, int by)
{
	return x + by;
}
static void *work(void *argument)
{
	pthread_mutex_lock(&lock);
	last = grow(INT_MAX - 1, 1 + *(int *)argument);
	pthread_mutex_unlock(&lock);
#ifdef RACE
	racing++;
#endif
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	int by[2] = { 0, argc > 1 };
	(void)argv;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &by[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts(last == INT_MAX || last == INT_MIN ? "end" : "other");
	return racing > 9;
}
END_C

# checked STATUS WORDS OPTIONS: what an overflow ends with, and what is printed, the same plain and under control.
checked() {
	status=$1 words=$2
	shift 2
	rm -rf .heddle
	ok "$*: builds" $cc -O1 -g -pthread "$@" overflow.c -o overflow
	is "$*: woven" "$(status "$heddle" sites overflow)" 0
	is "$*: nothing undefined, plain" "$(./overflow 2>&1)" end
	is "$*: nothing undefined, under control" "$("$heddle" run -- ./overflow 2>&1)" end
	said=$("$heddle" test --runs 10 -- ./overflow 2>&1)
	is "$*: no finding" "$?" 0
	for how in plain control; do
		if [ $how = plain ]; then
			said=$(./overflow 1 2>&1)
		else
			said=$("$heddle" run -- ./overflow 1 2>&1)
		fi
		is "$*: an overflow ends with $status, $how" "$?" "$status"
		like "$*: what is printed, $how" "$said" "$words"
	done
}
checked 0 'runtime error: signed integer overflow' -fsanitize=undefined
checked 1 'runtime error: signed integer overflow' -fsanitize=undefined,integer -fno-sanitize-recover=all
checked 132 '' -fsanitize=undefined -fsanitize-trap=all
checked 0 'ubsan: add-overflow' -fsanitize=undefined -fsanitize-minimal-runtime
checked 134 'ubsan: add-overflow' -fsanitize=undefined -fno-sanitize-recover=all -fsanitize-minimal-runtime
$cc -O1 -g -pthread -fsanitize=undefined -DRACE overflow.c -o overflow
said=$("$heddle" test --runs 10 -- ./overflow 2>&1)
is "-fsanitize=undefined: a race is found" "$?" 1
like "-fsanitize=undefined: the race is the program's" "$said" 'data race on racing'
unlike "-fsanitize=undefined: and no other" "$said" 'data race on [^r]'

cat >virtual.cc <<'END_C'
#include <cstdio>
#include <thread>
struct shape { virtual int area() { return 1; } virtual ~shape() = default; };
struct square : shape { int area() override { return 4; } };
static int work(shape *s) { return s->area() + s->area(); }
int main()
{
	shape *shapes[2] = { new square, new shape };
	int areas[2];
	std::thread one([&] { areas[0] = work(shapes[0]); }), two([&] { areas[1] = work(shapes[1]); });
	one.join();
	two.join();
	std::printf("%d\n", areas[0] + areas[1]);
	delete shapes[0];
	delete shapes[1];
}
END_C
rm -rf .heddle
ok "vptr: builds" $cxx -O1 -g -pthread -fsanitize=undefined,function,vptr virtual.cc -o virtual
is "vptr: plain" "$(./virtual 2>&1)" 10
said=$("$heddle" test --runs 10 -- ./virtual 2>&1)
is "vptr: the cache of types is no race" "$?" 0
like "vptr: schedules ran" "$said" '^10 schedules, .*nothing found'

# What cannot be woven.
for what in address thread memory leak hwaddress dataflow safe-stack fuzzer; do
	said=$($cc -fsanitize=undefined,$what -c count.c -o refused.o 2>&1)
	is "-fsanitize=$what: exit status" $? 2
	like "-fsanitize=$what: reason" "$said" "^heddle-cc: error: \"-fsanitize=$what\" cannot be woven: "
	like "-fsanitize=$what: next step" "$said" '^heddle-cc: hint: .*--heddle-off.*-fsanitize=undefined can be woven'
done
ok "nothing is written" test ! -e refused.o
ok "-fno-sanitize takes one of two back" $cc -fsanitize=address,undefined -fno-sanitize=address -c count.c -o kept.o
is "-fno-sanitize of another one does not" "$(status $cc -fsanitize=address,thread -fno-sanitize=address -c count.c)" 2
is "a name that clang does not know is refused" "$(status $cc -fsanitize=nothing -c count.c)" 2
done_testing
