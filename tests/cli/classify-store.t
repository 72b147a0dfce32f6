#!/bin/bash
# heddle classify on findings of the store, heddle mark, heddle replay --order: verdicts are kept with the runs that show them.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
cp "$root"/examples/{tickets,harmless}.c .
for name in tickets harmless; do
	$cc -O1 -g -pthread $name.c -o $name || fail "$name.c compiles"
done
test_it() {
	"$heddle" test --runs 60 --quiet "$@" >test.out 2>test.err
}
id_of() {
	"$heddle" list --json | jq -r --arg program "$1" --arg kind "$2" '.findings[] | select(.last.program == $program and .kind == $kind) | .id' | head -1
}

test_it --classify no -- ./harmless
race=$(id_of harmless data-race)
"$heddle" replay "$race" --order other >out 2>err
is "no other order before it is classified" "$? $(head -1 err)" "3 heddle: error: $race was not classified, so there is no run with the other order"
"$heddle" classify --witnesses 6 "$race" >out 2>err
is "harmless: exit status" "$?" 0
is "harmless: the verdict" "$(head -1 out)" "$race is harmless in 12 runs: both orders end with the same output and exit status; memory is the same after both"
is "harmless: why" "$(sed -n 2,3p out)" "  redundant write: both threads write 1. In these runs was_busy is read only at harmless.c:21 in main
0 harmful, 0 with different output, 1 harmless, 0 with a single order, 0 undecided"
is "harmless: the summary" "$(tail -1 out)" "0 harmful, 0 with different output, 1 harmless, 0 with a single order, 0 undecided"
is "it is stored" "$("$heddle" list --json | jq -r --arg id "$race" '.findings[] | select(.id == $id) | .class')" harmless
like "heddle list has a column" "$("$heddle" list | head -1)" '^id +state +seen in +class +program'
like "and the class" "$("$heddle" list)" "^$race +new +[0-9]+ +harmless "
like "heddle show has it" "$("$heddle" show --brief "$race")" "^  $race is harmless in 12 runs: "
like "heddle show has the reason" "$("$heddle" show --brief "$race")" "^    redundant write: both threads write 1\. "
is "heddle list has it" "$("$heddle" list --json | jq -r --arg id "$race" '.findings[] | select(.id == $id) | .reason, .why' | cut -c 1-40)" "redundant-write
redundant write: both threads write 1. I"
is "reports of the store have it" "$("$heddle" report --brief --json 2>/dev/null | jq -r --arg id "$race" '.findings[] | select(.id == $id) | .reason, .why' | cut -c 1-40)" "redundant-write
redundant write: both threads write 1. I"
"$heddle" report --brief --sarif=out.sarif --html=out.html >/dev/null 2>&1
like "SARIF has it" "$(jq -r '.runs[].results[] | select(.properties.reason == "redundant-write") | .message.text' out.sarif)" "both orders end with the same output and exit status; memory is the same after both\. Why: redundant write: both threads write 1\. "
like "HTML has it" "$(grep -o '"why":"[^"]*"' out.html)" '"why":"redundant write: both threads write 1\. '
"$heddle" mark "$race" benign --why "a flag" >/dev/null 2>&1 || fail "a mark"
test_it --classify yes --witnesses 4 -- ./harmless
like "a test shows the mark" "$(cat test.out)" "^  marked benign on [0-9-]+: a flag$"
unlike "and does not revoke it without harm" "$("$heddle" show --brief "$race")" revoked
"$heddle" mark "$race" none >/dev/null 2>&1 || fail "no mark"
"$heddle" classify --witnesses 6 "$race" >out 2>err
like "and what it is based on" "$("$heddle" show --brief "$race")" "judged by 12 runs of [1-4] instances?"
"$heddle" replay "$race" --order other >out 2>err
is "the other order can be replayed" "$?" 0

test_it -- ./tickets
race=$(id_of tickets data-race)
"$heddle" mark "$race" benign --why "seats are counted again later" >/dev/null 2>&1 || fail "a mark"
like "the mark is shown" "$("$heddle" show --brief "$race")" 'marked benign on [0-9-]+: seats are counted again later'
like "and listed" "$("$heddle" list)" "$race .* marked benign "
"$heddle" classify --witnesses 6 --quiet "$race" >out 2>err
is "harmful: exit status" "$?" 1
like "harmful: the verdict" "$(grep "^$race " out)" "^$race is harmful: H[0-9]+ assertion .sold == 1. failed at tickets\.c:30 in main, only if "
like "harm revokes the mark" "$("$heddle" show --brief "$race")" 'revoked: a later classification found that it is harmful: H[0-9]+ assertion'
like "and the class is listed again" "$("$heddle" list)" "$race .* harmful "
like "and that the mark was revoked" "$("$heddle" list)" "$race .* \(mark revoked\)"
"$heddle" mark "$race" benign --why "still sure" >/dev/null 2>&1 || fail "a second mark"
unlike "a new mark counts again" "$("$heddle" show --brief "$race")" revoked
test_it --classify yes --witnesses 6 -- ./tickets
like "heddle test revokes it, too" "$("$heddle" show --brief "$race")" 'revoked: a later classification found that it is harmful: H[0-9]+ assertion'
like "and says so" "$(cat test.out)" 'revoked: a later classification found that it is harmful'
is "in JSON" "$("$heddle" list --json | jq -c --arg id "$race" '.findings[] | select(.id == $id) | [.mark, .mark_why, .mark_revoked]')" '["benign","still sure",true]'
"$heddle" mark "$race" harmful --why "seats are sold twice" >/dev/null 2>&1 || fail "a third mark"
"$heddle" classify --witnesses 6 --quiet "$race" >out 2>err
unlike "harm does not revoke the mark harmful" "$("$heddle" show --brief "$race")" revoked
"$heddle" replay "$race" >out 2>err
is "its replay ends in the failure" "$? $(grep -c 'Assertion .sold == 1. failed' err)" "134 1"
"$heddle" replay "$race" --order other >out 2>err
is "the other order does not" "$? $(grep -c 'Assertion' err)" "0 0"
# What is kept is kept by the next test, too.
test_it -- ./tickets
"$heddle" replay "$race" >out 2>err
is "after another test" "$?" 134

# heddle mark says what it did.
is "a mark of a race that is harmful" "$("$heddle" mark "$race" benign --why "still sure" 2>err) $(cut -d: -f1-3 err)" "$race is marked benign heddle: note: $race is harmful"
"$heddle" test --runs 5 --quiet -- ./tickets >out 2>err
is "the exit status of heddle test is the same" $? 1
is "the mark harmful needs no note" "$("$heddle" mark "$race" harmful --why "seats" 2>&1)" "$race is marked harmful"
is "no mark" "$("$heddle" mark "$race" none 2>&1)" "$race has no mark"
other=$(id_of harmless data-race)
is "a race that is harmless needs none" "$("$heddle" mark "$other" benign --why "a flag" 2>&1)" "$other is marked benign"
"$heddle" mark "$other" none >/dev/null || fail "no mark"
like "the help says what a mark does not do" "$("$heddle" mark --help)" "only a suppression .* hides a finding"

# All races at once.
"$heddle" classify --witnesses 6 --quiet >out 2>err
is "all of them: exit status" "$?" 1
is "all of them" "$(tail -1 out)" "1 harmful, 0 with different output, 1 harmless, 0 with a single order, 0 undecided"
"$heddle" mark "$race" none >/dev/null 2>&1 || fail "no mark"
unlike "a mark is removed" "$("$heddle" show --brief "$race")" marked

# Reports have the class of the store.
is "JSON of the store" "$("$heddle" report --brief --json 2>/dev/null | jq -c --arg id "$race" '[.findings[] | select(.id == $id) | .class, .instances > 0, (.consequence | startswith("H"))]')" '["spec-violated",true,true]'

# A failure that only the other order has becomes a finding, with a trace.
cat >late.c <<'END2'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static volatile int is_open = 1, spins;
static void *close_it(void *unused)
{
	for (int i = 0; i < 300; i++)
		spins++;
	is_open = 0;
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, close_it, NULL);
	int seen = is_open;
	pthread_join(thread, NULL);
	assert(seen);
	printf("seen %d\n", seen);
	return 0;
}
END2
$cc -O1 -g -pthread late.c -o late || fail "late.c compiles"
rm -rf .heddle
"$heddle" test --runs 1 --strategy priority --quiet --classify yes --witnesses 4 -- ./late >out 2>err
like "a failure that no schedule of the test had" "$(cat out)" 'H[0-9]+ is harmful: H[0-9]+ assertion .seen. failed at late\.c:18 in main, only if late\.c:9 of thread 2 comes before late\.c:16 of thread 1'
failure=$(id_of late assertion)
"$heddle" replay "$failure" >out 2>err
is "it can be replayed" "$?" 134

