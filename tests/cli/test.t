#!/bin/bash
# heddle test: what it finds, what it says, what it keeps, and what it does with programs that are hard to test.
. tests/lib/tap.sh
. tests/lib/cc.sh

# tested OPTIONS... -- PROG: runs heddle test, with an empty store; $said, $json (the file) and $code are what came of it
tested() {
	json=$work/found.json
	rm -rf "$json" .heddle
	said=$(timeout -s KILL 120 "$heddle" test --classify no --json "$json" "$@" 2>"$work/errors" </dev/null)
	code=$?
}

# found: kinds of what was found, sorted, each once
found() {
	jq -r '[.findings[].kind] | unique | join(" ")' "$json" 2>&1
}

# plainly: standard input without addresses and without times
plainly() {
	sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g; s/in [0-9.]* s ([0-9.]* per second)/in TIME/'
}

program race <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	long calls;
	volatile int counter;
} shared;
static void *work(void *argument)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	shared.counter = 1;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	(void)lock;
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", shared.counter);
	return 0;
}
END
tested --runs 20 -- ./race
is "race: exit status" "$code" 1
is "race: what is said" "$(printf '%s\n' "$said" | plainly | sed '/^$/,$d;/^  the threads/,/^  replay/{/^  replay/!d;}')" \
"H1 data race on shared.counter (4 bytes at ADDRESS): write at race.c:13, write at race.c:13, found in schedule 1
  thread 3 writes what thread 2 writes, and nothing orders the two: either may come first
  thread 3 (work) writes shared.counter at race.c:13 in work
    it was 1 and became 1
    holding no lock
  thread 2 (work) wrote it earlier at race.c:13 in work
    it was 0 and became 1
    holding no lock
        11 |         pthread_mutex_lock(&lock);
        12 | #endif
    >   13 |         shared.counter = 1;
           |                        ^
        14 | #ifdef FIXED
  thread 3 was created by thread 1 at race.c:24 in main
  thread 2 was created by thread 1 at race.c:24 in main
  replay: heddle replay H1"
like "race: how to have it again" "$said" '^  replay: heddle replay H1$'
like "race: the sums" "$(printf '%s\n' "$said" | plainly)" '^20 schedules, [0-9]+ different, in TIME; 1 finding$'
like "race: the table" "$said" '^ +20 +1  H1 (\([a-z ]+\) )?data race on shared.counter'
is "race: JSON" "$(jq -c '[.heddle, .program, .arguments, .schedules, .lost, .interrupted, .notes]' "$json")" \
	"[1,\"$work/race\",[\"./race\"],20,0,false,[]]"
same "race: JSON has the build" "$(jq -r '.build' "$json")" "$(readelf -n race | sed -n 's/.*Build ID: //p')"
is "race: JSON has the weave" "$(jq -r '.weave | test("^[0-9a-f]{32}$")' "$json")" true
is "race: JSON has the finding" "$(jq -c '.findings[] | [.id, .kind, .class, .schedules_to_first, .seen]' "$json")" \
	'["H1","data-race",null,1,20]'
is "race: JSON has the sites" "$(jq -c '.findings[0].sites[] | [.file, .line, .function, .variable, .access, .thread]' "$json")" \
'["race.c",13,"work","shared.counter","write",3]
["race.c",13,"work","shared.counter","write",2]'
trace=$(jq -r '.findings[0].trace' "$json")
is "race: the evidence is for its owner" "$(stat -c %a "$trace")" 600
is "race: the evidence is replayed" "$("$heddle" replay "$trace" 2>/dev/null; echo $?)" "1
0"
tested --runs 20 --quiet -- ./race
is "quiet: one line" "$(printf '%s\n' "$said" | wc -l)" 1
said=$("$heddle" test --runs 5 --json - -- ./race 2>&1 </dev/null)
is "JSON on standard output is alone there" "$(printf '%s' "$said" | jq -r '.findings | length')" 1
tested --runs 100 --stop -- ./race
is "stop: ends at the first finding, behind schedule 1, which runs second" "$(jq .schedules "$json")" 2
"$cc" -g -O1 -pthread -DFIXED race.c -o fixed
tested --runs 200 -- ./fixed
is "fixed: exit status" "$code" 0
like "fixed: said" "$said" '; nothing found$'
is "fixed: findings" "$(found)" ""

# The same options, the same campaign, also with several jobs.
tested --runs 60 --jobs 3 --seed 7 -- ./race
first=$(jq -c 'del(.seconds)' "$json")
tested --runs 60 --jobs 3 --seed 7 -- ./race
is "a campaign can be had again" "$(jq -c 'del(.seconds)' "$json")" "$first"

