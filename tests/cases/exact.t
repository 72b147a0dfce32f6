#!/bin/bash
# Exactness: programs whose number of accesses is known, site by site, and the names of what they access.
. tests/lib/tap.sh
. tests/lib/cc.sh

# counts PROGRAM FILTER: lines "count function access size variable" of the sites that ran, sorted
counts() {
	"$heddle" run --json "$work/counts.json" -- "$1" >/dev/null 2>&1
	jq -r --arg wanted "$2" '.objects[].sites[] | select(.count > 0) | select(.function | test($wanted)) |
		"\(.count) \(.function) \(.access) \(.size) \(.variable)"' "$work/counts.json" | LC_ALL=C sort
}
cat >exact.c <<'END'
#include <stdatomic.h>
#include <string.h>
struct node { struct node *next; int value; };
struct queue { struct node head; struct { long low, high; } range; int length; };
struct connection { struct queue *queue; int *thread; int table[8]; union { int number; float real; char bytes[4]; } u; };
volatile int counter;
volatile long array[100];
int table[64];
struct queue q;
struct connection connection, *current = &connection;
union { int number; float real; } u;
static int local_static;
atomic_int atomic;
char text[128], copy[128], source[128];
static int matrix[4][5];
struct node nodes[10];

__attribute__((noinline)) void loops(void)
{
	for (int i = 0; i < 1000; i++)
		counter++;
	for (int i = 0; i < 100; i++)
		array[i] = 7;
	for (int i = 0; i < 50; i++)
		(void)array[i * 2];
}
__attribute__((noinline)) void fields(struct connection *c, int n)
{
	for (int i = 0; i < n; i++) {
		*(volatile int *)&c->queue->length = i;
		(void)*(volatile int *)&c->table[i % 8];
		(void)*(int *volatile *)&c->thread;
		*(volatile long *)&q.range.high = i;
		*(struct node *volatile *)&q.head.next = &q.head;
		*(volatile int *)&table[i] = i;
		*(volatile int *)&matrix[i % 4][2] = i;
		*(volatile int *)&nodes[i % 10].value = i;
	}
}
__attribute__((noinline)) void pointers(struct node *list, int n)
{
	for (int i = 0; i < n; i++)
		*(volatile int *)&list->next->value += 1;
}
__attribute__((noinline)) int statics(int n)
{
	static volatile int inside;
	for (int i = 0; i < n; i++)
		inside += 2, *(volatile int *)&local_static = i;
	return inside;
}
__attribute__((noinline)) int atomics(int n)
{
	int done = 0;
	for (int i = 0; i < n; i++) {
		atomic_fetch_add(&atomic, 1);
		int expected = i % 2 ? -1 : atomic_load_explicit(&atomic, memory_order_acquire);
		done += atomic_compare_exchange_strong(&atomic, &expected, expected);
		atomic_store_explicit(&atomic, i, memory_order_release);
		atomic_thread_fence(memory_order_seq_cst);
	}
	return done;
}
__attribute__((noinline)) void ranges(size_t n)
{
	for (int i = 0; i < 6; i++) {
		memset(text, i, n);
		memcpy(copy, source, n);
		memmove(text + 1, text, n);
	}
}
__attribute__((noinline)) void not_shared(int n)
{
	volatile int mine[16];
	static _Thread_local volatile int private_tls;
	static const volatile int constant[4] = { 1, 2, 3, 4 };
	for (int i = 0; i < n; i++)
		mine[i % 16] = i, private_tls += constant[i % 4];
}
static inline __attribute__((always_inline)) void innermost(struct queue *target) { *(volatile int *)&target->length = 3; }
static inline __attribute__((always_inline)) void between(struct queue *target) { innermost(target); }
__attribute__((noinline)) void inlined(struct queue *outer, int n)
{
	for (int i = 0; i < n; i++)
		between(outer);
}
int main(void)
{
	connection.queue = &q;
	nodes[0].next = &nodes[1];
	loops();
	fields(current, 40);
	pointers(nodes, 30);
	statics(20);
	atomics(10);
	ranges(60);
	not_shared(500);
	inlined(&q, 25);
	return 0;
}
END
for level in "-O0 -g" -O1 -O2 -O3; do
	$cc -fno-unroll-loops $level exact.c -o exact
	is "$level: loops" "$(counts ./exact '^loops$')" "100 loops write 8 array[]
