#!/bin/bash
# When a run does not end well, the report shows each thread with its calls down to the program's own lines, also when it
# was inside libc, plain and woven.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
programs=$PWD/tests/control
. tests/lib/programs.sh
. tests/lib/cc.sh

cat >handler.c <<'END'
#include <assert.h>
#include <signal.h>
static volatile int two = 2;
static void handle(int number)
{
	assert(number == two);
}
__attribute__((noinline)) static void send(void)
{
	raise(SIGUSR1);
	two++;
}
int main(void)
{
	signal(SIGUSR1, handle);
	send();
	return two;
}
END
cat >sort.c <<'END'
#include <stdlib.h>
static int numbers[] = { 5, 4, 3, 2 };
static int compare(const void *a, const void *b)
{
	if (*(const int *)a == 3)
		abort();
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	char room[5000];
	volatile char *large = room;
	large[0] = 1;
	qsort(numbers, 4, sizeof *numbers, compare);
	return numbers[0] + large[0];
}
END
cat >guard.cc <<'END'
#include <mutex>
#include <thread>
static std::mutex mutex;
__attribute__((noinline)) static void twice()
{
	std::lock_guard<std::mutex> one(mutex);
	std::lock_guard<std::mutex> two(mutex);
}
int main()
{
	std::thread thread([] { twice(); });
	thread.join();
}
END
cat >wait.c <<'END'
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static void lock(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(second);
}
static void *forth(void *argument)
{
	lock(&a, &b);
	return argument;
}
static void *back(void *argument)
{
	lock(&b, &a);
	return argument;
}
static void *reader(void *argument)
{
	char byte;
	if (read(ends[0], &byte, 1) != 1)
		_exit(7);
	return argument;
}
int main(void)
{
	void *(*const works[])(void *) = { forth, back, reader };
	pthread_t threads[3];
	pthread_barrier_init(&barrier, NULL, 2);
	if (pipe(ends) != 0)
		return 7;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, works[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END

# reported PATTERN...: in "said", a line for each pattern, in this order
reported() {
	local pattern line
	exec 3<said
	for pattern; do
		while :; do
			IFS= read -r line <&3 || return 1
			[[ $line =~ $pattern ]] && break
		done
	done
}

# report SOURCE PATTERN...: one test, plain and woven
report() {
	local variant
	source=$1 name=${1##*/} name=${name%.*}
	shift
	for variant in plain woven; do
		folder=$work/$variant
		mkdir -p "$folder"
		if ! build $variant; then
			fail "$name, $variant: builds"
			continue
		fi
		(timeout -k 2 30 "$heddle" run --seed 1 -- "$folder/$name" >/dev/null 2>said </dev/null; :) 2>/dev/null
		if reported "$@" && [ "$(grep -c '^heddle:     at ' said)" -lt 20 ] &&
			! grep -Eq '^heddle:     at .*(start_thread|clone3|_start|libheddle)' said; then
			pass "$name, $variant: the program's calls are named"
		else
			fail "$name, $variant: the program's calls are named"
			diag "$(cat said)"
		fi
	done
}

at='^heddle:     at '
report "$programs/crash-assert.c" 'thread 2 .*is running' "$at"'__assert_fail$' "$at"'work \(.*crash-assert\.c:9\)'
report "$programs/crash-null.c" 'is running' "$at"'crashes \(.*crash-null\.c:9\)'
report "$programs/crash-exception.cc" "$at"'__cxa_throw$' "$at"'.*operator\(\).* \(.*crash-exception\.cc:10\)'
report "$programs/crash-double-free.c" "$at"'frees \(.*crash-double-free\.c:9\)'
report "$programs/crash-stack.c" "$at"'down \(.*crash-stack\.c:10\), repeatedly'
report sort.c "$at"'abort$' "$at"'compare \(.*sort\.c:6\)' "$at"'qsort' "$at"'main \(.*sort\.c:14\)'
report guard.cc 'the cycle: .*\(.*guard\.cc:7\)' 'thread 2 .*itself' "$at"'.*lock_guard' "$at"'twice.* \(.*guard\.cc:7\)'
report wait.c 'the cycle: .*wait\.c:10\).*wait\.c:10\)' \
	'thread 1 .*waits for thread 2' "$at"'main \(.*wait\.c:39\)' \
	'thread 2 .*waits for mutex b' "$at"'lock \(.*wait\.c:10\)' "$at"'forth \(.*wait\.c:1[45]\)' \
	'thread 3 .*waits for mutex a' "$at"'lock \(.*wait\.c:10\)' "$at"'back \(.*wait\.c:(19|20)\)' \
	'thread 4 .*waits for descriptor' "$at"'read$' "$at"'reader \(.*wait\.c:25\)'
report handler.c "$at"'__assert_fail$' "$at"'handle \(.*handler\.c:6\)' "$at"'raise$' "$at"'send \(.*handler\.c:10\)' \
	"$at"'main \(.*handler\.c:16\)'

# There is no room for the stacks of all threads: the others are shown where their last event was, which may be a site.
cat >many.c <<'END'
#include <pthread.h>
_Atomic int is_on = 1;
int count;
static void *work(void *argument)
{
	while (is_on)
		count++;
	return argument;
}
int main(void)
{
	pthread_t threads[40];
	for (int i = 0; i < 40; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 40; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
source=many.c name=many folder=$work/woven
build woven
timeout -k 2 30 "$heddle" run --seed 1 --budget 50000 -- "$folder/many" >/dev/null 2>said </dev/null
is "31 of 40 threads are shown, each in its loop" "$(grep -Ec "$at"'work \(many\.c:[67]\)$' said)" 31

# The same report again when the run is replayed.
name=wait folder=$work/woven
"$heddle" run --seed 1 --trace wait.trace -- "$folder/wait" >/dev/null 2>first </dev/null
"$heddle" replay wait.trace >/dev/null 2>second </dev/null
same "a replay reports the same calls" "$(grep "$at" second)" "$(grep "$at" first)"
done_testing
