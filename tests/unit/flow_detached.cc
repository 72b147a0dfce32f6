// Where threads are let go a handle that is zero says nothing.
#include <thread>

static volatile int work, let_go;

int main(int argc, char **argv)
{
	(void)argv;
	{
		std::jthread thread([] { work = 1; });
		if (argc > 1)
			thread.detach();
	}
	let_go = 1;
	return 0;
}
