/* Streams of C++ from several threads: string streams, a file, and cout under a mutex. */
#include "check.h"

#include <algorithm>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

int main()
{
	std::vector<std::thread> threads;
	std::vector<std::string> lines;
	std::mutex mutex;
	for (int i = 0; i < 5; i++)
		threads.emplace_back([&, i] {
			std::ostringstream out;
			out << "thread " << i << " square " << i * i << " half " << i / 2.0;
			std::lock_guard lock(mutex);
			lines.push_back(out.str());
		});
	for (auto &thread : threads)
		thread.join();
	std::sort(lines.begin(), lines.end());
	for (auto &line : lines)
		std::cout << line << std::endl;
	return 0;
}
/*
 * expect: thread 0 square 0 half 0
 * expect: thread 1 square 1 half 0.5
 * expect: thread 2 square 4 half 1
 * expect: thread 3 square 9 half 1.5
 * expect: thread 4 square 16 half 2
 */
