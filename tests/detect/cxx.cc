// cxx.cc: what C++ has on top: threads, locks, futures, statics, shared pointers, exceptions that go from thread to thread.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "case.h"

using namespace std::chrono_literals;

static volatile int x, y;
static std::mutex m, n;

template <typename... F> static void run(F... f)
{
	std::thread all[] = { std::thread(f)... };
	for (auto &thread : all)
		thread.join();
}

static void bump() { x = x + 1; } // @bump

CASE(thread) { x = 1; std::thread t(bump); t.join(); x = 2; }
CASE(thread_race) { run(bump, bump); }
CASE(thread_arguments)
{
	auto text = std::make_unique<std::string>("text that is long enough for the heap");
	std::thread t([](std::unique_ptr<std::string> s) { s->append("!"); }, std::move(text));
	t.join();
}
CASE(jthread)
{
	{
		std::jthread t([](std::stop_token stop) {
			y = 1;
			while (!stop.stop_requested())
				std::this_thread::yield();
			x = x + 1;
		});
		x = 1;
		t.request_stop();
	}
	y = x;
}
CASE(stop_callback)
{
	std::stop_source source;
	std::jthread t([&] {
		std::stop_callback call(source.get_token(), [] { x = x + 1; });
		while (!source.stop_requested())
			std::this_thread::yield();
	});
	x = 1;
	source.request_stop();
	t.join();
	x = x + 1;
}

template <typename Mutex> static void locked()
{
	static Mutex mutex;
	auto body = [] { std::lock_guard<Mutex> hold(mutex); bump(); };
	run(body, body, body);
}
CASE(mutex) { locked<std::mutex>(); }
CASE(recursive_mutex) { locked<std::recursive_mutex>(); }
CASE(timed_mutex) { locked<std::timed_mutex>(); }
CASE(recursive_timed_mutex) { locked<std::recursive_timed_mutex>(); }
CASE(shared_mutex) { locked<std::shared_mutex>(); }
CASE(shared_timed_mutex) { locked<std::shared_timed_mutex>(); }
CASE(timed_lock)
{
	static std::timed_mutex mutex;
	auto body = [] { std::unique_lock hold(mutex, std::defer_lock); if (hold.try_lock_for(1h)) bump(); };
	run(body, body);
}
CASE(scoped_lock)
{
	auto body = [] { std::scoped_lock hold(m, n); bump(); };
	auto other = [] { std::scoped_lock hold(n, m); bump(); };
	run(body, other, body);
}
CASE(shared_lock)
{
	static std::shared_mutex mutex;
	auto reads = [] { std::shared_lock hold(mutex); if (x > 9) abort(); };
	auto writes = [] { std::unique_lock hold(mutex); bump(); };
	run(reads, writes, reads, writes);
}
CASE(shared_lock_race)
{
	static std::shared_mutex mutex;
	auto writes = [] { std::shared_lock hold(mutex); bump(); };
	run(writes, writes);
}

static std::condition_variable c;
static std::condition_variable_any any;
static bool ready;
CASE(condition)
{
	run([] { x = 1; { std::lock_guard hold(m); ready = true; } c.notify_one(); },
	    [] { std::unique_lock hold(m); c.wait(hold, [] { return ready; }); x = 2; });
}
CASE(condition_for)
{
	run([] { x = 1; { std::lock_guard hold(m); ready = true; } c.notify_one(); },
	    [] { std::unique_lock hold(m); c.wait_for(hold, 1h, [] { return ready; }); x = 2; });
}
CASE(condition_any)
{
	static std::shared_mutex mutex;
	run([] { x = 1; { std::lock_guard hold(mutex); ready = true; } any.notify_all(); },
	    [] { std::shared_lock hold(mutex); any.wait(hold, [] { return ready; }); x = 2; });
}
CASE(at_thread_exit)
{
	static std::optional<int> value;
	std::thread t([] {
		thread_local struct last { ~last() { value = 7; } } at_end;
		(void)&at_end;
		std::unique_lock hold(m);
		ready = true;
		std::notify_all_at_thread_exit(c, std::move(hold));
	});
	{
		std::unique_lock hold(m);
		c.wait(hold, [] { return ready; });
		if (*value != 7)
			abort();
	}
	t.join();
}

