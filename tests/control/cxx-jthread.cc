/* jthread and stop_token: stopped by the destructor, by request, with callbacks and in an interruptible wait. */
#include "check.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main()
{
	std::atomic<int> stopped{ 0 }, callbacks{ 0 };
	{
		std::jthread first([&](std::stop_token token) {
			while (!token.stop_requested())
				std::this_thread::yield();
			stopped++;
		});
		std::stop_callback callback(first.get_stop_token(), [&] { callbacks++; });
		std::mutex mutex;
		std::condition_variable_any cond;
		std::jthread second([&](std::stop_token token) {
			std::unique_lock lock(mutex);
			bool is_there = cond.wait(lock, token, [] { return false; });
			CHECK(!is_there);
			stopped++;
		});
		std::jthread third([&] { stopped++; });
		CHECK(first.request_stop() && !first.request_stop());
		third.join();
		second.request_stop();
		second.join();
	}
	printf("stopped %d callbacks %d\n", stopped.load(), callbacks.load());
	return 0;
}
/*
 * expect: stopped 3 callbacks 1
 */
