#!/bin/bash
# heddle run under control, traces and heddle replay: the same run again, and a clear word when that cannot be.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/unit/fake.sh
heddle=$(realpath "$heddle")
cp tests/lib/locks.c "$work/locks.c"
cat >"$work/input.c" <<'END_C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char line[100] = "nothing";
	FILE *file = fopen(argv[1], "r");
	if (file && !fgets(line, sizeof line, file))
		return 9;
	printf("%d %ld %s", getpid(), (long)time(NULL), line);
	fflush(stdout);
	fprintf(stderr, "to stderr\n");
	if (argc > 2)
		raise(atoi(argv[2]));
	return 7;
}
END_C
gcc -g -O1 -pthread "$work/locks.c" -o "$work/locks" && gcc -g "$work/input.c" -o "$work/input" || fail "the programs compile"
cd "$work" || exit 1
export COLOUR=blue
unset COLUMNS

# The first seed of 1 to 20 with that outcome.
seed_with() {
	for seed in $(seq 1 20); do
		"$heddle" run --stats --seed "$seed" -- ./locks 2>&1 | grep -q "^heddle: $1;" && echo "$seed" && return
	done
}
good=$(seed_with 'exit 0')
bad=$(seed_with deadlock)
ok "some seed ends well, another in a deadlock: $good, $bad" test -n "$good" -a -n "$bad"

stats='^heddle: exit 0; [0-9]+ events, [0-9]+ switch(es)?, 2 threads; event hash [0-9a-f]{16}$'
first=$("$heddle" run --stats --seed "$good" -- ./locks 2>&1 >/dev/null)
like "--stats" "$first" "$stats"
is "the same seed, the same run" "$("$heddle" run --stats --seed "$good" -- ./locks 2>&1 >/dev/null)" "$first"
is "says nothing unasked" "$("$heddle" run --seed "$good" -- ./locks 2>&1)" "2 blue"
is "the program's exit status" "$(status "$heddle" run --seed "$good" -- ./locks 42)" 42
names=$(strategies "$heddle")
like "there are strategies" "$names" "^random .*complement"
for strategy in $names; do
	like "--strategy $strategy" "$("$heddle" run --strategy $strategy --stats -- ./locks 2>&1)" '^heddle: (exit 0|deadlock);'
done

# A deadlock.
said=$("$heddle" run --seed "$bad" --trace deadlock.trace -- ./locks 2>&1)
is "a deadlock: exit status" $? 1
like "a deadlock: headline" "$said" '^heddle: deadlock: no thread can ever run again, after [0-9]+ events$'
like "a deadlock: who waits for what, held by whom" "$said" 'thread 1 .*waits for mutex queue\.lock, held by thread 2$'
like "a deadlock: where" "$said" 'at both \(locks\.c:9\)$'
like "a deadlock: the cycle" "$said" \
	'the cycle: thread 1 waits for mutex queue\.lock \(locks\.c:9\), held by thread 2; thread 2 waits for mutex other \(locks\.c:9\), held by thread 1$'
is "a deadlock is replayed" "$("$heddle" replay deadlock.trace 2>&1)" "$said"
is "a deadlock is replayed: exit status" "$(status "$heddle" replay deadlock.trace)" 1

# Replay: inputs, folder and environment are gone.
echo "the input" >input.txt
mkdir -p folder
out=$(cd folder && "$heddle" run --trace ../input.trace --date real -- ../input ../input.txt 2>../said)
is "recorded: exit status" $? 7
rm -r input.txt folder
is "replayed: output" "$(cd / && env -i HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" "$heddle" replay "$work/input.trace" 2>"$work/again")" "$out"
same "replayed: standard error" "$(cat again)" "$(cat said)"
is "replayed: exit status" "$(cd / && status "$heddle" replay "$work/input.trace")" 7
("$heddle" run --trace killed.trace -- ./input none 6; :) >/dev/null 2>&1
is "ended by a signal, replayed" "$( ("$heddle" replay killed.trace) >/dev/null 2>&1; echo $?)" 134
is "100 replays" "$(for i in $(seq 100); do "$heddle" replay --stats deadlock.trace 2>&1 | tail -n 1; done | sort -u | wc -l)" 1
mkdir -p "elsewhere is:far/bin" "elsewhere is:far/lib/heddle"
cp "$heddle" "elsewhere is:far/bin/" && cp "$runtime" "elsewhere is:far/lib/heddle/"
is "Heddle is elsewhere" "$("elsewhere is:far/bin/heddle" replay deadlock.trace 2>&1)" "$said"
is "no temporary file is left" "$(ls -A . | grep '^\.heddle')" ""

# Columns.
shown=$("$heddle" replay --columns deadlock.trace 2>/dev/null)
like "columns: head" "$shown" '^ +event  thread 1.* thread 2'
like "columns: first thread" "$shown" '^ +[0-9]+  locks\.c:[89] lock other$'
like "columns: second thread is further right" "$shown" '^ +[0-9]+  {20,}locks\.c:[89] lock queue\.lock$'
like "columns: a part" "$("$heddle" replay --columns --from 2 --to 3 deadlock.trace 2>/dev/null | tail -n 1)" \
	'^events 2 to 3 of [0-9]+; use --from and --to for others$'