static std::once_flag flag;
CASE(call_once)
{
	auto body = [] { std::call_once(flag, [] { x = 5; }); if (x != 5) abort(); };
	run(body, body, body);
}
CASE(call_once_throws)
{
	static int tries;
	auto body = [] {
		try {
			std::call_once(flag, [] { x = x + 1; if (tries++ < 2) throw std::runtime_error("again"); });
			if (x != 3)
				abort();
		} catch (const std::runtime_error &) {
		}
	};
	run(body, body, body, body);
}

// The initialisation of a local static variable.
struct thing {
	std::string text = "text that is long enough to be on the heap";
	int value = 42;
	~thing() { value = 0; }
};
static thing &instance() { static thing t; return t; }
CASE(local_static)
{
	auto body = [] { if (instance().value != 42 || instance().text.size() != 42) abort(); };
	run(body, body, body);
}
static int make_value() { x = 9; return x; }
static int plain_static() { static int value = make_value(); return value; }
CASE(local_static_plain)
{
	auto body = [] { if (plain_static() != 9 || x != 9) abort(); };
	run(body, body, body);
}
static int throwing_static()
{
	static int tries;
	static int value = [] { x = x + 1; if (tries++ < 2) throw 1; return 3; }();
	return value;
}
CASE(local_static_throws)
{
	auto body = [] { try { if (throwing_static() != 3 || x != 3) abort(); } catch (int) { } };
	run(body, body, body, body);
}
static thing *lazy;
static thing &broken() { if (!lazy) lazy = new thing; return *lazy; } // @broken
CASE(lazy_race)
{
	auto body = [] { if (!&broken()) abort(); };
	run(body, body);
}
static thread_local thing mine;
CASE(local_thread)
{
	auto body = [] { mine.value++; mine.text += "x"; };
	for (int i = 0; i < 3; i++)
		run(body, body);
	for (int i = 0; i < 6; i++) {
		std::thread(body).detach();
		for (int j = 0; j < 30; j++)
			std::this_thread::yield();
	}
}

CASE(future)
{
	std::promise<std::string> promise;
	auto future = promise.get_future();
	std::thread t([&] { x = 1; promise.set_value("text that is long enough for the heap"); });
	if (future.get().size() != 37 || x != 1)
		abort();
	t.join();
}
CASE(async)
{
	x = 1;
	auto a = std::async(std::launch::async, [] { bump(); return std::vector<int>(100, 1); });
	auto d = std::async(std::launch::deferred, [] { bump(); return 1; });
	if (a.get().size() != 100 || d.get() != 1)
		abort();
	bump();
}
CASE(packaged_task)
{
	std::packaged_task<int()> task([] { bump(); return x; });
	auto future = task.get_future();
	std::thread t(std::move(task));
	if (future.get() != 1)
		abort();
	bump();
	t.join();
}
CASE(future_race)
{
	std::promise<void> promise;
	auto future = promise.get_future();
	std::thread t([&] { promise.set_value(); bump(); });
	future.wait();
	bump();
	t.join();
}
// An exception is shared by those that rethrow it; the last one frees it.
struct failure : std::runtime_error {
	int code;
	failure() : std::runtime_error("text of the failure, long enough for the heap"), code(5) {}
};
CASE(shared_exception)
{
	std::promise<int> promise;
	std::shared_future<int> future = promise.get_future().share();
	auto body = [future] {
		try {
			future.get();
		} catch (const failure &f) {
			if (f.code != 5 || f.what()[0] != 't')
				abort();
		}
	};
	std::thread a(body), b(body);
	future = {};
	try {
		throw failure();
	} catch (...) {
		promise.set_exception(std::current_exception());
	}
	{ auto gone = std::move(promise); }
	a.join();
	b.join();
}
CASE(exception_ptr)
{
	std::exception_ptr p = std::make_exception_ptr(failure());
	auto body = [](std::exception_ptr mine) {
		try {
			std::rethrow_exception(mine);
		} catch (const failure &f) {
			if (f.code != 5)
				abort();
		}
	};
	std::thread a(body, p), b(body, p);
	p = nullptr;
	a.join();
	b.join();
}

