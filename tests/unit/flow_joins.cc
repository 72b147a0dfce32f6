// Handles that are waited for in loops and by destructors; what each function writes last tells who is alive behind it.
#include <pthread.h>
#include <thread>

static volatile int work, by_calls, by_loop, one_twice, too_few, one_left, in_array, by_destructor, moved;

#define ROUTINE(name)                                                                                                  \
	static void *name(void *argument)                                                                              \
	{                                                                                                              \
		work = 1;                                                                                              \
		return argument;                                                                                       \
	}
ROUTINE(first)
ROUTINE(second)
ROUTINE(pair)
ROUTINE(lost)
ROUTINE(kept)
ROUTINE(outer)
ROUTINE(inner)
ROUTINE(three)

__attribute__((noinline)) static void wait_by_calls()
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	by_calls = 1;
}

__attribute__((noinline)) static void wait_by_loop()
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, pair, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	by_loop = 1;
}

// The handle of the first is lost.
__attribute__((noinline)) static void wait_for_one_twice()
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, lost, NULL);
	pthread_create(&threads[0], NULL, kept, NULL);
	threads[1] = 0;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	one_twice = 1;
}

__attribute__((noinline)) static void wait_for_too_few()
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, three, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	too_few = 1;
}

__attribute__((noinline)) static void leave_one()
{
	pthread_t threads[3];
	pthread_create(&threads[0], NULL, inner, NULL);
	pthread_create(&threads[2], NULL, outer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	one_left = 1;
}

__attribute__((noinline)) static void wait_in_array()
{
	std::thread all[] = { std::thread([] { work = 1; }), std::thread([] { work = 2; }) };
	for (auto &thread : all)
		thread.join();
	in_array = 1;
}

__attribute__((noinline)) static void wait_by_destructor()
{
	{
		std::jthread thread([] { work = 1; });
	}
	by_destructor = 1;
}

// The handle is zero because it is somewhere else.
static std::thread other;
__attribute__((noinline)) static void move_away()
{
	std::thread thread([] { work = 1; });
	other = std::move(thread);
	if (thread.joinable())
		thread.join();
	moved = 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	wait_by_calls();
	wait_by_loop();
	wait_in_array();
	wait_by_destructor();
	switch (argc) {
	case 1:
		move_away();
		break;
	case 2:
		wait_for_one_twice();
		break;
	case 3:
		wait_for_too_few();
		break;
	case 4:
		leave_one();
		break;
	}
	return 0;
}
