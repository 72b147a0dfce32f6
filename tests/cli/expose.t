#!/bin/bash
# heddle test --strategy expose: orders that a training has always seen are tried: one that is a bug, one that is no order, one that is enforced;
# also as part of the other strategies; wrong use.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE
cat >order.c <<'END'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, counted, enforced, seen;
static pthread_barrier_t both;
static void *make(void *argument)
{
	pthread_mutex_lock(&lock);
	value = 42;
	pthread_mutex_unlock(&lock);
	counted = 1;
	enforced = 7;
	pthread_barrier_wait(&both);
	return argument;
}
static void *use(void *argument)
{
	usleep(3000);
	pthread_mutex_lock(&lock);
	seen = value;
	pthread_mutex_unlock(&lock);
	int other = counted;
	pthread_barrier_wait(&both);
	return other + enforced ? argument : NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, make, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return seen == 42 ? 0 : 1;
}
END
run() { timeout -k 2 100 "$heddle" test --classify no --reduce 0 "$@" >out 2>err; }
# allows LINE: whether the training lets that line of use() come after nothing.
allows() {
	jq -r --argjson line "$1" '(.places | map(.function == "use" and .line == $line and .access == "read") | index(true) + 1) as $place |
		[.histories[] | select(.place == $place and .after == [] and .is_whole)] | length' .heddle/training/order
}
for proofs in yes no; do
	$cc -O1 -g -pthread $([ $proofs = yes ] || echo --heddle-prove=no) order.c -o order || fail "order.c compiles"
	# The sleep keeps the order in each native run.
	ok "proofs $proofs: trained" timeout -k 2 100 "$heddle" train --quiet --fresh --native -- ./order
	is "proofs $proofs: the training has only one order" "$(allows 20) $(allows 22)" "0 0"
	run --strategy expose --runs 200 --timing strict -- ./order
	is "proofs $proofs: a bug is found" "$? $(grep -c '^H[0-9]* exit status 1, found' out)" "1 1"
	like "proofs $proofs: by the order that was broken" "$(cat out)" \
		'^note: an order that the training always had was broken in [1-9][0-9]* schedules? that failed: order\.c:20 read value before order\.c:9 write value'
	like "proofs $proofs: what was tried" "$(cat out)" \
		'^note: [1-9][0-9]* of [1-9][0-9]* orders that the training always had were tried: broken in schedules that failed 1, in others 1, which the training data now allow'
	is "proofs $proofs: what the program does not rely on is no order any more" "$(allows 20) $(allows 22)" "0 1"
	is "proofs $proofs: the enforced one stays" "$(allows 24)" 0
	run --strategy expose --runs 200 --timing strict -- ./order
	like "proofs $proofs: then there is nothing to remove" "$(cat out)" 'broken in schedules that failed 1, in others 0$'
done
# As a part of the usual strategies, if there are training data.
run --runs 200 --timing strict -- ./order
like "also without the name" "$(cat out)" '^note: an order that the training always had was broken in'
timeout 60 "$heddle" test --classify no --reduce 0 --runs 30 --store other.store --timing strict -- ./order >bare 2>&1
unlike "without training data there is none" "$(cat bare)" 'order.* that the training'
run --strategy pos --runs 30 -- ./order
unlike "nor with another name" "$(cat out)" 'order.* that the training'
# Replays of what it finds.
id=$("$heddle" list --json | jq -r '[.findings[] | select(.kind == "bad-exit")][0].id')
timeout 60 "$heddle" replay "$id" >out 2>err
is "its evidence can be replayed" "$?" 1

# Wrong use.
timeout 60 "$heddle" test --strategy expose --store none.store -- ./order >out 2>err
like "no training data" "$? $(cat err)" '^3 heddle: error: there are no training data of ".*/order", whose orders could be tried'
timeout 60 "$heddle" run --strategy expose -- ./order >out 2>err
is "heddle run has no such strategy" "$?" 2
printf 'int main(void) { return 0; }\n' >one.c && $cc -g -pthread one.c -o one
timeout 60 "$heddle" train --quiet --store alone.store -- ./one >out 2>err
timeout 60 "$heddle" test --strategy expose --store alone.store -- ./one >out 2>err
like "a training without orders" "$? $(cat err)" '^3 heddle: error: (the training data of ".*/one" have no order|there are no training data)'
done_testing
