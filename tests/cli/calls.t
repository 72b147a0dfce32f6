#!/bin/bash
# System calls that cannot be controlled: which are declined with a note, where the note is, and which end the run.
. tests/lib/tap.sh
. tests/lib/cc.sh
trap 'rm -rf "$work"' EXIT
export HEDDLE_STORE=$work/store

cat >declined.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *nothing(void *argument)
{
	return argument;
}
int main(int argc, char **argv)
{
	char room[256] = { 0 };
	pthread_t thread;
	pthread_create(&thread, 0, nothing, 0);
	pthread_join(thread, 0);
	for (int i = 0; i < 3; i++)
		if (syscall(SYS_io_uring_setup, 64, room) >= 0 || errno != ENOSYS)
			return 5;
	if (argc > 1 && strcmp(argv[1], "refused") == 0)
		syscall(SYS_shmat, -1, 0, 0);
	puts("done");
	return 0;
}
END
ok "builds" "$cc" -g -O1 -pthread declined.c -o declined || done_testing
note='io_uring_setup \(system call 425\) fails with ENOSYS, as on a kernel without it: the kernel would write'
got=$("$heddle" run --trace trace -- ./declined 2>&1)
is "run: exit status" $? 0
like "run: goes on" "$got" '^done$'
is "run: one note" "$(grep -cE "^heddle: note: $note" <<<"$got")" 1
got=$("$heddle" replay trace 2>&1)
is "replay: exit status" $? 0
is "replay: one note" "$(grep -cE "^heddle: note: $note" <<<"$got")" 1
got=$("$heddle" run --runs 20 -- ./declined 2>&1)
is "many runs: exit status" $? 0
is "many runs: one note" "$(grep -cE "^heddle: note: $note" <<<"$got")" 1
got=$("$heddle" test --classify no --runs 20 --json out.json -- ./declined 2>&1)
is "test: exit status" $? 0
is "test: one note" "$(tr '\n' ' ' <<<"$got" | grep -oE 'note: io_uring_setup' | wc -l)" 1
is "test: JSON has it" "$(jq -r '.notes[]' out.json | grep -cE "^$note")" 1

# What ends the run is no test, and is not called one.
got=$("$heddle" run -- ./declined refused 2>&1)
is "refused: exit status" $? 3
like "refused: names the call" "$got" 'cannot control: shmat \(system call 30\): other processes may write'
like "refused: the note of the other call is there, too" "$got" "^heddle: note: $note"
got=$("$heddle" test --classify no --runs 5 -- ./declined refused 2>&1)
is "refused, test: exit status" $? 3
unlike "refused, test: not called a success" "$got" 'nothing found'
like "refused, test: said" "$got" 'none of them could be controlled to the end'
like "refused, test: names the call" "$got" 'shmat'

# A wait that a handled signal may end is no deadlock while somebody can send one; a real deadlock is one all the same.
cat >server.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t is_over;
static int own[2];
static void on_signal(int number)
{
	is_over = number;
	(void)!write(own[1], "x", 1);
}
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *crosses(void *second)
{
	pthread_mutex_lock(second ? &b : &a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(second ? &a : &b);
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = argc > 1 && strcmp(argv[1], "restart") == 0 ? SA_RESTART : 0 };
	char letter;
	pipe(own);
	sigaction(SIGTERM, &action, 0);
	if (argc > 1 && strcmp(argv[1], "deadlock") == 0) {
		pthread_barrier_init(&both, 0, 2);
		pthread_create(&threads[0], 0, crosses, 0);
		pthread_create(&threads[1], 0, crosses, &own);
	}
	if (argc > 1 && strcmp(argv[1], "join") == 0) {
		pthread_mutex_lock(&a);
		pthread_mutex_lock(&a);
	}
	puts("up");
	fflush(stdout);
	while (!is_over)
		if (read(own[0], &letter, 1) < 0)
			puts("interrupted");
	puts("down");
	return 0;
}
END
"$cc" -g -O1 -pthread server.c -o server
for how in plain restart; do
	"$heddle" run --trace server.trace -- ./server $how >up 2>said &
	run=$!
	for ((i = 0; i < 300; i++)); do
		! grep -q up up || break
		sleep 0.1
	done
	sleep 0.3
	kill -TERM $run
	wait $run
	is "a server ($how) waits for the signal: exit status" $? 0
	is "a server ($how): ends by it" "$(tail -1 up)" down
	is "a server ($how): nothing said" "$(cat said)" ""
	same "a server ($how): replay" "$("$heddle" replay server.trace 2>&1)" "$(cat up)"
