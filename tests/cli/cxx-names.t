#!/bin/bash
# Locks and condition variables of the C++ library are called as the program calls them, without optimisation, where the library's inline functions are
# functions, and with it: global, on the heap, on a stack, in an array, members of this.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset COLUMNS NO_COLOR HEDDLE_STORE

# tested NAME FLAGS...: builds NAME.cc; $said, $columns of the finding that ends the run, and both in $all
tested() {
	local name=$1
	shift
	rm -rf .heddle
	"$cxx" -g -std=c++17 -pthread "$@" "$name.cc" -o "$name" 2>&1 || fail "$name is built"
	said=$("$heddle" test --classify no --runs 40 --json=found.json -- "./$name" 2>&1)
	columns=$(COLUMNS=220 "$heddle" replay --columns --from 1 --to 2000 H1 2>/dev/null)
	all="$said
$columns"
}

cat >forms.cc <<'SOURCE'
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
struct queue {
	std::mutex lock;
	std::condition_variable not_empty;
	std::condition_variable_any idle;
	std::shared_mutex table;
	std::recursive_mutex again;
	std::timed_mutex patient;
	int count = 0;
	void put()
	{
		std::lock_guard<std::mutex> hold(lock);
		count++;
		not_empty.notify_one();
	}
	void take()
	{
		std::unique_lock<std::mutex> hold(lock);
		not_empty.wait(hold, [this] { return count > 0; });
		count--;
	}
};
static std::mutex global, stripes[4];
static std::condition_variable ready;
static int value;
static volatile int seen;
static void reader(queue *q)
{
	std::shared_lock<std::shared_mutex> hold(q->table);
	seen = value;
}
static void writer(queue *q, std::mutex &given)
{
	std::scoped_lock one(given);
	std::lock_guard<std::recursive_mutex> two(q->again);
	std::unique_lock<std::timed_mutex> three(q->patient, std::defer_lock);
	three.lock();
	value++;
}
int main(int argc, char **)
{
	queue *q = new queue;
	std::mutex mine, local;
	std::thread a([q] { q->take(); });
	std::thread b(reader, q);
	std::thread c(writer, q, std::ref(mine));
	q->put();
	{
		std::lock_guard<std::mutex> hold(stripes[argc]);
		local.lock();
		value += 2;
		local.unlock();
	}
	q->idle.notify_all();
	a.join();
	b.join();
	c.join();
	std::unique_lock<std::mutex> hold(global);
	ready.wait_for(hold, std::chrono::milliseconds(1));
	ready.wait(hold);
}
SOURCE

cat >lost.cc <<'SOURCE'
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
struct box {
	int id = 0;
	std::mutex lock;
	std::condition_variable filled;
	int number = 0;
};
static void consume(std::shared_ptr<box> b)
{
	std::unique_lock<std::mutex> hold(b->lock);
	b->filled.wait(hold);
	b->number--;
}
int main()
{
	auto b = std::make_shared<box>();
	std::thread consumer(consume, b);
	{
		std::lock_guard<std::mutex> hold(b->lock);
		b->number++;
	}
	b->filled.notify_all();
	consumer.join();
}
SOURCE

cat >cross.cc <<'SOURCE'
#include <mutex>
#include <thread>
struct account {
	int id = 0;
	std::mutex guard;
	int balance = 10;
};
static void move(account *from, account *to)
{
	std::lock_guard<std::mutex> first(from->guard);
	std::lock_guard<std::mutex> second(to->guard);
	from->balance--;
	to->balance++;
}
int main()
{
	auto x = new account, y = new account;
	std::thread other([=] { move(y, x); });
	move(x, y);
	other.join();
}
SOURCE

# One thread alone: which line calls what by which name. The last number of a line is where it is.
cat >ways.cc <<'SOURCE'
#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
struct slot {
	int id = 0;
	std::mutex m;
};
struct base {
	std::mutex guard;
};
struct derived : base {
	int number = 0;
	void go() { std::lock_guard<std::mutex> hold(guard); }
	void later()
	{
		auto task = [this] { std::lock_guard<std::mutex> hold(guard); };
		task();
	}
};
struct wrapper {
	std::mutex inner;
	void lock() { inner.lock(); }
	void unlock() { inner.unlock(); }
};
struct holder {
	int id = 0;
	std::array<slot, 3> slots;
	std::once_flag once;
};
static void by_pointer(std::mutex *pointer)
{
	pointer->lock();
	pointer->unlock();
}
int main(int argc, char **)
{
	auto one = std::make_unique<slot>();
	std::vector<slot> many(3);
	auto owner = std::make_shared<holder>();
	std::mutex local, other;
	std::condition_variable_any any;
	{ std::lock_guard<std::mutex> hold(one->m); }
	{ std::lock_guard<std::mutex> hold(many[argc].m); }
	std::call_once(owner->once, [] {});
	(new derived)->go();
	(new derived)->later();
	{ std::lock_guard<wrapper> hold(*new wrapper); }
	by_pointer(&other);
	{ std::scoped_lock hold(owner->slots[argc].m, other); }
	{
		std::unique_lock<std::mutex> hold(local);
		any.wait_for(hold, std::chrono::milliseconds(1));
	}
	std::thread task([owner, &local] {
		owner->slots[2].m.lock();
		local.lock();
	});
	task.join();
	local.lock();
}
SOURCE

