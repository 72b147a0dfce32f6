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
	like "its replay is refused, $first first: why" "$said" 'waited for another process through memory that both share'
	like "its replay is refused, $first first: error" "$said" '^heddle: error: the run cannot be replayed$'
	unlike "its replay is refused, $first first: no deadlock" "$said" 'deadlock|please report'
done
done_testing
