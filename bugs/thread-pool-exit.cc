/*
 * thread-pool 93: the destructor of a thread pool waits for ever for a worker that has missed its call.
 *
 * The destructor says in an atomic flag that the pool ends and notifies the workers, without the mutex. A worker that
 * has just seen that the pool runs and has no work, but does not wait yet, misses the notification, and nobody sends
 * another. That the flag is atomic only hides it from race detectors. bshoshany/thread-pool, issues 93, 100 and 107
 * and pull request 108.
 */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class thread_pool
{
      public:
	explicit thread_pool(int size)
	{
		for (int i = 0; i < size; i++)
			threads.emplace_back(&thread_pool::work, this);
	}

	~thread_pool()
	{
		wait_for_tasks();
		{
#ifdef FIXED
			std::lock_guard<std::mutex> lock(mutex);
#endif
			is_running = false;
		}
		available.notify_all();
		for (std::thread &thread : threads)
			thread.join();
	}

	void push(std::function<void()> task)
	{
		{
			std::lock_guard<std::mutex> lock(mutex);
			tasks.push(std::move(task));
			unfinished++;
		}
		available.notify_one();
	}

      private:
	void wait_for_tasks()
	{
		std::unique_lock<std::mutex> lock(mutex);
		finished.wait(lock, [this] { return unfinished == 0; });
	}

	void work()
	{
		for (;;) {
			std::unique_lock<std::mutex> lock(mutex);
			available.wait(lock, [this] { return !tasks.empty() || !is_running; });
			if (tasks.empty())
				return;
			std::function<void()> task = std::move(tasks.front());
			tasks.pop();
			lock.unlock();
			task();
			lock.lock();
			if (--unfinished == 0)
				finished.notify_all();
		}
	}

	std::mutex mutex;
	std::condition_variable available, finished;
	std::queue<std::function<void()>> tasks;
	int unfinished = 0;
	std::atomic<bool> is_running{ true };
	std::vector<std::thread> threads;
};

int main()
{
	std::atomic<int> sum{ 0 };
	{
		thread_pool pool(2);
		for (int i = 1; i <= 3; i++)
			pool.push([&sum, i] { sum += i; });
	}
	std::printf("sum %d\n", sum.load());
	return 0;
}
/*
 * pattern: lost-wakeup
 * finds: deadlock
 * options: -std=c++17
 * source: bshoshany/thread-pool issue 93
 */
