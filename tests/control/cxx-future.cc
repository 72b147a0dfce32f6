/* promise, future, shared_future, packaged_task and async, with values, exceptions and broken promises. */
#include "check.h"

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

static int fails(int value)
{
	if (value)
		throw std::invalid_argument("bad");
	return 1;
}

int main()
{
	auto one = std::async(std::launch::async, [] { return 1; });
	auto lazy = std::async(std::launch::deferred, [] { return 2; });
	auto bad = std::async(std::launch::async, fails, 1);
	CHECK(lazy.wait_for(std::chrono::seconds(0)) == std::future_status::deferred);
	int sum = one.get() + lazy.get(), caught = 0;
	try {
		bad.get();
	} catch (const std::invalid_argument &) {
		caught++;
	}
	std::promise<int> promise;
	std::shared_future<int> shared = promise.get_future().share();
	auto add = [shared] { return shared.get() * 10; };
	auto a = std::async(std::launch::async, add), b = std::async(std::launch::async, add);
	CHECK(shared.wait_for(std::chrono::milliseconds(2)) == std::future_status::timeout);
	promise.set_value(3);
	sum += a.get() + b.get();
	std::packaged_task<int(int)> task([](int x) { return x + 1; });
	auto result = task.get_future();
	std::thread(std::move(task), 99).join();
	sum += result.get();
	std::future<int> orphan;
	{
		std::promise<int> gone;
		orphan = gone.get_future();
	}
	try {
		orphan.get();
	} catch (const std::future_error &error) {
		caught += error.code() == std::future_errc::broken_promise;
	}
	printf("sum %d caught %d\n", sum, caught);
	return 0;
}
/*
 * expect: sum 163 caught 2
 */
