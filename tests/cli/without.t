#!/bin/bash
# heddle test --without FILE:LINE: synchronisation on that line does nothing, and what goes wrong is hypothetical: it is kept apart from the program's own findings,
# and replays skip the same calls again.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
build=$(realpath "${BUILD:-build}")
heddle=$build/bin/heddle
[ -x "$heddle" ] || skip_all "run make first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset HEDDLE_STORE HEDDLE_SUPPRESSIONS

# An @NAME in a comment marks a line of a source.
line() { # line FILE MARK
	grep -n "@$2\b" "$1" | head -n 1 | cut -d: -f1
}
# try PROGRAM PLACE...: the output in $out, the status in $status
try() {
	local program=$1 options=()
	shift
	for place; do
		options+=(--without "$place")
	done
	out=$(timeout -s KILL 120 "$heddle" test --runs "${runs:-60}" "${options[@]}" -- "./$program" 2>&1)
	status=$?
}

cat >count.c <<'END_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int counter;
static atomic_int total;
static void prepare(void)
{
}
__attribute__((noinline)) static void enter(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex); /* @tail */
}
static void *work(void *unused)
{
	pthread_once(&once, prepare); /* @once */
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&other); /* @redundant */
		pthread_mutex_lock(&lock);  /* @needed */
		counter++;
		pthread_mutex_unlock(&lock); /* @unlock */
		pthread_mutex_unlock(&other);
	}
	atomic_fetch_add(&total, 1); /* @atomic */
	return unused;
}
static int tail;
static void *tail_work(void *unused)
{
	enter(&lock);
	tail++;
	pthread_mutex_unlock(&lock);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i < 2 ? work : tail_work, NULL); /* @create */
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL); /* @join */
	if (argc > 1)
		pthread_mutex_lock(&other); /* @never */
	assert(counter == 4);
	assert(tail == 2);
	(void)argv;
	return 0;
}
END_C
"$build/bin/heddle-cc" -g -O2 -pthread count.c -o count || fail "count.c compiles"
"$build/bin/heddle-cc" -g -O0 -pthread count.c -o count0 || fail "count.c compiles without optimisation"
"$build/bin/heddle-cc" -O2 -pthread count.c -o nolines || fail "count.c compiles without -g"

out=$("$heddle" test --runs 60 -- ./count 2>&1)
is "with all its synchronisation the program has no finding" "$?" 0
own=$(sha256sum .heddle/heddle.db 2>/dev/null || ls .heddle)

needed=count.c:$(line count.c needed) redundant=count.c:$(line count.c redundant)
for program in count count0; do
	# Both locks are held at the same time, so one of them is enough.
	try $program "$redundant"
	is "$program: nothing is found without a lock that is not needed" "$status" 0
	like "$program: and the summary says so" "$out" "nothing would go wrong without $redundant"
	like "$program: the skipped calls are counted" "$out" "^note: --without $redundant: pthread_mutex_lock skipped 240 times in 60 schedules"
	try $program "$redundant" "$needed"
	is "$program: without both of them something is found" "$status" 1
	like "$program: a data race" "$out" "^H[0-9]+ data race on counter"
	like "$program: a lost update" "$out" "assertion .counter == 4. failed"
	without "$program: the proof that the lock protected it is not called wrong" "$out" "proof is wrong"
	like "$program: the findings are called hypothetical" "$out" "[0-9] hypothetical findings"
	like "$program: the second line is counted, too" "$out" "^note: --without $needed: pthread_mutex_lock skipped 240 times in 60 schedules"
done

# The evidence.
store=$(printf '%s\n' "$out" | sed -n 's/^  replay: heddle replay --store \([^ ]*\) H[0-9]*$/\1/p' | head -n 1)
id=$(printf '%s\n' "$out" | sed -n 's/^\(H[0-9]*\) assertion.*/\1/p' | head -n 1)
like "the store is not the program's" "$store" "^\.heddle-without/"
for i in 1 2; do
	timeout -s KILL 60 "$heddle" replay --stats --store "$store" "$id" >replay.$i 2>&1
done
like "a replay fails in the same way" "$(cat replay.1)" "Assertion .counter == 4. failed"
like "and says that it is hypothetical" "$(cat replay.1)" "^heddle: hypothetical: recorded with --without"
unlike "it does not diverge" "$(cat replay.1)" "diverge"
same "two replays are the same" "$(cat replay.1)" "$(cat replay.2)"
same "the program's own store is untouched" "$(sha256sum .heddle/heddle.db 2>/dev/null || ls .heddle)" "$own"
out=$("$heddle" list 2>&1)
unlike "its findings are not among those of the program" "$out" "counter"