# Wrong input.
check_usage() {
	"$heddle" "${@:3}" >out 2>err
	is "$1" "$? $(head -1 err)" "2 heddle: error: $2"
}
check_usage "not an id" '"tickets" is neither a trace nor the id of a finding, such as H1' classify tickets
check_usage "no witnesses" "--witnesses must be 1 to 10000" classify --witnesses 0
check_usage "a mark without a reason" "a mark needs a reason: --why TEXT" mark H1 benign
check_usage "a word that is no mark" 'a mark is benign, harmful or none, not "good"' mark H1 good --why x
check_usage "an order that is none" '--order expects other or seen, not "first"' replay H1 --order first
"$heddle" classify H99 >out 2>err
is "no such race" "$? $(head -1 err)" "3 heddle: error: there is no data race H99"
"$heddle" classify "$failure" >out 2>err
is "a finding that is no race" "$? $(head -1 err)" "3 heddle: error: there is no data race $failure"
"$heddle" mark H99 benign --why x >out 2>err
is "no such finding to mark" "$? $(head -1 err)" "3 heddle: error: there is no finding H99"
# The races of a trace join the store: with the same id if they are known.
"$heddle" run --detect --strategy priority --trace=own.trace -- ./late >out 2>err
"$heddle" classify --quiet --witnesses 4 own.trace >out 2>err
is "a trace: the exit status" "$?" 1
like "a trace" "$(cat out)" '^H[0-9]+ is harmful: H[0-9]+ assertion .seen. failed at late\.c:18'
same "a trace: the race is known" "$(sed -n 's/ is harmful.*//p' out)" "$(id_of late data-race)"
rm own.trace
"$heddle" replay "$(id_of late data-race)" --order other >out 2>err
is "a trace: the evidence is kept" "$?" 0
"$heddle" run --detect --strategy priority --trace=own.trace -- ./late >out 2>err
"$heddle" classify --quiet --witnesses 4 --store new --json=json own.trace >out 2>err
is "a trace: a new store" "$(jq -r ".entries[] | \"\(.id) \(.class)\"" json)" "H1 spec-violated"
"$heddle" run --strategy priority --trace=plain.trace -- ./late >out 2>err
"$heddle" classify plain.trace >out 2>err
is "a trace without detection" "$? $(head -1 err)" "3 heddle: error: plain.trace cannot be classified: the evidence was recorded without detection"
"$heddle" classify none.trace >out 2>err
is "a trace that is not there" "$? $(head -1 err | cut -d: -f 1-3)" "3 heddle: error: none.trace cannot be classified"
head -c 500 own.trace >cut.trace
"$heddle" classify cut.trace >out 2>err
is "a trace that is cut off" "$? $(head -1 err | cut -d: -f 1-3)" "3 heddle: error: cut.trace cannot be classified"
# Another build: its evidence cannot be replayed.
race=$(id_of late data-race)
sed -i 's/300/301/' late.c
$cc -O1 -g -pthread late.c -o late
"$heddle" classify "$race" >out 2>err
is "evidence of another build" "$? $(grep -c "^heddle: error: $race cannot be classified: " err)" "3 1"
rm -rf .heddle
"$heddle" classify >out 2>err
is "no store" "$?" 3
# A race that is only there when the read comes first, which fails: the other order is one that locks make.
cat >held.c <<'END2'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static volatile int value;
static int seen;
static void *give(void *unused)
{
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&inner);
	value = 1;
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return unused;
}
static void *take(void *unused)
{
	pthread_mutex_lock(&inner);
	pthread_mutex_unlock(&inner);
	pthread_mutex_lock(&outer);
	pthread_mutex_unlock(&outer);
	seen = value;
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, give, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(seen == 1);
	return 0;
}
END2
$cc -O1 -g -pthread held.c -o held || fail "held.c compiles"
"$heddle" test --store held.store --runs 100 --quiet --classify yes -- ./held >out 2>err
race=$("$heddle" list --store held.store --json | jq -r '.findings[] | select(.kind == "data-race") | .id')
accesses() {
	"$heddle" replay --store held.store "$race" --columns "$@" 2>/dev/null | grep -o 'held\.c:10 write value\|held\.c:21 read value' | paste -sd,
}
is "the run that fails" "$(accesses)" "held.c:21 read value,held.c:10 write value"
is "the other order is another one" "$(accesses --order other)" "held.c:10 write value,held.c:21 read value"

done_testing
