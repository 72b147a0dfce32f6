#!/bin/bash
# --inputs DIR: a data race is judged with other arguments, other standard input and other files, too. A harmful verdict names the input, and its
# evidence is of a run with that input. A directory that cannot be used is refused before anything runs.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
# program NAME BODY: a thread writes `limit` while main reads it into `seen`; then BODY, with `word`: the argument, or what is in the file that "-" (standard
# input) or an argument with a slash names
program() {
	cat >"$1.c" <<END_OF_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile int limit = 1;
static void *raise_limit(void *unused) { limit = 2; return unused; }
int main(int argc, char **argv)
{
	char word[64] = "";
	pthread_t thread;
	const char *name = argc > 1 ? argv[1] : "";
	if (strcmp(name, "-") == 0 || strchr(name, '/')) {
		FILE *file = *name == '-' ? stdin : fopen(name, "r");
		if (!file || !fgets(word, sizeof word, file))
			return 9;
		word[strcspn(word, "\n")] = 0;
	} else {
		snprintf(word, sizeof word, "%s", name);
	}
	pthread_create(&thread, NULL, raise_limit, NULL);
	int seen = limit;
	pthread_join(thread, NULL);
	$2
	return 0;
}
END_OF_SOURCE
	$cc -O1 -g -pthread "$1.c" -o "$1" || fail "$1.c compiles"
}
# judged OPTIONS... -- PROGRAM...: a test in a new store; $status, out, err and found.json
judged() {
	rm -rf .heddle
	timeout -s KILL 120 "$heddle" test --runs 20 --classify yes --witnesses 6 --reduce 0 --json=found.json "$@" >out 2>err </dev/null
	status=$?
}
# of FILTER: of the race that was found
of() {
	jq -r ".findings[] | select(.kind == \"data-race\") | $1" found.json
}
program assertion 'assert(strcmp(word, "strict") || seen == 2); puts(word);'
program option 'FILE *file = fopen(strchr(argv[2], 47), "r"); assert(!fgets(word, sizeof word, file) || strncmp(word, "strict", 6) || seen == 2);'
program silent 'if (strcmp(word, "loud") == 0) printf("%d\n", seen);'
program failing 'if (strcmp(word, "bad") == 0) return 3;'

# Arguments.
mkdir arguments
printf 'quick\n\n"str"ict\nslow\n' >arguments/some.args
judged -- ./assertion quick
is "without other inputs it does no harm" "$(of '.class, .inputs, .input')" "harmless
1
null"
judged --inputs arguments -- ./assertion quick
is "with one of them it does" "$status $(of '.class, .inputs, .input' | paste -sd' ')" "1 spec-violated 3 the arguments strict"
like "the verdict names it" "$(of .verdict)" "^is harmful: assertion .*, with the arguments strict$"
is "no other finding" "$(jq '.findings | length' found.json)" 1
like "heddle show says so" "$("$heddle" show --brief H1)" "the verdict is of a run with another input than the one described above: the arguments strict; heddle replay H1 shows that run, and with --order seen the one above"
"$heddle" replay H1 --order seen >out 2>err
is "the run that is described: the exit status" $? 0
unlike "the run that is described: its input" "$(cat err)" "another input"
"$heddle" replay H1 >out 2>err
is "the replay ends in the failure" $? 134
like "and names the input" "$(cat err)" "^heddle: note: this run of the program has another input than the test: the arguments strict"
"$heddle" replay --order other H1 >out 2>err
is "the other order has the same input" "$? $(cat out)" "0 strict"
like "which is said" "$(cat err)" "another input than the test: the arguments strict"
"$heddle" report --json=stored.json >/dev/null 2>&1
is "the store has it" "$(jq -c '.findings[0] | [.class, .inputs, .input]' stored.json)" '["spec-violated",3,"the arguments strict"]'
for i in 1 2 3; do
	judged --inputs arguments -- ./assertion quick
	jq -c '.findings[] | [.class, .verdict, .witnesses, .instances, .inputs, .input]' found.json
done >same
is "three tests say the same" "$(sort -u same | wc -l) $(wc -l <same)" "1 3"

# A stored race; what an earlier test of the build has judged is judged again with other inputs.
judged -- ./assertion quick
"$heddle" test --runs 20 --quiet --witnesses 6 --json=found.json --inputs arguments -- ./assertion quick >out 2>err
is "a new test judges it with other inputs" "$(of '.class')" spec-violated
judged -- ./assertion quick
"$heddle" classify --quiet --inputs arguments --witnesses 6 H1 >out 2>err
is "heddle classify --inputs" "$?" 1
like "its verdict" "$(cat out)" "^H1 is harmful: assertion .*, with the arguments strict$"

# Standard input.
mkdir files
echo quick >files/a
echo strict >files/b
echo quick >typed
judged --input typed --inputs files -- ./assertion -
is "standard input" "$(of '.class, .input' | paste -sd' ')" "spec-violated standard input from files/b"
rm -r files
"$heddle" replay H1 >out 2>err
is "the replay does not need the file" $? 134

