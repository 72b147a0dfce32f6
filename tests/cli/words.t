#!/bin/bash
# What reports say of values, locks, threads and places is what the program has: values of atomic updates and of variables that the
# optimiser keeps in another form, locks without a symbol, fences, names of threads, rows of headers.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset COLUMNS NO_COLOR HEDDLE_STORE

# tested OPTIONS... -- NAME FLAGS...: builds NAME.c or NAME.cc, $said and found.json
tested() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	local name=$2 compiler=$cc source=$2.c
	shift 2
	[ -e "$source" ] || compiler=$cxx source=$name.cc
	rm -rf .heddle
	"$compiler" -g -O1 -pthread "$@" "$source" -o "$name" 2>&1 || fail "$name is built"
	said=$("$heddle" test --classify no --runs 40 --json=found.json --sarif=found.sarif --html=found.html "${options[@]}" -- "./$name" 2>&1)
}

cat >updates.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static long number = 40;
static struct {
	uint16_t first, second;
} pair = { 7, 9 };
static int swapped = 3;
static void *add(void *argument)
{
	__sync_fetch_and_add(&number, 5);
	__atomic_fetch_xor(&pair.second, 6, __ATOMIC_RELAXED);
	int expected = 3;
	__atomic_compare_exchange_n(&swapped, &expected, 8, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return argument;
}
static volatile long seen;
static void *look(void *argument)
{
	seen = number;
	seen = pair.second;
	seen = swapped;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, look, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
tested -- updates
# values OBJECT: before and after of the write
values() {
	jq -c --arg object "$1" '[.findings[] | select(.kind == "data-race") | .sites[] | select(.variable == $object and has("after")) | [.before, .after]] | unique' found.json
}
is "an atomic addition" "$(values number)" '[["40","45"]]'
like "an atomic addition, in the text" "$said" 'it was 40 and became 45'
is "an exclusive or of a member" "$(values pair.second)" '[["9","15"]]'
is "a compare and exchange" "$(values swapped)" '[["3","8"]]'

# The optimiser keeps a variable that has two values only in one byte, and which of them is 0 there is its choice.
cat >shrunk.c <<'END'
#include <pthread.h>
static int left = 7;
static volatile int sold;
static void *take(void *argument)
{
	if (left > 0) {
		left = 0;
		sold = 2;
	}
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return left == 100;
}
END
for flags in -O1 -O2; do
	tested -- shrunk $flags
	like "$flags: found" "$said" 'data race on left'
	wrong=$(jq -c '[.findings[] | select(.kind == "data-race") | .sites[] | select(.variable == "left") | .before, .after | select(. != null and . != "7" and . != "0")]' found.json)
	is "$flags: only values that the variable has" "$wrong" '[]'
	like "$flags: and they are reported" "$said" 'it was 7 and became 0'
done
tested -- shrunk -O1 -g0
unlike "without debug information: no value that is none" "$said" '(was|became) 1( |$)'

cat >objects.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
struct pool {
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
	sem_t slots;
	int count, stop;
};
static int plain;
static void *worker(void *argument)
{
	struct pool *p = argument;
	pthread_mutex_lock(&p->lock);
	while (!p->count)
		pthread_cond_wait(&p->not_empty, &p->lock);
	p->count--;
	pthread_mutex_unlock(&p->lock);
	return NULL;
}
int main(void)
{
	struct pool *p = calloc(1, sizeof *p);
	pthread_mutex_t local;
	pthread_t thread;
	pthread_mutex_init(&local, NULL);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->not_empty, NULL);
	sem_init(&p->slots, 0, 1);
	pthread_create(&thread, NULL, worker, p);
	pthread_setname_np(thread, "collector");
	pthread_mutex_lock(&local);
	sem_wait(&p->slots);
	atomic_thread_fence(memory_order_seq_cst);
	p->count = plain;
	pthread_mutex_unlock(&local);
	pthread_join(thread, NULL);
	return 0;
}
END
tested -- objects
columns=$(COLUMNS=200 "$heddle" replay --columns H1 2>/dev/null)
all="$said
$columns"
like "a race: the lock on the stack has its name" "$said" 'holding local, taken at objects\.c:'
like "a race: the lock on the heap has its name" "$said" 'holding p->lock, taken at objects\.c:'
like "a deadlock: what is waited for has its name" "$said" 'waits for condition variable p->not_empty$'
like "columns: a lock" "$all" 'lock p->lock'
like "columns: a condition" "$all" 'wait p->not_empty'
like "columns: a semaphore" "$all" 'semaphore wait p->slots'
like "columns: a fence" "$all" '[0-9] fence$'
without "no fence is an access of nothing" "$all" 'atomic 0x0'
without "no lock is an address" "$all" '(lock|wait|holding) 0x[0-9a-f]'
without "a thread has one name in all findings" "$(grep -oE 'thread 2 [("][^)"]*[)"]' <<<"$all" | sort -u)" worker
like "a thread that was given a name has it" "$said" 'thread 2 \(collector\)'
without "no advice about orders of locks for a condition" "$(jq -r '.runs[].results[].message.text, (.runs[].results[].fixes // empty)' found.sarif)" 'same order'
unlike "the rule of deadlocks does not speak of locks alone" "$(jq -r '.runs[].tool.driver.rules[] | select(.id == "deadlock") | .help.text' found.sarif)" 'again, and with --columns shows it\. Take locks'

# Idle workers: the news was taken, and what is wrong is elsewhere.
cat >idle.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, never = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int jobs;
static void *worker(void *argument)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!jobs)
			pthread_cond_wait(&work, &lock);
		jobs--;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}
