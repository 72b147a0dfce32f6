#!/bin/bash
# heddle test: more races and memory errors than one run can report. None of them is lost, and what is lost all the same is said and
# makes the exit status another one than 0.
. tests/lib/tap.sh
. tests/lib/cc.sh

# statements COUNT TEXT: TEXT for each number, which is N in it, on one line: one finding, however many places
statements() {
	seq "$1" | sed "s/.*/& $2/" | sed 's/^\([0-9]*\) \(.*\)/\1 \2/' | while read -r n text; do printf '%s ' "${text//N/$n}"; done
}

# racy NAME COUNT: COUNT variables that two threads count up in one line, and one in another
racy() {
	{
		echo '#include <pthread.h>'
		statements "$2" 'static volatile int gN;'
		echo 'static volatile int last;'
		echo '__attribute__((noinline)) static void many(void) {'
		statements "$2" 'gN++;'
		printf '\n}\n__attribute__((noinline)) static void rest(void) {\nlast++;\n}\n'
		cat <<'END'
static void *work(void *argument)
{
	many();
	rest();
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
	} >"$1.c"
	"$cc" -g -O1 -pthread "$1.c" -o "$1" || fail "$1 is built"
}

# tested OPTIONS...: with an empty store; $said and $code
tested() {
	rm -rf .heddle found.json
	said=$(timeout -s KILL 240 "$heddle" test --classify no --json found.json "$@" 2>errors </dev/null)
	code=$?
}

racy races 220
echo 'race_top:^many$' >many.sup
tested --runs 8 --suppressions many.sup -- ./races
is "a race behind 440 suppressed ones is found" "$code" 1
is "it alone is not suppressed" "$(jq -r '.findings[] | select(.suppressed | not) | .summary' found.json | sed 's/ (.*//')" "data race on last"
is "it is seen in all schedules" "$(jq -r '.findings[] | select(.suppressed | not) | .seen' found.json)" 8
is "no limit" "$(jq -c .missed found.json)" "[]"
like "what is behind them is shown with its stack" "$("$heddle" show "$(jq -r '.findings[] | select(.suppressed | not) | .id' found.json)" 2>&1)" 'called from work \(races\.c'
tested --runs 8 --jobs 2 -- ./races
is "without suppressions, two jobs: two findings" "$(jq '.findings | length' found.json)" 2
ok "all pairs are counted" [ "$(jq '.findings[0].variants' found.json)" -ge 440 ]
is "both are seen in all schedules" "$(jq -c '[.findings[].seen]' found.json)" "[8,8]"
"$heddle" run --detect --runs 5 -- ./races >said 2>&1
is "heddle run --runs: both are counted in all runs" "$(grep -c '^ *5  *1  data race' said)" 2

{
	echo '#include <pthread.h>
#include <stdlib.h>
static volatile char *block;
__attribute__((noinline)) static void many(void) {'
	statements 220 'block[N] = 1;'
	printf '\n}\n__attribute__((noinline)) static void rest(void) {\nblock[1000] = 2;\n}\n'
	echo 'static void *work(void *argument) { many(); rest(); return argument; }
int main(void)
{
	pthread_t thread;
	char *made = malloc(2000);
	block = made;
	free(made);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}'
} >freed.c
"$cc" -g -O1 -pthread freed.c -o freed || fail "freed.c is built"
tested --runs 3 --reduce 0 -- ./freed
is "a use after free behind 220 others is found" \
	"$(jq -r '.findings[] | .kind + " " + .sites[0].function' found.json | sort | xargs)" "memory-error many memory-error rest"

# More than one run can report: the next ones report the rest.
racy crowd 2300
cp many.sup crowd.sup
echo 'race_top:^rest$' >>crowd.sup
tested --runs 1 --suppressions crowd.sup -- ./crowd
is "more than a run can report: exit status" "$code" 3
like "more than a run can report: said" "$said" 'note: [0-9]+ races or memory errors were found but not reported'
like "more than a run can report: JSON" "$(jq -r '.missed[0]' found.json)" '^[0-9]+ races or memory errors were found but not reported'
tested --runs 1 --quiet --suppressions crowd.sup -- ./crowd
is "more than a run can report, quiet: exit status" "$code" 3
like "more than a run can report, quiet: said" "$said" '^note: [0-9]+ races or memory errors were found but not reported'
tested --runs 1 -- ./crowd
is "more than a run can report, with findings: exit status" "$code" 1
tested --runs 4 --suppressions many.sup -- ./crowd
is "the next runs report the rest" "$code $(jq -c '[.missed, [.findings[] | select(.suppressed | not) | .sites[0].variable]]' found.json)" '1 [[],["last"]]'
like "heddle run says it" "$("$heddle" run --brief --detect -- ./crowd 2>&1)" '^heddle: note: more races and memory errors were found than fit into the report'

cat >orders.c <<'END'
#include <pthread.h>
#define LOCKS 96
static pthread_mutex_t locks[LOCKS];
static void *work(void *argument)
{
	for (int i = 0; i < LOCKS; i++)
		for (int j = i + 1; j < LOCKS; j++) {
			pthread_mutex_lock(&locks[i]);
			pthread_mutex_lock(&locks[j]);
			pthread_mutex_unlock(&locks[j]);
			pthread_mutex_unlock(&locks[i]);
		}
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread orders.c -o orders || fail "orders.c is built"
tested --runs 1 -- ./orders
is "too many lock orders: the rest is ignored: exit status" "$code" 3
like "too many lock orders: the rest is ignored: said" "$said" 'note: too many lock orders: the rest is ignored'
tested --runs 1 --quiet -- ./orders
is "too many lock orders: the rest is ignored, quiet: exit status" "$code" 3
like "too many lock orders: the rest is ignored, quiet: said" "$said" '^note: too many lock orders: the rest is ignored'
is_clean "nothing is left behind"
done_testing
