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
got=$("$heddle" test --runs 20 --json out.json -- ./declined 2>&1)
is "test: exit status" $? 0
is "test: one note" "$(tr '\n' ' ' <<<"$got" | grep -oE 'note: io_uring_setup' | wc -l)" 1
is "test: JSON has it" "$(jq -r '.notes[]' out.json | grep -cE "^$note")" 1

# What ends the run is no test, and is not called one.
got=$("$heddle" run -- ./declined refused 2>&1)
is "refused: exit status" $? 3
like "refused: names the call" "$got" 'cannot control: shmat \(system call 30\): other processes may write'
like "refused: the note of the other call is there, too" "$got" "^heddle: note: $note"
got=$("$heddle" test --runs 5 -- ./declined refused 2>&1)
is "refused, test: exit status" $? 3
unlike "refused, test: not called a success" "$got" 'nothing found'
like "refused, test: said" "$got" 'none of them could be controlled to its end'
like "refused, test: names the call" "$got" 'shmat'
done_testing