# A file that an argument names. The first one takes the place of @@ in the test.
mkdir files
echo quick >files/a
echo strict >files/b
judged --inputs files -- ./assertion @@
is "a file for @@" "$(of '.class, .input' | paste -sd' ')" "spec-violated the arguments $PWD/files/b"
rm files/b
judged --inputs files -- ./assertion @@
is "one file is the input of the test" "$(of '.class, .inputs' | paste -sd' ')" "harmless 1"
echo strict >files/b
"$heddle" classify --quiet --inputs files --witnesses 6 H1 >out 2>err
like "heddle classify knows the file that was for @@" "$(cat out)" "^H1 is harmful: assertion .*, with the arguments $PWD/files/b$"
echo quick >files/aa
judged --inputs files -- ./option aside --file=@@
is "a part of an argument" "$(of '.class, .input' | paste -sd' ')" "spec-violated the arguments aside --file=$PWD/files/b"
rm files/b
judged --inputs files -- ./option aside --file=@@
echo strict >files/b
"$heddle" classify --quiet --inputs files --witnesses 6 H1 >out 2>err
like "heddle classify knows it, too" "$(cat out)" "^H1 is harmful: assertion .*, with the arguments aside --file=$PWD/files/b$"

# Output.
mkdir loud other
echo loud >loud/a.args
echo other >other/a.args
judged --inputs loud -- ./silent quiet
is "a changed result" "$(of '.class, .input' | paste -sd' ')" "output-differs the arguments loud"
is "the recorded order" "$("$heddle" replay H1 2>err)" 1
is "the other order" "$("$heddle" replay --order other H1 2>err)" 2
program printing 'puts(word);'
judged --inputs other -- ./printing this
is "outputs of two inputs are not compared" "$(of '.class, .inputs' | paste -sd' ')" "harmless 2"
like "the sentence counts inputs" "$(of .verdict)" "^is harmless in [0-9]* runs with 2 inputs: "

# An output that only one order has, of two places on lines that are near others.
cat >counting.c <<'END_OF_SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static char text[256];
static size_t length;
static int words;
static void *count(void *from)
{
	for (size_t i = *(size_t *)from; i < *(size_t *)from + length / 2; i++)
		if (text[i] == ' ')
			words++;
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	strcpy(text, "hello world this is a test");
	length = strlen(text);
	size_t zero = 0, half = length / 2;
	pthread_create(&a, NULL, count, &zero);
	pthread_create(&b, NULL, count, &half);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (argc > 1 && strcmp(argv[1], "loud") == 0)
		printf("%d\n", words);
	return 0;
}
END_OF_SOURCE
$cc -O1 -g -pthread counting.c -o counting || fail "counting.c compiles"
judged --inputs loud --witnesses 20 -- ./counting quiet
is "no race of places near a line is harmless with the input that shows the result" "$(of .class | grep -c harmless) $(of .class | grep -c output-differs)" "0 2"

# Output that varies in both orders, in almost every run: nothing is known of the race there, so it is not harmless.
cat >shuffled.c <<'END_OF_SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static volatile int limit = 1;
static unsigned order;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void shuffle(unsigned own)
{
	for (int i = 0; i < 12; i++) {
		pthread_mutex_lock(&lock);
		order = order * 3 + own;
		pthread_mutex_unlock(&lock);
	}
}
static void *raise_limit(void *unused)
{
	limit = 2;
	shuffle(1);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_create(&thread, NULL, raise_limit, NULL);
	int seen = limit;
	shuffle(2);
	pthread_join(thread, NULL);
	if (argc > 1 && strcmp(argv[1], "loud") == 0)
		printf("%u\n", order);
	return seen > 2;
}
END_OF_SOURCE
$cc -O1 -g -pthread shuffled.c -o shuffled || fail "shuffled.c compiles"
judged --witnesses 20 -- ./shuffled quiet
is "without another input the race is harmless" "$(of .class)" harmless
judged --inputs loud --witnesses 20 -- ./shuffled quiet
is "it is not if the output varies with some input" "$(of .verdict)" "is undecided: the output varies in both orders, with the arguments loud"

