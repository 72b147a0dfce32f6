#!/bin/bash
# heddle run leaves no process behind: what the program forked, also as a daemon, is ended with the run, however that ends;
# nobody else is.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/unit/fake.sh
heddle=$(realpath "$heddle")
limit="timeout -s KILL 30"
# The name is our own, so that only these are counted.
name=hl$$
cat >"$work/starter.c" <<'END_C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* starter COUNT SECONDS [wait]: a daemon with so many children, each for so long. */
int main(int argc, char **argv)
{
	char letter;
	int ready[2];
	if (argc < 3 || pipe(ready) < 0)
		return 9;
	if (fork() == 0) {
		setsid();
		signal(SIGTERM, SIG_IGN);
		for (int i = 0; i < atoi(argv[1]); i++)
			if (fork() == 0) {
				if (write(ready[1], "r", 1) != 1)
					_exit(1);
				if (atoi(argv[2]))
					sleep((unsigned)atoi(argv[2]));
				_exit(0);
			}
		_exit(0);
	}
	for (int i = 0; i < atoi(argv[1]); i++)
		if (read(ready[0], &letter, 1) != 1)
			return 8;
	printf("started\n");
	fflush(stdout);
	if (argc > 3)
		pause();
	return 5;
}
END_C
gcc -O1 "$work/starter.c" -o "$work/$name" || fail "the program compiles"

# alive: how many of ours there are; those that have ended and wait for their parent do not count
alive() {
	ps -eo stat=,comm= | awk -v name="$name" '$1 !~ /^Z/ && $2 == name' | wc -l
}

# gone NAME: none is alive, soon
gone() {
	for _ in $(seq 1 100); do
		[ "$(alive)" = 0 ] && break
		sleep 0.05
	done
	is "$1" "$(alive)" 0
}

# begun COUNT: waits until so many are alive
begun() {
	for _ in $(seq 1 200); do
		[ "$(alive)" -ge "$1" ] && return
		sleep 0.05
	done
}

said=$($limit "$heddle" run -- "$work/$name" 3 1000 2>&1)
is "a daemon: the program's status" "$?" 5
like "a daemon: said" "$said" "^heddle: 3 processes that the program left running were killed: $name \(--free leaves them running\)$"
like "a daemon: the program's output" "$said" '^started$'
is "a daemon: gone" "$(alive)" 0
is "what ends by itself: nothing said" "$($limit "$heddle" run -- "$work/$name" 3 0 2>&1)" started
said=$($limit "$heddle" run --runs 6 --jobs 2 -- "$work/$name" 2 1000 2>&1)
like "a campaign: said" "$said" "^heddle: 12 processes that the program left running were killed: $name "
like "a campaign: counted" "$said" '^ +6 +1  exit 5$'
is "a campaign: gone" "$(alive)" 0
$limit "$heddle" run --trace "$work/trace" -- "$work/$name" 1 1000 >/dev/null 2>&1
is "a replay starts none" "$($limit "$heddle" replay "$work/trace" 2>&1)" started

for signal in TERM INT KILL HUP; do
	for options in '' '--runs 4 --jobs 2'; do
		# A background job of a shell without job control ignores INT, one under nohup HUP: perl gives them back.
		# shellcheck disable=SC2086
		perl -e '$SIG{INT} = $SIG{HUP} = "DEFAULT"; exec @ARGV' "$heddle" run $options -- "$work/$name" 2 1000 wait >/dev/null 2>&1 &
		job=$!
		begun 3
		kill -$signal $job
		wait $job 2>/dev/null
		gone "$signal to heddle run${options:+ $options}: all are gone"
	done
done

# end_rest: ends what a run without us has left
end_rest() {
	ps -eo pid=,comm= | awk -v name="$name" '$2 == name { print $1 }' | while read -r pid; do kill -KILL "$pid"; done
}

"$work/$name" 1 1000 wait >/dev/null 2>&1 &
other=$!
begun 2
$limit "$heddle" run -- "$work/$name" 2 1000 >/dev/null 2>&1
is "processes of others are left alone" "$(alive)" 2
end_rest
{ wait $other; } 2>/dev/null
gone "those are gone"
$limit "$heddle" run --free -- "$work/$name" 1 1000 >/dev/null 2>&1
is "--free leaves them" "$(alive)" 1
end_rest
done_testing
