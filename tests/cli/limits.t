#!/bin/bash
# Narrow places: no /proc, a small stack, little address space; and what is left when a process is killed, or the wrong one is told to
# end.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_STORE
cat >race.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int shared;
static void *work(void *argument)
{
	for (long i = 0; i < (argument ? atol(argument) : 1); i++)
		shared++;
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, argc > 1 ? argv[1] : NULL);
	work(argc > 1 ? argv[1] : NULL);
	pthread_join(thread, NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread race.c -o race || fail "the program is built"

# limited NAME LIMIT STATUS COMMAND...: $said
limited() {
	local name=$1 limit=$2 want=$3
	shift 3
	said=$(eval "ulimit $limit"; "$@" 2>&1)
	is "$name: exit status" $? "$want"
}
for kilobytes in 100 200; do
	limited "a stack of $kilobytes kB, test" "-s $kilobytes" 1 "$heddle" test --classify no --runs 5 -- ./race
	like "a stack of $kilobytes kB, test: with its stack" "$said" 'at race.c:[0-9]+ in work'
	limited "a stack of $kilobytes kB, show" "-s $kilobytes" 0 "$heddle" show H1
	like "a stack of $kilobytes kB, show: the threads" "$said" 'the threads, by lines'
	limited "a stack of $kilobytes kB, replay" "-s $kilobytes" 0 "$heddle" replay H1
	limited "a stack of $kilobytes kB, check" "-s $kilobytes" 1 "$heddle" check ./race
done
limited "little address space, run" "-v 2000000" 0 "$heddle" run -- ./race
limited "little address space, test" "-v 2000000" 3 "$heddle" test --classify no --runs 5 -- ./race
like "little address space, test: why" "$said" 'error: the address space is limited to 1953 MB'
like "little address space, test: what to do" "$said" 'hint: run ulimit -v unlimited first'

if unshare -m true 2>/dev/null; then
	for command in "$heddle run -- ./race" "$heddle test --classify no -- ./race" "$heddle replay H1" "$heddle sites ./race" "$cc race.c -o other"; do
		said=$(unshare -m sh -c "umount -l /proc && exec $command" 2>&1)
		is "no /proc: ${command##*/bin/}: exit status" $? 3
		like "no /proc: ${command##*/bin/}: message" "$said" 'error: /proc is not mounted'
		like "no /proc: ${command##*/bin/}: hint" "$said" 'hint: mount -t proc'
	done
else
	skip "no /proc" "mounts cannot be changed here"
fi

# Whoever is killed cannot clean up; the next one does, once it is certain that nobody is there any more.
sandboxes() {
	find "$TMPDIR" -maxdepth 1 -name 'heddle-sandbox-*' | wc -l
}
"$heddle" test --classify no --sandbox --runs 100000 --time 100 -- ./race 100 >/dev/null 2>&1 &
test=$!
for ((i = 0; i < 200 && $(sandboxes) == 0; i++)); do sleep 0.05; done
is "a test with --sandbox has one" "$(sandboxes)" 1
kill -STOP "$test"
find "$TMPDIR" -maxdepth 1 -name 'heddle-sandbox-*' -exec touch -d '1 hour ago' {} +
"$heddle" test --classify no --sandbox --runs 2 --store other -- ./race >/dev/null 2>&1
is "another test leaves it alone" "$(sandboxes)" 1
kill -KILL "$test"
wait "$test" 2>/dev/null
is "it was killed, and is left" "$(sandboxes)" 1
find "$TMPDIR" -maxdepth 1 -name 'heddle-sandbox-*' -exec touch -d '1 hour ago' {} +
"$heddle" test --classify no --sandbox --runs 2 --store other -- ./race >/dev/null 2>&1
is "the next one removes it" "$(sandboxes)" 0

# The process between the tool and the program has the tool's name in a list of processes.
"$heddle" test --classify no --runs 100000 --time 100 --store other -- ./race 2000000 >said 2>&1 &
test=$!
keeper=
for ((i = 0; i < 200; i++)); do
	keeper=$(ps -o pid= --ppid "$test" | tr -d ' ')
	[ -n "$keeper" ] && [ "$(cat "/proc/$keeper/comm")" = heddle-keeper ] && break
	sleep 0.05
done
like "there is a process between" "$keeper" '^[0-9]+$'
kill -TERM "$keeper"
for ((i = 0; i < 400; i++)); do kill -0 "$test" 2>/dev/null || break; sleep 0.05; done
ok "told to end, it passes that on" test "$i" -lt 400
kill -KILL "$test" 2>/dev/null
wait "$test" 2>/dev/null
like "and the test tells what it has" "$(cat said)" 'interrupted'
done_testing
