/*
 * A notification sent without the lock, between the look and the wait.
 *
 * The stop flag is atomic, so its writer takes no lock. The waiter holds the lock when it finds the flag clear, but
 * that keeps the writer from nothing: set and notify both happen before the waiter sleeps, and it sleeps for ever. That
 * the flag is atomic hides the mistake from everything that looks for data races. A general mechanism.
 */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

class worker
{
      public:
	void run();
	void stop();
	int rounds = 0;

      private:
	std::mutex lock; // guards nothing but the wait
	std::condition_variable changed;
	std::atomic<bool> stopping{ false };
};

void worker::run()
{
	std::unique_lock<std::mutex> hold(lock);
	rounds = 1;
	while (!stopping.load())
		changed.wait(hold);
}

void worker::stop()
{
#ifdef FIXED
	std::lock_guard<std::mutex> hold(lock);
#endif
	stopping.store(true);
	changed.notify_one();
}

int main()
{
	worker one;
	std::thread thread([&] { one.run(); });
	one.stop();
	thread.join();
	std::printf("stopped after round %d\n", one.rounds);
	return 0;
}
/*
 * pattern: lost-wakeup
 * finds: deadlock
 * options: -std=c++17
 * source: general
 */
