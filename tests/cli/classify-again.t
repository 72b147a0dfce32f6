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
like "the store has the verdict" "$("$heddle" list)" "^H1 .* output-differs "
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
done_testing
