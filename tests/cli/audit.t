#!/bin/bash
# What heddle-cc proved, or the build promised, is checked by the first schedules of a test: a race or memory error there is found
# although nothing is announced, with stacks, by the same events; and what is right is not found.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
limit="timeout -s KILL 120"

cat >promise.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static int counter, sum, filled;
static char text[64];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node { int y, x; } *volatile node;
static void *work(void *x)
{
	for (int i = 0; i < 3; i++) {
		counter++; // race
		pthread_mutex_lock(&m);
		sum += i;
		pthread_mutex_unlock(&m);
	}
#ifdef RANGE
	memset(text, 1 + filled, sizeof text); // range
#endif
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	(void)argv;
#ifdef FREED
	node = malloc(sizeof *node);
	struct node *p = node;
	p->x = argc;
	free(p);
	return p->x == 77; // freed
#endif
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return counter == 99 || text[argc] == 99;
}
EOF
line() {
	grep -n "// $1\$" promise.c | cut -d: -f1
}

ok "a promise is taken" "$cc" -O1 -g -pthread -w --heddle-assume-private=counter promise.c -o promise
$limit "$heddle" test --classify no --runs 30 --seed 1 --json json -- ./promise >said 2>errors </dev/null
is "a wrong promise is found" "$?" 1
is "it is a race on the variable" "$(jq -r '.findings[] | .kind + " " + (.sites | map("\(.line)") | join(" "))' json | sort -u)" "data-race $(line race) $(line race)"
ok "the promise is named" grep -q "promised that only one thread uses the memory accessed at promise.c:$(line race) (--heddle-assume-private): the promise is wrong" said
ok "it has stacks and values" grep -q "^  thread [23] (work) .* counter at promise.c:$(line race) in work" said
ok "it has locks" grep -q "^    holding no lock" said
ok "the advice is to build without it" grep -q -e "- build without --heddle-assume-private" said
is "only the audit sees it" "$(jq -r '.findings[0].seen' json)" 8
$limit "$heddle" replay H1 >replayed 2>&1 </dev/null
ok "a replay sees it, too" grep -q "data race on counter" replayed
rm -rf .heddle
ok "without an audit nothing is found" $limit "$heddle" test --classify no --runs 30 --seed 1 --audit-runs 0 -- ./promise
rm -rf .heddle
$limit "$heddle" test --classify no --runs 30 --seed 1 --audit-runs 3 --json json -- ./promise >said 2>errors </dev/null
is "the audit is as long as it is asked for" "$(jq -r '.findings[0].seen' json)" 3

for seed in 1 2 3 4 5; do
	for audit in "" --audit; do
		$limit "$heddle" run --detect --brief --stats --seed $seed $audit -- ./promise 2>&1 | grep -o "event hash.*"
	done
done >hashes
is "all runs tell their hash" "$(wc -l <hashes)" 10
is "an audit has the events of a run without" "$(uniq -c hashes | awk '$1 % 2')" ""
ok "schedules differ" test "$(sort -u hashes | wc -l)" -gt 1

ok "proofs that are right are built" "$cc" -O1 -g -pthread -w --heddle-assume-private=sum promise.c -o right
rm -rf .heddle
$limit "$heddle" test --classify no --runs 20 --seed 1 --json json -- ./right >said 2>errors </dev/null
is "what has a lock is no race, whatever was promised" "$(jq -r '.findings[].sites[].line' json | sort -u)" "$(line race)"
ok "and no proof is called wrong" sh -c '! grep -q "is wrong" said'

ok "a promise about an array is taken" "$cc" -O1 -g -pthread -w -DRANGE --heddle-assume-private=text --heddle-assume-private=counter promise.c -o range
rm -rf .heddle
$limit "$heddle" test --classify no --runs 10 --seed 1 --json json -- ./range >said 2>errors </dev/null
is "a range that races is found" "$(jq -r '.findings[].sites[].line' json | sort -nu | tail -n 1)" "$(line range)"

ok "a promise about a member is taken" "$cc" -O1 -g -pthread -w -DFREED "--heddle-assume-private=p->x" promise.c -o freed
rm -rf .heddle
$limit "$heddle" test --classify no --runs 10 --seed 1 --json json -- ./freed >said 2>errors </dev/null
is "a use after free there is found" "$(jq -r '.findings[] | .kind + " " + (.sites[0].line | tostring)' json)" "memory-error $(line freed)"
ok "with who freed it" grep -q "^  freed by thread 1" said
rm -rf .heddle
ok "without an audit it is not" $limit "$heddle" test --classify no --runs 10 --seed 1 --audit-runs 0 -- ./freed

"$cc" --heddle-assume-private= promise.c -o none 2>errors
is "a promise needs a name" "$?" 2
"$heddle" run --audit -- ./promise >said 2>errors
is "heddle run --audit needs --detect" "$?" 2
done_testing