# In files.
timeout -s KILL 120 "$heddle" test --runs 20 --without "$redundant" --without "$needed" --json=out.json --sarif=out.sarif --junit=out.xml --html=out.html -- ./count >/dev/null 2>&1
like "JSON is marked" "$(tr -d ' \n' <out.json)" '"hypothetical":true,"without":\[\{"file":"count.c","line":'
like "JSON has the count" "$(tr -d ' \n' <out.json)" '"functions":\["pthread_mutex_lock"\],"skipped":80,"schedules":20'
like "SARIF is a category of its own" "$(tr -d ' \n' <out.sarif)" '"id":"heddle/without/count/"'
for file in out.sarif out.xml out.html; do
	like "$file says that it is hypothetical" "$(cat $file)" "hypothetical: this was the program without"
done

# The last call of a function is a jump, which returns to the function's callers.
try count "count.c:$(line count.c tail)"
like "a call that was compiled to a jump is skipped" "$out" "pthread_mutex_lock skipped 120 times in 60 schedules"
like "and the race is found" "$out" "data race on tail"
try count "count.c:$(line count.c join)"
like "a join does not wait" "$out" "pthread_join skipped [0-9]+ times"
is "which is found" "$status" 1
runs=10 try count "count.c:$(line count.c unlock)"
like "an unlock that is forgotten is a deadlock" "$out" "deadlock"
try count "count.c:$(line count.c never)"
is "a line that is never reached is no error" "$status" 0
like "but the summary says so" "$out" "nothing found, but nothing was skipped at count.c:"
like "and a note does" "$out" "pthread_mutex_lock was never called, so nothing was skipped"

# Wrong input.
try count count.c:$(($(line count.c needed) + 1))
is "a line without synchronisation is a usage error" "$status" 2
like "and is named" "$out" "no call on this line synchronises"
like "with the nearest lines" "$out" "nearest lines with calls that can be skipped: $(line count.c needed) \(pthread_mutex_lock\), "
for place in count.c count.c: :5 count.c:0 count.c:x "" count.c:99999999999999; do
	try count "$place"
	is "\"$place\" is a usage error" "$status" 2
	like "\"$place\": what is expected" "$out" "--without expects FILE:LINE"
done
try count other.c:3
is "a file that is not there is a usage error" "$status" 2
try count "ount.c:$(line count.c needed)"
is "a part of a name is not the name" "$status" 2
try count "count.c:$(line count.c create)"
like "what cannot be skipped is refused" "$status $out" "^2 .*cannot skip pthread_create \(the thread would be missing\)"
try count "count.c:$(line count.c once)"
like "so is pthread_once" "$status $out" "^2 .*cannot skip pthread_once"
try count "count.c:$(line count.c atomic)"
like "so is an atomic operation" "$status $out" "^2 .*atomic operation, which cannot be skipped"
try nolines "$needed"
like "without -g it says what is missing" "$status $out" "^2 "
like "and how to have it" "$out" "compiled with -g"
is "errors create no store" "$(ls -d .heddle-without/*count.c-0* 2>/dev/null)" ""

