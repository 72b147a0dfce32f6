/* Exceptions across frames in several threads at a time, rethrown, nested and carried to another thread. */
#include "check.h"

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> destroyed;

struct guard {
	~guard()
	{
		destroyed++;
	}
};

static int deep(int depth, int value)
{
	guard here;
	if (depth == 0)
		throw std::runtime_error(std::to_string(value));
	std::this_thread::yield();
	return deep(depth - 1, value) + 1;
}

int main()
{
	std::vector<std::thread> threads;
	std::atomic<int> sum{ 0 };
	std::exception_ptr carried;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&sum, &carried, i] {
			for (int n = 0; n < 10; n++) {
				try {
					try {
						deep(9, n);
					} catch (const std::exception &) {
						std::this_thread::yield();
						CHECK(std::uncaught_exceptions() == 0);
						throw;
					}
				} catch (const std::runtime_error &error) {
					sum += std::stoi(error.what());
					if (i == 2 && n == 7)
						carried = std::current_exception();
				}
			}
		});
	for (auto &thread : threads)
		thread.join();
	try {
		std::rethrow_exception(carried);
	} catch (const std::exception &error) {
		printf("sum %d destroyed %d carried %s\n", sum.load(), destroyed.load(), error.what());
	}
	return 0;
}
/*
 * expect: sum 180 destroyed 400 carried 7
 */
