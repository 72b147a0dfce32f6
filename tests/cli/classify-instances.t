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
is "JSON of the store" "$("$heddle" report --brief --json 2>/dev/null | jq -c '.findings[] | select(.kind == "data-race") | .dynamic_instances')" "$(cut -d' ' -f2 <<<"$first")"
done_testing
