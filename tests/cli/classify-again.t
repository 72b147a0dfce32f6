#!/bin/bash
# heddle classify on races of the store: the program runs as it was recorded, whatever path, directory or environment the command has. Places without
# a line of their own have the same name in the verdict as elsewhere. What was found with the same build stays.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS COLUMNS NO_COLOR

# The variable is on the stack, whose addresses depend on the name of the program, its arguments and the environment.
cat >local.c <<'END2'
#include <pthread.h>
#include <stdio.h>
static void *count(void *argument)
{
	int *number = argument;
	++*number;
	return NULL;
}
int main(void)
{
	int number = 0;
	pthread_t a, b;
	pthread_create(&a, NULL, count, &number);
	pthread_create(&b, NULL, count, &number);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", number);
	return 0;
}
END2
$cc -O1 -g -pthread local.c -o local || fail "local.c compiles"
here="a directory with a name that is long/and another one that is long, too, below it"
mkdir -p "$here/elsewhere"
cp local "$here"
cd "$here" || exit 1
"$heddle" test --runs 40 --quiet -- ./local >out 2>err
like "a race on a variable of the stack" "$(cat out)" "^H1 changes the result: "
first=$(grep -A9 '^H1 changes' out)
"$heddle" classify --quiet H1 >out 2>err
is "it is judged again: exit status" $? 1
is "with the same verdict" "$(grep -A9 '^H1 changes' out | grep -v '^[0-9]* harmful')" "$first"
is "no errors" "$(cat err)" ""
MORE=$(printf 'x%.0s' {1..1000}) "$heddle" classify --quiet H1 >out 2>err
is "in another environment" "$? $(grep -c '^H1 changes the result: ' out)" "1 1"
(cd elsewhere && "$heddle" classify --store ../.heddle --quiet H1) >out 2>err
is "from another directory" "$? $(grep -c '^H1 changes the result: ' out)" "1 1"
like "the store has the verdict" "$("$heddle" list)" "^H1 .* changes result "
cd "$work" || exit 1