done
got=$(timeout 20 "$heddle" run -- ./server deadlock 2>&1)
is "a deadlock beside it: exit status" $? 1
like "a deadlock beside it: said" "$got" 'the cycle: '
got=$(timeout 20 "$heddle" run -- ./server join 2>&1)
is "a deadlock that no handler could end: exit status" $? 1
got=$(timeout 60 "$heddle" test --classify no --runs 20 -- ./server 2>&1)
is "a server in a test: exit status" $? 3
like "a server in a test: said" "$(tr '\n' ' ' <<<"$got")" 'no run of the program ended: it waits at server.c:[0-9]+ in main for a signal that is never sent'
unlike "a server in a test: no finding" "$got" 'deadlock'
cat >sometimes.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int own[2], is_asleep;
static void on_signal(int number)
{
	(void)number;
}
static void *wakes(void *argument)
{
	pthread_mutex_lock(&mutex);
	if (is_asleep)
		(void)!write(own[1], "x", 1);
	pthread_mutex_unlock(&mutex);
	return argument;
}
int main(void)
{
	pthread_t thread;
	char letter;
	signal(SIGTERM, on_signal);
	pipe(own);
	pthread_create(&thread, 0, wakes, 0);
	pthread_mutex_lock(&mutex);
	is_asleep = 1;
	pthread_mutex_unlock(&mutex);
	(void)!read(own[0], &letter, 1);
	pthread_join(thread, 0);
	return 0;
}
END
"$cc" -g -O1 -pthread sometimes.c -o sometimes
got=$(timeout 100 "$heddle" test --classify no --runs 100 -- ./sometimes 2>&1)
is "a lost wake-up by a pipe, with a handler: exit status" $? 1
like "a lost wake-up by a pipe, with a handler: found" "$got" '1 finding'
like "a lost wake-up by a pipe, with a handler: noted" "$(tr '\n' ' ' <<<"$got")" 'note: a thread waits for a signal from outside that has a handler'

# Entry points of the kernel that are no system calls: a program that has code for them is refused.
cat >fixed.c <<'END'
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
	time_t (*old)(time_t *) = (time_t(*)(time_t *))0xffffffffff600400ul;
	printf("%d\n", argc > 1 ? old(NULL) > 0 : 1);
	return 0;
}
END
"$cc" -g -O1 fixed.c -o fixed
if grep -q vsyscall /proc/self/maps; then
	got=$("$heddle" run -- ./fixed 2>&1)
	is "vsyscall: exit status" $? 3
	like "vsyscall: refused by name" "$got" '^heddle: vsyscall calls .*cannot be controlled.* in .*/fixed$'
	unlike "no vsyscall: nothing said" "$("$heddle" run -- ./declined 2>&1)" 'vsyscall'
else
	skip "vsyscall" "this kernel has none"
fi

# What another process writes to shared memory is not in a trace: the replay ends, and says that it is this.
cat >waits.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	volatile int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fork() == 0) {
		*shared = 7;
		_exit(0);
	}
	while (*shared != 7)
		;
	wait(0);
	puts("done");
	return 0;
}
END
"$cc" -g -O1 waits.c -o waits
is "shared memory that is waited at" "$(timeout 60 "$heddle" run --trace waits.trace -- ./waits 2>&1)" done
got=$(timeout 60 "$heddle" replay waits.trace 2>&1)
is "its replay: exit status" $? 3
like "its replay: says why" "$got" 'cannot be replayed: the run depends on what another process wrote to shared memory'
unlike "its replay: no fault of Heddle" "$got" 'please report'
done_testing
