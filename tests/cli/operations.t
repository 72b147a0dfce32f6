#!/bin/bash
# heddle run --operations: threads run in parallel, and what each does is counted exactly: also in signal handlers, in threads that come and
# go, in forked children, across exec, and when a function is left by a cancellation or an exception.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
counted() { timeout -k 2 60 "$heddle" run --operations --json=counts -- "$@" >out 2>err; }
# of FUNCTION [COLUMN]: how often, in all threads
of() { jq "[.operations[] | select(.function == \"$1\") | .${2:-count}] | add // 0" counts; }
calls() { jq "[.system_calls[] | select(.name == \"$1\") | .count] | add // 0" counts; }

# Exact, in parallel: locks, a signal handler that posts, threads that come and go, destructors of thread-local storage.
cat >exact.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
enum { THREADS = 4, LOCKS = 20000, MANY = 2000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static sem_t semaphore;
static volatile sig_atomic_t posted;
static int tries, sum;
static void on_alarm(int number) { (void)number; sem_post(&semaphore); posted++; }
static void at_end(void *value) { (void)value; pthread_mutex_lock(&mutex); sum++; pthread_mutex_unlock(&mutex); }
static void *work(void *argument)
{
	pthread_setspecific(key, argument);
	for (int i = 0; i < LOCKS; i++) {
		pthread_mutex_lock(&mutex);
		sum++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}
static void *little(void *argument) { (void)argument; getppid(); return NULL; }
int main(void)
{
	pthread_t threads[THREADS], one;
	struct itimerval every = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action;
	memset(&action, 0, sizeof action);
	action.sa_handler = on_alarm;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	sem_init(&semaphore, 0, 0);
	pthread_key_create(&key, at_end);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &threads[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	while (sem_trywait(&semaphore) == 0)
		tries++;
	for (int i = 0; i < MANY; i++) {
		pthread_create(&one, NULL, little, NULL);
		pthread_join(one, NULL);
	}
	printf("%d %d %d\n", sum, (int)posted, tries);
	return 0;
}
END
for kind in plain woven; do
	if [ $kind = plain ]; then gcc -O2 -pthread exact.c -o exact; else $cc -O2 -pthread exact.c -o exact; fi || fail "exact.c compiles, $kind"
	counted ./exact
	is "$kind: the program ends" "$?" 0
	read -r sum posted tries <out
	is "$kind: locks" "$(of pthread_mutex_lock) $(of pthread_mutex_unlock)" "$sum $sum"
	is "$kind: destructors ran" "$sum" 80004
	is "$kind: handlers, beside the threads" "$(of sem_post) $posted" "$posted $tries"
	is "$kind: the last try failed" "$(of sem_trywait) $(of sem_trywait failed)" "$((tries + 1)) 1"
	is "$kind: threads" "$(of pthread_create) $(of pthread_join) $(jq '.threads | length' counts)" "2004 2004 2005"
	is "$kind: system calls" "$(calls getppid)" 2000
	is "$kind: each in its thread" "$(jq '[.threads[] | select([.system_calls[] | select(.name == "getppid") | .count] == [1])] | length' counts)" 2000
	is "$kind: they ended" "$(jq '[.threads[] | select(.has_ended)] | length' counts)" 2005
done
like "a table for people" "$(cat err)" '^ +80004 +0 +0  mutex lock$'
like "it says what it cannot see" "$(cat err)" 'not counted: locks inside libc'
ok "and so does the JSON" jq -e '.not_counted | length > 2' counts

# Functions that do not return: `after` runs all the same, with that as the result; and so does all of the program's own.
cat >unwound.cc <<'END'
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <threads.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, ready;
static pthread_t sleeper;
struct noted {
	const char *what;
	~noted() { printf("%s unwound\n", what); }
};
static void unlock(void *) { pthread_mutex_unlock(&mutex); }
static void *waits(void *)
{
	noted note{"condition"};
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, nullptr);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(1);
}
static void *takes(void *)
{
	noted note{"semaphore"};
	sem_post(&ready);
	sem_wait(&semaphore);
	return nullptr;
}
static void *joins(void *)
{
	noted note{"join"};
	sem_post(&ready);
	pthread_join(sleeper, nullptr);
	return nullptr;
}
static void *sleeps(void *) { for (;;) pause(); }
static void *reads(void *)
{
	noted note{"read"};
	int ends[2];
	char byte;
	if (pipe(ends) == 0) { sem_post(&ready); if (read(ends[0], &byte, 1)) {} }
	return nullptr;
}
static void *exits(void *) { noted note{"exit"}; pthread_exit(nullptr); }
static void cancel(void *(*start)(void *))
{
	pthread_t thread;
	pthread_create(&thread, nullptr, start, nullptr);
	if (start != exits) { sem_wait(&ready); pthread_cancel(thread); }
	pthread_join(thread, nullptr);
}
static int calls;
static void throws() { if (calls++ % 2 == 0) throw std::runtime_error("first"); }
static once_flag c11 = ONCE_FLAG_INIT;
static pthread_once_t posix = PTHREAD_ONCE_INIT;
int main()
{
	setvbuf(stdout, nullptr, _IONBF, 0);
	sem_init(&semaphore, 0, 0);
	sem_init(&ready, 0, 0);
	pthread_create(&sleeper, nullptr, sleeps, nullptr);
	cancel(waits);
	cancel(takes);
	cancel(joins);
	cancel(reads);
	cancel(exits);
	for (int i = 0; i < 2; i++) try { call_once(&c11, throws); } catch (std::exception &) { puts("c11 threw"); }
	for (int i = 0; i < 2; i++) try { pthread_once(&posix, throws); } catch (std::exception &) { puts("posix threw"); }
	std::once_flag flag;
	for (int i = 0; i < 2; i++) try { std::call_once(flag, throws); } catch (std::exception &) { puts("std threw"); }
	return 0;
}
END
for kind in plain woven; do
	if [ $kind = plain ]; then g++ -O1 -pthread unwound.cc -o unwound; else $cxx -O1 -pthread unwound.cc -o unwound; fi || fail "unwound.cc compiles, $kind"
	timeout 30 ./unwound >want 2>&1
	counted ./unwound
	is "$kind: what is left by unwinding: the program ends" "$?" 0
	same "$kind: it did what it did" "$(cat out)" "$(cat want)"
	is "$kind: destructors and catches ran" "$(wc -l <want)" 8
	is "$kind: left by a cancellation" "$(of pthread_cond_wait unwound) $(of sem_wait unwound) $(of pthread_join unwound)" "1 1 1"
	is "$kind: left by pthread_exit" "$(of pthread_exit unwound)" 1
	is "$kind: left by an exception" "$(of call_once) $(of call_once unwound) $(of pthread_once unwound)" "2 1 2"
	is "$kind: the others returned" "$(of pthread_mutex_lock unwound) $(of sem_post unwound) $(of sem_wait)" "0 0 5"
done

# Processes: a forked child is counted apart, vfork in its parent, a program after exec as one of its own.
cat >processes.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void locks(int count) { while (count--) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); } }
static void *some(void *argument) { locks(30); return argument; }
int main(int argc, char **argv)
{
	pthread_t thread;
	int status;
	if (argc > 1) {
		locks(1000);
		return 0;
	}
	locks(1);
	if (fork() == 0) {
		locks(20);
		pthread_create(&thread, NULL, some, NULL);
		pthread_join(thread, NULL);
		_exit(0);
	}
	wait(&status);
	if (vfork() == 0)
		_exit(0);
	wait(&status);
	locks(300);
	if (fork() == 0)
		execl(argv[0], argv[0], "again", (char *)NULL);
	wait(&status);
	return status;
}
END
gcc -O1 -pthread processes.c -o processes || fail "processes.c compiles"
counted ./processes
is "processes: the program ends" "$?" 0
is "processes: counted apart" "$(jq -c '[.threads[] | [.process, ([.operations[] | select(.function == "pthread_mutex_lock") | .count] | add // 0)]]' counts)" \
	"[[1,301],[2,20],[2,30],[3,0],[4,1000]]"