is "columns: a narrow terminal" "$(COLUMNS=60 "$heddle" replay --columns deadlock.trace 2>/dev/null | awk 'length > 60' | wc -l)" 0
is "--from without --columns" "$(status "$heddle" replay --from 2 deadlock.trace)" 2

# Many runs.
"$heddle" run --runs 60 --repeat 3 --jobs 2 -- ./locks >table 2>&1
is "many runs: exit status" $? 1
like "many runs: total" "$(cat table)" '^180 schedules, [0-9]+ different; '
like "many runs: a row" "$(cat table)" "^ +[0-9]+ +$bad  deadlock$"
is "one run of many is the run of that seed" "$("$heddle" run --runs 1 --seed "$good" --stats -- ./locks 2>&1 >/dev/null | sed 's/seed [0-9]*: //')" "$first"

# cannot NAME STATUS MESSAGE ARGUMENTS...
cannot() {
	name=$1 want=$2 message=$3
	shift 3
	got=$("$heddle" "$@" 2>&1)
	is "$name: exit status" "$?" "$want"
	like "$name: message" "$got" "^heddle: error: .*$message"
}
cannot "no such trace" 3 'cannot open "none"' replay none
cannot "a folder" 3 'is a directory' replay .
cannot "not a trace" 3 'is not a trace' replay locks
head -c 200 deadlock.trace >cut.trace
cannot "a trace that is cut" 3 'truncated: it ends in its section "[a-z]+"' replay cut.trace
perl -pe 's/x/y/g; tr/a-f/A-F/' deadlock.trace >changed.trace
cannot "a trace that is changed" 3 'damaged: its section "[a-z]+"' replay changed.trace
cp locks locks.old && sed -i 's/42/43/; s/queue.count++/queue.count += 1/' locks.c && gcc -g -O2 -pthread locks.c -o locks
cannot "another build" 3 'locks" is not the build that was recorded: it has build id [0-9a-f]+, not build id [0-9a-f]+' replay deadlock.trace
rm locks
cannot "no program" 3 'cannot (open|run) ".*locks": No such file' replay deadlock.trace
mv locks.old locks
is "the old build again" "$(status "$heddle" replay deadlock.trace)" 1
cannot "the trace's folder is not there" 3 'cannot write "no/trace": No such file' run --trace no/trace -- touch ran
cannot "the trace is a folder" 3 'cannot write "\.": Is a directory' run --trace . -- touch ran
ok "then nothing runs" test ! -e ran
cannot "a full disk" 3 'cannot write the trace "/dev/full": No space left' run --trace /dev/full --seed "$good" -- ./locks
cannot "unknown strategy" 2 'unknown strategy "ranodm"' run --strategy ranodm -- ./locks
cannot "unknown date" 2 '--date expects real or fixed' run --date today -- ./locks
cannot "--trace and --runs" 2 '--trace applies to a single run' run --trace t --runs 2 -- ./locks
cannot "--jobs alone" 2 '--jobs requires --runs' run --jobs 2 -- ./locks
cannot "--seed and --count" 2 '--seed requires control' run --seed 1 --count -- ./locks
cannot "--runs 0" 2 'must be at least 1' run --runs 0 -- ./locks
(ulimit -f 8; "$heddle" run --trace limited.trace -- ./input /dev/zero >/dev/null 2>said)
is "a limit on the size of files" $? 3
ok "leaves no trace" test ! -e limited.trace

# Whoever ends Heddle ends the program.
cat >"$work/forever.c" <<'END_C'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	FILE *file = fopen("pid", "w");
	fprintf(file, "ready\n");
	fclose(file);
	for (;;)
		pause();
}
END_C
gcc forever.c -o forever-"$$"
"$heddle" run -- ./forever-"$$" &
for i in $(seq 1 100); do [ -s pid ] && break; sleep 0.05; done
kill -9 $!
wait $! 2>/dev/null
sleep 0.2
is "heddle is killed: the program is gone" "$(ps -o stat= -C "forever-$$" | grep -v Z)" ""
# A program that crashes in a constructor, and one that somebody kills: said, kept, exit status 3.
cat >early.c <<'END'
__attribute__((constructor)) static void crash(void)
{
	*(volatile int *)0 = 1;
}
int main(void)
{
	return 0;
}
END
gcc -g early.c -o early
cannot "a crash before main" 3 'ended before its main started' run -- ./early
cat >victim.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	int ends[2];
	char byte;
	puts("alive");
	fflush(stdout);
	pipe(ends);
	if (fork() == 0) {
		kill(getppid(), SIGKILL);
		_exit(0);
	}
	return (int)read(ends[0], &byte, 1);
}
END
gcc victim.c -o victim
is "killed from outside: exit status" "$(status "$heddle" run --trace victim.trace -- ./victim)" 3
like "killed from outside: what it had is kept" "$("$heddle" replay victim.trace 2>&1)" '^alive$'
is "killed from outside, replayed: exit status" "$(status "$heddle" replay victim.trace)" 3

# Options that cannot be meant.
cannot "columns: behind the end" 2 'the run has [0-9]+ events?' replay --columns --from 100000 victim.trace
cannot "columns: the end before the start" 2 'is after' replay --columns --from 8 --to 5 victim.trace
cannot "columns: event 0" 2 'from 1' replay --columns --from 0 victim.trace
cannot "events without columns" 2 'require --columns' replay --from 1 victim.trace
cannot "no patience" 2 'at least 1 second' replay --hang 0 victim.trace
done_testing