# How many inputs count, and what shows that they were the wrong ones.
program other_path 'if (strcmp(word, "loud") == 0) printf("%d\n", seen);'
sed -i 's/pthread_create(&thread, NULL, raise_limit, NULL);/if (strcmp(word, "away") == 0) return 0; &/' other_path.c
$cc -O1 -g -pthread other_path.c -o other_path || fail "other_path.c compiles"
mkdir some absent
printf 'away\nhere\n' >some/a.args
echo away >absent/a.args
judged --inputs some -- ./other_path quick
like "the sentence says how many of the inputs count" "$(of .verdict)" "^is harmless in [0-9]* runs with 2 of 3 inputs: "
unlike "some did" "$(cat out)" "none of the other inputs"
judged --inputs absent -- ./other_path quick
like "and if none but that of the test does" "$(of .verdict)" "^is harmless in [0-9]* runs with 1 of 2 inputs: "
like "which is noted" "$(cat out)" "^note: H1 occurred with none of the other inputs, so only the input of the test judges it"
mkdir words
echo strict >words/a
judged -- ./assertion quick
"$heddle" classify --inputs words --witnesses 6 --json=judged.json H1 >out 2>err
like "files as standard input that is not read" "$(cat err)" "^heddle: note: with standard input from words/a no run read its standard input: for files that the program opens itself, pass the argument @@"
is "JSON of heddle classify counts inputs" "$(jq -c '.entries[0] | [.inputs, .input]' judged.json)" '[2,null]'
"$heddle" classify --inputs arguments --witnesses 6 --json=judged.json H1 >out 2>err
is "and names the input" "$(jq -c '.entries[0] | [.inputs, .input]' judged.json)" '[3,"the arguments strict"]'
judged --input typed --inputs words -- ./assertion -
unlike "standard input that is read" "$(cat out)" "no run read"
mkdir empty
: >empty/a
judged --input typed --inputs empty -- ./assertion -
unlike "standard input that is empty" "$(cat out)" "no run read"
rm -r empty
judged -- ./assertion @@
like "@@ without --inputs" "$(cat out)" "^note: the program gets the argument @@ as it is: only with --inputs DIR it stands for a file"
judged -- ./assertion quick
unlike "no @@" "$(cat out)" "@@"

# What fails anyway.
mkdir bad
echo bad >bad/a.args
judged --inputs bad -- ./failing good
is "an input with which the program always fails says nothing" "$(of '.class, .inputs' | paste -sd' ') $(jq '.findings | length' found.json)" "harmless 1 1"
like "which is noted" "$(cat out)" "^note: with the arguments bad the program fails in every run, which says nothing about data races"

# Others work with it.
judged --inputs arguments --jobs 2 --sandbox -- ./assertion quick
is "with --jobs and --sandbox" "$(of '.class' | sort -u)" spec-violated
mkdir with-folder
mkdir with-folder/below
mkfifo with-folder/queue
echo hidden "'" >with-folder/.hidden.args
echo strict >with-folder/a.args
judged --inputs with-folder -- ./assertion quick
is "a directory and a queue in it are left out" "$(of .class) $(grep -c '^note: --inputs: "with-folder/\(below\|queue\)" is left out, because it is not a file$' out)" "spec-violated 2"

# refused NAME MESSAGE OPTIONS...: by heddle test and heddle classify, before anything runs
refused() {
	local name=$1 message=$2
	shift 2
	judged "$@" -- ./assertion quick
	is "$name: status" "$status $([ -e .heddle ] && echo ran)" "2 "
	like "$name: message" "$(head -n 1 err)" "^heddle: error: $message"
	[ "${1-}" = --inputs ] || return
	"$heddle" classify "$@" >out 2>err
	is "$name: heddle classify" "$? $(head -n 1 err | grep -c "^heddle: error: $message")" "2 1"
}
mkdir empty
refused "no directory" '--inputs: "none" cannot be read: No such file or directory' --inputs none
refused "an empty one" '--inputs: "empty" has no inputs' --inputs empty
refused "a file" '--inputs: "typed" cannot be read: Not a directory' --inputs typed
ln -s nowhere empty/link
refused "a file that cannot be read" '--inputs: "empty/link" cannot be read: No such file or directory' --inputs empty
rm empty/link
truncate -s 65M empty/large
refused "a large file" '--inputs: "empty/large" is too large: inputs may have 64 MiB' --inputs empty
rm empty/large
truncate -s 2M empty/large.args
refused "many arguments" '--inputs: "empty/large.args" is too large: files of arguments may have 1 MiB' --inputs empty
printf 'a\0b\n' >empty/large.args
refused "a zero byte" '--inputs: "empty/large.args" has a zero byte' --inputs empty
printf 'fine\nit '"'"'is not\n' >empty/large.args
refused "a quote" '--inputs: "empty/large.args" has a quote or a backslash without its end in line 2' --inputs empty
seq 1001 >empty/large.args
refused "too many" '--inputs: "empty" has more than 1000 inputs' --inputs empty
echo one >empty/large.args
rm -rf .heddle
"$heddle" test --classify no --inputs empty -- ./assertion >out 2>err
is "nothing is classified" "$? $(head -n 1 err)" "2 heddle: error: --inputs cannot be combined with --classify no"
"$heddle" test --without assertion.c:7 --inputs empty -- ./assertion >out 2>err
is "a hypothetical test" "$? $(head -n 1 err)" "2 heddle: error: --inputs with --without requires --classify yes or only-new"
"$heddle" test --inputs empty -- ./assertion @@ >out 2>err
is "@@ without a file" "$? $(head -n 1 err)" '2 heddle: error: --inputs: "empty" has no file for the argument @@'
done_testing
