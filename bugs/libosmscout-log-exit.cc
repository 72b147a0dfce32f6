/*
 * libosmscout 514: the log is destroyed at the end of the program while threads still write to it.
 *
 * The log is a global object. When main returns, its destructor runs in the main thread; a loader thread that nobody
 * has joined goes on to log into an object that is gone. Framstag/libosmscout, issue 514; the same in rstudio/rstudio
 * 18318; "race during exit" in ThreadSanitizer's list of popular data races.
 */
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class logger
{
      public:
	logger() : lines(new std::vector<std::string>())
	{
	}

	~logger()
	{
		delete lines;
		lines = nullptr; /*A*/
	}

	void debug(const char *text)
	{
		std::lock_guard<std::mutex> lock(mutex);
		lines->emplace_back(text); /*B*/
	}

      private:
	std::mutex mutex;
	std::vector<std::string> *lines;
};

static logger global_log;

/* Lives as long as either of the two uses it, unlike the log. */
struct map_request {
	std::mutex mutex;
	std::condition_variable is_loaded;
	int tiles = 0;
};

static void load_tiles(std::shared_ptr<map_request> request)
{
	for (int i = 0; i < 2; i++) {
		std::lock_guard<std::mutex> lock(request->mutex);
		global_log.debug("tile");
		request->tiles++;
		request->is_loaded.notify_one();
	}
	global_log.debug("all tiles are there");
}

int main()
{
	auto request = std::make_shared<map_request>();
	std::thread loader(load_tiles, request);
	{
		std::unique_lock<std::mutex> lock(request->mutex);
		request->is_loaded.wait(lock, [&] { return request->tiles == 2; });
		std::printf("tiles %d\n", request->tiles);
	}
#ifdef FIXED
	loader.join();
#else
	loader.detach();
#endif
	return 0;
}
/*
 * pattern: use-after-free
 * finds: crash memory-error data-race
 * race: A B
 * options: -std=c++17
 * source: Framstag/libosmscout issue 514
 */
