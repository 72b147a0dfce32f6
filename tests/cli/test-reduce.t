#!/bin/bash
# heddle test: a failure is reduced to the fewest preemptions that show it, and told as what must run between what.
. tests/lib/tap.sh
. tests/lib/cc.sh

# tested NAME OPTIONS...: runs heddle test on ./NAME; sets $said and $json
tested() {
	local name=$1
	shift
	json=$work/found.json
	said=$(timeout -s KILL 200 "$heddle" test --json "$json" "$@" -- "./$name" 2>"$work/errors" </dev/null)
}

cat >lost.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int counter;
static void *work(void *argument)
{
	int old = counter;
	counter = old + 1;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s\n", counter == 2 ? "both" : "one");
	return counter == 2 ? 0 : 3;
}
END
ok "a program that loses a count" "$cc" -g -O0 -pthread lost.c -o lost
for strategy in portfolio random pos; do
	tested lost --runs 100 --strategy $strategy
	like "$strategy: it is said what it needs" "$said" '^H[0-9]+ needs 1 preemption:$'
	like "$strategy: what must run between what" "$said" \
		'^  thread (2|3) must run between lost\.c:6 read counter and lost\.c:7 write counter of thread (2|3): from '
	is "$strategy: JSON" "$(jq -c '[.findings[] | select(.kind == "bad-exit") | [.preemptions, .is_fewest]]' "$json")" '[[1,true]]'
	trace=$(jq -r '.findings[] | select(.kind == "bad-exit") | .trace' "$json")
	is "$strategy: the trace of the reduced schedule is replayed" "$(status "$heddle" replay "$trace")" 3
done

# A memory error needs a schedule, too. What is told of it then is that of the schedule that is kept.
cat >twice.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static char *volatile buffer;
static void *drop(void *argument)
{
	if (buffer) {
		free(buffer);
		buffer = NULL;
	}
	return argument;
}
int main(void)
{
	pthread_t a, b;
	buffer = malloc(8);
	pthread_create(&a, NULL, drop, NULL);
	pthread_create(&b, NULL, drop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
ok "a program that frees twice" "$cc" -g -O1 -pthread twice.c -o twice
tested twice --runs 100 --strategy random
id=$(printf '%s\n' "$said" | sed -n 's/^\(H[0-9]*\) double free: .*, found in schedule.*/\1/p')
like "double free: what it needs" "$said" "^${id:-none} needs 1 preemption:\$"
like "double free: what must run between what" "$said" \
	'^  thread (2|3) must run between twice\.c:7 read buffer and twice\.c:8 write buffer of thread (2|3): from '
is "double free: JSON" "$(jq -c '[.findings[] | select(.kind == "memory-error") | [.preemptions, .is_fewest]]' "$json")" '[[1,true]]'
trace=$(jq -r '.findings[] | select(.kind == "memory-error") | .trace' "$json")
again='thread [23] (drop) frees it again at twice\.c:7'
is "double free: what is told is that of the trace" "$("$heddle" show "$id" | grep -o "$again")" \
	"$("$heddle" replay "$trace" 2>&1 | grep -o "$again")"

# Thousands of increments: the schedule that fails first has hundreds of preemptions, and its output is one of hundreds.
for check in 'printf("%d\\n", counter)' 'exit(counter != 2000)'; do
	cat >loop.c <<END
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int counter;
static void *work(void *argument)
{
	for (int i = 0; i < 1000; i++)
		counter++;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	$check;
	return 0;
}
END
	ok "a program that loses counts in a loop" "$cc" -g -O0 -pthread loop.c -o loop
	tested loop --runs 30
	needs=$(jq -c '[.findings[] | select(.preemptions) | [.preemptions, .needs]]' "$json")
	ok "$check: few preemptions are left" jq -e '.[0][0] <= 3' <<<"$needs"
	ok "$check: few lines" test "$(printf '%s\n' "$said" | wc -l)" -lt 120
	tested loop --runs 30
	is "$check: another test has the same" "$(jq -c '[.findings[] | select(.preemptions) | [.preemptions, .needs]]' "$json")" "$needs"
	like "$check: time to reduce" "$said" ', and [0-9]+ runs? in [0-9.]+ s to reduce failures$'
done

cat >always.c <<'END'
#include <pthread.h>
static void *work(void *argument)
{
	return argument;
}
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, work, NULL);
	pthread_join(a, NULL);
	return 4;
}
END
ok "a program that always fails" "$cc" -g -pthread always.c -o always
tested always --runs 20
like "no preemption is needed" "$said" '^H[0-9]+ needs no preemption$'
is "no preemption is needed: JSON" "$(jq -c '[.findings[] | [.preemptions, .is_fewest, .needs]]' "$json")" '[[0,true,""]]'

cat >order.c <<'END'
#include <pthread.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&first);
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return argument;
}
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, work, NULL);
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&second);
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
	pthread_join(a, NULL);
	return 0;
}
END
ok "a program that can deadlock" "$cc" -g -pthread order.c -o order
tested order --runs 100
like "a deadlock needs one preemption" "$said" '^H[0-9]+ needs 1 preemption:$'
like "a deadlock: where" "$said" \
	'^  thread 2 must run between order\.c:15 lock first and order\.c:16 lock second of thread 1: from order\.c:14 start to |^  thread 1 must run between order\.c:5 lock second and order\.c:6 lock first of thread 2: '
is "--quiet says nothing of it" "$("$heddle" test --runs 100 --quiet -- ./order </dev/null | grep -c needs)" 0
done_testing
