/* atomic wait and notify, of an int that fits a futex and of a long that needs the library's own table. */
#include "check.h"

#include <atomic>
#include <thread>
#include <vector>

static std::atomic<int> turn{ 0 };
static std::atomic<long long> wide{ 0 };
static std::atomic_flag flag;

int main()
{
	std::vector<std::thread> threads;
	for (int me = 0; me < 3; me++)
		threads.emplace_back([me] {
			for (int i = 0; i < 20; i++) {
				for (int now = turn.load(); now % 3 != me; now = turn.load())
					turn.wait(now);
				turn++;
				turn.notify_all();
			}
		});
	std::thread waiter([] {
		wide.wait(0);
		flag.test_and_set();
		flag.notify_one();
	});
	wide = 5;
	wide.notify_one();
	flag.wait(false);
	waiter.join();
	for (auto &thread : threads)
		thread.join();
	printf("turn %d\n", turn.load());
	return 0;
}
/*
 * expect: turn 60
 */
