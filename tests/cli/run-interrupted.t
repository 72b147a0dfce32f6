#!/bin/bash
# heddle run --runs that is interrupted: the table of what has ended, the status, and nothing left running; also by Ctrl-C at a
# terminal, which the schedules must not see.
. tests/lib/tap.sh
. tests/lib/cc.sh

# under_way FILE: until some schedules have ended, as --stats tells
under_way() {
	local i
	for i in $(seq 600); do
		grep -qs "seed 9: " "$1" && return
		sleep 0.05
	done
}

# interrupt SIGNAL OPTIONS... -- PROG: when it is under way; $code; standard output in out, error in err
interrupt() {
	local signal=$1 child
	rm -f out err
	shift
	perl -e '$SIG{INT} = $SIG{HUP} = "DEFAULT"; exec @ARGV' timeout -s KILL 60 "$heddle" run --stats --runs 10000000 "$@" >out 2>err </dev/null &
	child=$!
	under_way err
	kill -"$signal" "$(pgrep -P $child -x heddle)"
	wait $child
	code=$?
}

cat >good.c <<'END'
#include <pthread.h>
static void *work(void *argument)
{
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return argc > 1 ? 5 : 0;
}
END
"$cc" -g -O1 -pthread good.c -o good
cp "$root/tests/lib/counter.c" race.c
"$cc" -g -O1 -pthread race.c -o race
for signal in INT TERM HUP; do
	interrupt $signal -- ./good
	is "$signal: exit status" "$code" 3
	like "$signal: the table" "$(cat out)" '^ +[0-9]+ +1  exit 0$'
	is "$signal: every schedule that ended is in it" "$(awk 'NR == 1 { n = $1 } / exit 0$/ { m = $1 } END { print (n == m && n > 0) }' out)" 1
	is "$signal: nothing else ended" "$(grep -c 'exit\|signal\|killed' out)" 1
	like "$signal: said" "$(cat err)" "^heddle: error: interrupted: $(awk 'NR == 1 { print $1 }' out) of 10000000 runs had ended\$"
done
interrupt INT --jobs 2 -- ./good argument
is "something failed: exit status" "$code" 1
like "something failed: the table" "$(cat out)" '^ +[0-9]+ +1  exit 5$'
interrupt INT --detect -- ./race
is "something was detected: exit status" "$code" 1
like "something was detected: told" "$(cat out)" '^ +[0-9]+ +1  data race on counter'
is "all of them: no error" "$("$heddle" run --runs 20 -- ./good 2>&1 | grep -c interrupted)" 0

# Ctrl-C at a terminal goes to all that runs there.
if command -v script >/dev/null; then
	mkfifo keys
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' env SHELL=/bin/sh timeout -k 2 30 \
		script -qec "trap : INT; $heddle run --stats --runs 10000000 -- ./good; echo status \$?" /dev/null <keys >typed 2>&1 &
	child=$!
	exec 4>keys
	under_way typed
	printf '\003' >&4
	for _ in $(seq 200); do
		grep -q '^status' typed && break
		sleep 0.05
	done
	exec 4>&-
	wait $child
	said=$(tr -d '\r' <typed)
	like "Ctrl-C: exit status" "$said" '^status 3$'
	like "Ctrl-C: the table" "$said" '^ +[0-9]+ +1  exit 0$'
	is "Ctrl-C: no schedule was ended by it" "$(printf '%s\n' "$said" | grep -ci 'signal \|killed')" 0
else
	skip "Ctrl-C" "there is no script"
fi
is_clean "nothing is left in TMPDIR"
done_testing
