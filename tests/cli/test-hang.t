#!/bin/bash
# heddle test and programs that wait in loops in code that is not woven, which nobody can interrupt; what is said on a
# terminal meanwhile; how long a test takes.
. tests/lib/tap.sh
. tests/lib/cc.sh

cat >spin.c <<'END'
#include <pthread.h>
#include <sched.h>
static volatile int is_ready;
static void *work(void *argument)
{
	is_ready = 1;
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	(void)arguments;
	if (count == 1)
		while (!is_ready)
			;
	pthread_create(&thread, NULL, work, NULL);
	sched_yield();
	if (count == 2)
		while (!is_ready)
			;
	pthread_join(thread, NULL);
	return 0;
}
END
gcc -g -O1 -pthread spin.c -o spin || fail "spin.c is built"

# Never: no run ends. The limit is in processor time, and the machine may be busy with other things.
said=$(timeout -s KILL 120 "$heddle" test --classify no --allow-unwoven -- ./spin 2>errors </dev/null)
is "no run ends: exit status" "$?" 3
like "no run ends: where it is" "$(cat errors)" \
	'^heddle: error: no run of the program ended: a thread computes at spin\.c:1[456] in main for seconds without an event$'
like "no run ends: what to do" "$(cat errors)" '^heddle: hint: .*heddle-cc.*--hang SECONDS'
cat >empty.c <<'END'
#include <pthread.h>
static int flag;
static void *work(void *argument)
{
	while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
	}
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	return pthread_join(thread, NULL);
}
END
"$cc" -g -O1 -pthread empty.c -o empty || fail "empty.c is built"
timeout -s KILL 120 "$heddle" test --classify no -- ./empty >/dev/null 2>woven-errors </dev/null
like "no run ends, in woven code: what to do" "$(cat woven-errors)" \
	'^heddle: hint: the program is woven, but loops without memory accesses after optimisation are not interrupted: .*--hang SECONDS'
like "no run ends: it is not said that nothing is wrong" "$said" '; none of them ended$'
is "no run ends: processor time" "$(bash -c "TIMEFORMAT=%U; time '$heddle' test --allow-unwoven -- ./spin </dev/null >/dev/null 2>&1" 2>&1 |
	perl -ne 'print $_ < 13 ? "little" : $_')" little

woven=$(timeout -s KILL 120 "$heddle" run --hang 1 -- ./empty 2>&1 </dev/null)
like "a hang in woven code is not said to be in other code" "$woven" \
	'^heddle: hang: thread 2 computes without an event (at empty\.c:[56]|at empty\.c near line [3-7]) in work, after'

# Sometimes: the thread that could end the loop is not run, so nothing is known about these runs, and the test ends soon.
said=$(timeout -s KILL 200 "$heddle" test --classify no --allow-unwoven --strategy random --json found.json -- ./spin sometimes 2>&1 </dev/null)
is "some runs wait where nobody can interrupt them: exit status" "$?" 3
is "some runs wait where nobody can interrupt them: no finding" "$(jq '.findings | length' found.json)" 0
like "some runs wait where nobody can interrupt them: said" "$said" \
	'^note:   hang: thread 1 computes, or waits in a loop, at spin\.c:(18|19|20) in main, which is not woven, and cannot be interrupted, although other threads could run: build'
like "some runs wait where nobody can interrupt them: it ended early" "$said" '^note: stopped after [0-9]+ schedules, because 2 of them hung'

