/* shared_ptr, weak_ptr and atomic shared_ptr between threads: counts come out right, one destruction each. */
#include "check.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

static std::atomic<int> destroyed;

struct node {
	int value;
	explicit node(int v) : value(v)
	{
	}
	~node()
	{
		destroyed++;
	}
};

int main()
{
	auto root = std::make_shared<node>(1);
	std::weak_ptr<node> weak = root;
	std::shared_ptr<node> published = std::make_shared<node>(0);
	std::atomic<long> sum{ 0 };
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&, root] {
			for (int n = 1; n <= 20; n++) {
				std::shared_ptr<node> copy = root;
				if (auto strong = weak.lock())
					sum += strong->value;
				std::atomic_store(&published, std::make_shared<node>(n));
				auto seen = std::atomic_load(&published);
				CHECK(seen->value >= 1 && seen->value <= 20);
			}
		});
	root.reset();
	for (auto &thread : threads)
		thread.join();
	threads.clear();
	published.reset();
	printf("sum %ld destroyed %d expired %d\n", sum.load(), destroyed.load(), weak.expired());
	return 0;
}
/*
 * expect: sum 80 destroyed 82 expired 1
 */