program ends -Wno-everything <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static const char *how;
static int turn;
static int take_turn(void)
{
	pthread_mutex_lock(&guard);
	int mine = turn++;
	pthread_mutex_unlock(&guard);
	return mine;
}
static void *first(void *argument)
{
	if (!strcmp(how, "deadlock")) {
		pthread_mutex_lock(&a);
		pthread_mutex_lock(&b);
		pthread_mutex_unlock(&b);
		pthread_mutex_unlock(&a);
	} else if (!strcmp(how, "wakeup")) {
		pthread_mutex_lock(&guard);
		pthread_cond_wait(&cond, &guard);
		pthread_mutex_unlock(&guard);
	} else {
		take_turn();
	}
	return argument;
}
static void *second(void *argument)
{
	if (!strcmp(how, "deadlock")) {
		pthread_mutex_lock(&b);
		pthread_mutex_lock(&a);
		pthread_mutex_unlock(&a);
		pthread_mutex_unlock(&b);
	} else if (!strcmp(how, "wakeup")) {
		pthread_mutex_lock(&guard);
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&guard);
		return argument;
	}
	int mine = take_turn();
	if (mine == 0) {
		volatile int *nowhere = NULL;
		if (!strcmp(how, "crash"))
			*nowhere = 1;
		if (!strcmp(how, "assertion"))
			assert(mine != 0);
		if (!strcmp(how, "exit"))
			exit((fprintf(stderr, "too early\n"), 7));
		if (!strcmp(how, "output"))
			printf("second was first\n");
		if (!strcmp(how, "free")) {
			char *volatile block = malloc(8);
			free(block);
			free(block);
		}
	}
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t threads[2];
	how = arguments[1];
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (!strcmp(how, "always"))
		return 9;
	return 0;
}
END
# ends HOW KIND SUMMARY [DETAIL]: it is found, and only it; the evidence shows it again
ends() {
	tested --runs 100 -- ./ends "$1"
	is "$1: exit status" "$code" 1
	is "$1: what is found" "$(found)" "$2"
	like "$1: the summary" "$(jq -r '.findings[].summary' "$json")" "$3"
	[ $# -lt 4 ] || like "$1: the details" "$(jq -r '.findings[].details' "$json")" "$4"
	is "$1: not in every schedule" "$(jq '.findings[0].seen < .schedules' "$json")" true
	{ ("$heddle" replay --stats "$(jq -r '.findings[0].trace' "$json")" >"$work/replay" 2>&1); replayed=$?; } 2>/dev/null
	ok "$1: the evidence is replayed" sh -c "! grep error: '$work/replay'"
}
ends deadlock deadlock '^deadlock: threads [23] and [23] wait for each other$' '^  at second \(ends\.c:[0-9]+\)$'
is "deadlock: replay" "$replayed" 1
ends wakeup deadlock '^deadlock: no thread can ever run again$' 'waits for condition variable cond$'
ends crash crash '^crash: Segmentation fault \(signal 11\) by a NULL pointer \(address 0x0\) at ends\.c:51 in second$'
is "crash: replay" "$replayed" 139
ends assertion assertion '^assertion `mine != 0. failed at ends\.c:53 in second$' "\\| ends: ends\.c:53: "
is "assertion: replay" "$replayed" 134
ends exit bad-exit '^exit status 7$' '^  \| too early$'
is "exit: replay" "$replayed" 7
ends output output-differs '^the output differs from that of schedule 2 \(exit status 0 in both\)$' \
	'^  [-+] second was first$'
ends free memory-error '^double free: 8 bytes allocated at ends\.c:[0-9]+ \(at 0x[0-9a-f]+\): free at ends\.c:61, already freed at ends\.c:[0-9]+$' \
	'^freed by thread 3 \(second\) at ends\.c:60 in second$'
tested --runs 50 -- ./ends always
is "always: exit status" "$code" 1
like "always: it is said that every schedule has it" "$said" '^note: H1 occurs in every schedule'
tested --runs 50 --output ignore -- ./ends output
is "output ignored" "$code" 0
tested --runs 50 --output what -- ./ends output
is "output compared in an unknown way" "$code" 2
tested --runs 100 --max 1 -- ./ends output
is "max: ends when there are enough" "$(jq '.schedules < 100' "$json")" true

program memory <<'END'
#include <pthread.h>
#include <stdlib.h>
static char *block;
static void *frees(void *argument)
{
	free(block);
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	block = malloc(8);
	if (count > 1) {
		volatile char *beyond = block + 8;
		*beyond = 1;
	}
	pthread_create(&thread, NULL, frees, NULL);
	pthread_join(thread, NULL);
	if (count == 1)
		*(volatile char *)block = 1;
	return 0;
}
END
tested --runs 10 -- ./memory
is "use after free: found" "$(found)" memory-error
is "use after free: what is said" "$(printf '%s\n' "$said" | plainly | sed '/ | /d;/^  replay: /,$d')" \
"H1 use after free: *block (1 byte at ADDRESS): write at memory.c:20, found in schedule 1
  thread 1 uses memory that thread 2 has freed
  thread 1 writes *block at memory.c:20 in main
    holding no lock
  that is the start of a block of 8 bytes at ADDRESS
  allocated by thread 1 at memory.c:12 in main
  freed by thread 2 (frees) at memory.c:6 in frees
    holding no lock
  thread 2 was created by thread 1 at memory.c:17 in main"
tested --runs 10 -- ./memory beyond
like "beyond: said" "$said" '^H1 access beyond the end of a heap block'

program heap <<'END'
#include <pthread.h>
#include <stdlib.h>
struct queue {
	pthread_mutex_t lock;
	volatile long head;
};
static struct queue *queue_new(void)
{
	struct queue *queue = calloc(1, sizeof *queue);
	pthread_mutex_init(&queue->lock, NULL);
	return queue;
}
__attribute__((noinline)) static void push(struct queue *queue)
{
	queue->head = 5;
}
static void *work(void *argument)
{
	struct queue *queue = argument;
	pthread_mutex_lock(&queue->lock);
	push(queue);
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}
int main(void)
{
	pthread_t thread;
	struct queue *queue = queue_new();
	pthread_create(&thread, NULL, work, queue);
	long head = queue->head;
	pthread_join(thread, NULL);
	free(queue);
	return head > 5;
}
END
tested --runs 10 -- ./heap
like "heap: the variable" "$said" '^H1 data race on queue->head \(8 bytes at 0x[0-9a-f]+\): '
like "heap: who called" "$said" '^    called from work \(heap\.c:21\)$'
like "heap: which lock" "$said" '^    holding queue->lock, taken at heap\.c:20 in work$'
like "heap: where in its block" "$said" '^  that is 40 bytes into a block of 48 bytes at 0x'
like "heap: where the block is from" "$said" '^  allocated by thread 1 at heap\.c:9 in queue_new$'

# Lock orders: found without the deadlock, not when a gate keeps threads apart or one comes after the other. That a
# semaphore does so is not known: lock-order.t has more.
program order <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static int has_gate, has_turn;
static sem_t turn;
static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	if (has_gate)
		pthread_mutex_lock(&gate);
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	if (has_gate)
		pthread_mutex_unlock(&gate);
}
static void *forth(void *argument)
{
	take_both(&a, &b);
	sem_post(&turn);
	return argument;
}
static void *back(void *argument)
{
	if (has_turn)
		sem_wait(&turn);
	take_both(&b, &a);
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t threads[2];
	has_gate = count > 1 && !strcmp(arguments[1], "gate");
	has_turn = count > 1 && !strcmp(arguments[1], "turn");
	pthread_create(&threads[0], NULL, forth, NULL);
	if (count > 1 && !strcmp(arguments[1], "after"))
		pthread_join(threads[0], NULL);
	pthread_create(&threads[1], NULL, back, NULL);
	if (count == 1 || strcmp(arguments[1], "after"))
		pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
tested --strategy priority --runs 5 -- ./order turn
is "lock order: found" "$(found)" lock-order
is "lock order: what is said" "$(printf '%s\n' "$said" | sed '/the threads/,$d;/^      [ >] .*|/d;/^    [ >] .*|/d')" \
"H1 lock order: a and b are taken in orders that could deadlock, found in schedule 1
  if each thread holds its first lock when it requests its second, all of them wait forever
  thread 2 (forth) took b at order.c:12 in take_both
    called from forth (order.c:20)
    while holding a, taken at order.c:11 in take_both
      called from forth (order.c:20)
  thread 3 (back) took a at order.c:12 in take_both
    called from back (order.c:28)
    while holding b, taken at order.c:11 in take_both
      called from back (order.c:28)
  thread 2 was created by thread 1 at order.c:36 in main
  thread 3 was created by thread 1 at order.c:39 in main
  16 schedules were steered towards this deadlock without reaching it"
is "lock order: seen, those that were steered too" "$(jq '.findings[0].seen' "$json")" 21
tested --runs 100 -- ./order
is "lock order: the deadlock itself is enough" "$(found)" deadlock
tested --runs 100 -- ./order gate
is "lock order: a gate" "$(found)" ""
tested --runs 100 -- ./order after
is "lock order: one after the other" "$(found)" ""

# What each run gets and leaves.
program copy <<'END'
#include <pthread.h>
#include <stdio.h>
static void *nothing(void *argument)
{
	return argument;
}
int main(void)
{
	pthread_t thread;
	int letter;
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	while ((letter = getchar()) != EOF)
		putchar(letter);
	FILE *left = fopen("left.txt", "a");
	fputs("x", left);
	fclose(left);
	return 0;
}
END
mkdir input && cd input || exit 1
said=$(printf 'one\ntwo\n' | "$heddle" test --runs 10 --jobs 2 --sandbox --check 'grep -qx two' -- ../copy 2>&1)
is "standard input from a pipe: every run has it" "$?" 0
printf 'one\nthree\n' >file
said=$("$heddle" test --runs 10 --sandbox --check 'grep -qx two' -- ../copy 2>&1 <file)
is "standard input from a file, a check that fails: exit status" "$?" 1
like "a check that fails: said" "$said" '^H1 the check failed: exit status 1, found in schedule 1$'
like "a check that fails: what it judged" "$(tr '\n' '~' <<<"$said")" \
	'~  the output judged by the check \(exit status 0\):~    \| one~    \| three~  replay: '
seq 100 >hundred
said=$("$heddle" test --runs 1 --sandbox --input hundred --check false -- ../copy 2>&1 </dev/null)
like "a check that fails: the rest is counted" "$(tr '\n' '~' <<<"$said")" '~    \| 10~    and 90 more lines~'
like "a check that fails: there is no output" "$("$heddle" test --runs 1 --sandbox --check false -- ../copy 2>&1 </dev/null)" \
	'^  the run judged by the check printed nothing \(exit status 0\)$'
said=$("$heddle" test --runs 10 --sandbox --input file --check 'grep -qx three' -- ../copy 2>&1 </dev/null)
is "--input" "$?" 0
printf '#!/bin/sh\necho "status $HEDDLE_EXIT, $(wc -c <"$HEDDLE_FOLDER/left.txt") left"; exit 5\n' >judge
chmod +x judge
said=$("$heddle" test --runs 10 --sandbox --check ./judge -- ../copy 2>&1 </dev/null)
like "the check sees status and folder" "$said" '^    \| status 0, 1 left$'
like "the check's own status" "$said" '^H[0-9]+ the check failed: exit status 5'
printf '#!/bin/sh\necho "not good" >&2; exit 6\n' >judge
said=$("$heddle" test --runs 10 --sandbox --check ./judge -- ../copy 2>/dev/null </dev/null)
like "what the check writes to its standard error is shown" "$said" '^    \| not good$'
like "a failure in every sandbox: said" "$said" '^note: with --sandbox every run starts in an empty directory'
is "how to replay it is said once" "$(printf '%s\n' "$said" | grep -c replay:)" 1
like "runs to reduce a failure are counted" "$said" '; 1 finding, and [0-9]+ runs? in [0-9.]+ s to reduce failures(,|$)'
said=$("$heddle" test --runs 5 --sandbox --switch 'nosuch,main' -- ../copy 2>/dev/null </dev/null)
like "a pattern that matches nothing: said" "$said" '^note: --switch: no function of the program matches "nosuch"'
ok "the sandbox keeps files away" test ! -e left.txt
said=$("$heddle" test --runs 10 -- ../copy 2>&1 </dev/null)
like "files that are left are noticed" "$said" '^note: the runs left "left.txt" behind'
said=$("$heddle" test --runs 10 --check 'nowhere-at-all -x' -- ../copy 2>&1 </dev/null)
is "a check that cannot run: exit status" "$?" 3
is "sandboxes are removed" "$(ls -A "$TMPDIR")" ""
cd "$work" || exit 1

# Programs that are hard to test.
tested --runs 100 --allow-unwoven -- /bin/true
is "no threads: exit status" "$code" 0
like "no threads: said" "$said" '^note: the program never had more than one thread'
like "not woven: said" "$said" '^note: the program is not woven'
is "no threads: ended early" "$(jq '.schedules < 100' "$json")" true
program forks <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *argument)
{
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, nothing, NULL);
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
END
tested --runs 20 -- ./forks
is "forks: exit status" "$code" 0
like "forks: said" "$said" '^note: the program starts other processes'
program terminal <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *nothing(void *argument)
{
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	if (isatty(0))
		return 0;
	fputs("I need a terminal\n", stderr);
	return 2;
}
END
tested --runs 10 -- ./terminal
is "needs a terminal: exit status" "$code" 1
like "needs a terminal: what it said is told" "$said" '^ +\| I need a terminal$'
like "needs a terminal: said" "$said" '^note: runs have no terminal: a program that needs one cannot be tested without it$'
if command -v script >/dev/null; then
	like "needs a terminal, on one: said" "$(SHELL=/bin/sh script -qec "$heddle test --runs 10 -- ./terminal" /dev/null </dev/null | tr -d '\r' | tr '\n' ' ')" \
		'note: standard input is a terminal, so the runs got /dev/null'
