#!/bin/bash
# heddle run and replay, where other processes come in: memory shared with them, and what they did that no trace can have.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/unit/fake.sh
heddle=$(realpath "$heddle")
limit="timeout -s KILL 30"
cd "$work" || exit 1

# shared FIRST: who is first at the semaphore, the parent (waits for the child) or the child (has posted before)
cat >shared.c <<'END'
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char byte;
	int ends[2], is_child_first = argc > 1 && strcmp(argv[1], "child") == 0;
	sem_t *semaphore = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(semaphore, 1, 0);
	if (pipe(ends) < 0)
		return 9;
	pid_t pid = fork();
	if (pid == 0) {
		if (!is_child_first)
			usleep(100000);
		sem_post(semaphore);
		_exit(write(ends[1], "x", 1) == 1 ? 3 : 4);
	}
	if (is_child_first && read(ends[0], &byte, 1) != 1)
		return 8;
	sem_wait(semaphore);
	puts("posted");
	return 0;
}
END
gcc -O1 -pthread shared.c -o shared || fail "shared.c compiles"
for first in parent child; do
	is "a child posts, $first first" "$($limit "$heddle" run --trace "$first.trace" -- ./shared $first 2>&1)" posted
	said=$($limit "$heddle" replay "$first.trace" 2>&1)
	is "its replay is refused, $first first: exit status" $? 3
	like "its replay is refused, $first first: why" "$said" 'waited for another process through shared memory'
	like "its replay is refused, $first first: error" "$said" '^heddle: error: the run cannot be replayed$'
	unlike "its replay is refused, $first first: no deadlock" "$said" 'deadlock|please report'
done

# What the program tells through memory that it shares with the tool is not believed when the kernel says otherwise.
cat >forge.c <<'END'
#include <string.h>
#include "heddle/abi.h"
int main(void)
{
	struct heddle_channel *channel = (struct heddle_channel *)0x300000000000ul;
	if (memcmp(channel->magic, HEDDLE_CHANNEL_MAGIC, 8) != 0)
		return 9;
	channel->status = 0;
	for (;;)
		*(volatile unsigned *)&channel->outcome = HEDDLE_OUTCOME_EXIT;
}
END
gcc -O1 -I"$OLDPWD/include" forge.c -o forge || fail "forge.c compiles"
$limit "$heddle" run --stats -- ./forge >said 2>&1 &
job=$!
for _ in $(seq 1 100); do
	victim=$(ps -eo pid=,args= | awk '$2 == "./forge" { print $1 }')
	[ -n "$victim" ] && sleep 0.3 && break
	sleep 0.05
done
kill -SEGV "$victim"
wait $job 2>/dev/null
is "a crash that says it was an exit: status" $? 139
like "a crash that says it was an exit" "$(cat said)" '^heddle: signal 11 .* from outside;'
like "a crash that says it was an exit: said" "$(cat said)" '^heddle: the outcome differs from what the program reported'

# A run that the kernel ends has its numbers, too.
cat >wait.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *nothing(void *argument)
{
	return argument;
}
int main(void)
{
	char byte;
	pthread_t thread;
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	puts("ready");
	fflush(stdout);
	return (int)read(0, &byte, 1);
}
END
gcc -O1 -pthread wait.c -o wait || fail "wait.c compiles"
mkfifo input
for signal in TERM KILL; do
	: >out
	$limit "$heddle" run --stats -- ./wait <input >out 2>said &
	job=$!
	exec 9>input
	for _ in $(seq 1 100); do
		grep -q ready out && break
		sleep 0.05
	done
	victim=$(ps -eo pid=,args= | awk '$2 == "./wait" { print $1 }')
	kill -$signal "$victim"
	wait $job
	exec 9>&-
	like "ended by $signal: threads and hash" "$(cat said)" \
		'from outside; [1-9][0-9]* events, [0-9]+ switch(es)?, 2 threads; event hash [0-9a-f]*[1-9a-f]'
done

# What a thread waits for is the same in a replay.
cat >reader.c <<'END'
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2], pair[2], event;
static void *from_socket(void *argument)
{
	char byte;
	recv(pair[0], &byte, 1, 0);
	return argument;
}
static void *from_event(void *argument)
{
	long count;
	return read(event, &count, sizeof count) == 8 ? argument : NULL;
}
int main(void)
{
	char byte;
	pthread_t threads[2];
	event = eventfd(0, 0);
	if (pipe(ends) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return 9;
	pthread_create(&threads[0], NULL, from_socket, NULL);
	pthread_create(&threads[1], NULL, from_event, NULL);
	return (int)read(ends[0], &byte, 1);
}
END
gcc -g -O1 -pthread reader.c -o reader || fail "reader.c compiles"
said=$($limit "$heddle" run --trace reader.trace -- ./reader 2>&1)
like "a deadlock of descriptors" "$said" 'thread 1 \(main\) waits for descriptor 4$'
is "a deadlock of descriptors, replayed" "$($limit "$heddle" replay reader.trace 2>&1)" "$said"
done_testing
