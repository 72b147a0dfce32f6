#!/bin/bash
# heddle test --classify yes: whether the states after both orders of a race are the same, what differs, and what the rule of the Record/Replay
# Analyzer alone says; the same ten times.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
# states PROGRAM: of its races, one a line, sorted: class, states, the analyzer's class and cause; then what the sentence says of states
states() {
	rm -rf .heddle
	timeout -s KILL 120 "$heddle" test --runs 60 --quiet --classify yes --witnesses 6 --json=json -- ./"$1" >out 2>err
	jq -r '.findings[] | select(.kind == "data-race") | [.class, .states // "-", .analyzer.class // "-", .analyzer.cause // "-"] | join(" ")' json | sort -u
	sed -n 's/^H[0-9]* is harmless in [0-9]* runs: both orders end with the same output and exit status; //p' out | sort -u
}

# program NAME: compiles standard input, which begins with what all have
program() {
	{
		cat <<-'END'
			#include <pthread.h>
			#include <stdio.h>
			#include <stdlib.h>
			static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
			static volatile int shared;
			static void pass(void) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); }
			static void run(void *(*first)(void *), void *(*second)(void *), void *argument)
			{
				pthread_t threads[2];
				pthread_create(&threads[0], NULL, first, argument);
				pthread_create(&threads[1], NULL, second, argument);
				pthread_join(threads[0], NULL);
				pthread_join(threads[1], NULL);
			}
			static void *change(void *unused) { pass(); shared = 1; pass(); return unused; }
		END
		cat
	} >"$1.c"
	$cc -O1 -g -pthread "$1.c" -o "$1" || fail "$1.c compiles"
}

program redundant <<'END'
int main(void) { run(change, change, NULL); puts("done"); return 0; }
END
is "a redundant write" "$(states redundant)" "harmless same potentially-benign no-state-change
memory is the same after both"

program counter <<'END'
static volatile int hits;
static void *hit(void *unused) { pass(); hits++; pass(); return unused; }
int main(void) { run(hit, hit, NULL); puts("done"); return 0; }
END
is "an approximate counter" "$(states counter)" "harmless differ potentially-harmful state-change
hits differs afterwards"

# The value is read and never written anywhere.
program register <<'END'
static void *look(void *unused)
{
	pass();
	int value = shared;
	pass();
	if (value < 0)
		abort();
	return unused;
}
int main(void) { run(change, look, NULL); puts("done"); return 0; }
END
like "a register" "$(states register)" '^harmless differ potentially-harmful state-change
a register of thread [23] in (look|pass) \(register\.c:[0-9]+\) differs afterwards$'

program heap <<'END'
static void *copy(void *block) { pass(); *(int *)block = shared; pass(); return block; }
int main(void)
{
	int *block = calloc(5, sizeof *block);
	run(change, copy, block);
	puts("done");
	free(block);
	return 0;
}
END
is "a block of the heap" "$(states heap)" "harmless differ potentially-harmful state-change
a block of 20 bytes allocated at heap.c:19 differs afterwards"

# Of a block that is freed in the region nothing is left.
program freed <<'END'
static void *copy(void *unused)
{
	pass();
	int *volatile block = malloc(64);
	*block = shared;
	free(block);
	block = NULL;
	pass();
	return unused;
}
int main(void) { run(change, copy, NULL); puts("done"); return 0; }
END
is "a freed block is nobody's state" "$(states freed)" "harmless same potentially-benign no-state-change
memory is the same after both"

program stack <<'END'
static void *copy(void *to) { pass(); *(volatile int *)to = shared; pass(); return to; }
int main(void)
{
	volatile int seen = 0;
	run(change, copy, (void *)&seen);
	puts("done");
	return 0;
}
END
is "a variable on the stack of another thread" "$(states stack)" "harmless differ potentially-harmful state-change
a local variable of main differs afterwards"

program local <<'END'
static __thread volatile int mine;
static void *copy(void *unused) { pass(); mine = shared; pass(); return unused; }
int main(void) { run(change, copy, NULL); puts("done"); return 0; }
END
like "thread-local data" "$(states local)" '^harmless differ potentially-harmful state-change
thread-local data of thread [23] differs afterwards$'

# The other order calls what the recorded run did not: a log cannot follow. Here it can be followed, and leads to the same.
program branch <<'END'
static volatile int limit = 1, slow, fast;
static void *raise_limit(void *unused)
{
	pass();
	limit = 2;
	pass();
	if (shared)
		slow = fast = 1;
	return unused;
}
static void *work(void *unused)
{
	pass();
	if (limit == 1)
		slow = 0;
	else
		fast = 0;
	pass();
	return unused;
}
int main(void) { run(raise_limit, work, NULL); puts("done"); return 0; }
END
is "code that the recorded run did not reach" "$(states branch | head -n 1)" "harmless same potentially-harmful replay-failure"

# A crash in the other order is a difference, and nothing that a log has.
program crash <<'END'
static int one = 1;
static int *volatile pointer = &one;
static void *clear(void *unused) { pass(); pointer = NULL; pass(); return unused; }
static void *use(void *unused) { pass(); if (*pointer != 1) abort(); pass(); return unused; }
int main(void) { run(clear, use, NULL); puts("done"); return 0; }
END
like "a crash in the region" "$(states crash)" '^spec-violated differ potentially-harmful (replay-failure|state-change)$'

# Both are in the store.
rm -rf .heddle
"$heddle" test --runs 60 --quiet --classify yes --witnesses 6 -- ./counter >out 2>err
is "the store keeps both" "$("$heddle" report --brief --json 2>/dev/null | jq -c '[.findings[] | select(.kind == "data-race") | .states, .analyzer][0:2]')" \
	'["differ",{"class":"potentially-harmful","cause":"state-change"}]'

# With another input the same two accesses may write something else.
program given <<'END'
static int value = 1;
static void *set(void *unused) { pass(); shared = value; pass(); return unused; }
int main(int count, char **arguments)
{
	value = count > 1 ? atoi(arguments[1]) : 1;
	run(change, set, NULL);
	puts("done");
	return 0;
}
END
is "the input of the test" "$(states given)" "harmless same potentially-benign no-state-change
memory is the same after both"
mkdir given.inputs
echo 2 >given.inputs/two.args
rm -rf .heddle
timeout -s KILL 120 "$heddle" test --runs 60 --quiet --classify yes --witnesses 6 --inputs given.inputs --json=json -- ./given >out 2>err
is "another input" "$(jq -r '.findings[] | select(.kind == "data-race") | [.class, .states, .analyzer.cause] | join(" ")' json)" "harmless differ no-state-change"
like "another input: what differs" "$(cat out)" '; shared differs afterwards$'

# The same each time.
for name in counter register branch; do
	first=$(states $name) others=
	for i in 2 3 4 5 6 7 8 9 10; do
		[ "$(states $name)" = "$first" ] || others="$others $i"
	done
	is "$name: ten times the same" "${first:+said}$others" said
done
done_testing
