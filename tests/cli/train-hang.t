#!/bin/bash
# heddle train ends a run that hangs, also before any run was correct. Takes a minute, nearly all of it asleep.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE
cat >stuck.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int count;
static void *add(void *argument)
{
	count++;
	return argument;
}
/* The first run is incorrect, the second one does not end, others are correct. */
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, add, NULL);
	pthread_join(thread, NULL);
	if (open("first", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		return 1;
	if (open("second", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		pause();
	return 0;
}
END
$cc -O1 -g -pthread stuck.c -o stuck || fail "stuck.c compiles"
is "training ends" "$(timeout -s KILL 300 "$heddle" train --native --runs 6 -- ./stuck >said 2>err </dev/null; echo $?)" 0
like "the run that hangs was ended" "$(cat said)" '^  runs: 6, 4 correct, 1 with another exit status, 1 too long$'
done_testing
