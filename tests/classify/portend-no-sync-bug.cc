/*
 * Portend's no-sync-bug (figure 31b): a crash that needs writes out of order. The figure tests for a value that y never
 * has; here y is what the first thread writes, which is read before x.
 */
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace
{

volatile int global_x, global_y;

void work0()
{
	global_x = 2; /*A*/
	global_y = 1; /*B*/
}

void work1()
{
	global_x = 2; /*C*/
}

} // namespace

int main()
{
	std::thread first(work0);
	std::thread second(work1);
	int y = global_y; /*D*/
	int x = global_x; /*E*/
	if (x == 0 && y == 1)
		std::abort();
	first.join();
	second.join();
	std::printf("done\n");
	return 0;
}
/*
 * expect: race A C class harmless reason redundant-write
 * expect: race A E class harmless
 * expect: race C E class harmless
 * expect: race B D class harmless
 * tag: beyond-sc
 * source: Portend no-sync-bug, figure 31b
 * why: y is written after x and read before it, so without reordering y == 1 implies x == 2.
 */
