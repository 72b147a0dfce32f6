#!/bin/bash
# heddle test: a failure is reduced to the fewest preemptions that show it, and told as what must run between what.
. tests/lib/tap.sh
. tests/lib/cc.sh

# tested NAME OPTIONS...: runs heddle test on ./NAME, with a new store; sets $said and $json
tested() {
	rm -rf .heddle
	again "$@"
}

# again NAME OPTIONS...: the same with the store that is there
again() {
	local name=$1
	shift
	json=$work/found.json
	said=$(timeout -s KILL 200 "$heddle" test --classify no --json "$json" "$@" -- "./$name" 2>"$work/errors" </dev/null)
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

# A failure that depends on more than the schedule, here on what earlier runs left in a file: it is not reduced, and that is said.
cat >once.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(void)
{
	pthread_t thread;
	struct stat status;
	int file = open("runs", O_CREAT | O_WRONLY | O_APPEND, 0600);
	if (write(file, "x", 1) != 1 || fstat(file, &status) != 0)
		return 1;
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	if (status.st_size == 12)
		abort();
	pthread_join(thread, NULL);
	return 0;
}
END
ok "a program that fails in its twelfth run" "$cc" -g -O1 -pthread once.c -o once
rm -f runs
tested once --runs 30
is "a failure that does not come again is found" "$(jq -r '[.findings[].kind] | unique | join(" ")' "$json")" assertion
like "... and it is said why it is not reduced" "$said" '^note: H1 was not reduced: runs with the switches of its schedule did not show it again$'

# The code of a template is inlined from a header of the system: the place of the error is known only with its details, after which the
# error has another key than in the runs of reduction.
cat >names.cc <<'END'
#include <string>
#include <thread>
#include <vector>
static std::vector<std::string> *lines = new std::vector<std::string>;
static void add(const char *line)
{
	lines->emplace_back(line);
}
int main()
{
	std::thread thread([] { add("a line that is too long to be kept inside of the string itself"); });
	delete lines;
	thread.join();
	return 0;
}
END
ok "a program whose vector is deleted too early" "$cxx" -g -O1 -pthread names.cc -o names
tested names --runs 60 --audit-runs 0
ok "its memory errors are found" test "$(jq '[.findings[] | select(.kind == "memory-error")] | length' "$json")" -gt 0
is "all of them are reduced" "$(jq -c '[.findings[] | select(.kind == "memory-error" and .preemptions == null)] | length' "$json")" 0

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
	like "$check: time to reduce" "$said" ', and [0-9]+ runs? in [0-9.]+ s to reduce failures(,|$)'
	again loop --runs 30 --seed 5
	is "$check: reduced before: the same" "$(jq -c '[.findings[] | select(.preemptions) | [.preemptions, .needs]]' "$json")" "$needs"
	is "$check: reduced before: no runs" "$(jq .reduce_runs "$json")" 0
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
is "--quiet says nothing of it" "$("$heddle" test --classify no --runs 100 --quiet -- ./order </dev/null | grep -c needs)" 0
# Failures that an earlier test of the same build and arguments has reduced are not reduced again.
# reduced: what is known of the failure, and what is told of it
reduced() {
	jq -c '[.findings[] | select(.kind == "bad-exit" or .kind == "memory-error") | [.id, .preemptions, .is_fewest, .needs, .sites, .advice]]' "$json"
}
for name in lost twice; do
	tested $name --runs 100
	before=$(reduced)
	columns=$(printf '%s\n' "$said" | sed -n '/ needs 1 preemption/,/^$/p' | sed 's/ (from an earlier test)//')
	like "$name: the first test reduces" "$(jq .reduce_runs "$json")" '^[1-9]'
	unlike "$name: the first test has it from nobody" "$said" 'earlier test'
	trace=$(jq -r '.findings[] | select(.preemptions).trace' "$json")
	again $name --runs 100
	is "$name: the second has no runs to reduce" "$(jq .reduce_runs "$json")" 0
	unlike "$name: so it says nothing of them" "$said" 'to reduce failures'
	like "$name: it says where it is from" "$said" '^H[0-9]+ needs 1 preemption \(from an earlier test\):$'
	is "$name: JSON is the same" "$(reduced)" "$before"
	is "$name: so are the threads and the advice" \
		"$(printf '%s\n' "$said" | sed -n '/ needs 1 preemption/,/^$/p' | sed 's/ (from an earlier test)//')" "$columns"
	is "$name: its evidence is its own" "$(test "$(jq -r '.findings[] | select(.preemptions).trace' "$json")" != "$trace"; echo $?) $(ls .heddle/evidence | grep -c reduced)" "0 1"
	again $name --runs 100 --seed 7 --reduce 0
	is "$name: also with --reduce 0 and other schedules" "$(jq -c '[.reduce_runs, (.findings[] | select(.preemptions) | .preemptions, .is_fewest)]' "$json")" '[0,1,true]'
done
again lost --runs 100 --strategy random
said=$("$heddle" test --classify no --runs 100 --json "$json" -- ./lost argument </dev/null)
like "other arguments: reduced for itself" "$(jq .reduce_runs "$json")" '^[1-9]'
unlike "other arguments: not from an earlier test" "$said" 'earlier test'
rm .heddle/evidence/*.reduced.trace
again lost --runs 100
like "the evidence is gone: reduced again" "$(jq .reduce_runs "$json")" '^[1-9]'
printf 'no trace' | tee .heddle/evidence/*.reduced.trace >/dev/null
again lost --runs 100
like "the evidence is damaged: reduced again" "$(jq .reduce_runs "$json")" '^[1-9]'
like "the evidence is damaged: what it needs" "$said" '^H[0-9]+ needs 1 preemption:$'
sqlite3 .heddle/heddle.db "UPDATE sighting SET needs = 'needs 1 preemption:' || char(10) || char(27) || '[31mred' || char(10)"
again lost --runs 100
is "what the store says is escaped" "$(printf '%s\n' "$said" | grep -c '^  \\x1b\[31mred$') $(printf '%s\n' "$said" | grep -c "$(printf '\033')")" "1 0"

# --reduce says how many runs.
tested lost --runs 100 --reduce 0
is "--reduce 0: no runs" "$(jq .reduce_runs "$json")" 0
is "--reduce 0: nothing is known of what it needs" "$(jq -c '[.findings[] | select(.kind == "bad-exit") | .preemptions, .needs]' "$json")" '[null,null]'
like "--reduce 0: the finding is told with its threads" "$said" '^H[0-9]+ was not reduced; this is the schedule it was found in:$'
like "--reduce 0: it says why" "$said" '^note: failures were not reduced, so the preemptions they need are unknown: --reduce 0 allows no runs for this$'
ok "--reduce 0: so does JSON" jq -e 'any(.notes[]; test("--reduce 0"))' "$json"
again lost --runs 100
like "after --reduce 0: reduced" "$said" '^H[0-9]+ needs 1 preemption:$'
tested lost --runs 100 --reduce 1
is "--reduce 1: too few" "$(jq -c '[.reduce_runs, (.notes[] | select(test("too few runs")) | sub("H[0-9]+"; "H"))]' "$json")" \
	'[0,"the failure H was not reduced: too few runs are left; --reduce N allows more"]'
for value in x -1 1.5 '' 99999999999999999999; do
	is "--reduce '$value' is wrong" "$(status "$heddle" test --classify no --reduce "$value" -- ./lost)" 2
done

# Each thread must be preempted in each of its rounds, so there are always more schedules to try.
cat >many.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static volatile int turn, missed;
static void *work(void *argument)
{
	for (int i = 0; i < 40; i++) {
		int mine = turn + 1;
		turn = mine;
		missed += turn != mine;
	}
	return argument;
}
int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (missed > 6)
		abort();
	return turn == 120 ? 0 : 3;
}
END
ok "a program with a failure that needs many preemptions" "$cc" -g -O0 -pthread many.c -o many
tested many --runs 50
ok "no more runs than 500 for a short test" jq -e '.reduce_runs > 100 and .reduce_runs <= 500' "$json"
like "what is not finished is told" "$said" '^H[0-9]+ (needs no more than|was not reduced to few) .*preemptions.*:$'
like "what is not finished: how to go on" "$said" '^note: H[0-9]+ needs no more than [0-9]+ preemptions; it was not reduced further: --reduce N allows more runs$'
first=$(jq -c '[.reduce_runs, (.findings[] | [.preemptions, .needs])]' "$json")
tested many --runs 50
is "the bound is no clock: the same again" "$(jq -c '[.reduce_runs, (.findings[] | [.preemptions, .needs])]' "$json")" "$first"
crash='.findings[] | select(.kind == "crash" or .kind == "assertion").preemptions'
few=$(jq "$crash" "$json")
again many --runs 50
is "not finished before: not without being asked" "$(jq -c '[.reduce_runs, (.findings[] | [.preemptions, .needs])]' "$json")" "$(jq -c '.[0] = 0' <<<"$first")"
again many --runs 50 --reduce 900
ok "not finished before: --reduce goes on" jq -e --argjson few "$few" ".reduce_runs > 0 and .reduce_runs <= 900 and ($crash) <= \$few" "$json"
tested many --runs 50 --reduce 40
ok "--reduce: no more than that" jq -e '.reduce_runs > 2 and .reduce_runs <= 40' "$json"
ok "--reduce: each failure gets a part" jq -e '[.findings[] | select(.kind != "data-race") | .preemptions] | length > 1 and all(. != null)' "$json"
done_testing
