#!/bin/bash
# heddle train: which runs count, when it stops, what it keeps; and wrong input.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE
train() { timeout -k 2 120 "$heddle" train "$@" >out 2>err; }
data=.heddle/training

# Two threads add to a counter, with a lock; main makes it and reads it at the end.
cat >adds.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *counter;
static void *add(void *argument)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&mutex);
		*counter += 1;
		pthread_mutex_unlock(&mutex);
	}
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	(void)argv;
	counter = malloc(sizeof *counter);
	*counter = argc - argc;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", *counter);
	return 0;
}
END
$cc -O1 -g -pthread adds.c -o adds || fail "adds.c compiles"
train -- ./adds
is "a correct program: it ends" "$?" 0
like "it has converged" "$(cat out)" '^  converged: the last [0-9]+ correct runs added nothing$'
like "all runs were correct" "$(cat out)" '^  runs: ([0-9]+), \1 correct$'
like "a plot" "$(cat out)" '^ +[0-9]+ \|#'
like "where the data are" "$(cat out)" 'training data: "\.heddle/training/adds", from [0-9]+ correct runs'
is "nothing else" "$(cat err)" ""
is "no lock is left" "$(ls $data)" adds
# may NAME PLACE: what may come before it, sorted
may() { jq -r --arg place "$1" '(.places | map("\(.code) \(.access)")) as $names |
	[.histories[] | select($names[.place - 1] == $place) | if .after == [] then "nil" else $names[.after[0] - 1] end] |
	unique | join(", ")' $data/adds; }
is "the reader at the end comes after a thread" "$(may 'printf("%d\n",*counter); read')" "*counter+=1; write"
is "a thread comes after main, or after the other thread" "$(may '*counter+=1; read')" "*counter+=1; write, *counter=argc-argc; write"
is "main comes first" "$(may '*counter=argc-argc; write')" "nil"
is "the sums agree" "$(jq -c '[(.runs == (.gains | length)), ((.gains | add) == .members), .objects[0].runs == .runs]' $data/adds)" "[true,true,true]"

# More of the same: it is added. And from the start again.
first=$(jq .runs $data/adds)
train --runs 3 -- ./adds
is "a second training adds to the first" "$? $(jq .runs $data/adds)" "0 $((first + 3))"
like "it says that it has not converged" "$(cat out)" 'not converged: only the last 3 correct runs added nothing; --runs N allows more runs'
train --runs 2 --quiet --fresh -- ./adds
is "--fresh starts again" "$? $(jq .runs $data/adds)" "0 2"
unlike "--quiet: no plot" "$(cat out)" 'members per run'

# Another build of the same source: lines have moved, places are the same.
places=$(jq '.places | length' $data/adds)
{ printf 'int unused;\n\n'; cat adds.c; } >moved.c && mkdir other && $cc -O1 -g -pthread moved.c -o other/adds || fail "moved.c compiles"
sed -i 's/"file":"adds.c"/"file":"moved.c"/' $data/adds # so that only lines differ; the digest does not
train --runs 1 -- ./other/adds
is "a file that was edited is refused" "$?" 3
like "it says why" "$(cat err)" 'cannot be used as training data: it was changed or damaged'
mv moved.c other/adds.c && (cd other && $cc -O1 -g -pthread adds.c -o adds)
train --fresh --runs 5 -- ./adds
train --runs 5 -- ./other/adds
is "two builds: one set of places" "$? $(jq -c '[(.places | length), (.objects | length), .runs]' $data/adds)" "0 [$places,2,10]"

# Copies of an access: those of different calls are places of their own, those of an unrolled loop are not; and a build whose lines have moved has the same.
cat >copies.c <<'END'
#include <pthread.h>
#include <unistd.h>
static int state, table[4];
static void set(int value) { state = value; }
static void *work(void *argument)
{
	set(1);
	usleep(1);
	set(2);
	for (int i = 0; i < 4; i++)
		((volatile int *)argument)[i] = i;
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, table);
	pthread_join(thread, NULL);
	return state + table[3] == 5 ? 0 : 1;
}
END
mkdir copies && $cc -O2 -g -pthread copies.c -o copied && { echo '/* */'; cat copies.c; } >copies/copies.c && $cc -O2 -g -pthread copies/copies.c -o copies/copied || fail "copies.c compiles"
places_of() { jq -c "[.places[] | select(.code == \"$1\")] | [length, (map(.callers) | unique | length)]" $data/copied; }
train --fresh --native --runs 2 -- ./copied
is "two calls, inlined: two places" "$? $(places_of 'static void set(int value){state=value;}')" "0 [2,2]"
is "a loop, unrolled: one place" "$(places_of '((volatile int*)argument)[i]=i;')" "[1,1]"
count=$(jq '.places | length' $data/copied)
train --native --runs 2 -- ./copies/copied
is "moved lines: the same places" "$? $(jq '.places | length' $data/copied)" "0 $count"

