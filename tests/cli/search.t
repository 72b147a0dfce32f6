#!/bin/bash
# heddle test: which schedules a seed leads to, and what is said of a search that did not try all of them.
. tests/lib/tap.sh
. tests/lib/cc.sh

# What getrandom gives follows from the seed of the schedule.
cat >drawn.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *argument)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return argument;
}
int main(void)
{
	unsigned long drawn = 0;
	char line[40];
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
		return 1;
	int fd = open("drawn", O_WRONLY | O_CREAT | O_APPEND, 0666);
	int size = snprintf(line, sizeof line, "%lx\n", drawn);
	return write(fd, line, (size_t)size) != size;
}
END
"$cc" -g -O1 -pthread drawn.c -o drawn.out || fail "drawn.c is built"

# drawn SEED OPTIONS...: into the file drawn-SEED, each number once
drawn() {
	rm -rf drawn .heddle
	timeout -s KILL 120 "$heddle" test --classify no --quiet --runs 20 --seed "$@" -- ./drawn.out >said 2>&1 </dev/null
	sort -u drawn >"drawn-$1"
}
for strategy in random portfolio; do
	drawn 1 --strategy $strategy
	drawn 2 --strategy $strategy
	drawn 3 --strategy $strategy
	ok "$strategy: schedules of a seed have their own random numbers" [ "$(wc -l <drawn-1)" -gt 4 ]
	is "$strategy: adjacent seeds have no schedule in common" "$(sort drawn-1 drawn-2 drawn-3 | uniq -d | wc -l)" 0
	cp drawn-2 before
	drawn 2 --strategy $strategy
	same "$strategy: the same seed has the same schedules" "$(cat drawn-2)" "$(cat before)"
done

# What a schedule is said to have as its seed is what reproduces it.
cat >fails.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
static void *work(void *argument)
{
	return argument;
}
int main(void)
{
	unsigned char drawn = 0;
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return getrandom(&drawn, 1, 0) == 1 && drawn % 16 == 0 ? 7 : 0;
}
END
"$cc" -g -O1 -pthread fails.c -o fails || fail "fails.c is built"
rm -rf .heddle
timeout -s KILL 120 "$heddle" test --classify no --runs 300 --seed 2 --strategy random --reduce 0 --stop -- ./fails >said 2>&1 </dev/null
is "a failure that the seed leads to is found" "$?" 1
seed=$("$heddle" show H1 2>&1 | sed -n 's/.*, strategy random, seed \([0-9]*\)$/\1/p')
like "its seed is shown" "$seed" '^[0-9]+$'
is "the seed reproduces it" "$(status "$heddle" run --seed "${seed:-0}" -- ./fails)" 7

# dfs
cat >many.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *argument)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread many.c -o many || fail "many.c is built"

# searched OPTIONS...
searched() {
	rm -rf .heddle
	said=$(timeout -s KILL 120 "$heddle" test --classify no --strategy $strategy --json found.json "$@" -- ./many 2>&1 </dev/null | tr '\n' ' ')
}
strategy=dfs-full
searched --runs 1
like "dfs-full, one run: not complete" "$said" 'note: the search is incomplete: 1 schedule with at most 2 preemptions was tried; at least [0-9]+ are left'
searched --runs 5
like "dfs-full, five runs: not complete" "$said" 'note: the search is incomplete: 5 schedules with at most 2 preemptions were tried, including all without preemption; at least [0-9]+ are left'
like "dfs-full, five runs: JSON has it" "$(jq -r '.notes[]' found.json)" '^the search is incomplete'
searched --depth 1
all=$(printf '%s' "$said" | sed -n 's/.*note: all \([0-9]*\) schedules with at most 1 preemption .*/\1/p')
like "dfs-full, without a limit: all were tried" "$all" '^[0-9]+$'
searched --depth 1 --runs "${all:-1}"
like "dfs-full, a limit that is just enough: all were tried" "$said" "note: all $all schedules with at most 1 preemption "
searched --depth 1 --runs $((${all:-2} - 1))
like "dfs-full, a limit that is one less: not complete" "$said" \
	"the search is incomplete: $((${all:-2} - 1)) schedules with at most 1 preemption were tried, including all without preemption; at least 1 is left"
strategy=dfs
searched --runs 2
like "dfs, two runs: not complete" "$said" 'note: the search is incomplete: 2 schedules with at most 2 preemptions were tried; at least [0-9]+ (is|are) left'
searched --depth 1
covered=$(printf '%s' "$said" | sed -n 's/.*note: all schedules with at most 1 preemption at synchronisation and racy accesses were covered: \([0-9]*\) were run, .*/\1/p')
like "dfs, without a limit: all were covered" "$covered" '^[0-9]+$'
ok "with fewer schedules: ${covered:-none} of $all" [ "${covered:-$all}" -lt "${all:-0}" ]
searched --depth 1 --runs "${covered:-1}"
like "dfs, a limit that is just enough: all were covered" "$said" "were covered: $covered were run, "
searched --depth 1 --runs $((${covered:-2} - 1))
like "dfs, a limit that is one less: not complete" "$said" \
	"the search is incomplete: $((${covered:-2} - 1)) schedules with at most 1 preemption were tried; at least 1 is left"
# What looks at something without waiting, and signals, depend on more than the object that they name.
cat >looks.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
static sem_t posted;
static atomic_int first, second;
static const char *what;
static void handle(int number)
{
	(void)number;
	if (first != second)
		_exit(7);
}
static void *work(void *argument)
{
	if (strcmp(what, "semaphore") == 0)
		sem_post(&posted);
	if (strcmp(what, "signal") == 0) {
		first = 1;
		second = 1;
	}
	return argument;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int value = 0;
	what = argc > 1 ? argv[1] : "";
	sem_init(&posted, 0, 0);
	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, work, NULL);
	if (strcmp(what, "end") == 0 && pthread_tryjoin_np(thread, NULL) == 0)
		return 7;
	if (strcmp(what, "semaphore") == 0)
		sem_getvalue(&posted, &value);
	if (strcmp(what, "signal") == 0)
		pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return value ? 7 : 0;
}
END
"$cc" -g -O1 -pthread looks.c -o looks || fail "looks.c is built"
for what in semaphore end signal; do
	rm -rf .heddle
	is "dfs: a failure after a look at: $what" \
		"$(status timeout -s KILL 120 "$heddle" test --classify no --reduce 0 --strategy dfs -- ./looks "$what" </dev/null)" 1
done
rm -rf .heddle
is "dfs: the same program without them does not fail" \
	"$(status timeout -s KILL 120 "$heddle" test --classify no --reduce 0 --strategy dfs -- ./looks nothing </dev/null)" 0

searched --runs 40
like "dfs, no other strategy is said to be incomplete" "$(timeout -s KILL 120 "$heddle" test --classify no --runs 5 -- ./many 2>&1 </dev/null)" 'nothing found$'
is_clean "nothing is left behind"
done_testing
