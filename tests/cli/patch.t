#!/bin/bash
# heddle patch: failures that heddle test found are prevented, and the program that is written shows that; what cannot be patched is refused with
# the reason; wrong input.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE
patch() { timeout -k 2 200 "$heddle" patch "$@" >out 2>err; }
# id STORE KIND: of the first finding of that kind
id() { "$heddle" list --store "$1" --json | jq -r --arg kind "$2" '[.findings[] | select(.kind == $kind)][0].id'; }
# On a busy machine a thread that is waited for may not run within 10 ms; then a patch is refused, or a few runs of the program as it is
# fail: it may try again.
patched() { # ARGUMENTS
	local status=1
	for _ in 1 2 3 4 5 6; do
		patch "$@" && status=0 || status=1
		if [ $status = 0 ]; then
			grep -q 'as it is: [1-9][0-9]* of' out || return 0
		else
			grep -q 'runs of the program itself do' err || return 1
		fi
	done
	return $status
}
failures() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do "$@" >/dev/null 2>&1 || echo failed; done | wc -l
}

# An addition that is not atomic: in another thread, at another line, and under proofs.
cat >add.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int count;
static void *add(void *argument)
{
	int seen = count;
#ifdef NAP
	usleep(3000);
#endif
	count = seen + 1;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", count);
	return count == 2 ? 0 : 1;
}
END
$cc -O1 -g -pthread -DNAP add.c -o add || fail "add.c compiles"
timeout 60 "$heddle" test --quiet --runs 100 --classify no --store add.store -- ./add >/dev/null 2>&1
exit=$(id add.store bad-exit)
like "a lost addition is found" "$exit" '^H[0-9]+$'
cp -r add.store before.store
ok "and patched" patched --store add.store "$exit" -o add.patched
like "which order is prevented" "$(cat out)" '^  prevented: add\.c:7 read count right after add\.c:7 read count of another thread$'
like "its schedules" "$(cat out)" '^  its schedule and its neighbours: 0 of [1-9][0-9]* fail \(without the patch: [1-9][0-9]* of [1-9][0-9]*\)$'
like "others" "$(cat out)" '^  random schedules: 0 of 200 fail \(without the patch: [1-9][0-9]* of 200\)$'
like "the program itself, with sleeps" "$(cat out)" '^  natively: 0 of 20 fail \(without the patch: [1-9][0-9]* of 20\)$'
like "the program itself, without" "$(cat out)" '^  the patched program, as it is: [0-4] of 20 fail$'
bare=$(failures ./add)
for _ in 1 2 3 4 5 6 7 8 9 10; do
	with=$(failures ./add.patched)
	[ "$with" -gt 2 ] || break
done
[ "$bare" -ge 5 ] && pass "by itself the program fails" || fail "by itself the program fails"
[ "$with" -le 2 ] && pass "the patched one does not" || fail "the patched one does not"
diag "$bare of 10 runs fail, $with of the patched program"
same "the store is as it was" "$("$heddle" list --store add.store)" "$("$heddle" list --store before.store)"
same "and has no other evidence" "$(ls add.store/evidence)" "$(ls before.store/evidence)"
# The guard runs under control: the same seed, the same run.
again=$(timeout 60 "$heddle" patch --store add.store "$exit" -o again.patched --native-runs 0 2>&1 | grep -v written)
more=$(timeout 60 "$heddle" patch --store add.store "$exit" -o again.patched --native-runs 0 2>&1 | grep -v written)
same "it is the same each time" "$again" "$more"
like "--native-runs 0: not run" "$again" '^  natively: not run: --native-runs 0$'