// Shared pointers: the last one deletes, whoever that is.
CASE(shared_ptr)
{
	auto p = std::make_shared<thing>();
	auto body = [](std::shared_ptr<thing> mine) { if (mine->value != 42) abort(); };
	std::thread a(body, p), b(body, p), d(body, p);
	p.reset();
	a.join();
	b.join();
	d.join();
}
CASE(shared_ptr_new)
{
	std::shared_ptr<thing> p(new thing);
	auto body = [](std::shared_ptr<thing> mine) { auto copy = mine; if (copy->text.empty()) abort(); };
	std::thread a(body, p), b(body, p);
	p.reset();
	a.join();
	b.join();
}
CASE(weak_ptr)
{
	auto p = std::make_shared<thing>();
	auto body = [](std::weak_ptr<thing> weak) { if (auto strong = weak.lock()) if (strong->value != 42) abort(); };
	std::thread a(body, std::weak_ptr<thing>(p)), b(body, std::weak_ptr<thing>(p)), d([p = std::move(p)]() mutable { p.reset(); });
	a.join();
	b.join();
	d.join();
}
CASE(shared_ptr_race)
{
	static std::shared_ptr<int> p = std::make_shared<int>(1);
	auto body = [] { *p = *p + 1; }; // @shared_ptr_race
	run(body, body);
	p.reset();
}
CASE(shared_ptr_atomic)
{
	static std::shared_ptr<thing> p = std::make_shared<thing>();
	auto reads = [] { auto mine = std::atomic_load(&p); if (mine->value != 42) abort(); };
	auto writes = [] { std::atomic_store(&p, std::make_shared<thing>()); };
	run(reads, writes, reads, writes);
}

// C++20.
static std::atomic<int> a;
CASE(atomic_wait)
{
	run([] { x = 1; a.store(1, std::memory_order_release); a.notify_all(); },
	    [] { a.wait(0, std::memory_order_acquire); if (x == 0) abort(); },
	    [] { a.wait(0, std::memory_order_acquire); if (x == 0) abort(); });
}
CASE(atomic_wait_alone)
{
	run([] { x = 1; a.store(1, std::memory_order_release); a.notify_one(); },
	    [] { a.wait(0, std::memory_order_acquire); x = 2; });
}
CASE(atomic_wait_relaxed)
{
	run([] { x = 1; a.store(1, std::memory_order_relaxed); }, // @wait_relaxed_teller
	    [] { while (a.load(std::memory_order_relaxed) != 1) std::this_thread::yield(); x = 2; }); // @wait_relaxed_hearer
}
CASE(atomic_flag)
{
	static std::atomic_flag f;
	run([] { x = 1; f.test_and_set(std::memory_order_release); f.notify_all(); }, [] { f.wait(false, std::memory_order_acquire); x = 2; });
}
CASE(atomic_ref)
{
	static int plain;
	run([] { x = 1; std::atomic_ref<int>(plain).store(1); },
	    [] { while (!std::atomic_ref<int>(plain).load()) std::this_thread::yield(); x = 2; });
}
CASE(latch)
{
	static std::latch l(2);
	static volatile int parts[2];
	run([] { parts[0] = 1; l.count_down(); }, [] { parts[1] = 1; l.count_down(); }, [] { l.wait(); if (parts[0] + parts[1] != 2) abort(); });
}
CASE(barrier)
{
	static std::barrier b(2, []() noexcept { x = x + 1; });
	static volatile int parts[2];
	auto body = [](int i) { return [i] { for (int r = 0; r < 3; r++) { parts[i] = r; b.arrive_and_wait(); if (parts[1 - i] != r) abort(); b.arrive_and_wait(); } }; };
	run(body(0), body(1));
}
CASE(semaphore)
{
	static std::counting_semaphore<2> s(0);
	run([] { x = 1; s.release(); }, [] { s.acquire(); x = 2; });
}
CASE(semaphore_binary)
{
	static std::binary_semaphore s(1);
	auto body = [] { s.acquire(); bump(); s.release(); };
	run(body, body, body);
}
CASE(semaphore_two)
{
	static std::counting_semaphore<2> s(2);
	auto body = [] { s.acquire(); bump(); s.release(); };
	run(body, body);
}

