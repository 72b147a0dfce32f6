/* flow_vector.cc: threads in a vector that is destroyed, and one in a member that is moved there; for flow.t.
 * With MEMBER it is the second. */
#include <thread>
#include <vector>

int stage, last, in_vector, in_member;

struct worker {
	std::thread thread;
	void start()
	{
		thread = std::thread([] { in_member = 1; });
	}
	void stop()
	{
		if (thread.joinable())
			thread.join();
	}
};

int main()
{
	stage = 1;
#ifndef MEMBER
	{
		std::vector<std::thread> threads;
		for (int i = 0; i < 3; i++)
			threads.emplace_back([] { in_vector++; });
		stage = 2;
		for (auto &thread : threads)
			thread.join();
	}
	last = 1;
#else
	worker only;
	only.start();
	stage = 3;
	only.stop();
	last = 2;
#endif
	return 0;
}