# An order: the reader must not come before the writer; and memory that is freed too soon.
cat >order.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *value;
static void *make(void *argument)
{
	value = malloc(sizeof *value);
	*value = 42;
	return argument;
}
static void *use(void *argument)
{
	return *value == 42 ? argument : &value;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, make, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
$cc -O1 -g -pthread order.c -o order || fail "order.c compiles"
timeout 60 "$heddle" test --quiet --runs 100 --classify no --store order.store -- ./order >/dev/null 2>&1
ok "a use before the making: patched" patched --store order.store "$(id order.store crash)" -o order.patched
like "it may not come after nothing" "$(cat out)" '^  prevented: order\.c:12 read value right after no access of another thread$'

# What cannot be patched.
cat >other.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int balance = 1;
static int x, y;
static void *cross(void *argument)
{
	pthread_mutex_t *first = argument ? &a : &b, *second = argument ? &b : &a;
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return NULL;
}
/* Each access is in a critical section. */
static void *take(void *argument)
{
	pthread_mutex_lock(&a);
	int enough = balance >= 1;
	pthread_mutex_unlock(&a);
	if (enough) {
		pthread_mutex_lock(&a);
		balance--;
		pthread_mutex_unlock(&a);
	}
	return argument;
}
/* Two variables, each of which is accessed once by each thread. */
static void *set(void *argument)
{
	__atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&y, 1, __ATOMIC_SEQ_CST);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t one, two;
	void *(*body)(void *) = argv[1][0] == 'd' ? cross : argv[1][0] == 't' ? take : set;
	(void)argc;
	pthread_create(&one, NULL, body, NULL);
	if (body == set) {
		int seen_y = __atomic_load_n(&y, __ATOMIC_SEQ_CST), seen_x = __atomic_load_n(&x, __ATOMIC_SEQ_CST);
		pthread_join(one, NULL);
		return seen_x != seen_y;
	}
	pthread_create(&two, NULL, body, &x);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	printf("%d\n", balance);
	return balance < 0;
}
END
$cc -O1 -g -pthread other.c -o other || fail "other.c compiles"
for what in deadlock take set; do
	timeout 60 "$heddle" test --quiet --runs 300 --classify no --store $what.store -- ./other $what >/dev/null 2>&1
done
patch --store deadlock.store "$(id deadlock.store deadlock)" -o x
like "a deadlock: refused" "$? $(cat err)" '^3 heddle: error: it cannot be patched: a deadlock is an order of locks'
patch --store take.store "$(id take.store bad-exit)" -o x
like "critical sections: refused" "$? $(cat err)" '^3 heddle: error: it cannot be patched: .*: the accesses are in critical sections'
like "what was tried" "$(cat err)" '[1-9][0-9]* orders? of two accesses (was|were) tried'
patch --store add.store "$(id add.store data-race)" -o x
like "a data race: refused" "$? $(cat err)" '^3 heddle: error: it cannot be patched: a data race exists in either order of its accesses'
timeout 60 "$heddle" test --quiet --runs 50 --classify no --check 'grep -q 1' --store check.store -- ./add >/dev/null 2>&1
timeout 60 "$heddle" test --quiet --runs 100 --classify no --check 'grep -q 2' --store check.store -- ./add >/dev/null 2>&1
patch --store check.store "$(id check.store check-failed)" -o x
like "a check that is not named: refused" "$? $(cat err)" '^3 heddle: error: it cannot be patched: the check that failed is not known; name it with --check CMD'
ok "named: patched" patched --store check.store "$(id check.store check-failed)" --check 'grep -q 2' -o check.patched
is "nothing was written" "$(ls x 2>/dev/null)" ""

# Wrong input.
patch --store add.store "$exit"
is "without -o: usage" "$? $(cat err)" "2 heddle: error: heddle patch requires the program to write: -o FILE"
patch --store add.store H99 -o x
like "no such finding" "$? $(cat err)" '^3 heddle: error: '
patch --store add.store nonsense -o x
like "no id" "$? $(cat err)" '^2 heddle: error: '
patch --store add.store "$exit" -o nowhere/x --native-runs 0 --runs 5
like "no folder" "$? $(cat err)" '^3 heddle: error: cannot write "nowhere/x"'
patch --store add.store "$exit" -o x --input nowhere
like "no input" "$? $(cat err)" '^3 heddle: error: cannot read "nowhere"'
$cc -O1 -g -pthread -DNAP -DOTHER=1 -Wl,--build-id=0x1234 add.c -o add
patch --store add.store "$exit" -o x
like "another build" "$? $(cat err)" '^3 heddle: error: '
is "nothing was written by these" "$(ls x 2>/dev/null)" ""
done_testing
