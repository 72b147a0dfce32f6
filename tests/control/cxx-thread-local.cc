/* thread_local objects with constructors and destructors, made on first use, destroyed when the thread ends. */
#include "check.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> made, destroyed, total;

struct tracked {
	std::string text;
	std::vector<int> values;
	tracked() : text("a text that is too long for the short form")
	{
		made++;
	}
	~tracked()
	{
		total += static_cast<int>(values.size());
		destroyed++;
	}
};

static thread_local tracked first;
static thread_local tracked never_used;

static tracked &inner()
{
	static thread_local tracked instance;
	return instance;
}

int main()
{
	{
		std::vector<std::thread> threads;
		for (int i = 0; i < 5; i++)
			threads.emplace_back([i] {
				for (int n = 0; n <= i; n++) {
					first.values.push_back(n);
					inner().values.push_back(n);
					std::this_thread::yield();
				}
				CHECK(first.text.size() > 20);
			});
		for (auto &thread : threads)
			thread.join();
	}
	printf("balance %d total %d\n", made - destroyed, total.load());
	return 0;
}
/*
 * expect: balance 0 total 30
 */
