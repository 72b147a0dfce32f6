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
is "one that nothing depends on" "$(classes harmless)" "is harmless in 12 runs: both orders end with the same output and exit status; memory is the same after both"

# The result depends on it.
cp "$root/tests/lib/result.c" result.c
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
is "JSON" "$(jq -c '[.findings[] | select(.kind == "data-race") | .class, .witnesses > 6, (.verdict | startswith("is harmful: H2"))]' json)" '["spec-violated",true,true]'
is "JSON: no class for others" "$(jq -c '[.findings[] | select(.kind != "data-race") | .class, .verdict]' json)" '[null,null]'

# The same each time.
for name in tickets result flag; do
	first=$(classes $name) others=
	for i in 2 3 4 5 6 7 8 9 10; do
		[ "$(classes $name)" = "$first" ] || others="$others $i"
	done
	is "$name: ten times the same" "${first:+said}$others" said
done

# By default those that are new are classified, once for each build, and not on end.
rm -rf .heddle
like "by default" "$("$heddle" test --runs 20 -- ./harmless 2>/dev/null)" '^H1 is harmless in 40 runs: .*'
said=$("$heddle" test --runs 20 -- ./harmless 2>/dev/null)
like "again: as it was" "$said" '^H1 is harmless in 40 runs: '
unlike "again: without runs" "$said" 'runs in .* s to classify races'
like "again, all of them" "$("$heddle" test --runs 20 --classify yes -- ./harmless 2>/dev/null)" 'and [0-9]+ runs in .* s to classify races'
echo 'int more;' >>harmless.c
$cc -O1 -g -pthread harmless.c -o harmless
like "another build" "$("$heddle" test --runs 20 -- ./harmless 2>/dev/null)" 'and [0-9]+ runs in .* s to classify races'
unlike "not if it is not wanted" "$("$heddle" test --runs 20 --classify no --store none -- ./harmless)" ' is harmless '
{
	echo '#include <pthread.h>'
	for i in $(seq 40); do echo "int v$i; static void f$i(void) { v$i++; }"; done
	echo 'static void *work(void *unused) {'
	for i in $(seq 40); do echo "f$i();"; done
	echo 'return unused; } int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0); pthread_join(a, 0); return pthread_join(b, 0); }'
} >many.c
$cc -O0 -g -pthread many.c -o many || fail "many.c compiles"
said=$("$heddle" test --runs 20 --store many-store --json=many.json -- ./many 2>/dev/null)
like "many: a part of the test" "$said" '^note: [0-9]+ data races were not classified, because that would take too much of the test: heddle classify does it'
is "many: some are classified, and others not" "$(jq -r '[.findings[] | select(.kind == "data-race") | .class == null] | unique | length' many.json)" 2

# What differs is shown: output, files.
cat >differs.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int value;
static void *work(void *unused) { value = 1; return unused; }
int main(int count, char **words)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	int seen = value;
	pthread_join(thread, NULL);
	switch (count > 1 ? words[1][0] : 'o') {
	case 'o': printf("saw %d\nthe same\n", seen); return 0;
	default: break;
	}
	FILE *file = fopen("written", "w");
	fprintf(file, "saw %d\n", words[1][0] == 'f' ? seen : 3);
	return fclose(file);
}
END
$cc -O1 -g -pthread differs.c -o differs || fail "differs.c compiles"
differences() {
	"$heddle" test --runs 60 --quiet --classify yes --witnesses 6 --store "differs-$1" -- ./differs "$1" 2>err | grep -A5 '^H[0-9]* changes the result' | grep '^  ' | LC_ALL=C sort
}
is "output differs: the lines" "$(differences o | sed 's/^  [+-] saw/  saw/' | LC_ALL=C sort)" "  - the recorded order, + the other one:
  saw 0
  saw 1"
like "files differ" "$(differences f)" '^  what is written to files or sockets differs$'
is "files are the same" "$(differences e)" ""

# Wrong options are wrong.
"$heddle" test --classify maybe -- ./harmless >out 2>err
is "a word that it does not know" "$? $(head -1 err)" '2 heddle: error: --classify expects only-new, yes or no, not "maybe"'
"$heddle" test --classify no --witnesses 3 -- ./harmless >out 2>err
is "witnesses of nothing" "$? $(head -1 err)" "2 heddle: error: --witnesses cannot be combined with --classify no"
"$heddle" test --classify yes --witnesses 0 -- ./harmless >out 2>err
is "no witnesses" "$?" 2
done_testing
