/* An exception that nobody catches in a std::thread. */
#include "check.h"

#include <stdexcept>
#include <thread>

int main()
{
	CHECK(write(1, "before\n", 7) == 7);
	std::thread([] { throw std::runtime_error("nobody catches this"); }).join();
	return 0;
}
/*
 * expect: before
 * ends: signal 6
 */
