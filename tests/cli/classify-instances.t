#!/bin/bash
# The dynamic instances of a race: all pairs of its accesses that nothing orders are counted, and the first, the last and some in between are judged.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS

# judged PROGRAM [WITNESSES]: of each race its lines, the instances of its schedule and the class
judged() {
	rm -rf .heddle
	timeout -s KILL 120 "$heddle" test --runs 60 --quiet --reduce 0 --classify yes --witnesses "${2:-6}" --json=json -- ./"$1" >out 2>err
	jq -r '.findings[] | select(.kind == "data-race") | "\([.sites[].line] | sort | map(tostring) | join("-")) \(.dynamic_instances) \(.class)"' json | sort
}

# Each of the 3 writes races with each of the 2 reads, whatever comes first.
cat >rounds.c <<'END'
#include <pthread.h>
static volatile int shared;
static void *write_often(void *unused)
{
	for (int i = 1; i <= 3; i++)
		shared = i;
	return unused;
}
static void *read_often(void *unused)
{
	for (int i = 0; i < 2; i++)
		(void)shared;
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, write_often, NULL);
	pthread_create(&threads[1], NULL, read_often, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
$cc -O1 -g -pthread rounds.c -o rounds || fail "rounds.c compiles"
is "all pairs are counted" "$(judged rounds)" "6-12 6 harmless"
like "several are judged, and each has both orders" "$(jq -c '.findings[] | [.instances, .witnesses]' json)" '^\[[34],12\]$'
is "no more than there are runs" "$(judged rounds 1) $(jq '.findings[].instances' json)" "6-12 6 harmless 1"

# The third write of the thread is ordered behind that of main. The same address is used again after it was freed: that is another block.
cat >ordered.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t sem;
static int *volatile block;
static void *work(void *unused)
{
	*(volatile int *)block = 1;
	*(volatile int *)block = 2;
	sem_wait(&sem);
	*(volatile int *)block = 3;
	return unused;
}
int main(void)
{
	pthread_t thread;
	for (int i = 0; i < 3; i++) {
		sem_init(&sem, 0, 0);
		block = malloc(sizeof *block);
		pthread_create(&thread, NULL, work, NULL);
		*(volatile int *)block = 4;
		sem_post(&sem);
		pthread_join(thread, NULL);
		free(block);
	}
	return 0;
}
END
$cc -O1 -g -pthread ordered.c -o ordered || fail "ordered.c compiles"
is "what is ordered is no instance, and neither is what was freed" "$(judged ordered)" "8-21 3 harmless
9-21 3 harmless"

# Only the last of many reads matters.
cat >last.c <<'END'
#include <assert.h>
#include <pthread.h>
enum { ROUNDS = 600 };
static volatile int is_set;
static void *set(void *unused)
{
	is_set = 1;
	return unused;
}
static void *look(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++) {
		int seen = is_set;
		assert(i < ROUNDS || seen);
	}
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, set, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
$cc -O1 -g -pthread last.c -o last || fail "last.c compiles"
first=$(judged last)
like "only the last instance fails" "$first" '^7-13 [0-9]+ spec-violated$'
others=
for i in 2 3 4 5 6 7 8 9 10; do
	[ "$(judged last)" = "$first" ] || others="$others $i"
done
is "ten times the same" "${first:+said}$others" said

# The store has the number, too.
same "JSON of the store" "$("$heddle" report --brief --json 2>/dev/null | jq -c '.findings[] | select(.kind == "data-race") | .dynamic_instances')" "$(cut -d' ' -f2 <<<"$first")"

# Two races on the same two lines are one finding: the one that is seen first does no harm, the other does.
cat >variants.c <<'END'
#include <assert.h>
#include <pthread.h>
static volatile int statistics, is_ready;
static void *prepare(void *unused)
{
	statistics = 1, is_ready = 1;
	return unused;
}
static void *use(void *unused)
{
	int seen;
	statistics = 1, seen = is_ready;
	assert(seen);
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, prepare, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
$cc -O1 -g -pthread variants.c -o variants || fail "variants.c compiles"
like "all pairs of places on the lines are judged" "$(judged variants)" '^6-12 1 spec-violated$'
like "by the lines of the finding" "$(grep ' is harmful: ' out)" ', only if variants\.c:12 of thread 3 comes before variants\.c:6 of thread 2$'

# A lock order that a semaphore keeps from being a deadlock is reported once, although runs of both orders have it, too.
cat >orders.c <<'END'
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t turn;
static volatile int racy;
static void *first(void *unused)
{
	racy = 1;
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	sem_post(&turn);
	return unused;
}
static void *second(void *unused)
{
	racy = 1;
	sem_wait(&turn);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	sem_init(&turn, 0, 0);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
$cc -O1 -g -pthread orders.c -o orders || fail "orders.c compiles"
is "a race beside a lock order" "$(judged orders)" "8-18 1 harmless"
is "the lock order is there once" "$(jq -r '[.findings[] | select(.kind == "lock-order")] | length' json)" 1
# One reversal makes the count wrong, by which the output differs; the deadlock of these two races needs a second one.
$cc -O1 -g -pthread "$root/bugs/sqlite-recursive-mutex.c" -o steps || fail "sqlite-recursive-mutex.c compiles"
timeout -s KILL 120 "$heddle" test --runs 200 --quiet --reduce 0 --classify yes --json=json -- ./steps >out 2>err
is "what several steps lead to" "$(jq -r '.findings[] | select(.kind == "data-race") | .class' json | sort | uniq -c | sed 's/^ *//')" "3 spec-violated"
# Six reads race with six writes; the verdict is about the last read. Detection reports the first.
$cc -O1 -g -pthread "$root/tests/classify/harm-last-round.c" -o last || fail "harm-last-round.c compiles"
timeout -s KILL 120 "$heddle" test --runs 60 --quiet --reduce 0 --classify yes --witnesses 6 -- ./last >out 2>err
id=$("$heddle" list --json | jq -r '.findings[] | select(.kind == "data-race" and .last.program == "last") | .id')
"$heddle" replay "$id" --columns >out 2>err
is "replay marks two accesses" "$(grep -c '^ *[0-9]*> .*\(16 write\|24 read\)' out)" 2
like "they are those of the verdict" "$(grep -B 1 '> .*24 read' out)" 'c:24-27 [0-9]* accesses'
"$heddle" replay "$id" --columns --order seen >seen 2>err
like "in the run that was seen it is the first pair" "$(grep -A 1 '> .*24 read' seen)" 'c:24-27 [0-9]* accesses'
# More switches behind the race than are listed: the schedule is known up to it.
cat >many.c <<'END'
#include <pthread.h>
#include <sched.h>
static volatile int racy;
static void *yield_often(void *unused)
{
	racy = 1;
	for (int i = 0; i < 60000; i++)
		sched_yield();
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, yield_often, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
$cc -O1 -g -pthread many.c -o many || fail "many.c compiles"
rm -rf .heddle
timeout -s KILL 120 "$heddle" test --runs 2 --quiet --reduce 0 --classify yes --witnesses 4 --json=json -- ./many >out 2>err
is "a schedule with many switches" "$(jq -r '.findings[] | select(.kind == "data-race") | .class' json)" harmless
# A thread that sleeps between its looks, by a call that could wait for descriptors.
cat >looks.c <<'END'
#include <poll.h>
#include <pthread.h>
static volatile int ready, value;
static void *look(void *unused)
{
	while (!ready)
		poll(NULL, 0, 1);
	value++;
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, look, NULL);
	value = 1;
	ready = 1;
	pthread_join(thread, NULL);
	return 0;
}
END
$cc -O1 -g -pthread looks.c -o looks || fail "looks.c compiles"
is "an order that a loop with sleeps makes" "$(judged looks | cut -d' ' -f 1,3)" "$(printf '6-16 harmless\n8-15 single-ordering')"
like "it is named" "$(cat err out)" 'user-constructed synchronisation: thread 2 reads ready in a loop at looks\.c:6 until thread 1 writes it at looks\.c:16'
# Accesses of a macro have one place. The first variable is harmless, the second is not: each of them is a pair of accesses of the finding.
cat >macro.c <<'END'
#include <assert.h>
#include <pthread.h>
static volatile int hits, left = 2;
#define TAKE() do { hits++; left--; } while (0)
static void *take(void *unused)
{
	TAKE();
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(left == 0);
	return 0;
}
END
$cc -O1 -g -pthread macro.c -o macro || fail "macro.c compiles"
is "a macro with two variables" "$(judged macro 20 | cut -d' ' -f 1,3)" "7-7 spec-violated"
is "all pairs are counted" "$(jq '.findings[] | select(.kind == "data-race") | .variants' json)" 4
is "nothing temporary is left" "$(find .heddle -name '*.instance*' -o -name '*.suspect*' -o -name '*.deeper*')" ""
done_testing