int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		jobs++;
		pthread_cond_signal(&work);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&never);
	pthread_mutex_lock(&never);
	return 0;
}
END
tested --strategy priority -- idle
like "idle workers: the deadlock" "$said" '^H1 deadlock'
without "idle workers: no advice to wake them all" "$said" 'broadcast'

cat >members.cc <<'END'
#include <mutex>
#include <thread>
struct account {
	int id = 0;
	std::mutex guard;
	int balance = 0;
	void put(int amount)
	{
		std::lock_guard<std::mutex> hold(guard);
		balance += amount;
	}
	int get() { return balance; }
};
static volatile int seen;
int main()
{
	account *mine = new account;
	std::thread other([mine] { mine->put(5); });
	seen = mine->get();
	other.join();
	delete mine;
}
END
tested -- members
like "a std::mutex of an object has its name" "$said" 'holding [a-z]*(->|\.)guard, taken at members\.cc:9'

# What a failure needs: an unlock, whose call does not name the lock, has the name that its lock has.
cat >between.cc <<'END'
#include <cassert>
#include <mutex>
#include <thread>
struct account {
	std::mutex guard;
	int balance = 0;
};
int main()
{
	account *mine = new account;
	int before;
	std::thread other([mine] {
		std::lock_guard<std::mutex> hold(mine->guard);
		mine->balance++;
	});
	{
		std::lock_guard<std::mutex> hold(mine->guard);
		before = mine->balance;
	}
	{
		std::lock_guard<std::mutex> hold(mine->guard);
		mine->balance = before + 1;
	}
	other.join();
	assert(mine->balance == 2);
	delete mine;
}
END
tested --strategy pct -- between -O0
like "what a failure needs: an unlock by a destructor names the lock" "$said" '^  thread 2 must run between between\.cc:19 unlock mine->guard and '

cat >rows.cc <<'END'
#include <deque>
#include <thread>
static std::deque<int> jobs;
static void fill()
{
	for (int i = 0; i < 4; i++)
		jobs.push_back(i);
}
int main()
{
	std::thread a(fill), b(fill);
	a.join();
	b.join();
}
END
tested -- rows
is "what JSON has a name for has one in the headline" \
	"$(jq -c '[([.findings[].sites[].variable] | any), ([.findings[] | select((.summary | test(" on memory ")) and ([.sites[].variable] | any))] | length)]' found.json)" '[true,0]'
without "rows of headers have the file's name" "$(sed -n '/the threads/,/what to try/p' <<<"$said")" '^ +[0-9]+>? +:[0-9]'
without "so they have in the whole run" "$(COLUMNS=90 "$heddle" replay --columns H1 2>/dev/null)" '(^| ):[0-9]'

cat >pointers.c <<'END'
#include <pthread.h>
#include <stdlib.h>
struct node {
	long first;
	struct node *next;
	int value;
};
static struct node *volatile shared, *volatile other;
static void (*volatile act)(void);
static void *work(void *how)
{
	switch (atoi(how)) {
	case 0:
		return (void *)(long)(shared->next->value + other->value);
	case 1:
		act();
		break;
	case 2:
		return (void *)(long)((struct node *)((char *)shared - 64))->value;
	case 3:
		return (void *)(long)((struct node *)0x123456789abcdef0ul)->value;
	case 4:
		return (void *)(long)((struct node *)0x123456780ul)->value;
	}
	return how;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	(void)count;
	pthread_create(&thread, NULL, work, arguments[1]);
	return pthread_join(thread, NULL);
}
END
ok "pointers: built" "$cc" -g -O1 -pthread pointers.c -o pointers
# crash HOW: the line of the finding
crash() {
	"$heddle" test --classify no --runs 2 --reduce 0 --quiet -- ./pointers "$1" 2>&1
}
like "a NULL pointer is named, with the member" "$(crash 0)" \
	'crash: Segmentation fault \(signal 11\) by a NULL pointer, shared->next \(address 0x8\), at pointers\.c:14 in work,'
like "a NULL function pointer is named, with the place of the call" "$(crash 1)" \
	'crash: Segmentation fault \(signal 11\) by calling a NULL function pointer at pointers\.c:16 in work,'
like "a little before NULL" "$(crash 2)" 'by a NULL pointer, [^ ]* \(address NULL - 48\), at pointers\.c:19 '
said=$(crash 3)
like "a pointer that is not canonical: a crash" "$said" 'crash: Segmentation fault \(signal 11\) at pointers\.c'
without "a pointer that is not canonical is not called NULL" "$said" NULL
without "any other pointer is not called NULL" "$(crash 4)" NULL
like "run: a pointer that is not canonical has no address" "$("$heddle" run -- ./pointers 3 2>&1)" \
	'^heddle: signal 11 without an address: a non-canonical pointer'

cat >copies.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct frame {
	long first;
	struct {
		int row, progress;
	} parts[4];
};
static struct frame *from, *to;
static size_t bytes = sizeof(struct frame);
static void *copy(void *is_whole)
{
	if (is_whole)
		*to = *from;
	else
		memcpy(to, from, bytes);
	return NULL;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	from = calloc(1, sizeof *from);
	to = calloc(1, sizeof *to);
	pthread_create(&thread, NULL, copy, count > 1 ? NULL : arguments);
	from->parts[1].progress = 3;
	return pthread_join(thread, NULL);
}
END
ok "copies: built" "$cc" -g -O0 -pthread copies.c -o copies
for how in "" run-time; do
	title=$("$heddle" test --classify no --runs 4 --reduce 0 --quiet --store "copied$how" -- ./copies $how 2>&1)
	like "a copy${how:+ of a size that is known at run time} behind the access to a member: the title is the member's" "$title" \
		'^H1 data race on from->parts\[1\]\.progress \(4 bytes .*: read at copies\.c:1[57], write at copies\.c:26'
done
done_testing
