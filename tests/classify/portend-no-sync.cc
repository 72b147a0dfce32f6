/*
 * Portend's no-sync (figure 31a): two threads write what the main thread prints without waiting for them.
 */
#include <cstdio>
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
	int x = global_x; /*D*/
	int y = global_y; /*E*/
	std::printf("%d,%d\n", x, y);
	first.join();
	second.join();
	return 0;
}
/*
 * expect: race A C class harmless reason redundant-write
 * expect: race A D class output-differs
 * expect: race C D class output-differs
 * expect: race B E class output-differs
 * source: Portend no-sync, figure 31a
 * why: what is printed depends on how far the threads are; the two writes of x have the same value.
 */
