/* mutex, recursive_mutex, timed_mutex, lock_guard, unique_lock, scoped_lock over two mutexes in both orders. */
#include "check.h"

#include <chrono>
#include <mutex>
#include <thread>

static std::mutex a, b;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static int count, depth_total;

static void both(bool is_swapped)
{
	for (int i = 0; i < 30; i++) {
		if (is_swapped) {
			std::scoped_lock guard(b, a);
			count++;
		} else {
			std::unique_lock first(a, std::defer_lock), second(b, std::defer_lock);
			std::lock(first, second);
			count++;
		}
	}
}

static void descend(int depth)
{
	std::lock_guard guard(recursive);
	depth_total++;
	if (depth)
		descend(depth - 1);
}

int main()
{
	std::thread threads[] = { std::thread(both, false), std::thread(both, true), std::thread(descend, 5),
				  std::thread(descend, 6) };
	for (auto &thread : threads)
		thread.join();
	timed.lock();
	std::thread([] {
		using namespace std::chrono_literals;
		CHECK(!timed.try_lock());
		CHECK(!timed.try_lock_for(5ms));
		CHECK(!timed.try_lock_until(std::chrono::system_clock::now() + 5ms));
	}).join();
	timed.unlock();
	bool is_refused = false;
	try {
		std::unique_lock<std::mutex> empty;
		empty.lock();
	} catch (const std::system_error &error) {
		is_refused = error.code() == std::errc::operation_not_permitted;
	}
	printf("count %d depth %d refused %d\n", count, depth_total, is_refused);
	return 0;
}
/*
 * expect: count 60 depth 13 refused 1
 */
