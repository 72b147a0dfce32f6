/* pools.cc: threads that are kept in containers, and when all of them are over. */
#include <array>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

int flag;

/* A vector that grows, and a loop over all of it. */
int gathered;
static void gather()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < flag; i++)
		threads.emplace_back([] { gathered++; }); // @GATHERED
	for (auto &thread : threads)
		thread.join();
	gathered = 0; // @GATHEREDAFTER
}

/* One that has room from the start, an iterator, and threads that may be over already. */
int reserved;
static void reserve()
{
	std::vector<std::thread> threads;
	threads.reserve(4);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([] { reserved++; }); // @RESERVED
	reserved++; // @RESERVEDMEANWHILE
	for (auto at = threads.begin(); at != threads.end(); ++at)
		if (at->joinable())
			at->join();
	reserved = 0; // @RESERVEDAFTER
}

/* Threads that are moved into it. */
int pushed;
static void push()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < flag; i++)
		threads.push_back(std::thread([] { pushed++; })); // @PUSHED
	for (auto &thread : threads)
		thread.join();
	pushed = 0; // @PUSHEDAFTER
}

/* The destructor of what has the vector waits. */
class pool
{
      public:
	pool()
	{
		for (int i = 0; i < 3; i++)
			threads.emplace_back(&pool::work, this);
	}
	~pool()
	{
		for (auto &thread : threads)
			thread.join();
		sum++; // @POOLAFTER
	}
	int sum = 0;

      private:
	void work()
	{
		sum++; // @POOL
	}
	std::vector<std::thread> threads;
};
static void scope()
{
	pool workers;
	workers.sum++; // @POOLMEANWHILE
}

/* It is started and stopped by functions of its own. */
int served;
struct service {
	std::vector<std::thread> threads;
	void start()
	{
		for (int i = 0; i < flag; i++)
			threads.emplace_back([] { served++; }); // @SERVED
	}
	void stop()
	{
		for (auto &thread : threads)
			thread.join();
		threads.clear();
	}
} server;
static void serve()
{
	server.start();
	served++; // @SERVEDMEANWHILE
	server.stop();
	served = 0; // @SERVEDAFTER
}

/* One thread that is moved to where it stays. */
int alone;
struct single {
	std::thread thread;
	void start()
	{
		thread = std::thread([] { alone++; }); // @ALONE
	}
	void stop()
	{
		if (thread.joinable())
			thread.join();
	}
} only;
static void one()
{
	only.start();
	alone++; // @ALONEMEANWHILE
	only.stop();
	alone = 0; // @ALONEAFTER
}

/* An array of them. */
int arrayed;
static void fill_array()
{
	std::array<std::thread, 4> threads;
	for (auto &thread : threads)
		thread = std::thread([] { arrayed++; }); // @ARRAYED
	for (auto &thread : threads)
		thread.join();
	arrayed = 0; // @ARRAYEDAFTER
}

/* The first is left out. */
int skipped;
static void skip()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([] { skipped++; }); // @SKIPPED
	for (auto at = threads.begin() + 1; at != threads.end(); ++at)
		at->join();
	skipped = 0; // @SKIPPEDAFTER
	threads.front().join();
}

/* The loop may be left early. */
int left;
static void leave()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([] { left++; }); // @LEFT
	for (auto &thread : threads) {
		thread.join();
		if (flag == 7)
			break;
	}
	left = 0; // @LEFTAFTER
	for (auto &thread : threads)
		if (thread.joinable())
			thread.join();
	left = 1; // @LEFTEND
}

/* Only some are waited for. */
int some;
static void choose()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([] { some++; }); // @SOME
	for (auto &thread : threads)
		if (flag == 7)
			thread.join();
	some = 0; // @SOMEAFTER
	for (auto &thread : threads)
		if (thread.joinable())
			thread.join();
}

/* Some are let go. */
int loose;
static void let_go()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([] { loose++; }); // @LOOSE
	for (auto &thread : threads)
		if (flag == 7)
			thread.detach();
		else
			thread.join();
	loose = 0; // @LOOSEAFTER
}

