/*
 * std::shared_ptr: the count is safe, the pointer is not.
 *
 * Different shared_ptr objects may share an owner from several threads. One shared_ptr object that is copied by one
 * thread and assigned by another is two words without a lock: the copy may take the pointer of the old object, and by
 * the time it raises the count that has dropped to zero and the object is gone. The fixed one copies and assigns under
 * a lock. A general mechanism; the reason for std::atomic<std::shared_ptr> (P0718).
 */
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

class config
{
      public:
	explicit config(int number) : version(new int(number))
	{
	}
	~config()
	{
		delete version;
		version = nullptr;
	}
	int get() const
	{
		return *version;
	}

      private:
	int *volatile version; // volatile: the destructor's last write is made
};

static std::shared_ptr<config> current = std::make_shared<config>(1);
#ifdef FIXED
static std::mutex lock; // guards current
#endif

static std::shared_ptr<config> take_current()
{
#ifdef FIXED
	std::lock_guard<std::mutex> hold(lock);
#endif
	return current; /*A*/
}

static void reload(int number)
{
	auto fresh = std::make_shared<config>(number);
#ifdef FIXED
	std::lock_guard<std::mutex> hold(lock);
#endif
	current = fresh; /*B*/
}

int main()
{
	int seen = 0;
	std::thread user([&] { seen = take_current()->get(); });
	std::thread loader([] { reload(2); });
	user.join();
	loader.join();
	std::printf("%s\n", seen == 1 || seen == 2 ? "a version" : "no version");
	return seen != 1 && seen != 2;
}
/*
 * pattern: use-after-free
 * finds: crash data-race memory-error
 * race: A B
 * options: -std=c++17
 * source: general; P0718
 */