# A run that cannot be repeated: the message says what is different.
cat >chance.c <<'END2'
#include <immintrin.h>
#include <pthread.h>
static volatile int cells[4096], other;
static void *work(void *unused)
{
	unsigned number = 0;
	other++;
	_rdrand32_step(&number);
	cells[number % 4096]++;
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END2
if grep -qw rdrand /proc/cpuinfo && $cc -O1 -g -mrdrnd -pthread chance.c -o chance; then
	"$heddle" test --runs 10 --quiet --classify no -- ./chance >out 2>err
	"$heddle" classify --quiet >out 2>err
	is "a run that is different each time: exit status" $? 3
	like "the message says why" "$(cat err)" 'did not follow the recording: its [0-9]+ events are not the recorded ones'
	rm -rf .heddle
fi

# Lines that a place does not have of its own.
cat >near.c <<'END2'
#include <pthread.h>
#include <stdio.h>
static int total;
static void *work(void *most)
{
	for (int i = 0; i < *(int *)most; i++)
		total++;
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	int most = 3;
	pthread_create(&a, NULL, work, &most);
	pthread_create(&b, NULL, work, &most);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", total);
	return 0;
}
END2
$cc -O1 -g -pthread near.c -o near || fail "near.c compiles"
"$heddle" test --runs 40 --json=found.json --html=found.html --sarif=found.sarif -- ./near >out 2>err
verdict='near\.c near line [67] of thread [23] comes before near\.c(:7| near line [67]) of thread [23]$'
like "the verdict names a place near a line" "$(cat out)" "^H1 changes the result: output or exit status differ if $verdict"
like "and in JSON" "$(jq -r '.findings[0].verdict' found.json)" "$verdict"
"$heddle" show H1 >shown 2>&1
"$heddle" report --brief --html=stored.html --json=stored.json >/dev/null 2>&1
is "no report has another number" "$(grep -l 21474836 out shown found.json found.html found.sarif stored.html stored.json)" ""
rm -rf .heddle

# Harm that was found with the same build stays, and so does the group of a race that is judged alone.
cat >word.c <<'END2'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static volatile int limit = 1;
static void *raise_limit(void *unused) { limit = 2; return unused; }
int main(int argc, char **argv)
{
	pthread_t thread;
	const char *word = argc > 1 ? argv[1] : "";
	pthread_create(&thread, NULL, raise_limit, NULL);
	int seen = limit;
	pthread_join(thread, NULL);
	assert(strcmp(word, "strict") || seen == 2);
	if (strcmp(word, "loud") == 0)
		printf("%d\n", seen);
	return 0;
}
END2
$cc -O1 -g -pthread word.c -o word || fail "word.c compiles"
mkdir strict loud
echo strict >strict/a.args
echo loud >loud/a.args
# class: of H1 in the store
class() {
	"$heddle" list --json | jq -r '.findings[] | select(.id == "H1") | .class'
}
judged() {
	"$heddle" classify --witnesses 6 --json=judged.json "$@" H1 >out 2>err
	status=$?
}
"$heddle" test --runs 20 --quiet --witnesses 6 -- ./word plain >out 2>err
is "no harm without other inputs" "$(class)" harmless
judged --inputs loud
is "a worse verdict replaces a better one" "$status $(class)" "1 output-differs"
judged --inputs strict
is "and a failure a changed result" "$status $(class)" "1 spec-violated"
"$heddle" show --brief H1 >before 2>&1
judged
is "a better one does not replace it" "$status $(class)" "1 spec-violated"
like "the sentence says where it is from" "$(cat out)" "^H1 is harmful: assertion .*, with the arguments strict; an earlier classification found this$"
like "a note has what was found now" "$(cat err)" "^heddle: note: H1 keeps the verdict of an earlier classification of this build: this one found that it is harmless in 12 runs: .*; heddle classify --replace discards earlier verdicts"
is "JSON" "$(jq -r '.entries[0].class, .counts["spec-violated"]' judged.json | paste -sd' ')" "spec-violated 1"
same "the store has what it had" "$("$heddle" show --brief H1 2>&1)" "$(cat before)"
"$heddle" replay H1 >out 2>err
is "its evidence, too" $? 134
"$heddle" test --runs 20 --classify yes --witnesses 6 --json=found.json -- ./word plain >out 2>err
is "heddle test does not replace it, either" "$(jq -r '.findings[0].class' found.json) $(class)" "spec-violated spec-violated"
like "and says so" "$(cat out)" "^note: H1 keeps the verdict of an earlier classification"
is "no traces are left of what was not kept" "$(find .heddle -name '*.trace' | wc -l)" "$("$heddle" classify --witnesses 6 H1 >out 2>err; find .heddle -name '*.trace' | wc -l)"
"$heddle" mark H1 benign --why "only tests" >/dev/null 2>&1
judged --replace
is "--replace does" "$status $(class)" "0 harmless"
unlike "and nothing is said of earlier ones" "$(cat out err)" earlier
judged --inputs strict
"$heddle" test --runs 20 -- ./word plain >out 2>err
like "a test that knows the verdict shows the mark, and that it is revoked" "$(cat out)" "revoked: a later classification found that it is harmful: assertion"
sed -i 's/return 0;/return argc > 9;/' word.c
$cc -O1 -g -pthread word.c -o word || fail "word.c compiles again"
"$heddle" test --runs 20 --quiet --witnesses 6 -- ./word plain >out 2>err
is "a verdict on another build does not stay" "$("$heddle" list --json | jq -r '.findings[].class')" harmless
"$heddle" classify --replace=yes H1 >out 2>err
is "--replace has no value" $? 2
rm -rf .heddle

"$heddle" test --runs 20 --quiet --classify no -- ./near >out 2>err
groups=$("$heddle" list --json | jq -c '[.findings[] | [.id, .group]]')
like "two races have one cause" "$("$heddle" list)" "^H2 .* \(same cause as H1\)$"
"$heddle" classify --witnesses 6 --quiet >out 2>err
is "they are one group when each was classified" "$("$heddle" list --json | jq -c '[.findings[] | [.id, .group]]')" "$groups"
cp "$root/examples/tickets.c" .
rm -rf .heddle
$cc -O1 -g -pthread tickets.c -o tickets || fail "tickets.c compiles"
"$heddle" test --runs 1 --strategy priority --quiet --classify no -- ./tickets >out 2>err
"$heddle" classify --witnesses 6 --quiet >out 2>err
is "what a race leads to is in its group" "$("$heddle" list --json | jq -c '[.findings[] | select(.kind == "assertion" or .class == "spec-violated") | .group] | [length > 1, (unique | length)]')" '[true,1]'
# Marks, in a test that has nothing to judge again.
race=$("$heddle" list --json | jq -r '[.findings[] | select(.kind == "data-race")][0].id')
"$heddle" test --runs 20 --classify yes --witnesses 6 -- ./tickets >out 2>err
"$heddle" mark "$race" benign --why "seats are counted later" >out 2>err
"$heddle" test --runs 20 -- ./tickets >out 2>err
like "a test shows the mark" "$(cat out)" "^  marked benign on [0-9-]*: seats are counted later"
unlike "which is not revoked" "$(cat out)" revoked
"$heddle" test --runs 20 --classify yes --witnesses 6 -- ./tickets >out 2>err
"$heddle" test --runs 20 -- ./tickets >out 2>err
like "a test shows that the mark was revoked by another one" "$(cat out)" "^ *revoked: a later classification found that it is harmful: "
rm -rf .heddle
# The runs that show one race to be harmful fail. They show others, too, and must not become the evidence of those, which would then fail in both orders.
cat >two.c <<'END2'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int left = 2;
static volatile int was_busy;
static void *take(void *unused)
{
	left--;
	was_busy = 1;
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(left == 0);
	printf("was busy: %d\n", was_busy);
	return 0;
}
END2
$cc -O1 -g -pthread two.c -o two || fail "two.c compiles"
classes() {
	"$heddle" list --store two.store --json | jq -r '[.findings[] | select(.kind == "data-race") | .sites[0].variable + " " + .class] | sort | join(", ")'
}
"$heddle" test --store two.store --runs 60 --quiet -- ./two >out 2>err
is "two races" "$(classes)" "left spec-violated, was_busy harmless"
"$heddle" classify --store two.store --quiet >out 2>err
is "all at once: exit status" $? 1
is "each has its own verdict" "$(tail -1 out)" "1 harmful, 0 with different output, 1 harmless, 0 with a single order, 0 undecided"
"$heddle" classify --store two.store --quiet >out 2>err
is "once more" "$(classes)" "left spec-violated, was_busy harmless"
count=$("$heddle" list --store two.store --json | jq '[.findings[] | select(.kind == "data-race" and .trace != null)] | length')
is "both have evidence" "$count" 2

done_testing
