/* A joinable std::thread is destroyed. */
#include "check.h"

#include <thread>

int main()
{
	CHECK(write(1, "before\n", 7) == 7);
	std::thread thread([] { usleep(1000); });
	return 0;
}
/*
 * expect: before
 * ends: signal 6
 */