is "processes: how many" "$(jq -c '[.processes, .programs]' counts)" "[4,2]"

# The program's end is ours; wrong usage.
printf 'int main(void) { return 7; }\n' >seven.c && gcc seven.c -o seven
counted ./seven
is "the exit status is the program's" "$?" 7
printf '#include <signal.h>\nint main(void) { raise(SIGTERM); return 0; }\n' >ended.c && gcc ended.c -o ended
counted ./ended
is "and so is its signal" "$?" 143
"$heddle" run --operations --count -- ./seven >out 2>err
is "not with --count" "$?" 2
like "it says why" "$(cat err)" '--count and --operations cannot be combined'
"$heddle" run --operations --seed 1 -- ./seven >out 2>err
is "not with a seed" "$?" 2
LD_PRELOAD=$build/lib/heddle/libheddle.so HEDDLE=operations ./seven 2>err
is "without the tool it only says so" "$? $(cat err)" "7 heddle: off: the operation counter file cannot be used (errno 2); the program continues unobserved"
like "without room for threads' files it says so" "$( (ulimit -f 100 && "$heddle" run --operations -- ./seven) 2>&1)" 'cannot create the operation counter file|mutex|system calls'

# What runs under control runs like this, too: a sample; tests/long/operations.t has all.
cd "$root" || exit 1
TEST_OPERATIONS=1 tests/control/run.t cancel-unwind cancel-async fork-vfork signal-context thread-tree jump-threads >"$work/sample" 2>&1
is "a sample of tests/control" "$(grep -c '^ok' "$work/sample") $(grep '^not ok' "$work/sample")" "12 "
done_testing
