/* call_once, also when the function throws the first two times, and a function-local static made once. */
#include "check.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::once_flag flag, throwing;
static std::atomic<int> runs, attempts, caught, made;

struct heavy {
	int value;
	heavy() : value(0)
	{
		made++;
		std::this_thread::yield();
		value = 5;
	}
};

static heavy &the_heavy()
{
	static heavy instance;
	return instance;
}

int main()
{
	std::vector<std::thread> threads;
	std::atomic<int> sum{ 0 };
	for (int i = 0; i < 6; i++)
		threads.emplace_back([&] {
			std::call_once(flag, [] { runs++; });
			sum += the_heavy().value;
			try {
				std::call_once(throwing, [] {
					if (attempts++ < 2)
						throw std::runtime_error("not yet");
				});
			} catch (const std::runtime_error &) {
				caught++;
			}
		});
	for (auto &thread : threads)
		thread.join();
	printf("runs %d attempts %d caught %d made %d sum %d\n", runs.load(), attempts.load(), caught.load(),
	       made.load(), sum.load());
	return 0;
}
/*
 * expect: runs 1 attempts 3 caught 2 made 1 sum 30
 */
