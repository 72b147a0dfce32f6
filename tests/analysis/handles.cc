/* handles.cc: handles of std::thread that are somewhere else when a place is found empty. None of these threads is over then. */
#include <array>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

/* In a register, while another function looks. */
static int borrowed;
static std::thread lent;

__attribute__((noinline)) static void look()
{
	if (!lent.joinable())
		borrowed++; // @BORROWEDSEEN
}

__attribute__((noinline)) static void borrow()
{
	std::thread mine(std::move(lent));
	look();
	lent = std::move(mine);
}

static void in_register()
{
	lent = std::thread([] { borrowed++; }); // @BORROWED
	borrow();
	lent.join();
	borrowed = 0; // @BORROWEDAFTER
}

/* In one of another thread, which was started in the same block. */
static int taken;
static std::thread offered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *)
{
	std::thread mine;
	pthread_mutex_lock(&lock);
	mine.swap(offered);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	mine.swap(offered);
	pthread_mutex_unlock(&lock);
	return nullptr;
}

static void in_thread()
{
	pthread_t taker;
	offered = std::thread([] { taken++; }); // @TAKEN
	pthread_create(&taker, nullptr, take, nullptr);
	pthread_mutex_lock(&lock);
	if (!offered.joinable())
		taken++; // @TAKENSEEN
	pthread_mutex_unlock(&lock);
	pthread_join(taker, nullptr);
	offered.join();
}

/* Waited for, and started again in the same round. */
static int again;

static void in_vector()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 2; i++)
		threads.emplace_back([] { again++; }); // @AGAIN
	for (auto &thread : threads) {
		thread.join();
		thread = std::thread([] { again++; }); // @AGAINNEW
	}
	again++; // @AGAINMEANWHILE
	for (auto &thread : threads)
		thread.join();
	again = 0; // @AGAINAFTER
}

static int renewed;

static void in_array()
{
	std::array<std::thread, 4> threads;
	for (auto &thread : threads)
		thread = std::thread([] { renewed++; }); // @RENEWED
	for (auto &thread : threads) {
		thread.join();
		thread = std::thread([] { renewed++; }); // @RENEWEDNEW
	}
	renewed++; // @RENEWEDMEANWHILE
	for (auto &thread : threads)
		thread.join();
}

/* No std::vector: what is behind its end may be used again. */
static int shortened;

struct range {
	std::thread *begin, *end;
	__attribute__((noinline)) range(int count)
	{
		begin = new std::thread[count];
		end = begin + count;
	}
	__attribute__((noinline)) void start()
	{
		for (std::thread *thread = begin; thread != end; thread++)
			*thread = std::thread([] { shortened++; }); // @SHORT
	}
	__attribute__((noinline)) void join()
	{
		for (std::thread *thread = begin; thread != end; thread++)
			if (thread->joinable())
				thread->join();
	}
	__attribute__((noinline)) void move_end(int count)
	{
		end += count;
	}
};

static void in_range()
{
	range threads(4);
	threads.start();
	threads.move_end(-1);
	threads.join();
	shortened++; // @SHORTMEANWHILE
	threads.move_end(1);
	threads.join();
}

/* On the stack of a function that is still running when the program ends. */
static int last;
static std::thread kept;

static void at_exit()
{
	if (!kept.joinable())
		last++; // @LASTSEEN
}

__attribute__((noinline)) static void start_last(bool is_kept)
{
	std::thread mine([] { last++; }); // @LAST
	if (!is_kept)
		exit(0);
	kept = std::move(mine);
}

int main(int argc, char **)
{
	in_register();
	in_thread();
	in_vector();
	in_array();
	in_range();
	atexit(at_exit);
	start_last(argc > 5);
	kept.join();
	return 0;
}

/*
 * only: handles.cc
 * race: BORROWED-BORROWEDSEEN
 * may: BORROWED-BORROWEDAFTER
 * race: TAKEN-TAKENSEEN
 * race: AGAIN-AGAIN
 * may: AGAIN-AGAINNEW
 * race: AGAINNEW-AGAINNEW
 * race: AGAINMEANWHILE-AGAINNEW
 * may: AGAIN-AGAINMEANWHILE
 * may: AGAIN-AGAINAFTER
 * may: AGAINAFTER-AGAINNEW
 * race: RENEWED-RENEWED
 * race: RENEWED-RENEWEDNEW
 * race: RENEWEDNEW-RENEWEDNEW
 * race: RENEWEDMEANWHILE-RENEWEDNEW
 * may: RENEWED-RENEWEDMEANWHILE
 * race: SHORT-SHORT
 * race: SHORT-SHORTMEANWHILE
 * race: LAST-LASTSEEN
 */
