#!/bin/bash
# --before CMD: it runs before each schedule, where the program runs, so that each finds the same files. When it fails, nothing more runs.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
# Each run counts in a file, and prints what it found there.
cat >counting.c <<'END_OF_SOURCE'
#include <pthread.h>
#include <stdio.h>
static volatile int value;
static void *work(void *unused) { value = 1; return unused; }
int main(void)
{
	pthread_t threads[2];
	int found = -1;
	FILE *file = fopen("state", "r");
	if (!file || fscanf(file, "%d", &found) != 1)
		return 7;
	fclose(file);
	file = fopen("state", "w");
	fprintf(file, "%d\n", found + 1);
	fclose(file);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", found);
	return 0;
}
END_OF_SOURCE
$cc -O1 -g -pthread counting.c -o counting || fail "counting.c compiles"
echo 5 >initial
# tested OPTIONS...: a test of it in a new store; $status, out, err and found.json
tested() {
	rm -rf .heddle
	timeout -s KILL 120 "$heddle" test --runs 20 --classify yes --witnesses 4 --json=found.json "$@" -- ./counting >out 2>err </dev/null
	status=$?
}
kinds() {
	jq -r '[.findings[] | .kind + " " + (.class // "none")] | sort | join(", ")' found.json
}
echo 5 >state
tested
like "without it the output varies" "$(kinds)" output-differs
tested --before "cp initial state"
is "with it all runs are the same, and the race is judged" "$status $(kinds)" "1 data-race harmless"
is "the last run found it restored" "$(cat state)" 6
tested --sandbox --before "cp $PWD/initial state"
is "in the sandbox" "$status $(kinds)" "1 data-race harmless"
tested --sandbox
is "which is empty without it" "$(jq -r '.findings[] | select(.kind == "bad-exit") | .summary' found.json | grep -c 'status 7')" 1
tested --jobs 2 --sandbox --before "cp $PWD/initial state"
is "with --jobs" "$status $(kinds)" "1 data-race harmless"

# What runs leave behind: the note names both ways.
printf '#include <stdio.h>\nint main(void) { return !fopen("left", "w"); }\n' >leaving.c
$cc -O1 -g leaving.c -o leaving || fail "leaving.c compiles"
"$heddle" test --runs 5 -- ./leaving >out 2>err </dev/null
like "a file that runs leave behind" "$(cat out)" 'the runs left "left".* behind, .*--sandbox gives each run its own directory, --before CMD runs a command that restores it$'

# A program of its own, by a relative path; it sees the directory.
cat >restore <<'END_OF_SCRIPT'
#!/bin/sh
echo "$PWD ${HEDDLE_FOLDER-none}" >>"$LOG"
cat >>"$LOG.input"
echo 5 >state
END_OF_SCRIPT
chmod +x restore
export LOG=$PWD/log
tested --before ./restore
is "a script" "$status $(kinds) $(sort -u log)" "1 data-race harmless $PWD none"
ok "it runs before each schedule" test "$(wc -l <log)" -ge 20
is "without standard input" "$(cat log.input)" ""
rm log
tested --sandbox --before ./restore
is "a script and a sandbox" "$status $(kinds)" "1 data-race harmless"
is "both are the sandbox" "$(awk '$1 != $2' log)$(grep -c heddle-sandbox- log | sed 's/[1-9].*/some/')" some
rm -rf .heddle
"$heddle" test --runs 20 --before ./restore -- ./counting >out 2>err </dev/null
rm log
"$heddle" classify --witnesses 4 --before ./restore H1 >out 2>err </dev/null
like "heddle classify" "$? $(cat out)" "^0 H1 is harmless"
ok "which runs it, too" test -s log

# A program that acts by the name that it is called by.
cat >applets.c <<'END_OF_SOURCE'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	FILE *file = argc == 1 && strcmp(argv[0] + strlen(argv[0]) - 9, "/./recall") == 0 ? fopen("state", "w") : NULL;
	return !file || fputs("5\n", file) < 0 || fclose(file);
}
END_OF_SOURCE
gcc -O1 applets.c -o applets && ln -s applets recall
tested --before ./recall
is "a link to a program of several names" "$status $(kinds)" "1 data-race harmless"

# It fails.
tested --before "ls nowhere"
is "failing: nothing runs" "$status $(jq .schedules found.json)" "3 0"
like "failing: the message" "$(cat err)" 'heddle: error: the command of --before failed, so no more schedules are run: "ls nowhere": exit status 2'
like "failing: what it printed" "$(cat err)" "heddle: hint: it printed: ls: .*nowhere"
cat >later <<'END_OF_SCRIPT'
#!/bin/sh
echo 5 >state
echo run >>count
[ $(wc -l <count) -le 30 ] || kill -9 $$
END_OF_SCRIPT
chmod +x later
rm -f count
tested --before ./later
is "failing during the classification" "$(wc -l <count) $(grep -c '^heddle: error: the command of --before failed' err)" "31 1"
rm -f count
"$heddle" classify --witnesses 20 --before ./later H1 >out 2>err </dev/null
is "failing in heddle classify" "$? $(grep -c 'cannot be classified: the command of --before failed' err)" "3 1"
for command in "" "  "; do
	tested --before "$command"
	is "no command" "$status $(head -n 1 err)" "2 heddle: error: --before requires a command"
done
tested --before nonesuch
like "no such command" "$status $(cat err)" '^3 heddle: error: cannot run the command "nonesuch" of --before'
done_testing
