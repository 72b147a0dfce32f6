/*
 * A log file that is opened by the first message. The test whether it is open is made without the mutex, then with it;
 * messages are written with the mutex.
 */
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace
{

struct Log {
	std::mutex mutex;
	volatile bool is_open = false;
	int opened = 0;
	std::string text;

	void open()
	{
		if (is_open) /*A*/
			return;
		std::lock_guard<std::mutex> guard(mutex);
		if (is_open)
			return;
		text = "log:";
		opened++;
		is_open = true; /*B*/
	}

	void write(const char *message)
	{
		open();
		std::lock_guard<std::mutex> guard(mutex);
		text += message;
	}
};

} // namespace

int main()
{
	Log log;
	std::thread first([&log] { log.write(" one"); });
	std::thread second([&log] { log.write(" two"); });
	first.join();
	second.join();
	std::printf("opened %d, %zu bytes\n", log.opened, log.text.size());
	return 0;
}
/*
 * expect: race A B class harmless reason double-check
 * why: the second test is made under the mutex, so the file is opened once in either order.
 */
