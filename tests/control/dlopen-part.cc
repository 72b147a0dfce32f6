/* The library that dlopen.c opens. */
#include <atomic>
#include <unistd.h>

static std::atomic<int> destroyed;

struct tracked {
	int value = 100;
	~tracked()
	{
		destroyed++;
	}
};

static thread_local tracked mine;
static thread_local int calls;

__attribute__((constructor)) static void begin()
{
	if (write(1, "part begins\n", 12) != 12)
		_exit(98);
}

__attribute__((destructor)) static void end()
{
	if (write(1, "part ends\n", 10) != 10)
		_exit(98);
}

extern "C" int part_add(int value)
{
	calls++;
	mine.value += value;
	return mine.value;
}

extern "C" int part_destroyed(void)
{
	return destroyed;
}