cat >kinds.c <<'END_C'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static mtx_t mtx;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int a, b, c, e, g, ready, serial;
static void *work(void *unused)
{
	pthread_rwlock_wrlock(&rwlock); /* @write */
	a++;
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_rdlock(&rwlock); /* @read */
	if (a == 0)
		abort();
	pthread_rwlock_unlock(&rwlock);
	pthread_spin_lock(&spin); /* @spin */
	b++;
	pthread_spin_unlock(&spin);
	mtx_lock(&mtx); /* @mtx */
	c++;
	mtx_unlock(&mtx);
	if (pthread_barrier_wait(&barrier)) /* @barrier */
		__atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED);
	if (a != 2)
		abort();
	return unused;
}
static void *waiter(void *unused)
{
	pthread_mutex_lock(&mutex); /* @mutex */
	while (!ready)
		pthread_cond_wait(&cond, &mutex); /* @wait */
	pthread_mutex_unlock(&mutex);
	sem_wait(&sem); /* @sem */
	e++;
	pthread_mutex_lock(&recursive); /* @outer */
	pthread_mutex_lock(&recursive); /* @inner */
	g++;
	pthread_mutex_unlock(&recursive);
	g++;
	pthread_mutex_unlock(&recursive);
	return unused;
}
int main(void)
{
	pthread_t threads[3];
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 0);
	mtx_init(&mtx, mtx_plain);
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	pthread_create(&threads[2], NULL, waiter, NULL);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&cond); /* @signal */
	pthread_mutex_unlock(&mutex);
	e++;
	sem_post(&sem); /* @post */
	pthread_mutex_lock(&recursive);
	g++;
	pthread_mutex_unlock(&recursive);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(a == 2 && b == 2 && c == 2 && e == 2 && g == 3);
	assert(serial == 1);
	return 0;
}
END_C
"$build/bin/heddle-cc" -g -O1 -D_GNU_SOURCE -pthread kinds.c -o kinds || fail "kinds.c compiles"
out=$(timeout -s KILL 120 "$heddle" test --runs 60 -- ./kinds 2>&1)
is "with all its synchronisation kinds has no finding" "$?" 0
try kinds "kinds.c:$(line kinds.c inner)"
is "a recursive lock is not needed twice" "$status" 0
like "and its unlocks match the right locks" "$out" "nothing would go wrong"
# kind MARK FUNCTION FINDING: without that line this is found
kind() {
	try kinds "kinds.c:$(line kinds.c "$1")"
	like "$1: $2 is skipped" "$out" "^note: --without kinds.c:[0-9]*: $2 skipped [0-9]+ times"
	like "$1: what goes wrong" "$out" "^H[0-9]+ $3"
	without "$1: no run is lost" "$out" "aborted|proof is wrong|damaged"
}
kind write pthread_rwlock_wrlock "data race on a "
kind read pthread_rwlock_rdlock "data race on a "
kind spin pthread_spin_lock "data race on b "
kind mtx mtx_lock "data race on c "
kind barrier pthread_barrier_wait "data race on a "
without "barrier: one thread of each round is told so" "$out" "serial == 1"
kind sem sem_wait "data race on e "
kind post sem_post "deadlock"
kind signal pthread_cond_signal "deadlock"
kind mutex pthread_mutex_lock "data race on ready "
kind outer pthread_mutex_lock "data race on g "
kind wait pthread_cond_wait "(livelock|deadlock)"

cat >guard.cc <<'END_CC'
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex mutex;
static std::condition_variable cond;
static int counter;
static bool ready;
static void work()
{
	std::lock_guard<std::mutex> guard(mutex); // @guard
	counter++;
	ready = true;
	cond.notify_one(); // @notify
}
int main()
{
	std::thread one(work), two(work);
	{
		std::unique_lock<std::mutex> lock(mutex); // @unique
		cond.wait(lock, [] { return ready; });    // @wait
	}
	one.join(); // @join
	two.join();
	assert(counter == 2);
}
END_CC
for level in 0 2; do
	"$build/bin/heddle-c++" -g -O$level -pthread guard.cc -o guard$level || fail "guard.cc compiles with -O$level"
	try guard$level "guard.cc:$(line guard.cc guard)"
	like "-O$level: the lock of a lock_guard is skipped" "$out" "pthread_mutex_lock skipped 120 times in 60 schedules"
	like "-O$level: and the race is found" "$out" "data race on counter"
	try guard$level "guard.cc:$(line guard.cc unique)"
	like "-O$level: the lock of a unique_lock is" "$out" "pthread_mutex_lock skipped 60 times in 60 schedules"
	like "-O$level: and the race is found" "$out" "data race on ready"
	try guard$level "guard.cc:$(line guard.cc notify)"
	like "-O$level: notify_one is" "$out" "std::condition_variable::notify_one skipped 120 times"
	like "-O$level: and the wakeup is lost" "$out" "^H[0-9]+ deadlock"
	try guard$level "guard.cc:$(line guard.cc join)"
	like "-O$level: what the C++ library does inside is refused" "$status $out" "^2 .*cannot skip std::thread::join"
done

# A library, and two sources of the same name.
mkdir -p one two
cat >one/part.c <<'END_C'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int parts;
void part(void)
{
	pthread_mutex_lock(&lock);
	parts++;
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}
END_C
sed 's/part\b/second/g; s/parts/seconds/g' one/part.c >two/part.c
cat >uses.c <<'END_C'
#include <pthread.h>
void part(void), second(void);
static void *work(void *unused)
{
	part();
	second();
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	return 0;
}
END_C
"$build/bin/heddle-cc" -g -O2 -fPIC -shared one/part.c two/part.c -o libpart.so -pthread && "$build/bin/heddle-cc" -g -O2 uses.c -L. -lpart "-Wl,-rpath,$work" -pthread -o uses ||
	fail "the library compiles"
try uses one/part.c:6
like "calls in a library are skipped" "$out" "pthread_mutex_lock skipped 120 times in 60 schedules"
like "and the race there is found" "$out" "data race on parts"
unlike "but not that of the other file" "$out" "data race on seconds"
try uses part.c:6
like "several files that match are a usage error" "$status $out" "^2 .*several sources match"
done_testing
