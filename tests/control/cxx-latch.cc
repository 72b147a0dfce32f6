/* latch, barrier with a completion function, counting and binary semaphores of C++20. */
#include "check.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

int main()
{
	std::latch ready(5), go(1);
	std::atomic<int> phases{ 0 }, inside{ 0 }, excess{ 0 }, visits{ 0 };
	auto completed = [&]() noexcept { phases++; };
	std::barrier barrier(4, completed);
	std::counting_semaphore<4> places(2);
	std::binary_semaphore never(0);
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] {
			ready.count_down();
			go.wait();
			for (int n = 0; n < 10; n++) {
				barrier.arrive_and_wait();
				places.acquire();
				if (++inside > 2)
					excess++;
				visits++;
				--inside;
				places.release();
			}
			barrier.arrive_and_drop();
		});
	ready.arrive_and_wait();
	go.count_down();
	for (auto &thread : threads)
		thread.join();
	CHECK(!never.try_acquire());
	CHECK(!never.try_acquire_for(std::chrono::milliseconds(5)));
	printf("phases %d visits %d excess %d\n", phases.load(), visits.load(), excess.load());
	return 0;
}
/*
 * expect: phases 11 visits 40 excess 0
 */
