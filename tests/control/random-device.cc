/* std::random_device, which asks the processor: the same numbers for the same seed, and in a replay. */
#include "check.h"

#include <random>
#include <set>

int main()
{
	std::random_device device;
	std::set<unsigned> seen;
	for (int i = 0; i < 100; i++)
		seen.insert(device());
	CHECK(seen.size() > 95);
	std::printf("%u %u\n", device(), device());
}

/*
 * output: two numbers
 */