1000 loops read 4 counter
1000 loops write 4 counter
50 loops read 8 array[]"
	got=$(counts ./exact '^fields$' | grep -v 'c->queue$')
	is "$level: fields" "$got" "40 fields read 4 c->table[]
40 fields read 8 c->thread
40 fields write 4 c->queue->length
40 fields write 4 matrix[][]
40 fields write 4 nodes[].value
40 fields write 4 table[]
40 fields write 8 q.head.next
40 fields write 8 q.range.high"
	is "$level: pointers" "$(counts ./exact '^pointers$' | grep value)" "30 pointers read 4 list->next->value
30 pointers write 4 list->next->value"
	is "$level: statics" "$(counts ./exact '^statics$' | sed 's/statics\.inside/inside/' | grep -v '^1 ')" "20 statics read 4 inside
20 statics write 4 inside
20 statics write 4 local_static"
	is "$level: atomics" "$(counts ./exact '^atomics$')" "10 atomics atomic exchange 4 atomic
10 atomics atomic update 4 atomic
10 atomics atomic write 4 atomic
10 atomics fence null null
5 atomics atomic read 4 atomic"
	is "$level: ranges" "$(counts ./exact '^ranges$' | cut -d' ' -f1,3,4)" "6 read null
6 read null
6 write null
6 write null
6 write null"
	is "$level: not shared" "$(counts ./exact '^not_shared$')" ""
	like "$level: not shared, but counted as skipped" "$("$heddle" sites --summary exact)" 'provably not shared\) +[1-9]'
	is "$level: inlined" "$(counts ./exact 'innermost|inlined' | grep -v 8)" "25 innermost write 4 target->length"
	is "$level: the chain of inlining" "$(jq -r '.objects[].sites[] | select(.function == "innermost") |
		[.inlined_at[] | .function] | join(" ")' counts.json)" "between inlined"
done

cat >exact.cc <<'END'
#include <cstdio>
namespace game {
struct Base { volatile int base_count = 0; virtual ~Base() {} };
template <class T> class Player : public Base {
	volatile T count = 0;
	struct { volatile int x, y; } place;
	static inline volatile int all = 0;
public:
	__attribute__((noinline)) void step(int n) { for (int i = 0; i < n; i++) { count = count + 1; place.y = i; all = all + 1; base_count = i; } }
	__attribute__((noinline)) T operator+(const Player &other) const { return count + other.count; }
};
}
namespace { volatile int hidden; __attribute__((noinline)) void touch(int &reference, int n) { for (int i = 0; i < n; i++) { hidden = i; *(volatile int *)&reference = i; } } }
int global;
volatile int thirteen = 13, fourteen = 14;
int *volatile place = &global;
int main()
{
	static game::Player<long> a;
	static game::Player<short> b;
	a.step(11);
	b.step(12);
	long sum = a + a;
	touch(*place, thirteen);
	auto lambda = [&sum](int n) __attribute__((noinline)) { for (int i = 0; i < n; i++) global = *(volatile int *)&global + 1; };
	lambda(fourteen);
	return sum == 0;
}
END
for level in -O0 -O2; do
	$cxx -fno-unroll-loops $level exact.cc -o exactxx
	is "C++ $level: names" "$(counts ./exactxx 'step|touch|operator.' | grep -Ev ' (n|this)$')" \
