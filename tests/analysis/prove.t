#!/bin/bash
# heddle-cc --heddle-prove=LEVEL: which accesses get no hook, which are no events, and when nothing is proved.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
[ -x "$build/lib/heddle/heddle-analyse" ] || skip_all "there is no heddle-analyse"

cat >program.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct block { int filled, read; };
int alone, guarded, racy, later;
static struct block *kept, *given;

static void *work(void *argument)
{
	pthread_mutex_lock(&lock);
	guarded++;
	if (given)
		given->read = given->filled;
	pthread_mutex_unlock(&lock);
	racy++;
	later = 1;
	return argument;
}

int main(int argc, char **argv)
{
	(void)argv;
	pthread_t threads[2];
	alone = argc;
	kept = malloc(sizeof *kept);
	kept->filled = argc;
	given = malloc(sizeof *given);
	given->filled = argc;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	pthread_mutex_lock(&lock);
	free(given);
	given = NULL;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	alone += kept->filled;
	free(kept);
	return alone + later == 0;
}
END
# flagged PROGRAM FLAG: variables with a site that has the flag, or with ! has it not
flagged() {
	"$heddle" sites "$1" --json | jq -r --arg flag "${2#!}" --argjson has "$([ "${2#!}" = "$2" ] && echo true || echo false)" \
		'.sites[] | select((.flags | index($flag) != null) == $has) | .variable // "?"' | sort -u | grep -E '^(alone|guarded|racy|later|kept|given)' | paste -s -d ' '
}

ok "no: compiled" "$cc" -O1 -g -pthread --heddle-prove=no program.c -o program
is "no: nothing is proved" "$(flagged program proved)" ""
ok "private: compiled" "$cc" -O1 -g -pthread --heddle-prove=private program.c -o private
# given: of main's read, since no other thread writes it.
is "private: proved" "$(flagged private proved)" "alone given kept"
is "private: announced" "$(flagged private '!proved')" "given given->filled given->read guarded kept->filled later racy"
is "private: none is quiet" "$(flagged private quiet)" ""
ok "locked: compiled" "$cc" -O1 -g -pthread --heddle-prove=locked program.c -o locked
# later: of main's read behind the joins, not of the threads' writes.
is "locked: proved" "$(flagged locked proved)" "alone given guarded kept later"
is "locked: quiet" "$(flagged locked quiet)" "given guarded later"
ok "locked: is the default" cmp locked <("$cc" -O1 -g -pthread program.c -o locked-said && cat locked-said)
is "locked: announced" "$(flagged locked '!proved')" "given->filled given->read kept->filled later racy"
ok "heap: compiled" "$cc" -O1 -g -pthread --heddle-prove=heap program.c -o heap
# What another thread may free before is kept, although it is always locked; before the threads there are none.
is "heap: announced" "$(flagged heap '!proved' | tr ' ' '\n' | grep -v '^given->filled$' | paste -s -d ' ')" "given->read later racy"
for program in program private locked heap; do
	"$heddle" test --classify no --quiet --runs 30 --seed 1 --output ignore --json "$program.json" -- "./$program" >/dev/null 2>&1
	is "$program: what is found" "$(jq -r '.findings[] | "\(.kind) \(.sites[0].variable // "")"' "$program.json" | sort -u | paste -s -d ,)" "data-race later,data-race racy"
done

like "private: counted" "$("$heddle" sites --summary private)" 'sites not announced \(proved\) +[1-9]'
is "private: counted in JSON" "$("$heddle" sites --summary --json private | jq .summary.sites_proved)" \
	"$("$heddle" sites --json private | jq '[.sites[] | select(.flags | index("proved"))] | length')"
like "private: what is proved is counted, too" "$("$heddle" run --count -- ./private 2>&1)" ' [1-9][0-9]* +[0-9.]+ % .* proved +threads'
like "private: and is marked" "$("$heddle" run --count -- ./private 2>&1)" 'write 4 proved +alone'

# What is always locked is no event, but explains what happened all the same: the same advice, rows without numbers, also of blocks.
cat >checks.c <<'END'
#include <assert.h>
#include <pthread.h>
struct account { long balance, bonus, limit, used; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct account account = { 100, 0, 0, 0 }, shown;
static long get(void)
{
	pthread_mutex_lock(&lock);
	long value = account.balance;
	pthread_mutex_unlock(&lock);
	return value;
}
static void take(long amount)
{
	pthread_mutex_lock(&lock);
	account.balance -= amount;
	shown = account;
	pthread_mutex_unlock(&lock);
}
static void *work(void *argument)
{
	if (get() >= 80)
		take(80);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(shown.balance >= 0);
	return 0;
}
END
for level in private locked; do
	"$cc" -O1 -g -pthread --heddle-prove=$level checks.c -o checks-$level
	"$heddle" test --classify no --store $level.store --runs 100 --seed 1 --json checks-$level.json -- ./checks-$level >checks-$level.out 2>&1
	is "$level: the failure is found" "$(jq -r '.findings[].kind' checks-$level.json)" "assertion"
	advice[${#advice[@]}]=$(sed -n '/what to try/,$p' checks-$level.out | grep -o 'prevent other threads from changing.*')
done
like "locked: what to try" "${advice[1]}" 'changing account.balance between checks.c:9 and checks.c:16 of thread [23]'
same "locked: as with private" "$(sed 's/thread [23]/thread/g' <<<"${advice[1]}")" "$(sed 's/thread [23]/thread/g' <<<"${advice[0]}")"
is "locked: all accesses of the threads are quiet" "$("$heddle" sites checks-locked --json | jq -r '.sites[] | select(.variable | test("^(account|shown)")) | .flags | index("quiet") != null' | sort -u)" "true"
"$heddle" replay --store locked.store --columns H1 >columns 2>/dev/null
like "locked: rows without numbers" "$(cat columns)" $'\n {8,}[> ].* read account.balance'
like "locked: of blocks" "$(cat columns)" $'\n {8,}[> ].* write shown'
like "private: rows with numbers" "$("$heddle" replay --store private.store --columns H1 2>/dev/null)" $'\n +[0-9]+[> ].* read account.balance'
# The numbers are those of the run: what stops at one is at that event.
last=$(grep -oE '^ +[0-9]+' columns | tail -n 1 | tr -d ' ')
is "locked: the last event is that of the run" "$last" "$("$heddle" replay --store locked.store --stats H1 2>&1 | grep -oE '[0-9]+ events' | head -n 1 | tr -dc 0-9)"
is "locked: --from and --to are numbers of events" "$("$heddle" replay --store locked.store --columns --from 6 --to 6 H1 2>/dev/null | grep -oE '^ +[0-9]+ ' | tr -d ' ')" "6"

# A loop of quiet accesses, longer than anybody reads, is no reason to tell nothing.
cat >rounds.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long table[256], balance = 100;
static long get(void)
{
	pthread_mutex_lock(&lock);
	for (long i = 0; i < 500000; i++)
		table[i & 255] += i ^ table[i * 7 & 255];
	long value = balance;
	pthread_mutex_unlock(&lock);
	return value;
}
static void *work(void *argument)
{
	if (get() < 80)
		return argument;
	pthread_mutex_lock(&lock);
	balance -= 80;
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(balance >= 0);
	return 0;
}
END
"$cc" -O1 -g -pthread --heddle-prove=locked rounds.c -o rounds
"$heddle" test --classify no --store rounds.store --runs 20 --seed 1 -- ./rounds >rounds.out 2>&1
like "a long loop: the threads are shown" "$(cat rounds.out)" $'the threads, by lines of rounds.c:\n.*preempted'
COLUMNS=200 "$heddle" replay --store rounds.store --columns H1 >columns 2>/dev/null
is "a long loop: told again behind the next event" "$(grep -c 'accesses: table' columns)" 2
like "a long loop: what comes behind it" "$(cat columns)" '9-10 [0-9]+ accesses: table\[\], balance'
ok "a long loop: not all rounds are told" test "$(grep -oE '[0-9]+ accesses' columns | tr -dc '0-9\n' | sort -n | tail -n 1)" -lt 1000

# A row of several accesses has the number of its first event, whatever it begins with.
cat >folds.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long quiet, *block;
static void *work(void *argument)
{
	pthread_mutex_lock(&lock);
	quiet++;
	block[0]++;
	block[1]++;
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	block = calloc((size_t)argc + 1, sizeof *block);
	pthread_create(&thread, NULL, work, argv);
	work(NULL);
	pthread_join(thread, NULL);
	abort();
}
END
"$cc" -O1 -g -pthread --heddle-prove=locked folds.c -o folds
"$heddle" test --classify no --store folds.store --runs 1 -- ./folds >/dev/null 2>&1
"$heddle" replay --store folds.store --columns H1 >columns 2>/dev/null
like "rows of several: the number" "$(cat columns)" $'\n +2  folds.c:7 lock lock.*\n +3  folds.c:8-10 7 accesses.*\n +7  folds.c:11 unlock lock'

# What is no event either, as free is, stands between quiet accesses where it was done, as far as lines tell.
cat >frees.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *shared, count;
static void *use(void *argument)
{
	pthread_mutex_lock(&lock);
	long *own = shared;
	pthread_mutex_unlock(&lock);
	if (own) {
		pthread_mutex_lock(&lock);
		count += *own;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}
static void *drop(void *argument)
{
	pthread_mutex_lock(&lock);
	count--;
	free(shared);
	shared = NULL;
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	shared = calloc((size_t)argc, sizeof *shared);
	pthread_create(&threads[0], NULL, use, argv);
	pthread_create(&threads[1], NULL, drop, argv);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$cc" -O1 -g -pthread --heddle-prove=locked frees.c -o frees
"$heddle" test --classify no --store frees.store --runs 60 --seed 3 -- ./frees >/dev/null 2>&1
"$heddle" replay --store frees.store --columns H1 >columns 2>/dev/null
like "frees: where it is allocated" "$(cat columns)" $'\n +> frees.c:29 allocate it\n +frees.c:29 write shared\n'
like "frees: where it is freed" "$(cat columns)" $'20-21 3 accesses: count, shared\n +> +frees.c:21 free it\n +frees.c:22 write shared\n'

# why OPTIONS...: what is said about the proof
why() {
	"$cc" -g -pthread --heddle-verbose "$@" 2>&1 | sed -n 's/^heddle-cc: \(nothing was proved: .*\)/\1/p; s/^heddle-cc: [0-9]* of [0-9]* accesses need not be observed/proved/p'
}
is "a program" "$(why program.c -o said)" "proved"
is "a library" "$(why -fPIC -shared part.c -o part.so)" "nothing was proved: it is a library, and its callers are unknown"
is "what others can name" "$(why -rdynamic program.c -o said)" "nothing was proved: other objects can use \"main\""
printf 'void unknown(void (*)(void));\nstatic int count;\nstatic void each(void) { count++; }\nint main(void) { unknown(each); return count; }\n' >calls.c
printf 'void unknown(void (*each)(void)) { each(); }\n' >unknown.c
$clang -shared -fPIC unknown.c -o libunknown.so
is "what is called back" "$(why calls.c -L. -lunknown -o said)" "nothing was proved: an unknown library may call \"each\", in any thread"
"$heddle" check --json=foreign.json said >/dev/null 2>&1
is "what is called back may run in a thread of its own" "$(jq -r '[.findings[] | select(.kind == "data-race-candidate")] | map(.doubts | index("foreign") != null) | unique | @csv' foreign.json)" "true"
# Too many to follow in threads of their own: that is said.
{
	echo 'void unknown(void (*)(void));'
	echo 'static int count;'
	for i in $(seq 65); do echo "static void each$i(void) { count += $i; }"; done
	echo 'int main(void) {'
	for i in $(seq 65); do echo "unknown(each$i);"; done
	echo 'return count; }'
} >many.c
"$cc" -g -O0 many.c -L. -lunknown -o many
like "too many of them" "$("$heddle" check many 2>&1)" '65 x functions passed to unknown libraries: too many'
$clang -c unknown.c -o unknown.o
is "what is not woven" "$(why calls.c unknown.o -o said)" "nothing was proved: \"unknown\" was not compiled by heddle-cc"
printf '#include <dlfcn.h>\nint main(void) { return dlopen("x", RTLD_NOW) != 0; }\n' >loads.c
is "what is loaded" "$(why loads.c -o said)" "nothing was proved: dlopen is called"
# A loop that waits by asking must be seen to go round.
cat >asks.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t first, second;
pthread_mutex_t *p = &first;
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		p = &second;
	while (pthread_mutex_trylock(p))
		;
	return 0;
}
END
ok "asking: compiled" "$cc" -O1 -g -pthread asks.c -o asks
is "asking: announced" "$("$heddle" sites asks --json | jq -r '.sites[] | select(.variable == "p" and .access == "read") | .flags | index("proved") // "announced"' | sort -u)" "announced"
# Also when it is a function of the program's that asks, and when that is all that touches anything.
cat >asks-below.c <<'END'
#include <pthread.h>
static pthread_mutex_t first, second;
pthread_mutex_t *p = &first;
int rounds, other;
__attribute__((noinline)) static int is_taken(void)
{
	return pthread_mutex_trylock(p) != 0;
}
__attribute__((noinline)) static int elsewhere(void)
{
	return ++other;
}
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		p = &second;
	while (is_taken())
		rounds++;
	return elsewhere() + rounds == 0;
}
END
ok "asking below: compiled" "$cc" -O1 -g -pthread asks-below.c -o asks-below
is "asking below: announced" "$("$heddle" sites asks-below --json | jq -r '.sites[] | select(.flags | index("proved") | not) | "\(.function) \(.access) \(.variable)"' | sort -u | paste -s -d ,)" \
	"is_taken read p,main read rounds,main write rounds"
# A variable that is none any more when the functions that have its address are inlined.
cat >inlined.c <<'END'
#include <pthread.h>
static long count;
__attribute__((always_inline)) static inline int raise(long *expected)
{
	return __atomic_compare_exchange_n(&count, expected, *expected + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static void *work(void *argument)
{
	long expected = count;
	while (!raise(&expected))
		;
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	return pthread_join(thread, NULL);
}
END
is "what becomes a value" "$(why -O0 inlined.c -o inlined)" "proved"
ok "what becomes a value: woven" "$heddle" sites inlined
# A pointer that is put together from parts may point anywhere.
cat >parts.c <<'END'
static unsigned low, high;
static int number;
int main(void)
{
	low = (unsigned)(unsigned long)&number;
	high = (unsigned long)&number >> 32;
	return *(int *)((unsigned long)high << 32 | low);
}
END
is "what is put together" "$(why parts.c -o parts)" "nothing was proved: a pointer is computed from an integer"
"$cc" --heddle-prove=nonsense program.c -o said 2>errors
is "a wrong value: status" $? 2
ok "a wrong value: said" grep -q '"--heddle-prove=nonsense": the option requires a value' errors
# A function whose address is in a number with a tag is followed, so that what it accesses is announced.
cat >tagged.c <<'END'
#include <pthread.h>
#include <stdint.h>
typedef int called(int);
static int shared;
static uint64_t table[4];
static int set(int value)
{
	return shared = value;
}
static void *work(void *argument)
{
	shared++;
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	table[argc] = 0xfffc000000000000u | (uint64_t)(intptr_t)set;
	pthread_create(&thread, NULL, work, NULL);
	((called *)(intptr_t)(table[argc] & ~(65535UL << 48)))(argc);
	pthread_join(thread, NULL);
	return 0;
}
END
for level in -O0 -O1 -O2; do
	said=$($cc $level -g -pthread --heddle-verbose tagged.c -o tagged 2>&1)
	like "$level: a tagged address: something is proved" "$said" 'accesses need not be observed'
	said=$("$heddle" test --classify no --runs 20 -- ./tagged 2>&1)
	is "$level: a tagged address: the race is found" $? 1
	like "$level: a tagged address: which one" "$said" 'data race on shared'
done
done_testing
