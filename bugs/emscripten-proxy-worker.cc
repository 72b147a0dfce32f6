/*
 * emscripten 25114: a constructor undoes what the thread that it has started has done.
 *
 * The worker's thread is the first member, so it runs before the members behind it are initialised. It may say that
 * it has started before the constructor comes to the initialiser of that flag, which says that it has not; the
 * constructor then waits for a thread that will not say so again. The thread has to be the last member.
 * emscripten-core/emscripten, pull request 25114 (issues 24370, 24676 and 20650).
 */
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

class proxy_worker
{
	std::mutex mutex;
	std::condition_variable changed;
#ifdef FIXED
	bool is_started = false;
	bool is_ending = false;
	std::function<void()> task;
	std::thread thread;
#else
	std::thread thread;
	bool is_started = false; /*A*/
	bool is_ending = false;
	std::function<void()> task;
#endif

	void run()
	{
		std::unique_lock<std::mutex> lock(mutex);
		is_started = true; /*B*/
		changed.notify_all();
		for (;;) {
			changed.wait(lock, [this] { return task || is_ending; });
			if (!task)
				return;
			task();
			task = nullptr;
			changed.notify_all();
		}
	}

      public:
	proxy_worker() : thread(&proxy_worker::run, this)
	{
		std::unique_lock<std::mutex> lock(mutex);
		changed.wait(lock, [this] { return is_started; });
	}

	~proxy_worker()
	{
		{
			std::lock_guard<std::mutex> lock(mutex);
			is_ending = true;
		}
		changed.notify_all();
		thread.join();
	}

	void call(std::function<void()> function)
	{
		std::unique_lock<std::mutex> lock(mutex);
		task = std::move(function);
		changed.notify_all();
		changed.wait(lock, [this] { return !task; });
	}
};

int main()
{
	int size = 0;
	{
		auto worker = std::make_unique<proxy_worker>();
		for (int i = 1; i <= 2; i++)
			worker->call([&size, i] { size += 100 * i; });
	}
	std::printf("size %d\n", size);
	return 0;
}
/*
 * pattern: order
 * finds: deadlock data-race
 * race: A B
 * options: -std=c++17
 * source: emscripten-core/emscripten pull request 25114
 */
