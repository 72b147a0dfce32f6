#!/bin/bash
# Races with a call of free or malloc, which is no event, and with a copy of a range, are classified like others.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS

# said PROGRAM: of each race what is said of it
said() {
	rm -rf .heddle
	timeout -s KILL 120 "$heddle" test --runs 60 --quiet --reduce 0 --classify yes --witnesses 6 -- ./"$1" 2>err | grep -E '^H[0-9]+ (is|has|changes) ' | sed 's/^H[0-9]* //' | sort
}

# Main reads a block that the other thread frees.
cat >freed.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int *block;
static void *release(void *unused) { free(block); return unused; }
int main(void)
{
	pthread_t thread;
	block = calloc(1, sizeof *block);
	pthread_create(&thread, NULL, release, NULL);
	int value = *(volatile int *)block;
	pthread_join(thread, NULL);
	printf("%d\n", value == 0);
	return 0;
}
END
$cc -O1 -g -pthread freed.c -o freed || fail "freed.c compiles"
like "a read after the free" "$(said freed)" '^is harmful: H[0-9]+ use after free: .*: read at freed\.c:11, only if freed\.c:5 of thread 2 comes before freed\.c:11 of thread 1$'
is "the recorded order has no failure" "$("$heddle" replay "$("$heddle" list --json | jq -r '.findings[] | select(.kind == "data-race") | .id')" --order other >/dev/null 2>&1; echo $?)" 0

# The same by realloc, which frees the block too.
sed 's/free(block);/int *moved = realloc(block, 100000); (void)moved;/' freed.c >moved.c
$cc -O1 -g -pthread moved.c -o moved || fail "moved.c compiles"
like "a read after the realloc" "$(said moved)" '^is harmful: H[0-9]+ use after free: .*: read at moved\.c:11, only if moved\.c:5 of thread 2 comes before moved\.c:11 of thread 1$'

# The write is far behind the start of what is copied.
cat >range.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct record { char name[40]; int count; };
static struct record shared = { .count = 1 }, other;
static void *copy(void *unused)
{
	memcpy(&other, &shared, sizeof shared + (size_t)(unused != NULL));
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, copy, NULL);
	shared.count = 0;
	pthread_join(thread, NULL);
	assert(rand() < 0 || other.count == 0 || other.count == 1);
	return other.count;
}
END
$cc -O1 -g -pthread range.c -o range || fail "range.c compiles"
like "a copy" "$(said range)" '^is harmful: H[0-9]+ exit status 1, only if range\.c:9 of thread 2 comes before range\.c:16 of thread 1$'

# A block is published without order: nobody can use it before it is made.
cat >made.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int *volatile box;
static void *publish(void *unused)
{
	box = calloc(4, sizeof *box);
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, publish, NULL);
	int *seen = box;
	int sum = seen ? seen[2] : 0;
	pthread_join(thread, NULL);
	printf("%d\n", sum);
	free(box);
	return 0;
}
END
$cc -O1 -g -pthread made.c -o made || fail "made.c compiles"
is "an allocation" "$(said made)" "has a single order: made.c:15 of thread 1 cannot come first, because the other allocates what it accesses
is harmless in 12 runs: both orders end with the same output and exit status; memory is the same after both"

for name in freed moved range made; do
	first=$(said $name) others=
	for i in 2 3 4 5 6 7 8 9 10; do
		[ "$(said $name)" = "$first" ] || others="$others $i"
	done
	is "$name: ten times the same" "${first:+said}$others" said
done
done_testing
