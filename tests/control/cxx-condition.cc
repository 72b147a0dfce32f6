/* condition_variable with predicates and time-outs, condition_variable_any, notify_all_at_thread_exit. */
#include "check.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
static std::mutex mutex;
static std::condition_variable cond;
static std::condition_variable_any any;
static std::deque<int> queue;
static bool is_over, is_gone;
static int any_turn;

int main()
{
	long sums[2] = { 0, 0 };
	auto consume = [&](int index) {
		for (;;) {
			std::unique_lock lock(mutex);
			cond.wait(lock, [] { return !queue.empty() || is_over; });
			if (queue.empty())
				return;
			sums[index] += queue.front();
			queue.pop_front();
		}
	};
	std::thread first(consume, 0), second(consume, 1);
	for (int i = 1; i <= 100; i++) {
		{
			std::lock_guard lock(mutex);
			queue.push_back(i);
		}
		cond.notify_one();
	}
	{
		std::lock_guard lock(mutex);
		is_over = true;
	}
	cond.notify_all();
	first.join();
	second.join();

	std::unique_lock lock(mutex);
	CHECK(cond.wait_for(lock, 5ms, [] { return false; }) == false);
	CHECK(cond.wait_until(lock, std::chrono::system_clock::now() + 5ms, [] { return false; }) == false);
	std::thread([] {
		std::unique_lock inner(mutex);
		is_gone = true;
		std::notify_all_at_thread_exit(cond, std::move(inner));
	}).detach();
	cond.wait(lock, [] { return is_gone; });
	std::thread third([] {
		std::unique_lock inner(mutex);
		any_turn = 1;
		any.notify_all();
		any.wait(inner, [] { return any_turn == 2; });
	});
	any.wait(lock, [] { return any_turn == 1; });
	any_turn = 2;
	lock.unlock();
	any.notify_all();
	third.join();
	printf("sum %ld turn %d\n", sums[0] + sums[1], any_turn);
	return 0;
}
/*
 * expect: sum 5050 turn 2
 */
