/*
 * A singleton in C++: the pointer is tested without the mutex first, and again with it.
 */
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace
{

class Registry
{
	static std::mutex mutex;
	static Registry *volatile instance;
	int first_port;

	Registry(int port) : first_port(port) /*A*/
	{
		made++;
	}

      public:
	static int made;

	static Registry *get()
	{
		Registry *found = instance; /*B*/
		if (!found) {
			std::lock_guard<std::mutex> guard(mutex);
			found = instance;
			if (!found)
				instance = found = new Registry(7000); /*C*/
		}
		return found;
	}

	int port(int service) const
	{
		return first_port + service; /*D*/
	}

	static void forget()
	{
		delete instance;
		instance = nullptr;
	}
};

std::mutex Registry::mutex;
Registry *volatile Registry::instance;
int Registry::made;

} // namespace

int main()
{
	std::vector<std::thread> threads;
	std::vector<int> ports(3);
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&ports, i] { ports[static_cast<size_t>(i)] = Registry::get()->port(i); });
	for (std::thread &thread : threads)
		thread.join();
	std::printf("ports %d %d %d, made %d\n", ports[0], ports[1], ports[2], Registry::made);
	Registry::forget();
	return 0;
}
/*
 * expect: race B C class harmless reason double-check
 * expect: race A D class single-ordering|harmless
 * tag: beyond-sc
 * why: a thread that reads a null pointer tests again under the mutex; the pointer is written after the object is made, so nobody reads an unfinished one unless writes are reordered.
 */
