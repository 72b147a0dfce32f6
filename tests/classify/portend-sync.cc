/*
 * Portend's sync (figure 31c): a barrier between the two writes of the first thread.
 */
#include <cstdio>
#include <pthread.h>
#include <thread>

namespace
{

volatile int global_x, global_y;
pthread_barrier_t barrier;

void work0()
{
	global_x = 2; /*A*/
	pthread_barrier_wait(&barrier);
	global_y = 1; /*B*/
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
 * source: Portend sync, figure 31c
 * why: as in no-sync, the barrier orders the threads and not the main thread that prints.
 */