"1 game::Player<long>::operator+(game::Player<long> const&) const read 8 other.count
1 game::Player<long>::operator+(game::Player<long> const&) const read 8 this->count
11 game::Player<long>::step(int) read 4 all
11 game::Player<long>::step(int) read 8 this->count
11 game::Player<long>::step(int) write 4 all
11 game::Player<long>::step(int) write 4 this->base_count
11 game::Player<long>::step(int) write 4 this->place.y
11 game::Player<long>::step(int) write 8 this->count
12 game::Player<short>::step(int) read 2 this->count
12 game::Player<short>::step(int) read 4 all
12 game::Player<short>::step(int) write 2 this->count
12 game::Player<short>::step(int) write 4 all
12 game::Player<short>::step(int) write 4 this->base_count
12 game::Player<short>::step(int) write 4 this->place.y
13 touch(int&, int) write 4 hidden
13 touch(int&, int) write 4 reference
14 main::{lambda#1}::operator()(int) const read 4 global
14 main::{lambda#1}::operator()(int) const write 4 global"
done

# The whole of a small program.
cat >golden.c <<'END'
#include <stdatomic.h>
struct item { struct item *next; long weight; };
struct item *head;
int table[10];
static _Thread_local int mine;
_Thread_local int handed_out;
int *place;
atomic_long total;
static const int constants[4] = { 1, 2, 3, 4 };
void keep(int *);

long push(struct item *item, int which)
{
	int local = which, escaping = which;
	keep(&escaping);
	item->next = head;
	head = item;
	mine++;
	place = &handed_out;
	handed_out = escaping;
	table[which & 7] = constants[which & 3] + local;
	atomic_fetch_add_explicit(&total, item->weight, memory_order_relaxed);
	return table[2];
}
END
printf 'struct item { struct item *next; long weight; };\nlong push(struct item *, int);\nvoid keep(int *p) { (void)p; }\nint main(void) { static struct item i; return (int)push(&i, 3); }\n' >golden-main.c
$cc -O0 -c golden.c && $clang -c golden-main.c && $cc golden.o golden-main.o -o golden
is "sites of a small program, -O0" "$("$heddle" sites golden | sed 's/^[0-9]* *//')" "$(cat <<'END'
golden.c:14:21  push  write 4                  escaping
golden.c:16:15  push  read 8                   head
golden.c:16:13  push  write 8                  item->next
golden.c:17:7   push  write 8                  head
golden.c:19:8   push  write 8                  place
golden.c:20:15  push  read 4                   escaping
golden.c:20:13  push  write 4                  handed_out
golden.c:21:19  push  write 4                  table[]
golden.c:22:42  push  read 8                   item->weight
golden.c:22:2   push  atomic update 8 relaxed  total
golden.c:23:9   push  read 4                   table[2]
END
)"
$cc -O2 -c golden.c && $cc golden.o golden-main.o -o golden
is "sites of a small program, -O2" "$("$heddle" sites golden | awk '{ $1 = $2 = ""; print }' | sort | sed 's/^ *//')" "$(cat <<'END'
push atomic update 8 relaxed total
push read 4 escaping
push read 4 table[2]
push read 8 head
push read 8 item->weight
push write 4 escaping
push write 4 handed_out
push write 4 table[]
push write 8 head
push write 8 item->next
push write 8 place
END
)"
is "what was skipped" "$("$heddle" sites --json golden | jq '.functions[] | select(.function == "push") | .skipped > 0')" true
is_clean "no leftovers"
# Several variables hold the pointer; the name is of the one whose type has something there.
cat >guard.cc <<'END'
#include <deque>
#include <mutex>
struct shelf {
	std::mutex lock;
	long count;
	std::deque<int> books;
	void add()
	{
		std::lock_guard<std::mutex> held(lock);
		++count;
		books.push_back(3);
	}
};
__attribute__((noinline)) void fill(shelf *s) { s->add(); }
int main()
{
	static shelf s;
	fill(&s);
}
END
$cxx -O1 guard.cc -o guard
names=$("$heddle" sites --json guard | jq -r '.sites[] | select(.file == "guard.cc" and .line == 10) | .access + " " + .variable' | sort -u | tr '\n' ';')
is "a guard is not what it guards" "$names" "read this->count;write this->count;"
unlike "nor is the first member" "$("$heddle" sites guard)" 'mutex\[\]'

# Counting takes no descriptor away from the program.
cat >numbers.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
volatile int counter;
int main(void)
{
	counter++;
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d ", fd);
	printf("%d\n", open("/dev/null", O_RDONLY));
}
END
$cc -O1 numbers.c -o numbers
same "no descriptor stays open" "$("$heddle" run --json "$work/counts.json" -- ./numbers 2>/dev/null)" "$(./numbers)"
done_testing