# the name that a line of ways.cc has in the columns
named() {
	sed -nE "s/.*[^0-9]$1 (try lock|lock|once|wait) ([^ ]*).*/\\2/p" <<<"$columns" | paste -sd' '
}
line() {
	grep -nF -- "$1" ways.cc | cut -d: -f1
}

for flags in -O0 -O2; do
	tested ways $flags
	is "$flags: what a std::unique_ptr has" "$(named "$(line 'hold(one->m)')")" 'one->m'
	is "$flags: an element of a vector" "$(named "$(line 'many[argc].m')")" 'many[].m'
	[ $flags = -O2 ] || is "$flags: a std::once_flag" "$(named "$(line 'call_once')")" 'owner->once'
	is "$flags: a member of a base class that has nothing else" "$(named "$(line 'void go()')")" 'this->guard'
	is "$flags: what a lambda has of this" "$(named "$(line 'task = [this]')")" 'this->guard'
	is "$flags: a class of the program around a mutex" "$(named "$(line 'void lock()')")" 'this->inner'
	like "$flags: a std::condition_variable_any that is waited for" "$columns" "$(line 'any.wait_for') wait any"
	is "$flags: a lock that a lambda refers to" "$(grep -oE 'waits for mutex [^,]*' <<<"$said" | sort -u)" 'waits for mutex local'
	# Two locks of one call cannot be told apart, and one of them has no name at other places.
	without "$flags: no lock has the name of another" "$(named "$(line 'std::scoped_lock hold')")" 'other.*other|owner.*owner'
done

for flags in -O0 -O2; do
	tested forms $flags
	like "$flags: a std::mutex on the stack" "$said" 'holding local, taken at forms\.cc:'
	like "$flags: a std::mutex of an array" "$said" 'holding stripes\[1\], taken at forms\.cc:'
	like "$flags: a std::shared_mutex on the heap" "$said" 'holding \(for reading\) q->table, taken at forms\.cc:'
	like "$flags: a std::scoped_lock of a reference" "$said" 'holding given, taken at forms\.cc:'
	like "$flags: a std::recursive_mutex" "$said" 'holding q->again, taken at forms\.cc:'
	like "$flags: a std::unique_lock that takes it later" "$said" 'holding q->patient, taken at forms\.cc:'
	like "$flags: a global condition is waited for" "$said" 'waits for condition variable ready$'
	like "$flags: columns: the lock of this" "$columns" 'forms\.cc:16 lock this->lock'
	like "$flags: columns: the condition of this" "$columns" 'forms\.cc:18 signal this->not_empty'
	like "$flags: columns: a std::condition_variable_any" "$columns" 'broadcast q->idle'
	like "$flags: columns: a lock that the library has inside" "$columns" ' lock q->idle'
	like "$flags: columns: a global mutex, without what the library has in it" "$columns" ' lock global$'
	without "$flags: no lock is an address" "$all" '(lock|wait|signal|broadcast|holding|variable) (\(for reading\) )?0x[0-9a-f]'
	without "$flags: no name is the library's" "$(grep -E ' (lock|wait|signal|broadcast|holding|variable) ' <<<"$all")" '(lock|wait|signal|broadcast|holding|variable) [^ ]*_M_'
	like "$flags: the advice says who has which" "$said" 'thread 4 holds given, q->again and q->patient'

	tested lost $flags
	like "$flags: a lost wakeup: the condition" "$said" 'waits for condition variable b->filled$'
	like "$flags: a lost wakeup: the advice" "$said" 'b->filled.*so the signal is lost'
	without "$flags: a lost wakeup: no other name" "$(grep -oE '(lock|wait|signals?|broadcast|holding|variable) [^ ]*(0x|->)[^ ,]*' <<<"$all")" '(0x|this|operator|_M_)'
	like "$flags: a lost wakeup: columns" "$columns" 'wait b->filled'

	tested cross $flags
	like "$flags: a deadlock: one lock" "$said" 'waits for mutex (from|to)->guard'
	without "$flags: a deadlock: no lock is only an address" "$all" '(lock|mutex|took|had|holding) 0x[0-9a-f]'
done
done_testing
