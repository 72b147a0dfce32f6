/*
 * A table that is read while a thread loads it: the count is raised before the entry is there, and the lookup throws
 * an exception that nobody catches.
 */
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace
{

class Names
{
	std::mutex mutex;
	std::map<int, const char *> names;
	volatile int count = 0;

      public:
	void load(const char *name)
	{
		int number = count + 1;
		count = number; /*A*/
		std::lock_guard<std::mutex> guard(mutex);
		names[number] = name;
	}

	const char *last()
	{
		int number = count; /*B*/
		if (!number)
			return "nobody";
		std::lock_guard<std::mutex> guard(mutex);
		return names.at(number);
	}
};

} // namespace

int main()
{
	Names names;
	std::thread loader([&] { names.load("ada"); });
	std::thread reader([&] { names.last(); });
	loader.join();
	reader.join();
	std::printf("last %s\n", names.last());
	return 0;
}
/*
 * expect: race A B class spec-violated
 * why: a reader that sees the new count before the entry is there ends the program with an exception.
 */
