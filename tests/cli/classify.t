#!/bin/bash
# heddle test --classify yes: both orders of each data race are run, and the report says which races matter: each class by a program that has it, and
# the same words ten times.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
# classes PROGRAM [OPTIONS]: what is said of its races, one a line, sorted
classes() {
	local program=$1
	shift
	rm -rf .heddle
	timeout -s KILL 120 "$heddle" test --runs 60 --quiet --classify yes --witnesses 6 "$@" -- ./"$program" 2>err | grep -E '^H[0-9]+ (is|has|changes) ' | sed 's/^H[0-9]* //' | sort
}

cp "$root"/examples/{tickets,harmless}.c .
for name in tickets harmless; do
	$cc -O1 -g -pthread $name.c -o $name || fail "$name.c compiles"
done
like "a race that an assertion depends on" "$(classes tickets)" '^is harmful: H2 assertion .sold == 1. failed at tickets\.c:30 in main, only if tickets\.c:13 of thread [23] comes before tickets\.c:13 of thread [23]$'
is "one that nothing depends on" "$(classes harmless)" "is harmless in 12 runs: both orders end with the same output and exit status"

# The result depends on it.
cat >result.c <<'END'
#include <pthread.h>
#include <stdio.h>
static volatile int limit = 1;
static void *raise_limit(void *unused) { limit = 2; return unused; }
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, raise_limit, NULL);
	printf("limit %d\n", limit);
	pthread_join(thread, NULL);
	return 0;
}
END
$cc -O1 -g -pthread result.c -o result || fail "result.c compiles"
is "the output depends on it" "$(classes result)" "changes the result: output or exit status differ if result.c:4 of thread 2 comes before result.c:9 of thread 1"

# A flag that another thread waits for: the value cannot be read before it is written.
cat >flag.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static volatile int is_ready, value;
static void *produce(void *unused) { value = 42; is_ready = 1; return unused; }
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, produce, NULL);
	while (!is_ready)
		sched_yield();
	printf("value %d\n", value);
	pthread_join(thread, NULL);
	return 0;
}
END
$cc -O1 -g -pthread flag.c -o flag || fail "flag.c compiles"
is "a loop that waits orders the value; the flag itself may be read first" "$(classes flag | cut -d' ' -f1-3 | sort -u | paste -sd,)" "has a single,is harmless in"

# The first thread has a lock that the second needs on its way: it is held before the lock.
cat >guarded.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *volatile shared;
static int one = 1;
static void *publish(void *unused)
{
	pthread_mutex_lock(&mutex);
	shared = &one;
	pthread_mutex_unlock(&mutex);
	return unused;
}
static void *use(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	if (rand() >= 0)
		assert(*shared == 1);
	return unused;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, publish, NULL);
	pthread_create(&threads[1], NULL, use, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
$cc -O1 -g -pthread guarded.c -o guarded || fail "guarded.c compiles"
like "a lock on the way" "$(classes guarded)" '^is harmful: H[0-9]+ crash: Segmentation fault .*, only if guarded\.c:19 of thread 3 comes before guarded\.c:10 of thread 2$'

# In JSON.
rm -rf .heddle
"$heddle" test --runs 60 --quiet --classify yes --witnesses 6 --json=json -- ./tickets >/dev/null
is "JSON" "$(jq -c '[.findings[] | select(.kind == "data-race") | .class, .witnesses, (.verdict | startswith("is harmful: H2"))]' json)" '["spec-violated",12,true]'
is "JSON: no class for others" "$(jq -c '[.findings[] | select(.kind != "data-race") | .class, .verdict]' json)" '[null,null]'

# The same each time.
for name in tickets result flag; do
	first=$(classes $name) others=
	for i in 2 3 4 5 6 7 8 9 10; do
		[ "$(classes $name)" = "$first" ] || others="$others $i"
	done
	is "$name: ten times the same" "${first:+said}$others" said
done

# Without it nothing is said, and wrong options are wrong.
rm -rf .heddle
unlike "not unless it is asked for" "$("$heddle" test --runs 20 --quiet -- ./harmless)" ' is harmless '
"$heddle" test --classify maybe -- ./harmless >out 2>err
is "a word that it does not know" "$? $(head -1 err)" '2 heddle: error: --classify expects yes or no, not "maybe"'
"$heddle" test --witnesses 3 -- ./harmless >out 2>err
is "witnesses of nothing" "$? $(head -1 err)" "2 heddle: error: --witnesses requires --classify yes"
"$heddle" test --classify yes --witnesses 0 -- ./harmless >out 2>err
is "no witnesses" "$?" 2
done_testing