/* One is taken out. */
int taken;
static void take()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([] { taken++; }); // @TAKEN
	std::thread kept = std::move(threads.back());
	threads.pop_back();
	for (auto &thread : threads)
		thread.join();
	taken = 0; // @TAKENAFTER
	kept.join();
	taken = 1; // @TAKENEND
}

/* All are in another vector. */
int swapped;
static void swap()
{
	std::vector<std::thread> threads, others;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([] { swapped++; }); // @SWAPPED
	threads.swap(others);
	for (auto &thread : threads)
		thread.join();
	swapped = 0; // @SWAPPEDAFTER
	for (auto &thread : others)
		thread.join();
}

/* Another thread starts more while they are waited for. */
int more;
std::mutex lock;
std::vector<std::thread> crowd;
static void add_more()
{
	for (int i = 0; i < 3; i++) {
		std::lock_guard<std::mutex> guard(lock);
		crowd.emplace_back([] { more++; }); // @MORE
	}
}
static void meanwhile()
{
	std::thread adder(add_more);
	{
		std::lock_guard<std::mutex> guard(lock);
		for (auto &thread : crowd)
			thread.join();
		crowd.clear();
		more = 0; // @MOREAFTER
	}
	adder.join();
	for (auto &thread : crowd)
		thread.join();
	more = 1; // @MOREEND
}

/* Two threads have a vector each. */
int doubled;
static void in_both()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 2; i++)
		threads.emplace_back([] { doubled++; }); // @DOUBLED
	for (auto &thread : threads)
		thread.join();
	doubled = 0; // @DOUBLEDAFTER
} // @DOUBLEDEND
static void twice()
{
	std::thread one(in_both), two(in_both);
	one.join();
	two.join();
}

int main(int count, char **)
{
	flag = count;
	gather();
	reserve();
	push();
	scope();
	serve();
	one();
	fill_array();
	skip();
	leave();
	choose();
	let_go();
	take();
	swap();
	meanwhile();
	twice();
	return 0;
}
/*
 * only: pools.cc
 * race: GATHERED-GATHERED
 * no: GATHERED-GATHEREDAFTER: ordered
 * race: RESERVED-RESERVED
 * race: RESERVED-RESERVEDMEANWHILE
 * no: RESERVED-RESERVEDAFTER: ordered
 * race: PUSHED-PUSHED
 * no: PUSHED-PUSHEDAFTER: ordered
 * race: POOL-POOL
 * race: POOL-POOLMEANWHILE
 * no: POOL-POOLAFTER: ordered
 * race: SERVED-SERVED
 * race: SERVED-SERVEDMEANWHILE
 * no: SERVED-SERVEDAFTER: ordered
 * race: ALONE-ALONEMEANWHILE
 * no: ALONE-ALONEAFTER: ordered
 * race: ARRAYED-ARRAYED
 * no: ARRAYED-ARRAYEDAFTER: ordered
 * race: SKIPPED-SKIPPED
 * race: SKIPPED-SKIPPEDAFTER
 * race: LEFT-LEFT
 * race: LEFT-LEFTAFTER
 * no: LEFT-LEFTEND: ordered
 * race: SOME-SOME
 * race: SOME-SOMEAFTER
 * race: LOOSE-LOOSE
 * race: LOOSE-LOOSEAFTER
 * race: TAKEN-TAKEN
 * race: TAKEN-TAKENAFTER
 * may: TAKEN-TAKENEND
 * race: SWAPPED-SWAPPED
 * race: SWAPPED-SWAPPEDAFTER
 * race: MORE-MORE
 * race: MORE-MOREAFTER
 * may: MORE-MOREEND
 * race: DOUBLED-DOUBLED
 * race: DOUBLED-DOUBLEDAFTER
 * may: DOUBLEDAFTER-DOUBLEDAFTER
 * may: DOUBLEDEND-DOUBLEDEND
 * may: DOUBLED-DOUBLEDEND
 */
