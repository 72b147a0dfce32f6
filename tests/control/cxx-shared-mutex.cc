/* shared_mutex and shared_timed_mutex: readers together, writers alone. */
#include "check.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::shared_mutex mutex;
static std::shared_timed_mutex timed;
static std::map<int, int> table;
static std::atomic<int> hits;

int main()
{
	std::vector<std::thread> threads;
	for (int w = 0; w < 2; w++)
		threads.emplace_back([w] {
			for (int i = 0; i < 30; i++) {
				std::unique_lock lock(mutex);
				table[w * 100 + i] = i;
			}
		});
	for (int r = 0; r < 3; r++)
		threads.emplace_back([] {
			for (int found = 0; found < 30;) {
				std::shared_lock lock(mutex);
				auto at = table.find(found);
				if (at != table.end()) {
					CHECK(at->second == found);
					found++;
					hits++;
				} else {
					lock.unlock();
					std::this_thread::yield();
				}
			}
		});
	for (auto &thread : threads)
		thread.join();
	timed.lock_shared();
	std::thread([] {
		CHECK(timed.try_lock_shared());
		timed.unlock_shared();
		CHECK(!timed.try_lock_for(std::chrono::milliseconds(5)));
	}).join();
	timed.unlock_shared();
	printf("size %zu hits %d\n", table.size(), hits.load());
	return 0;
}
/*
 * expect: size 60 hits 90
 */
