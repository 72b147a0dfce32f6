/*
 * Portend's RW, redundant writes: the racing threads write the same value.
 */
#include <cstdio>
#include <thread>

namespace
{

volatile int is_cancelled;

struct Task {
	int limit;
	int done = 0;

	void run()
	{
		for (int i = 0; i < limit; i++)
			done += i;
		if (done > 2)
			is_cancelled = 1; /*A*/
	}
};

} // namespace

int main()
{
	Task first{ 4 }, second{ 5 };
	std::thread one([&] { first.run(); });
	std::thread two([&] { second.run(); });
	one.join();
	two.join();
	std::printf("done %d %d, cancelled %d\n", first.done, second.done, is_cancelled);
	return 0;
}
/*
 * expect: race A A class harmless reason redundant-write
 * source: Portend RW
 * why: both threads write 1.
 */
