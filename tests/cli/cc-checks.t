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
	said=$("$heddle" test --classify no --runs 10 -- ./count 2>&1)
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
	said=$("$heddle" test --classify no --runs 10 -- ./overflow 2>&1)
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
said=$("$heddle" test --classify no --runs 10 -- ./overflow 2>&1)
is "-fsanitize=undefined: a race is found" "$?" 1
like "-fsanitize=undefined: the race is the program's" "$said" 'data race on racing'
unlike "-fsanitize=undefined: and no other" "$said" 'data race on [^r]'

# UBSan would turn crashes into an exit with 1.
cat >crash.c <<'END_C'
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node { long first; int value; };
static struct node *volatile shared;
static volatile int most = INT_MAX;
static void *work(void *how)
{
	switch (atoi(how)) {
	case 0: return (void *)(long)shared->value;
	case 1: abort();
	case 2: most++; break;
	case 3: most++; fputs("done\n", stderr); exit(3);
	case 4: puts(getenv("UBSAN_OPTIONS") ? getenv("UBSAN_OPTIONS") : "none"); break;
	}
	return NULL;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	(void)count;
	pthread_create(&thread, NULL, work, arguments[1]);
	return pthread_join(thread, NULL);
}
END_C
# crash HOW: the line of the finding
crash() {
	"$heddle" test --classify no --runs 2 --reduce 0 --quiet -- ./crash "$1" 2>&1
}
ok "crash: builds" $cc -O1 -g -pthread -fsanitize=undefined crash.c -o crash
like "-fsanitize=undefined: a crash is a crash" "$(crash 0)" \
	'crash: Segmentation fault \(signal 11\) by a NULL pointer, shared->value \(address 0x8\), at crash\.c:11 in work'
like "-fsanitize=undefined: an abort is one" "$(crash 1)" 'abort was called at crash\.c:12 in work'
like "-fsanitize=undefined: an end that has other reasons" "$(crash 3)" 'exit status 3'
like "-fsanitize=undefined: run has the signal" "$("$heddle" run -- ./crash 0 2>&1)" '^heddle: signal 11 at address 8$'
like "UBSAN_OPTIONS of the user count" "$(UBSAN_OPTIONS=handle_segv=1 crash 0)" 'exit status 1'
is "UBSAN_OPTIONS: the program sees the user's" "$(UBSAN_OPTIONS=print_summary=0 "$heddle" run -- ./crash 4)" print_summary=0
is "UBSAN_OPTIONS: it sees none of ours" "$(env -u UBSAN_OPTIONS "$heddle" run -- ./crash 4)" none
ok "crash: builds without recovery" $cc -O1 -g -pthread -fsanitize=undefined -fno-sanitize-recover=all crash.c -o crash
said=$("$heddle" test --classify no --runs 2 --reduce 0 --json=undefined.json -- ./crash 2 2>&1)
like "no recovery: what is undefined is said" "$said" \
	'^H[0-9]+ undefined behaviour: signed integer overflow: 2147483647 \+ 1 .* at crash\.c:13 \(UBSan, exit status 1\), found'
is "no recovery: the place" "$(jq -c '.findings[0] | [.kind, .sites[0].file, .sites[0].line]' undefined.json)" '["crash","crash.c",13]'

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
said=$("$heddle" test --classify no --runs 10 -- ./virtual 2>&1)
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