else
	skip "needs a terminal, on one: said" "there is no script"
fi
program slow <<'END'
#include <pthread.h>
static void *nothing(void *argument)
{
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	if (count == 1)
		for (volatile unsigned long i = 0; i < 1000000000000ul; i++)
			;
	return 0;
}
END
start=$(date +%s)
tested --time 2 -- ./slow
is "slow, no run ends in time: exit status" "$code" 3
like "slow: said" "$(cat "$work/errors")" '^heddle: error: no run of the program ended in time$'
ok "slow: it ends in time" test $(($(date +%s) - start)) -lt 20
tested --time 2 -- ./slow quickly
is "time: exit status" "$code" 0
is "time: as many runs as there is time for" "$(jq '.schedules > 10' "$json")" true
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$heddle" test --runs 1000000 --json stopped.json -- ./race >stopped 2>&1 </dev/null &
child=$!
for i in $(seq 1 200); do grep -q '^H1' stopped && break; sleep 0.05; done
kill -INT $child
wait $child
is "interrupted: exit status" "$?" 1
like "interrupted: said" "$(cat stopped)" '^note: interrupted$'
is "interrupted: JSON" "$(jq -c '[.interrupted, (.findings | length)]' stopped.json)" "[true,1]"

# Interrupted after the campaign, while a failure is reduced: by its check, which counts its runs.
cat >stopper <<'END'
#!/bin/bash
echo run >>stopper.runs
[ "$(wc -l <stopper.runs)" -le 3 ] || kill -INT "$PPID"
exit 1
END
chmod +x stopper
timeout -s KILL 120 perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$heddle" test --classify no --runs 3 --check ./stopper -- ./race >stopped 2>/dev/null </dev/null
is "interrupted while reducing: exit status" "$?" 1
like "interrupted while reducing: said" "$(cat stopped)" '^note: interrupted while H[0-9]+ was being reduced$'
unlike "interrupted while reducing: nothing that is not there" "$(cat stopped)" 'null'
program spins <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int first, never, steps;
static void *work(void *argument)
{
	if (atomic_fetch_add(&first, 1) == 0 && argument)
		while (!never)
			steps++;
	return NULL;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, &first);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
