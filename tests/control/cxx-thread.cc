/* std::thread with arguments, references, lambdas, moves, ids, detach, and hardware_concurrency. */
#include "check.h"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

static void add(int value, std::atomic<int> &sum)
{
	sum += value;
}

struct functor {
	int operator()(int *where) const
	{
		return *where = 7;
	}
};

int main()
{
	std::atomic<int> sum{ 0 }, detached{ 0 };
	std::vector<std::thread> threads;
	for (int i = 0; i < 10; i++)
		threads.emplace_back(add, i, std::ref(sum));
	std::set<std::thread::id> ids;
	for (auto &thread : threads)
		ids.insert(thread.get_id());
	CHECK(ids.size() == 10 && !ids.count(std::this_thread::get_id()));
	for (auto &thread : threads)
		thread.join();
	int seven = 0;
	std::thread first{ functor{}, &seven };
	std::thread second = std::move(first);
	CHECK(!first.joinable() && second.joinable());
	second.join();
	std::thread([&] { detached = 1; }).detach();
	while (!detached)
		std::this_thread::yield();
	CHECK(std::thread::hardware_concurrency() >= 1);
	printf("sum %d seven %d\n", sum.load(), seven);
	return 0;
}
/*
 * expect: sum 45 seven 7
 */