# The last access of a thread counts, too, if nobody comes to the memory after it.
cat >last.c <<'END'
#include <pthread.h>
volatile int word;
static void *write_last(void *argument) { word = 2; return argument; }
int main(void)
{
	pthread_t thread;
	word = 1;
	pthread_create(&thread, NULL, write_last, NULL);
	pthread_join(thread, NULL);
	return 0;
}
END
$cc -O1 -g -pthread last.c -o last || fail "last.c compiles"
train --fresh --native --runs 3 -- ./last
is "the last access of a thread" "$? $(jq -c '(.places | map("\(.line) \(.access)")) as $names | [.histories[] | [$names[.place - 1], if .after == [] then "nil" else $names[.after[0] - 1] end]] | sort' $data/last)" \
	'0 [["3 write","7 write"],["7 write","nil"],["9 read","nil"]]'

# Only correct runs count: every third run fails, and touches what others do not.
cat >some.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int shared, wrong;
static int number;
static void *other(void *argument)
{
	shared++;
	if (number % 3 == 0)
		wrong++;
	return argument;
}
int main(void)
{
	pthread_t thread;
	FILE *file = fopen("number", "r+");
	if (fscanf(file, "%d", &number) != 1)
		return 9;
	rewind(file);
	fprintf(file, "%d\n", number + 1);
	fclose(file);
	shared = wrong = 1;
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	fprintf(stderr, "run %d\n", number);
	if (number % 3 == 0)
		return WAY;
	return shared == 2 && wrong == 1 ? 0 : 8;
}
END
learned_wrong() { jq -r '[.places[] | select(.code == "wrong++;")] | length' $data/"$1"; }
$cc -DWAY=4 -O1 -g -pthread some.c -o some || fail "some.c compiles"
$cc -D'WAY=(abort(),0)' -O1 -g -pthread some.c -o some-abort || fail "some.c compiles"
$cc -D'WAY=(pause(),0)' -O1 -g -pthread some.c -o some-hang || fail "some.c compiles"
echo 1 >number
train --runs 7 -- ./some
is "other status: the training ends" "$?" 0
like "how many" "$(cat out)" '^  runs: 7, 5 correct, 2 with another exit status$'
like "the first of them" "$(cat err)" 'the first run that is not correct: exit status 4'
like "and what it said" "$(cat err)" '^run 3$'
is "it was not learned from" "$(learned_wrong some) $(jq .runs $data/some)" "0 5"
echo 3 >number
train --fresh --runs 1 --status 4 -- ./some
is "--status: it is, then" "$? $(learned_wrong some)" "0 2"
echo 1 >number
train --runs 4 -- ./some-abort
is "a signal" "$? $(grep -c '4, 3 correct, 1 ended by a signal' out) $(learned_wrong some-abort)" "0 1 0"
echo 1 >number
train --runs 4 --hang 1 -- ./some-hang
is "a run that hangs" "$? $(grep -c '4, 3 correct, 1 too long' out) $(learned_wrong some-hang)" "0 1 0"

# The user's check: it reads the output, and is not observed itself.
cat >check <<'END'
#!/bin/sh
env | grep -E '^(HEDDLE|LD_PRELOAD)' | sort >>seen
grep -q '^10$'
END
chmod +x check
train --fresh --runs 2 --check ./check -- ./adds
is "a check that passes" "$?" 0
is "what it sees" "$(sort -u seen)" "HEDDLE_EXIT=0"
rm -r $data
train --check false -- ./adds
is "a check that always fails" "$?" 3
like "it says so, and soon" "$(cat err)" 'none of 20 runs was correct, so nothing was learned'
like "with a hint" "$(cat err)" 'hint: check what --check expects'
is "nothing is kept" "$(ls $data)" ""