# In some schedules it computes for longer than the others take in all: about 4 s of processor time without an event.
cat >compute.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int came;
static unsigned long limit;
static void *work(void *argument)
{
	if (__atomic_exchange_n(&came, 1, __ATOMIC_SEQ_CST) == 0)
		for (volatile unsigned long i = 0; i < limit;)
			i++;
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	limit = strtoul(arguments[count - 1], NULL, 10);
	pthread_create(&thread, NULL, work, NULL);
	if (count == 3)
		pthread_join(thread, NULL);
	else
		pthread_mutex_lock(&lock);
	__atomic_exchange_n(&came, 1, __ATOMIC_SEQ_CST);
	return count == 2 ? pthread_join(thread, NULL) : 0;
}
END
gcc -g -O1 -pthread compute.c -o compute || fail "compute.c is built"
ms=$(bash -c 'TIMEFORMAT=%U; time ./compute always 2000000000' 2>&1 | tr -d .)
said=$(timeout -s KILL 200 "$heddle" test --classify no --allow-unwoven --runs 3 --json found.json -- ./compute $((2000000000 / (10#$ms + 1) * 4000)) 2>&1 </dev/null)
is "a long computation is no hang: exit status" "$?" 0
is "a long computation is no hang" "$(jq -c '[.schedules, (.findings | length), .lost]' found.json)" "[3,0,0]"
is "with --hang the test goes on" "$(timeout -s KILL 120 "$heddle" test --classify no --allow-unwoven --runs 4 --hang 1 --json found.json -- ./spin \
	</dev/null >/dev/null 2>&1; jq -c '[.schedules, .findings[0].seen]' found.json)" "[4,4]"

# The first schedule is given up while it is not known how long the program computes. A race that is found in it has its stacks, and
# its replay, which has more time, ends where the recording does.
cat >computes.c <<'END'
unsigned long limit;
void compute(void)
{
	for (volatile unsigned long i = 0; i < limit;)
		i++;
}
END
cat >racy.c <<'END'
#include <pthread.h>
#include <stdlib.h>
extern unsigned long limit;
void compute(void);
static volatile int racy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
	racy++;
	if (argument)
		compute();
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t threads[2];
	limit = strtoul(arguments[count - 1], NULL, 10);
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, &limit);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
gcc -O1 -c computes.c -o computes.o && "$cc" -g -O1 -pthread racy.c computes.o -o racy || fail "racy.c is built"
ms=$(bash -c 'TIMEFORMAT=%U; time ./racy 1000000000' 2>&1 | tr -d .)
rm -rf .heddle
said=$(timeout -s KILL 200 "$heddle" test --classify no --runs 1 -- ./racy $((1000000000 / (10#$ms + 1) * 3200)) 2>errors </dev/null)
is "given up while it computes: the race is found" "$? $(grep -c '^H1 data race on racy' <<<"$said")" "1 1"
is "given up while it computes: the race is complete" "$(grep -c '^    holding no lock' <<<"$said") $(grep -c '^    it was ' <<<"$said") $(grep -c 'without' <<<"$said")" "2 2 0"
replayed=$(timeout -s KILL 100 "$heddle" replay H1 2>&1)
is "given up while it computes: the replay: exit status" $? 0
like "given up while it computes: the replay: said" "$replayed" '^heddle: the recorded schedule ends here, after '
like "given up while it computes: the replay: the race" "$replayed" 'data race on racy'
without "given up while it computes: the replay is no hang, and does not differ" "$replayed" ' hang[: ]|differs|did not follow'

# The replay of a hang ends.
timeout -s KILL 60 "$heddle" run --hang 1 --trace hang.trace -- ./spin 2>first
is "a hang: exit status" "$?" 1
is "a hang: it is said once" "$(grep -c 'hang: ' first)" 1
timeout -s KILL 60 "$heddle" replay --hang 1 hang.trace 2>second
is "a hang is replayed: exit status" "$?" 1
same "a hang is replayed: the same is said" "$(cat second)" "$(cat first)"
timeout -s KILL 60 "$heddle" replay hang.trace 2>/dev/null
is "a hang is replayed without an option: exit status" "$?" 1

# A test with a limit of time keeps it, with all that it does; what it does is said on a terminal only.
cat >lost.c <<'END'
#include <pthread.h>
static volatile int counter;
static void *work(void *argument)
{
	for (int i = 0; i < 50; i++)
		counter++;
	return argument;
}
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return counter == 200 ? 0 : 3;
}
END
"$cc" -g -O1 -pthread lost.c -o lost || fail "lost.c is built"
start=$(date +%s%N)
said=$(timeout -s KILL 120 "$heddle" test --classify no --time 6 -- ./lost 2>errors </dev/null)
took=$((($(date +%s%N) - start) / 1000000))
ok "the time is kept: $took ms" test $took -lt 9000
like "the failure was reduced in it" "$said" '^[0-9]+ schedules, .*, and [0-9]+ runs in [0-9.]+ s to reduce failures(,|$)'
is "no terminal: no progress" "$(grep -v "^heddle: H[0-9]" errors)" ""
if command -v script >/dev/null; then
	script -qec "$heddle test --classify no --runs 300 -- ./lost" /dev/null </dev/null 2>&1 | tr '\r' '\n' >shown
	like "a terminal: progress" "$(cat shown)" '[0-9]+ of 300 schedules, [0-9.]+ per second; [0-9]+ findings?'
else
	skip "a terminal: progress" "there is no script"
fi
# A program that never ends: schedules get longer and longer, so that is said after the first, without a terminal, too.
cat >never.c <<'END'
#include <pthread.h>
static volatile int mine, yours;
static void *work(void *argument)
{
	for (;;)
		yours++;
	return argument;
}
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, work, NULL);
	for (;;)
		mine++;
}
END
"$cc" -g -O1 -pthread never.c -o never || fail "never.c is built"
timeout -s KILL 120 "$heddle" test --classify no --runs 1 -- ./never >said 2>errors </dev/null
like "it never ends: said after the first schedule" "$(cat errors)" '^heddle: the first schedule did not end within [0-9]+ events: '
like "it never ends: what to do" "$(cat errors)" 'must be given a limit: on its number of requests or rounds, or its running time;'
timeout -s KILL 120 "$heddle" test --classify no --runs 2 --budget 10000 -- ./never >said 2>errors </dev/null
is "it never ends, with a budget: nothing more to say" "$(grep -v "^heddle: H[0-9]" errors)" ""
# The process that schedules are forked from has no events, and forks take its time.
cat >large.c <<'END'
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
enum { SIZE = 128 << 20 };
static void *nothing(void *argument)
{
	return argument;
}
/* A fork has to copy the tables of all these pages. */
__attribute__((constructor)) static void fill(void)
{
	char *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(pages, SIZE, MADV_NOHUGEPAGE);
	memset(pages, 1, SIZE);
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, nothing, NULL);
	return pthread_join(thread, NULL);
}
END
gcc -g -O1 -pthread large.c -o large || fail "large.c is built"
timeout -s KILL 120 "$heddle" test --classify no --allow-unwoven --quiet --hang 1 --runs 700 --json found.json -- ./large >said 2>&1 </dev/null
is "many forks are no hang: exit status" "$?" 0
is "many forks are no hang: schedules" "$(jq '.schedules' found.json)" 700
is_clean "nothing is left behind"
done_testing
