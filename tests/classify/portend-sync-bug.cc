/*
 * Portend's sync-bug (figure 31d): the barrier is too late to order the two writes of the first thread.
 */
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <thread>

namespace
{

volatile int global_x, global_y;
pthread_barrier_t barrier;

void work0()
{
	global_x = 2; /*A*/
	global_y = 1; /*B*/
	pthread_barrier_wait(&barrier);
}

void work1()
{
	global_x = 2; /*C*/
	pthread_barrier_wait(&barrier);
}

} // namespace

int main()
{
	pthread_barrier_init(&barrier, nullptr, 2);
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
 * source: Portend sync-bug, figure 31d
 * why: without reordering y == 1 implies x == 2, since x is written first and read last.
 */