# A program that never ends.
cat >never.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int shared;
static void on_signal(int number) { (void)number; _exit(0); }
static void *add(void *argument) { for (;;) { shared++; usleep(1000); } return argument; }
int main(int argc, char **argv)
{
	pthread_t thread;
	FILE *file = fopen("pid", "w");
	(void)argv;
	fprintf(file, "%d\n", (int)getpid());
	fclose(file);
	if (argc > 1)
		signal(SIGTERM, on_signal);
	pthread_create(&thread, NULL, add, NULL);
	for (;;) { shared++; usleep(1000); }
}
END
$cc -O1 -g -pthread never.c -o never || fail "never.c compiles"
gone() { ! kill -0 "$(cat pid)" 2>/dev/null; }
train --time 1 -- ./never handles
is "it handles SIGTERM: it is learned from" "$? $(jq .runs $data/never) $(grep -c 'it took all of --time: train again' out)" "0 1 1"
ok "it is gone" gone
train --time 1 --fresh -- ./never
is "SIGTERM ends it: that is not correct" "$?" 3
like "but it may be" "$(cat err)" 'with --status 143'
is "and what was learned before stays" "$(jq .runs $data/never)" 1
train --time 1 --fresh --status 143 -- ./never
is "with --status 143 it is" "$? $(jq .runs $data/never)" "0 1"
ok "it is gone, too" gone
rm pid
"$heddle" train --fresh -- ./never handles >out 2>err &
tool=$!
until [ -s pid ]; do sleep 0.1; done
sleep 0.5
train --runs 1 -- ./never
is "two at once: not to the same file" "$?" 3
like "it says why" "$(cat err)" 'another training is writing "\.heddle/training/never"'
kill -TERM $tool
wait $tool
is "SIGTERM ends the training, which keeps what it has" "$? $(jq .runs $data/never) $(grep -c 'stopped by a signal' out)" "0 1 1"
ok "it is gone as well" gone

# Merging.
train --training=one --runs 3 -- ./adds
train --training=two --runs 4 -- ./adds
"$heddle" train --merge --training=both one two >out 2>err
is "merged" "$? $(jq .runs both)" "0 7"
rm -rf $data
"$heddle" train --merge one two >out 2>err
is "into the store" "$? $(jq .runs $data/adds)" "0 7"
head -c 300 one >cut
"$heddle" train --merge --training=both one cut >out 2>err
is "a damaged file" "$? $(jq .runs both)" "3 7"
like "which" "$(cat err)" '"cut" cannot be used as training data'
"$heddle" train --merge --training=both one none >out 2>err
is "a missing file" "$?" 3
"$heddle" train --merge --check ./check one two >out 2>err
is "--merge runs nothing" "$?" 2
cp both before
ln -s both alias
for files in both "one alias"; do
	"$heddle" train --merge --training=both $files >out 2>err
	is "a file into itself ($files): refused" "$?" 3
	like "it says so" "$(cat err)" 'cannot be merged into itself, "both"'
done
"$heddle" train --merge --training=both one one >out 2>err
is "one file twice: refused" "$?" 3
like "it says so" "$(cat err)" '"one" is named twice'
is "nothing has changed" "$(cmp both before && echo same)" same
"$heddle" train --merge --fresh --training=both both two >out 2>err
is "--fresh: the file is one of those that it is made of" "$? $(jq .runs both)" "0 11"
"$heddle" train --merge --training=three one >out 2>err
like "one file" "$? $(cat out)" '^0 heddle train: merged 1 file$'
"$heddle" train --merge one --training both >out 2>err
is "options behind the files" "$?" 3
like "what to do" "$(cat err)" 'hint: options come before the files'

# Wrong input.
gcc -O1 -pthread adds.c -o plain
train -- ./plain
is "not woven" "$?" 3
like "what to do" "$(cat err)" 'contains no woven code.*|build it with CC=heddle-cc'
train -- ./none
is "no program" "$?" 3
train --runs 0 -- ./adds
is "no runs" "$?" 2
train --status 256 -- ./adds
is "no status" "$?" 2
train --input none -- ./adds
is "no input" "$?" 3
train --check none -- ./adds
is "no check" "$?" 3
train
is "nothing" "$?" 2
echo >file
train --store file/store --runs 1 -- ./adds
is "a store that cannot be made" "$?" 3
like "it says which" "$(cat err)" 'cannot create the directory of "file/store/training/adds"'
train --training=folder/data --runs 1 -- ./adds
is "a file that cannot be written" "$?" 3
like "it says why" "$(cat err)" 'the directory of "folder/data" does not exist'
is_clean "nothing is left in TMPDIR"
done_testing