tested --runs 60 -- ./spins
is "livelock: found" "$(found)" hang
like "livelock: said" "$said" '^H1 livelock: still running after [0-9]+ events, found'

# usage NAME WORDS OPTIONS...
usage() {
	local name=$1 words=$2
	shift 2
	got=$("$heddle" test "$@" -- ./race 2>&1 </dev/null)
	is "$name: exit status" "$?" 2
	like "$name: message" "$got" "^heddle: error: .*$words"
}
usage "no runs" 'at least 1' --runs 0
usage "no jobs" '1 to 256' --jobs 0
usage "too many jobs" '1 to 256' --jobs 257
usage "no time" 'at least 1 second' --time 0
usage "no findings" 'at least 1' --max 0
usage "two opposites" 'cannot be combined' --stop --keep-going
usage "no patience" 'at least 1 second' --hang 0
usage "a depth that nobody looks at" 'the strategy portfolio has no --depth' --depth 2
usage "a depth that the strategy has not" 'the strategy random has no --depth' --strategy random --depth 2
usage "a depth of nothing" 'depth must be at least 1' --strategy dfs --depth 0
usage "a strategy that is not there" 'unknown strategy' --strategy nothing
is "no program: exit status" "$(status "$heddle" test)" 2
is "a program that is not there: exit status" "$(status "$heddle" test -- ./nowhere)" 3
is "JSON into a folder that is not there: exit status" "$(status "$heddle" test --json no/where -- ./race)" 3
mkdir closed && cd closed && echo >.heddle
got=$("$heddle" test -- ../race 2>&1 </dev/null)
is "no room for evidence: exit status" "$?" 3
like "no room for evidence: message" "$got" 'cannot create the directory ".heddle'
cd "$work" || exit 1
is_clean "nothing is left behind"
done_testing