CASE(string_moved)
{
	std::promise<std::string> promise;
	std::thread t([](std::future<std::string> f) { std::string s = f.get(); s += "!"; }, promise.get_future());
	promise.set_value(std::string(100, 'x'));
	t.join();
}

struct plain { int a[3]; };
static plain *volatile lone;
static int *volatile many;
BODY(deletes) { delete lone; } // @deletes
CASE(delete_twice) { lone = new plain; threads(deletes, deletes); }
BODY(deletes_many) { delete[] many; } // @deletes_many
CASE(delete_array_twice) { many = new int[12]; threads(deletes_many, deletes_many); }

CASES(CHOICE(thread), CHOICE(thread_race), CHOICE(thread_arguments), CHOICE(jthread), CHOICE(stop_callback), CHOICE(mutex),
      CHOICE(recursive_mutex), CHOICE(timed_mutex), CHOICE(recursive_timed_mutex), CHOICE(shared_mutex),
      CHOICE(shared_timed_mutex), CHOICE(timed_lock), CHOICE(scoped_lock), CHOICE(shared_lock),
      CHOICE(shared_lock_race), CHOICE(condition), CHOICE(condition_for), CHOICE(condition_any), CHOICE(at_thread_exit),
      CHOICE(call_once), CHOICE(call_once_throws), CHOICE(local_static), CHOICE(local_static_plain),
      CHOICE(local_static_throws), CHOICE(lazy_race), CHOICE(local_thread), CHOICE(future), CHOICE(async),
      CHOICE(packaged_task), CHOICE(future_race), CHOICE(shared_exception), CHOICE(exception_ptr), CHOICE(shared_ptr),
      CHOICE(shared_ptr_new), CHOICE(weak_ptr), CHOICE(shared_ptr_race), CHOICE(shared_ptr_atomic), CHOICE(atomic_wait),
      CHOICE(atomic_wait_alone), CHOICE(atomic_wait_relaxed), CHOICE(atomic_flag), CHOICE(atomic_ref), CHOICE(latch),
      CHOICE(barrier), CHOICE(semaphore), CHOICE(semaphore_binary), CHOICE(semaphore_two), CHOICE(string_moved), CHOICE(delete_twice), CHOICE(delete_array_twice))

/*
 * case thread: none
 * case thread_race: bump-bump
 * case thread_arguments: none
 * case jthread: none
 * case stop_callback: none
 * case mutex: none
 * case recursive_mutex: none
 * case timed_mutex: none
 * case recursive_timed_mutex: none
 * case shared_mutex: none
 * case shared_timed_mutex: none
 * case timed_lock: none
 * case scoped_lock: none
 * case shared_lock: none
 * case shared_lock_race: bump-bump
 * case condition: none
 * case condition_for: none
 * case condition_any: none
 * case at_thread_exit: none
 * case call_once: none
 * case call_once_throws: none
 * case local_static: none
 * case local_static_plain: none
 * case local_static_throws: none
 * case lazy_race: broken-broken
 * case local_thread: none
 * case future: none
 * case async: none
 * case packaged_task: none
 * case future_race: bump-bump
 * case shared_exception: none
 * case exception_ptr: none
 * case shared_ptr: none
 * case shared_ptr_new: none
 * case weak_ptr: none
 * case shared_ptr_race: shared_ptr_race-shared_ptr_race
 * case shared_ptr_atomic: none
 * case atomic_wait: none
 * case atomic_wait_alone: none
 * case atomic_wait_relaxed: wait_relaxed_teller-wait_relaxed_hearer
 * case atomic_flag: none
 * case atomic_ref: none
 * case latch: none
 * case barrier: none
 * case semaphore: none
 * case semaphore_binary: none
 * case semaphore_two: bump-bump
 * case string_moved: none
 * case delete_twice: double deletes
 * case delete_array_twice: double deletes_many
 * says delete_array_twice: ^  freed by thread [0-9]+ .*cxx\.cc:[0-9]+ in deletes_many
 */
