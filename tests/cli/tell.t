#!/bin/bash
# How findings are told: with the lines of the source, the threads side by side, and what to try; in heddle test, heddle
# show and heddle replay; in several widths, with and without colours, and when strings are hostile.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset COLUMNS NO_COLOR

# tested OPTIONS... -- PROG: $said is what heddle test says, with an empty store, without what differs between machines
tested() {
	rm -rf .heddle
	said=$(timeout -s KILL 120 "$heddle" test --classify no "$@" 2>errors </dev/null | plainly)
}

plainly() {
	sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g; s/found in schedule [0-9]*/found in schedule N/'
}

# without_sums: without the sums and the table at the end
without_sums() {
	sed '/^[0-9]* schedules, /,$d'
}

# The name of a thread whose stack is too deep to be told whole.
program deep <<'END'
#include <pthread.h>
static int total;
#define CALL(n, m) static __attribute__((noinline)) void f##n(int x) { f##m(x + 1); __asm__ volatile(""); }
static __attribute__((noinline)) void f0(int x) { total += x; }
CALL(1, 0) CALL(2, 1) CALL(3, 2) CALL(4, 3) CALL(5, 4) CALL(6, 5) CALL(7, 6) CALL(8, 7) CALL(9, 8) CALL(10, 9)
static void *digger(void *argument)
{
	f10(1);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, digger, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
tested --runs 5 -- ./deep
like "a deep stack: the thread has its name" "$said" '^  thread 3 \(digger\) (reads|writes) total at deep\.c:'
like "a deep stack: so it has in the columns" "$said" '^   event +(thread 1 main +)?thread 2 digger +thread 3 digger$'

# A deadlock that shows when another thread ends, which is no part of it.
program ending <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *take(void *argument)
{
	pthread_mutex_lock(argument ? &a : &b);
	pthread_mutex_lock(argument ? &b : &a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return argument;
}
static void *bystander(void *argument) { return argument; }
int main(void)
{
	pthread_t threads[3];
	pthread_create(&threads[0], NULL, take, NULL);
	pthread_create(&threads[1], NULL, take, &a);
	pthread_create(&threads[2], NULL, bystander, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
said=$(for seed in {1..40}; do "$heddle" run --seed $seed -- ./ending 2>&1; done)
like "a deadlock beside a thread that ends" "$said" '^heddle: deadlock: '
unlike "a deadlock beside a thread that ends: that is not told as one in an unknown state" "$said" 'unknown state'

program race <<'END'
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

static void *deposit(void *argument)
{
	balance += 10; /* the lock is forgotten */
	return argument;
}

static void *withdraw(void *argument)
{
	pthread_mutex_lock(&lock);
	balance -= 3;
	pthread_mutex_unlock(&lock);
	return argument;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, deposit, NULL);
	pthread_create(&b, NULL, withdraw, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
tested --runs 60 -- ./race
cat >want <<'END'
H1 data race on balance (8 bytes at ADDRESS): read at race.c:16, write at race.c:9, found in schedule N
  thread 3 reads what thread 2 writes, and nothing orders the two: either may come first
  thread 3 (withdraw) reads balance at race.c:16 in withdraw
    it was 10
    holding lock, taken at race.c:15 in withdraw
        14 | {
        15 |         pthread_mutex_lock(&lock);
    >   16 |         balance -= 3;
           |                 ^
        17 |         pthread_mutex_unlock(&lock);
  thread 2 (deposit) wrote it earlier at race.c:9 in deposit
    it was 0 and became 10
    holding no lock
         7 | static void *deposit(void *argument)
         8 | {
    >    9 |         balance += 10; /* the lock is forgotten */
           |                 ^
        10 |         return argument;
  thread 3 was created by thread 1 at race.c:25 in main
  thread 2 was created by thread 1 at race.c:24 in main
  the threads, by lines of race.c:
   event  thread 1 main  thread 2 deposit  thread 3 withdraw
       6                 24 start
       7                 9 read balance
       8>                9 write balance
       9                 24 end
      10  27 read b
     ...
      13                                   25 start
      14                                   15 lock lock
      15>                                  16 read balance
      16                                   16 write balance
      17                                   17 unlock lock
  what to try:
    - take lock at race.c:9, too: thread 3 holds it at race.c:16, but thread 2 holds no lock
  replay: heddle replay H1
END
is "a data race" "$(printf '%s\n' "$said" | without_sums)" "$(cat want)"

program free <<'END'
#include <pthread.h>
#include <stdlib.h>

struct job {
	int size;
};

static void *work(void *argument)
{
	struct job *job = argument;
	job->size++;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct job *job = malloc(sizeof *job);
	job->size = 0;
	pthread_create(&thread, NULL, work, job);
	free(job);
	pthread_join(thread, NULL);
	return 0;
}
END
tested --runs 60 -- ./free
cat >want <<'END'
H1 use after free: *job (4 bytes at ADDRESS): read at free.c:11, found in schedule N
  thread 2 uses memory that thread 1 has freed
  thread 2 (work) reads *job at free.c:11 in work
    holding no lock
         9 | {
        10 |         struct job *job = argument;
    >   11 |         job->size++;
           |                  ^
        12 |         return NULL;
  that is the start of a block of 4 bytes at ADDRESS
  allocated by thread 1 at free.c:18 in main
  freed by thread 1 at free.c:21 in main
    holding no lock
        19 | job->size = 0;
        20 | pthread_create(&thread, NULL, work, job);
    >   21 | free(job);
        22 | pthread_join(thread, NULL);
  thread 2 was created by thread 1 at free.c:20 in main
  replay: heddle replay H1

H1 needs no preemption
  the threads, by lines of free.c:
   event  thread 1 main     thread 2 work
        > 18 allocate it
       1  19 write *job
       2  20 create thread
        > 21 free it
       3  22 read thread
       4  22 join, waits
       6                    20 start
       7>                   11 read *job
       8                    11 write *job
       9                    20 end
  what to try:
    - join thread 2, created at free.c:20, before the memory is freed at free.c:21
    - or count the users of the memory, and let the last one free it
END
is "a use after free by another thread" "$(printf '%s\n' "$said" | without_sums)" "$(cat want)"

# The second free of a block is told with the first one, and with the allocation.
program twice <<'END'
#include <pthread.h>
#include <stdlib.h>

static char *volatile name;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void drop(void)
{
	pthread_mutex_lock(&guard);
	free(name);
	pthread_mutex_unlock(&guard);
}

static void *work(void *argument)
{
	drop();
	return argument;
}

int main(void)
{
	pthread_t thread;
	name = malloc(10);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	drop();
	return 0;
}
END
tested --runs 5 -- ./twice
cat >want <<'END'
H1 double free: 10 bytes allocated at twice.c:23 (at ADDRESS): free at twice.c:10, already freed at twice.c:10, found in schedule N
  thread 1 frees memory that thread 2 has freed
  thread 1 frees it again at twice.c:10 in drop
    called from main (twice.c:26)
    holding guard, taken at twice.c:9 in drop
  that is the start of a block of 10 bytes at ADDRESS
  allocated by thread 1 at twice.c:23 in main
  freed by thread 2 (work) at twice.c:10 in drop
    called from work (twice.c:16)
    holding guard, taken at twice.c:9 in drop
         8 | {
         9 |         pthread_mutex_lock(&guard);
    >   10 |         free(name);
        11 |         pthread_mutex_unlock(&guard);
  thread 2 was created by thread 1 at twice.c:24 in main
  replay: heddle replay H1

H1 needs no preemption
  the threads, by lines of twice.c:
END
is "a double free" "$(printf '%s\n' "$said" | without_sums | sed '/^   event/,$d')" "$(cat want)"
like "a double free: the columns have who freed it, by name" "$said" '^   event  thread 1 main +thread 2 work$'
like "a double free: a row of the allocation" "$said" '^        > 23 allocate it$'
like "a double free: a row of the first free" "$said" '^        > +10 free it$'
like "a double free: a row of the second" "$said" '^        > 10 free it again$'
like "a double free: what to try" "$said" '^    - let only one of the threads free it: before the free at twice\.c:10, take the pointer from '
is "a double free: heddle show tells the same" "$("$heddle" show H1 | plainly | grep -c '^  freed by thread 2 (work)\|^  that is the start\|^  allocated by thread 1')" 3
is "a double free: heddle replay tells the same" "$( ("$heddle" replay H1) 2>&1 | grep -c '^  freed by thread 2 (work)\|^heddle: double free: 10 bytes allocated')" 2
sed -i '1i /* Lines move. */\n' twice.c
"$cc" -O1 -g -pthread twice.c -o twice
"$heddle" test --classify no --runs 5 -- ./twice >said 2>errors
is "a double free: the same finding in another build" "$("$heddle" list --all | grep -c '^H')" 1

# The rows are the same everywhere, in the order of doing: heddle show, the JSON of the test and of the store, SARIF.
"$heddle" test --classify no --runs 5 --json found.json --sarif found.sarif -- ./twice >said 2>errors
"$heddle" show H1 | sed -n '/^   event/,/^  what to try/{/^   event/d;/^  what to try/d;/--/d;/^ *\.\.\.$/d;p;}' |
	sed -E 's/^ *([0-9]*)>? *(> *)?[0-9]+ /\1 /' >rows
same "the rows of JSON are those of heddle show" "$(jq -r '.findings[0].interleaving[] | "\(if .count > 0 then .event else "" end) \(.what)"' found.json)" "$(cat rows)"
is "the rows of SARIF, too" "$(jq -r '[.runs[0].results[0].codeFlows[0].threadFlows[].locations[]] | sort_by(.executionOrder)[].location.message.text' found.sarif)" \
	"$(sed 's/^[0-9]* //' rows)"
same "the rows of the store, too" "$("$heddle" report --json - | jq -c '.findings[0] | .interleaving, .acts, .threads')" "$(jq -c '.findings[0] | .interleaving, .acts, .threads' found.json)"
is "what became of the memory: JSON" "$(jq -c '[.findings[0].acts[] | select(.act != "created") | [.act, .thread, .thread_name, .function]]' found.json)" \
	'[["allocated",1,null,"main"],["freed",2,"work","drop"]]'
is "what became of the memory: SARIF" "$(jq -c '[.runs[0].results[0].relatedLocations[].message.text]' found.sarif)" '["allocated by thread 1","freed by thread 2"]'

# Who calls sched_yield yields.
program yield <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static volatile int left;
static void *work(void *argument)
{
	int old = left;
	sched_yield();
	left = old + 1;
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return left == 2 ? 0 : 3;
}
END
rm -rf .heddle
"$heddle" test --classify no --runs 60 --json found.json -- ./yield >said 2>errors
jq -c '.findings[] | select(.kind == "bad-exit").interleaving[] | select(.what == "yield" and .turn) | .turn.how' found.json | sort -u >turns
is "a yield is no preemption: JSON" "$(cat turns)" '"yields"'
like "a yield is no preemption: columns" "$(sed -n '/needs/,/what to try/p' said)" '^ +(`-- yields -*>|<-- yields -*.)$'
# No arrow leads to where nothing is: the row behind it is of the thread that it names, or something is left out.
is "arrows lead to rows" "$(jq -c '[.findings[] | .interleaving as $rows | range($rows | length - 1) | select($rows[.].turn and ($rows[. + 1].left_out | not) and
	$rows[.].turn.next != $rows[. + 1].thread)] | length' found.json)" 0
is "arrows lead to threads that have rows" "$(jq -c '[.findings[] | [.interleaving[].thread] as $threads | .interleaving[] | select(.turn) | .turn.next | select(IN($threads[]) | not)] | length' found.json)" 0

program dead <<'END'
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *argument)
{
	pthread_mutex_lock(&left);
	pthread_mutex_lock(&right);
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	return argument;
}

static void *back(void *argument)
{
	pthread_mutex_lock(&right);
	pthread_mutex_lock(&left);
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&right);
	return argument;
}

int main(int count, char **arguments)
{
	pthread_t a, b;
	(void)arguments;
	pthread_create(&a, NULL, forth, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return count - 1;
}
END
tested --runs 60 -- ./dead
cat >want <<'END'
H1 deadlock: threads 2 and 3 wait for each other, found in schedule N
  thread 1 (main) waits for thread 2
    at main (dead.c:29)
  thread 2 (forth) waits for mutex right, held by thread 3
    at pthread_mutex_lock
    at forth (dead.c:8)
         6 | {
         7 |         pthread_mutex_lock(&left);
    >    8 |         pthread_mutex_lock(&right);
         9 |         pthread_mutex_unlock(&right);
  thread 3 (back) waits for mutex left, held by thread 2
    at pthread_mutex_lock
    at back (dead.c:17)
        15 | {
        16 |         pthread_mutex_lock(&right);
    >   17 |         pthread_mutex_lock(&left);
        18 |         pthread_mutex_unlock(&left);
  replay: heddle replay H1

H1 needs 1 preemption:
  thread 3 must be the next to run when thread 1 waits at dead.c:29 join: from dead.c:28 start to dead.c:17 lock left
  thread 2 must run between dead.c:16 lock right and dead.c:17 lock left of thread 3: from dead.c:27 start to dead.c:8 lock right
  the threads, by lines of dead.c:
   event  thread 2 forth       thread 3 back
       6                       28 start
       7                       16 lock right
          <-- preempted ------'
       9  27 start
      10  7 lock left
      11> 8 lock right, waits
       8>                      17 lock left, waits
  what to try:
    - take left and right in the same order everywhere: thread 2 takes left (dead.c:7), then right (dead.c:8); thread 3 takes right (dead.c:16), then left (dead.c:17)
END
is "a deadlock" "$(printf '%s\n' "$said" | without_sums)" "$(cat want)"

program order <<'END'
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static sem_t turn;

static void *forth(void *argument)
{
	pthread_mutex_lock(&left);
	pthread_mutex_lock(&right);
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	sem_post(&turn);
	return argument;
}

static void *back(void *argument)
{
	sem_wait(&turn);
	pthread_mutex_lock(&right);
	pthread_mutex_lock(&left);
	pthread_mutex_unlock(&left);
	pthread_mutex_unlock(&right);
	return argument;
}

int main(void)
{
	pthread_t a, b;
	sem_init(&turn, 0, 0);
	pthread_create(&a, NULL, forth, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
tested --runs 60 -- ./order
cat >want <<'END'
H1 lock order: left and right are taken in orders that could deadlock, found in schedule N
  if each thread holds its first lock when it requests its second, all of them wait forever
  thread 2 (forth) took right at order.c:10 in forth
    while holding left, taken at order.c:9 in forth
         7 | static void *forth(void *argument)
         8 | {
    >    9 |         pthread_mutex_lock(&left);
    >   10 |         pthread_mutex_lock(&right);
        11 |         pthread_mutex_unlock(&right);
  thread 3 (back) took left at order.c:21 in back
    while holding right, taken at order.c:20 in back
        18 | {
        19 |         sem_wait(&turn);
    >   20 |         pthread_mutex_lock(&right);
    >   21 |         pthread_mutex_lock(&left);
        22 |         pthread_mutex_unlock(&left);
  thread 2 was created by thread 1 at order.c:31 in main
  thread 3 was created by thread 1 at order.c:32 in main
  16 schedules were steered towards this deadlock without reaching it
  the threads, by lines of order.c:
   event  thread 1 main   thread 2 forth   thread 3 back
       4  33 join, waits
       6                  31 start
       7>                 9 lock left
       8>                 10 lock right
       9                  11 unlock right
      10                  12 unlock left
     ...
      16                                   32 start
      17                                   19 semaphore wait turn
      18>                                  20 lock right
      19>                                  21 lock left
      20                                   22 unlock left
      21                                   23 unlock right
  what to try:
    - take left and right in the same order in all threads
    - or always take a common lock before them
  replay: heddle replay H1
END
is "a lock order" "$(printf '%s\n' "$said" | without_sums)" "$(cat want)"

program fail <<'END'
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int free_seats = 1;

static int look(void)
{
	pthread_mutex_lock(&lock);
	int seats = free_seats;
	pthread_mutex_unlock(&lock);
	return seats;
}

static void *book(void *argument)
{
	if (look() == 0)
		return argument;
	pthread_mutex_lock(&lock);
	int seats = --free_seats;
	pthread_mutex_unlock(&lock);
	assert(seats >= 0);
	return argument;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, book, NULL);
	pthread_create(&b, NULL, book, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
tested --runs 60 -- ./fail
cat >want <<'END'
H1 assertion `seats >= 0' failed at fail.c:22 in book, found in schedule N
  thread 2 (book) is running
    at __assert_fail
    at book (fail.c:22)
        20 | int seats = --free_seats;
        21 | pthread_mutex_unlock(&lock);
    >   22 | assert(seats >= 0);
        23 | return argument;
  last output on standard error:
    | fail: fail.c:22: void *book(void *): Assertion `seats >= 0' failed.
  replay: heddle replay H1

H1 needs 1 preemption:
  thread 3 must run between fail.c:11 unlock lock and fail.c:19 lock lock of thread 2: from fail.c:30 start to fail.c:30 end
  the threads, by lines of fail.c:
   event  thread 2 book       thread 3 book
       6  29 start
       7  9 lock lock
       8> 10 read free_seats
       9  11 unlock lock
          `-- preempted ----->
      11                      30 start
     ...
      13                      10 read free_seats
     ...
      15                      19 lock lock
      16                      20 read free_seats
      17>                     20 write free_seats
      18                      21 unlock lock
     ...
      10  19 lock lock
      20> 20 read free_seats
     ...
      22> 21 unlock lock
  what to try:
    - prevent other threads from changing free_seats between fail.c:10 and fail.c:20 of thread 2, as thread 3 does at fail.c:20: hold a lock across both, and take it in the other thread, too
END
is "a failed assertion, reduced" "$(printf '%s\n' "$said" | without_sums)" "$(cat want)"

# show has the same and more of it, from a replay of the reduced evidence; and what the store knows.
shown=$("$heddle" show H1)
part() {
	printf '%s\n' "$2" | sed -n "/^  $1/,/^  [a-z]/p"
}
same "show: the details" "$(printf '%s\n' "$shown" | sed -n 1,8p)" "$(sed -n 1,8p want | sed 's/, found in schedule N//')"
like "show: what it needs" "$shown" '^  needs 1 preemption:$'
like "show: the threads" "$shown" '^      17> +20 write free_seats$'
like "show: more of the threads" "$shown" '^      19 +30 end$'
same "show: what to try" "$(part 'what to try' "$shown" | sed -n 2p)" "$(part 'what to try' "$(cat want)" | sed -n 2p)"
is "show: it ends with the command that replays it" "$(printf '%s\n' "$shown" | tail -n 1)" "  replay: heddle replay H1"
unlike "show --brief: no threads" "$("$heddle" show --brief H1)" 'the threads'
like "show --brief: the source" "$("$heddle" show --brief H1)" '^    >   22 \| assert\(seats >= 0\);$'

# replay says how it ended, as run does, and then the rest.
is "replay: the status is the run's" "$( ("$heddle" replay H1 >out 2>errors; echo $?) 2>/dev/null)" 134
like "replay: how it ended" "$(cat errors)" '^heddle: signal 6 \(Aborted\), after 24 events$'
like "replay: the source" "$(cat errors)" '^    >   22 \| assert\(seats >= 0\);$'
like "replay: the threads" "$(cat errors)" '^      17>                     20 write free_seats$'
like "replay: what to try" "$(cat errors)" '^    - prevent other threads from changing free_seats between fail\.c:10 and fail\.c:20 of thread 2, '

# All of the interleaving: what was found is marked and not folded, and so is where threads were preempted. What a thread was
# preempted before is done when it goes on.
columns=$("$heddle" replay --columns H1 2>/dev/null)
like "columns: marked" "$columns" '^    17> +fail\.c:20 write free_seats$'
like "columns: a preemption" "$columns" '^ {30,}`-- preempted -+>$'
is "columns: in the order in which it is done" \
	"$(printf '%s\n' "$columns" | awk '$1 == 9 || $1 == 10 || $1 == "17>" || $1 == "20>" { printf "%s ", $1 }')" "9 17> 10 20> "
tested --runs 20 -- ./race
columns=$("$heddle" replay --columns H1 2>/dev/null)
is "columns: the accesses of a race are marked" "$(printf '%s\n' "$columns" | grep -c '> .*balance$')" 2
like "columns: also in a part" "$("$heddle" replay --columns --from 7 --to 9 H1 2>/dev/null)" '^ +8> +race\.c:9 write balance$'
"$heddle" replay H1 2>errors
is "replay: a race is told as a test tells it" "$(plainly <errors | sed 1d)" \
	"$(printf '%s\n' "$said" | without_sums | sed '1d;/^  replay/,$d')"
like "list names the program" "$("$heddle" list)" '^H1 +new +20  race +data race on balance: '

# Advice needs facts.
program habit <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int level, copy;
static void *raise(void *argument)
{
	pthread_mutex_lock(&lock);
	level = 2;
	pthread_mutex_unlock(&lock);
	level = 3;
	return argument;
}
static void *look(void *argument)
{
	copy = level;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, raise, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
tested --strategy priority --runs 3 -- ./habit
like "a lock that other accesses have" "$said" \
	'^    - take lock at habit\.c:14 and at habit\.c:9: the other accesses hold that lock, for example at habit\.c:7$'
program kinds <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static _Atomic int flag;
static volatile int value;
static const char *what;
static void *work(void *argument)
{
	if (!strcmp(what, "different")) {
		pthread_mutex_lock(&one);
		value++;
		pthread_mutex_unlock(&one);
	} else if (!strcmp(what, "mixed")) {
		atomic_store(&flag, 1);
	} else if (!strcmp(what, "lost")) {
		pthread_cond_signal(&news);
	}
	return argument;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	what = count > 1 ? arguments[1] : "";
	pthread_create(&thread, NULL, work, NULL);
	if (!strcmp(what, "different")) {
		pthread_mutex_lock(&two);
		value++;
		pthread_mutex_unlock(&two);
	} else if (!strcmp(what, "mixed")) {
		*(volatile int *)&flag = 2;
	} else if (!strcmp(what, "lost")) {
		pthread_mutex_lock(&one);
		pthread_cond_wait(&news, &one);
		pthread_mutex_unlock(&one);
	} else if (!strcmp(what, "again")) {
		pthread_mutex_lock(&one);
		pthread_mutex_lock(&one);
	} else {
		int *block = malloc(4 * sizeof *block);
		*(volatile int *)(block + 4) = 1;
	}
	pthread_join(thread, NULL);
	return 0;
}
END
tested --runs 10 -- ./kinds different
like "different locks" "$said" '^    - use the same lock at both places: at kinds\.c:[0-9]+ thread [12] holds (one|two), at '
like "who made the thread" "$said" '^    - or move the access at kinds\.c:30 before the creation of thread 2 at kinds\.c:27, or after its join: thread 1 creates it$'
tested --runs 10 -- ./kinds mixed
like "atomic and not" "$said" '^    - make the access at kinds\.c:33 atomic, too: the one at kinds\.c:17 is$'
tested --runs 100 -- ./kinds lost
like "a signal that is lost" "$said" \
	'^    - record the condition of news in a variable, .*: thread 2 signals it at kinds\.c:19 before thread 1 waits, so the signal is lost$'
like "signalled without a lock" "$said" '^    - hold the mutex while the condition changes: at kinds\.c:19 thread 2 holds no lock$'
tested --runs 10 -- ./kinds again
like "a lock that it has" "$said" '^    - unlock one before kinds\.c:40, or do not take it there: thread 1 holds it since kinds\.c:39$'
tested --runs 10 -- ./kinds beyond
like "beyond a block" "$said" '^    - check the index at kinds\.c:43 and the size of the allocation, 16 bytes at kinds\.c:42$'
program hand <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *volatile shared;
static volatile int copy;
static void *make(void *argument)
{
	int *made = malloc(sizeof *made);
	*(volatile int *)made = 7;
	shared = made;
	return argument;
}
static void *use(void *argument)
{
	int *got = shared;
	if (got)
		copy = *(volatile int *)got;
	return argument;
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
tested --strategy priority --runs 3 -- ./hand
like "memory that is handed over" "$said" \
	'^    - hand the memory over under a common lock, .*: thread 2 allocated it at hand\.c:7, and thread 3 gets it without either$'
for name in deadlock-rwlock-self-upgrade deadlock-lock-across-wait deadlock-join-under-lock deadlock-ring-of-three condition-if-not-while; do
	program $name <"$root/bugs/$name.c"
done
tested --runs 60 -- ./deadlock-rwlock-self-upgrade
like "a reader who wants to write" "$said" \
	'^    - unlock guard before deadlock-rwlock-self-upgrade\.c:53, or do not take it there: thread 3 holds it since deadlock-rwlock-self-upgrade\.c:47$'
tested --runs 100 -- ./deadlock-lock-across-wait
like "who waits with a lock" "$said" \
	'^    - unlock log_lock before thread 3 waits at deadlock-lock-across-wait\.c:29: thread 2 cannot continue without it$'
tested --runs 60 -- ./deadlock-join-under-lock
like "who joins with a lock" "$said" \
	'^    - unlock pool\.lock before thread 1 joins thread 2 at deadlock-join-under-lock\.c:37: the joined thread needs it to end$'
tested --runs 60 -- ./deadlock-ring-of-three
like "three locks" "$said" '^    - take stages\[0\]\.lock, stages\[1\]\.lock and stages\[2\]\.lock in the same order everywhere: thread '
tested --runs 200 -- ./condition-if-not-while
like "a wait without a loop" "$said" '^    - wait in a loop at condition-if-not-while\.c:39 \(while, not if\): between the signal and the wake-up of thread '
program looping <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static volatile int count, taken;
static void *take(void *argument)
{
	pthread_mutex_lock(&lock);
	while (count == 0)
		pthread_cond_wait(&filled, &lock);
	count--;
	taken++;
	assert(taken < 2);
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
tested --runs 60 -- ./looping
like "a wait in a loop: the assertion" "$said" '^H1 assertion'
unlike "a wait in a loop needs none" "$said" 'while, not if'

# The classic lost wake-up: what the waiter tests changes without the mutex, just before it waits.
for wake in signal broadcast; do
	program wake-$wake -DWAKE=pthread_cond_$wake <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static _Atomic int is_ready;
static void *waiter(void *argument)
{
	pthread_mutex_lock(&lock);
	while (!is_ready)
		pthread_cond_wait(&news, &lock);
	pthread_mutex_unlock(&lock);
	return argument;
}
static void *waker(void *argument)
{
	is_ready = 1;
	WAKE(&news);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, waiter, NULL);
	pthread_create(&threads[1], NULL, waker, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
	tested --runs 200 --seed 1 -- ./wake-$wake
	like "a change without the mutex, $wake" "$said" \
		"^    - hold the mutex of the wait at wake-$wake\\.c:9 while is_ready is changed at wake-$wake\\.c:15: thread 3 changes it after the test at wake-$wake\\.c:8 and before the wait of thread 2, "
	unlike "nobody else waited, $wake" "$said" 'wake all waiters'
done
cat >wake.cc <<'END'
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex lock;
std::condition_variable news;
std::atomic<bool> is_ready{false};
int main()
{
	std::thread waiter([] {
		std::unique_lock<std::mutex> held(lock);
		while (!is_ready)
			news.wait(held);
	});
	std::thread waker([] {
		is_ready = true;
		news.notify_one();
	});
	waiter.join();
	waker.join();
}
END
"$cxx" -g -O1 -pthread wake.cc -o wake || fail "wake is built"
tested --runs 300 --seed 1 -- ./wake
like "a change without the mutex, C++" "$said" '^    - hold the mutex of the wait at wake\.cc:13 while is_ready.* is changed at wake\.cc:16: thread 3 changes it after the test at wake\.cc:12 '
unlike "a place is known, C++" "$said" '^    - .*an unknown place'

# No variable at all: the mutex is not at fault, and who signals had it before.
program bare <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
int is_ready;
static void *waiter(void *argument)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&news, &lock);
	pthread_mutex_unlock(&lock);
	return argument;
}
static void *waker(void *argument)
{
	pthread_mutex_lock(&lock);
	is_ready = 1;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&news);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, waiter, NULL);
	pthread_create(&threads[1], NULL, waker, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
tested --runs 100 --seed 1 -- ./bare
like "no variable" "$said" '^    - record the condition of news in a variable, and wait at bare\.c:8 only while that variable requires it'
unlike "no variable: nothing of the mutex" "$said" 'hold the mutex|wake all'

# Two wait, and the signal wakes the one that it is not for.
program two <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int wanted;
static void *waiter(void *argument)
{
	pthread_mutex_lock(&lock);
	while (wanted != (long)argument)
		pthread_cond_wait(&news, &lock);
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, waiter, (void *)(i + 1));
	for (long i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		wanted = (int)i + 1;
		pthread_cond_signal(&news);
		pthread_mutex_unlock(&lock);
		pthread_join(threads[i], NULL);
	}
	return 0;
}
END
tested --runs 200 --seed 1 -- ./two
like "another one was woken" "$said" '^    - wake all waiters of news \(broadcast\) at two\.c:21, '
tested --runs 10 -- ./race
unlike "no advice without its facts" "$said" 'atomic|join|while'

# A block whose address depends on the schedule: the sums name the one that was told, not that of the reduced evidence.
program late <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *block;
static void *noise(void *argument)
{
	void *volatile other = malloc(64);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return other ? argument : NULL;
}
static void *user(void *argument)
{
	int *mine = malloc(64);
	pthread_mutex_lock(&lock);
	block = mine;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	if (block)
		*mine = 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	*(volatile int *)mine = 2;
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, noise, NULL);
	pthread_create(&threads[3], NULL, user, NULL);
	pthread_mutex_lock(&lock);
	free(block);
	block = NULL;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
rm -rf .heddle
said=$(timeout -s KILL 120 "$heddle" test --classify no --runs 100 --seed 1 -- ./late 2>errors </dev/null | grep -o 'H1 use after free: .*late\.c:23')
is "the address in the sums: two lines" "$(printf '%s\n' "$said" | wc -l)" 2
is "the address in the sums is the one that was told" "$(printf '%s\n' "$said" | sort -u | wc -l)" 1
unlike "the reduced evidence has another one" "$("$heddle" show --brief H1)" "$(printf '%s\n' "$said" | grep -o '0x[0-9a-f]*' | head -n 1)"
done_testing
