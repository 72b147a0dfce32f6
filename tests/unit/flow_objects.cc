// Locks and threads of C++: guards, exceptions, call_once, static variables of functions.
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

struct account {
	std::mutex lock;
	volatile int balance = 0;
};

static std::mutex guard;
static std::shared_mutex modes;
static std::once_flag flag;
static volatile int guarded, released, reading, in_once, in_static, caught, after, beside;

__attribute__((noinline)) static int made()
{
	in_static = 1;
	return in_static;
}

__attribute__((noinline)) static void add(account *to, int amount)
{
	std::lock_guard<std::mutex> held(to->lock);
	to->balance = amount;
	if (amount > 5)
		throw std::runtime_error("too much");
}

static void work(account *to)
{
	try {
		add(to, 7);
	} catch (...) {
		caught = 1;
	}
	{
		std::unique_lock<std::mutex> held(guard);
		guarded = 1;
		held.unlock();
		released = 1;
	}
	{
		std::shared_lock<std::shared_mutex> held(modes);
		reading = 1;
	}
	std::call_once(flag, [] { in_once = 1; });
	static int value = made();
	after = value;
}

int main()
{
	account one, two;
	std::thread t([&one] { work(&one); });
	std::thread u([&two] { work(&two); });
	beside = 1;
	t.join();
	u.join();
	beside = 2;
	return 0;
}
