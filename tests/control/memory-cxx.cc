/* new and delete of all kinds, aligned and nothrow, bad_alloc, and containers in several threads. */
#include "check.h"

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

struct alignas(128) wide {
	char bytes[200];
};

int main()
{
	std::vector<std::thread> threads;
	long sums[4] = {};
	for (int t = 0; t < 4; t++)
		threads.emplace_back([&sums, t] {
			std::map<std::string, std::list<int>> table;
			for (int i = 0; i < 300; i++)
				table["key number " + std::to_string(i % 17)].push_back(i * t);
			for (auto &[key, list] : table)
				for (int value : list)
					sums[t] += value;
			std::vector<std::unique_ptr<wide>> many;
			for (int i = 0; i < 20; i++) {
				many.push_back(std::make_unique<wide>());
				CHECK(reinterpret_cast<std::uintptr_t>(many.back().get()) % 128 == 0);
			}
		});
	for (auto &thread : threads)
		thread.join();
	bool is_bad = false;
	volatile std::size_t too_much = SIZE_MAX / 2 - 100;
	try {
		char *volatile none = new char[too_much];
		delete[] none;
	} catch (const std::bad_alloc &) {
		is_bad = true;
	}
	char *volatile none = new (std::nothrow) char[too_much];
	CHECK(none == nullptr);
	printf("sum %ld bad %d\n", sums[0] + sums[1] + sums[2] + sums[3], is_bad);
	return 0;
}
/*
 * expect: sum 269100 bad 1
 */
