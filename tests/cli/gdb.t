#!/bin/bash
# heddle replay --gdb: gdb at the failure, all threads to be seen, breakpoints and steps, starting again, going back; and
# whatever is done, the run stays the one that was recorded.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/cc.sh
command -v gdb >/dev/null || skip_all "cannot find gdb: ./setup test installs it"

cp "$root/tests/lib/locks.c" .
cat >crash.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int shared, *volatile where = &shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void step(int n)
{
	pthread_mutex_lock(&lock);
	shared += n;
	pthread_mutex_unlock(&lock);
}
static void *reader(void *argument)
{
	for (int i = 0; i < 40; i++)
		step(i);
	*where = 3;
	return argument;
}
static __attribute__((noinline)) void forget(void)
{
	where = NULL;
}
static void *writer(void *argument)
{
	for (int i = 0; i < 3; i++)
		step(i);
	forget();
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("fine %d\n", shared);
	return 0;
}
END
cat >account.cc <<'END'
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>
struct Account {
	std::mutex lock;
	int balance = 0;
	int get() { std::lock_guard<std::mutex> guard(lock); return balance; }
	void set(int value) { std::lock_guard<std::mutex> guard(lock); balance = value; }
};
static Account account;
template <class T> __attribute__((noinline)) void deposit(T amount)
{
	account.set(account.get() + amount);
}
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 2; i++)
		threads.emplace_back([] { deposit<int>(5); });
	for (auto &thread : threads)
		thread.join();
	assert(account.get() == 10);
}
END
cat >twenty.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static __thread volatile int own;
static void *stand(void *argument)
{
	char name[16];
	own = 100 + (int)(long)argument;
	snprintf(name, sizeof name, "stander%d", (int)(long)argument);
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&held);
	return argument;
}
int main(void)
{
	pthread_t threads[20];
	pthread_mutex_lock(&held);
	for (long i = 0; i < 20; i++)
		pthread_create(&threads[i], NULL, stand, (void *)i);
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
}
END
cat >race.c <<'END'
#include <pthread.h>
int counter;
static void *work(void *argument)
{
	counter++;
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
cat >late.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *user(void *argument)
{
	int *own;
	pthread_mutex_lock(&lock);
	own = shared;
	pthread_mutex_unlock(&lock);
	if (!own)
		return argument;
	(*own)++;
	return argument;
}
static void *closer(void *argument)
{
	int *own;
	pthread_mutex_lock(&lock);
	own = shared;
	shared = NULL;
	pthread_mutex_unlock(&lock);
	free(own);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	shared = calloc(1, sizeof *shared);
	pthread_create(&threads[0], NULL, user, NULL);
	pthread_create(&threads[1], NULL, closer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
END
gcc -g -O1 -pthread locks.c -o locks && gcc -g -O1 -pthread -D_GNU_SOURCE twenty.c -o twenty && gcc -g -O1 -pthread crash.c -o crash-plain &&
	"$cc" -g -O1 -pthread crash.c -o crash-woven && "$cxx" -g -O1 -pthread account.cc -o account &&
	"$cc" -g -O1 -pthread race.c -o race && "$cc" -g -O1 -pthread late.c -o late || fail "the programs compile"

# record PROGRAM END: the first of some seeds that ends so goes to PROGRAM.trace
record() {
	for seed in $(seq 1 60); do
		"$heddle" run --stats --seed "$seed" --trace "$1.trace" -- "./$1" 2>&1 | grep -q "^heddle: $2" && return
	done
	fail "some seed of $1 ends with $2"
}
record locks deadlock
record crash-plain 'signal 11'
record crash-woven 'signal 11'
record account 'signal 6'
record twenty deadlock
"$heddle" run --seed 1 --detect --trace race.trace -- ./race >/dev/null 2>&1

# in_gdb TRACE COMMAND...: what gdb and Heddle say
in_gdb() {
	in_trace=$1
	shift
	in_arguments=()
	for in_command in "$@"; do
		in_arguments+=(-ex "$in_command")
	done
	timeout -s KILL 120 "$heddle" replay "$in_trace" --gdb -- -nx -batch "${in_arguments[@]}" 2>&1 </dev/null
}

# hash TRACE: as a plain replay has it
hash() {
	"$heddle" replay --stats "$1" 2>&1 | sed -n 's/.*event hash //p'
}
to_end='python while is_alive(): gdb.execute("continue")'

# same NAME SAID TRACE COUNT: so many replays came to their end, all with the recorded hash
same() {
	is "$1" "$(printf '%s\n' "$2" | grep -E '^heddle: the replay (matches|differs)' | sed 's/[0-9]* events/N events/')" \
		"$(for i in $(seq "$4"); do echo "heddle: the replay matches the recorded run: N events, event hash $(hash "$3")"; done)"
}

# A failure inside a library: the frame of the program that called it is selected, and bt has those of the library.
cat >inside.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *volatile nowhere = (char *)8;
static __attribute__((noinline)) void fail(const char *how, int own)
{
	switch (how[0]) {
	case 'a': abort();
	case 'c': memcpy(nowhere, how, 4000);
	case 'd': assert(own != 42);
	case 'f': free(nowhere);
	case 'l': pthread_mutex_lock(&lock);
	}
}
static void *work(void *argument)
{
	fail(argument, 42);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, work, argv[argc - 1]);
	pthread_join(thread, NULL);
	return 0;
}
END
"$cc" -g -O0 -pthread inside.c -o inside
while read -r how line inner; do
	("$heddle" run --seed 1 --trace "inside-$how.trace" -- ./inside "$how" >/dev/null 2>&1; :) 2>/dev/null
	said=$(in_gdb "inside-$how.trace" 'print own' bt up "$to_end")
	like "inside a library, $how: the program's frame" "$said" "^#[1-9][0-9]* .*fail \\(how=.*\\) at inside\\.c:$line\$"
	like "inside a library, $how: its variables" "$said" '^\$1 = 42$'
	# Names of what libc does not export are in libc6-dbg.
	called=$(printf '%s\n' "$said" | awk '/^#/ { if (/ in fail \(how=/ && before) print before; before = $0 }')
	like "inside a library, $how: bt has what it called" "$called" "^#[0-9]+ .*($inner| \\(\\) at .*/libc\\.so\\.6\$)"
	like "inside a library, $how: up is the caller" "$said" '^#[0-9]+ .*in work \(argument=.*\) at inside\.c:19$'
	same "inside a library, $how: the end" "$said" "inside-$how.trace" 1
done <<'END'
abort 10 abort
copy 11 mem(cpy|move)
denied 12 assert_fail
free 13 free
lock 14 pthread_mutex_lock
END

# A crash, plain and woven.
for kind in plain woven; do
	said=$(in_gdb crash-$kind.trace bt 'info threads' 'heddle-where' "$to_end")
	like "crash, $kind: the signal" "$said" '^Program received signal SIGSEGV'
	like "crash, $kind: the line" "$said" '^#0 .*in reader \(argument=.*\) at crash\.c:15$'
	like "crash, $kind: the thread" "$said" '^\* 2 .*reader \(crash\.c:15\) +runs$'
	like "crash, $kind: another thread" "$said" '^  1 +main +main \(crash\.c:34\) +waits for the end of thread 2$'
	like "crash, $kind: where" "$said" '^thread 2, after the start of event ([0-9]+) of \1$'
	same "crash, $kind: the end" "$said" crash-$kind.trace 1

	# A line, in the copy that runs; again from the start; steps.
	said=$(in_gdb crash-$kind.trace 'break crash.c:8' run bt run bt delete 'python for i in range(50): gdb.execute("step")' \
		heddle-where "$to_end")
	is "break on a line, $kind: stops in both starts" "$(printf '%s\n' "$said" | grep -c '^Breakpoint 1.*step (n=.*) at .*crash.c:8$')" 2
	like "break on a line, $kind: called from" "$said" '^#1 .*(reader|writer) \(argument=.*\) at .*crash\.c:[0-9]+$'
	like "steps, $kind: through the program" "$said" '^reader \(argument=.*\) at .*crash\.c:13$'
	unlike "steps, $kind: not into Heddle" "$said" 'src/(world|rt|detect)/'
	same "steps, $kind: the end" "$said" crash-$kind.trace 1
	is "a function, $kind: one stop for one call" \
		"$(in_gdb crash-$kind.trace 'break forget' run bt "$to_end" | grep -c '^Breakpoint 1[.,].* forget (')" 1
done
said=$(in_gdb crash-woven.trace 'break step if $heddle_thread() == 3' run heddle-where "$to_end")
like "a condition on the thread" "$said" '^thread 3, after'
same "a condition on the thread: the end" "$said" crash-woven.trace 1

# To an event, forward and back.
said=$(in_gdb crash-woven.trace 'heddle-goto 20' heddle-where 'heddle-back 7 events' heddle-where 'heddle-goto 60' heddle-where \
	'break step' 'heddle-back 9' heddle-where 'info breakpoints' delete heddle-finish 'heddle-back 1' heddle-where "$to_end")
for event in 20 13 60 51; do
	like "to event $event" "$said" "^thread [0-9], before event $event of [0-9]+\$"
done
like "going back leaves breakpoints as they are" "$said" '^1 +breakpoint +keep y'
same "there and back: the end" "$said" crash-woven.trace 1
first=$(in_gdb crash-woven.trace 'heddle-goto 40' bt)
is "an event is where it was" "$(in_gdb crash-woven.trace 'heddle-goto 45' 'heddle-back 5' bt | grep -A9 'event 40')" \
	"$(printf '%s\n' "$first" | grep -A9 'event 40')"
like "back too far" "$(in_gdb crash-woven.trace 'heddle-goto 5' 'heddle-back 5')" '^This is event 5: heddle-back takes 1 to 4\.$'
like "no such event" "$(in_gdb crash-woven.trace 'heddle-goto 100000')" '^The run has events 1 to [0-9]+\.$'
like "no number" "$(in_gdb crash-woven.trace 'heddle-goto there')" '^Specify an event, '
like "--at" "$(timeout -s KILL 60 "$heddle" replay --gdb --at 33 crash-woven.trace -- -nx -batch -ex heddle-where 2>&1)" \
	'^thread [0-9], before event 33 of'
is "--at behind the end" "$(status "$heddle" replay --gdb --at 99999 crash-woven.trace)" 2
unlike "what is there for hooks is no command of ours" "$(in_gdb crash-woven.trace 'complete heddle-')" before-step
like "an overview" "$(in_gdb crash-woven.trace 'help heddle')" '^heddle-goto EVENT +go to just before an event'
like "the overview as a command" "$(in_gdb crash-woven.trace heddle)" '^heddle-goto EVENT +go to just before an event'
like "arguments for gdb without --" "$("$heddle" replay crash-woven.trace --gdb -ex bt 2>&1 | xargs)" \
	'^heddle: error: unknown option -ex heddle: hint: arguments for gdb go after --: '
is "an option with one dash, without gdb" "$("$heddle" replay crash-woven.trace -batch 2>&1 | head -1)" \
	'heddle: error: unknown option "-batch"'
like "--at behind the end: what is said" "$("$heddle" replay --gdb --at 99999 crash-woven.trace 2>&1)" \
	'^heddle: error: --at 99999: the run has [0-9]+ events$'
is "--at without --gdb, by its old name" "$(status "$heddle" replay --stop 3 crash-woven.trace)" 2

# Steps from an event begin in the program.
said=$(in_gdb crash-woven.trace 'heddle-goto 20' next next step step "$to_end")
unlike "steps from an event: not into Heddle" "$said" 'src/(world|rt|detect)/'
is "steps from an event: lines of the program" "$(printf '%s\n' "$said" | grep -Ec '^[0-9]+	')" 8
begins=$("$heddle" replay --columns locks.trace 2>/dev/null | awk '$NF == "start" { print $1; exit }')
like "steps from an event: a thread that begins" "$(in_gdb locks.trace "heddle-goto $begins" step)" \
	'^The thread has not reached the program.s own code yet; set a breakpoint there\.$'
same "steps from an event: the end" "$said" crash-woven.trace 1
like "no step at the end" "$(in_gdb crash-woven.trace step)" '^The run ends here; continue lets it end, run restarts it\.$'

# A deadlock: all threads.
said=$(in_gdb locks.trace 'thread apply all bt' 'info threads' 'heddle-thread 1' 'info locals' up 'heddle-thread 2' bt 'thread apply 1 bt 2' "$to_end")
like "deadlock: the end" "$said" '^heddle: the run ends: deadlock, after [0-9]+ events; thread [12]'
like "deadlock: thread 1" "$said" '^Thread 1 \(main\), waits for mutex queue \+ 8, held by thread 2:$'
like "deadlock: thread 2" "$said" '^Thread 2, waits for mutex other, held by thread 1:$'
stacks=$(printf '%s\n' "$said" | sed -n '/^Thread 1/,/^[* ] 1/p')
is "deadlock: both are in both" "$(printf '%s\n' "$stacks" | grep -c ' in both (.*locks\.c:9$')" 2
like "deadlock: main's stack" "$(printf '%s\n' "$stacks" | sed -n '/^Thread 1/,/^Thread 2/p')" '^#[0-9]+ .* in main \(.*locks\.c:23$'
like "deadlock: the other's stack" "$(printf '%s\n' "$stacks" | sed -n '/^Thread 2/,$p')" '^#[0-9]+ .* in work \(.*locks\.c:16$'
like "deadlock: what each waits for" "$said" '^[* ] 2 +work +both \(locks\.c:9\) +waits for mutex other, held by thread 1$'
like "looking at one" "$said" '^\[Switched to thread 1 \(main\), which waits for mutex queue'
same "looking changes nothing" "$said" locks.trace 1
like "no such thread" "$(in_gdb locks.trace 'thread 7')" '^There is no thread "7"; heddle-threads lists them\.$'
said=$(in_gdb locks.trace heddle-run heddle-run run "$to_end")
is "again and again" "$(printf '%s\n' "$said" | grep -c '^heddle: the run ends: deadlock')" 4

# C++.
said=$(in_gdb account.trace bt 'p account.balance' 'break deposit<int>' run bt 'p amount' c "$to_end")
like "an assertion: where" "$said" '^#[0-9]+ .* in main\(\) .*account\.cc:23$'
like "an assertion: a value" "$said" '^\$1 = 5$'
like "a template: in the clone" "$said" '^#0 +deposit<int>\(int\) \(amount=5\) at account\.cc:1[34]$'
is "a template: once a call" "$(printf '%s\n' "$said" | grep -c '^Breakpoint 1[.,].* deposit<int>')" 2
same "C++: the end" "$said" account.trace "$(printf '%s\n' "$said" | grep -c '^heddle: the replay matches')"
like "C++: it came to its end" "$said" '^Program terminated with signal SIGABRT'

# Many threads.
said=$(in_gdb twenty.trace 'info threads' 'thread apply all bt' 'thread apply 4 6-7 print $heddle_tls("own")' "$to_end")
is "twenty threads: what they wait for" \
	"$(printf '%s\n' "$said" | grep -Ec '^[* ] [0-9]+ +stander[0-9]+ +stand \(twenty\.c:11\) +waits for mutex held, held by thread 1$')" 20
is "twenty threads: their stacks" "$(printf '%s\n' "$said" | sed -n '/^Thread 1/,$p' | grep -c ' in stand (argument=.*twenty.c:11$')" 20
is "twenty threads: of each its own variable" "$(printf '%s\n' "$said" | sed -n 's/^\$[0-9]* = //p' | xargs)" "102 104 105"
same "twenty threads: the end" "$said" twenty.trace 1

# A race: the second access of the pair.
said=$(in_gdb race.trace 'p counter' heddle-finish next 'p counter' "$to_end")
like "a race: where" "$said" '^#[0-9]+ .* work \(argument=.*\) at race\.c:5$'
like "a race: before the access" "$said" '^heddle: thread [23], just before the reported operation, after the start of event [0-9]+ of'
same "a race: the end" "$said" race.trace 1

# Memory that another thread frees between the event that announces the access and the access; and that free.
rm -rf .heddle
"$heddle" test --classify no --runs 200 --seed 1 -- ./late >tested 2>&1
for what in 'use after free: .*read at late\.c:13' 'data race .*free at late\.c:23'; do
	id=$("$heddle" list | sed -n "s/^\(H[0-9]*\) .*$what.*/\1/p" | head -1)
	line=${what##*:} where=user thread=2
	[ "$line" = 23 ] && where=closer thread=3
	said=$(in_gdb "$id" heddle-where "$to_end")
	like "$where: in the thread that is reported" "$said" "^heddle: thread $thread, just before the reported operation, "
	like "$where: at its line" "$said" "^#[0-9]+ .* $where \\(argument=.*\\) at late\\.c:$line\$"
	is "$where: the run is the same" "$(printf '%s\n' "$said" | grep -c '^heddle: the replay matches the recorded run')" 1
	like "$where: --at stops before an event first, then there" \
		"$(timeout -s KILL 60 "$heddle" replay "$id" --gdb --at 3 -- -nx -batch -ex continue 2>&1 | grep '^heddle: thread' | xargs)" \
		"^heddle: thread 1 \\(main\\), before event 3 of [0-9]+ heddle: thread $thread, just before the reported operation,"
done

# A block that another thread freed before: at the second free, before the run ends there.
cat >twice.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static char *volatile block;
static void *closer(void *argument)
{
	free(block);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	block = malloc(8);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, closer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread twice.c -o twice
rm -rf .heddle
"$heddle" test --classify no --runs 20 --seed 1 -- ./twice >tested 2>&1
thread=$(sed -n 's/^  thread \([23]\) (closer) frees it again at twice\.c:6 in closer$/\1/p' tested)
said=$(in_gdb H1 "$to_end")
like "a double free: in the thread that is reported" "$said" "^heddle: thread ${thread:-none}( \(.*\))?, just before the reported operation, "
like "a double free: at its line" "$said" '^#[0-9]+ .* closer \(argument=.*\) at twice\.c:6$'
like "a double free: then the run ends" "$said" '^heddle: the run ends: signal 6 \(Aborted\), '
is "a double free: the run is the same" "$(printf '%s\n' "$said" | grep -c '^heddle: the replay matches the recorded run')" 1

# Environment, folder and names of gdb's own do not matter; addresses are those of the run.
mkdir "a folder's" && cp crash-woven.trace "a folder's/\$trace ;x"
said=$(cd "a folder's" && env -i HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" LINES=7 MANY="$(printf '%5000s' x)" PATH="$PATH" timeout -s KILL 60 "$heddle" replay --gdb "\$trace ;x" -- \
	-nx -batch -ex "$to_end" 2>&1 </dev/null)
same "another environment, another folder, a strange name" "$said" crash-woven.trace 1
is "--exec becomes the program" "$(status "$heddle" replay --exec locks.trace)" 3

mkdir -p elsewhere/bin elsewhere/lib/heddle "else where/bin" "else where/lib/heddle"
for folder in elsewhere "else where"; do
	cp "$heddle" "$folder/bin/" && cp "$build"/lib/heddle/libheddle.so "$build"/lib/heddle/*.py "$folder/lib/heddle/"
done
strip elsewhere/lib/heddle/libheddle.so
said=$(heddle=elsewhere/bin/heddle in_gdb crash-woven.trace 'heddle-goto 30' bt 'info threads' heddle-finish "$to_end")
like "a runtime without names: an event" "$said" '^heddle: thread [23], before event 30 of'
like "a runtime without names: a stack" "$said" '^#[0-9]+ .* (reader|writer) \(argument=.*\) at .*crash\.c:[0-9]+$'
same "a runtime without names: the end" "$said" crash-woven.trace 1
is "nothing is left beside Heddle's files" "$(ls elsewhere/lib/heddle | xargs)" \
	"gdb.py gdb_commands.py gdb_world.py libheddle.so"
like "a runtime that a debugger cannot load" "$(heddle="else where/bin/heddle" in_gdb crash-woven.trace)" \
	'^heddle: error: with a debugger, the path of the runtime must not contain spaces or colons$'
cat >spin.c <<'END'
static volatile int go;
int main(void)
{
	while (!go)
		;
}
END
gcc -g spin.c -o spin
"$heddle" run --hang 1 --trace spin.trace -- ./spin >/dev/null 2>&1
said=$(timeout -s KILL 60 "$heddle" replay --hang 1 --gdb spin.trace -- -nx -batch -ex bt -ex "$to_end" 2>&1 </dev/null)
like "a hang: where" "$said" '^#[0-9]+ .* in main \(\) at spin\.c:4$'
same "a hang: the end" "$said" spin.trace 1

# What cannot be.
said=$(PATH=/nowhere "$heddle" replay --gdb locks.trace 2>&1)
is "no gdb: exit status" $? 3
is "no gdb" "$said" "heddle: error: cannot find gdb
heddle: hint: install the package gdb, or add gdb to PATH"
head -c 300 locks.trace >cut.trace
said=$("$heddle" replay --gdb cut.trace 2>&1)
is "half a trace: exit status" $? 3
like "half a trace" "$said" '^heddle: error: .*cut\.trace'
is "half a trace: no gdb" "$(printf '%s\n' "$said" | grep -cv '^heddle: ')" 0
is "a pipe" "$(cat locks.trace | "$heddle" replay --gdb /dev/stdin 2>&1 | head -n 1)" \
	'heddle: error: "/dev/stdin" is not a file, so it is not a trace'
is "--gdb and --columns" "$(status "$heddle" replay --gdb --columns locks.trace)" 2
is "two traces" "$(status "$heddle" replay locks.trace crash-plain.trace)" 2
cp locks.c changed.c && gcc -g -pthread changed.c -o changed
"$heddle" run --trace changed.trace -- ./changed >/dev/null 2>&1
like "the program changes between two starts" "$(in_gdb changed.trace 'shell gcc -O2 -pthread changed.c -o changed' run)" \
	'^During startup program exited with code 3\.$'
# Both orders of a race that was classified.
cp "$root/examples/tickets.c" .
$cc -O1 -g -pthread tickets.c -o tickets || fail "tickets.c compiles"
"$heddle" test --store orders.store --runs 60 --quiet --classify yes --witnesses 4 -- ./tickets >out 2>err
race=$("$heddle" list --store orders.store --json | jq -r '.findings[] | select(.kind == "data-race") | .id')
# in_order [OPTIONS]: what gdb says at the race, or at the failure, and then of the rest of the run
in_order() {
	printf 'bt\ncontinue\nquit\n' | timeout -s KILL 60 "$heddle" replay --store orders.store --gdb "$@" "$race" 2>&1
}
like "the order that fails, in gdb" "$(in_order)" '^#[0-9]+ .* in main \(\) at tickets\.c:30$'
in_order --order other >said
like "the other order, in gdb, at the race" "$(cat said)" '^#[0-9]+ .* in take \(\) at tickets\.c:13$'
unlike "which does not fail" "$(cat said)" 'Assertion|SIGABRT'
done_testing
