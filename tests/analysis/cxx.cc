/* cxx.cc: threads and locks of C++. */
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

int plain, locked, different, unique, counted;
std::mutex m, m1, m2;
std::atomic<int> atomic;

static void plain_1()
{
	plain++; // @PLAIN
}

static void locked_1()
{
	std::lock_guard<std::mutex> guard(m);
	locked++; // @LOCKED1
}
static void locked_2()
{
	m.lock();
	locked += 2; // @LOCKED2
	m.unlock();
}

static void different_1()
{
	std::lock_guard<std::mutex> guard(m1);
	different++; // @DIFFERENT1
}
static void different_2()
{
	std::lock_guard<std::mutex> guard(m2);
	different++; // @DIFFERENT2
}

static void unique_1()
{
	std::unique_lock<std::mutex> lock(m);
	unique++; // @UNIQUE1
	lock.unlock();
	atomic++;
}
static void unique_2()
{
	std::scoped_lock lock(m);
	unique++; // @UNIQUE2
	atomic += 2;
}

std::shared_mutex rw;
int moded;
static void moded_1()
{
	std::unique_lock<std::shared_mutex> lock(rw);
	moded = 1; // @MODED1
}
static void moded_2()
{
	std::shared_lock<std::shared_mutex> lock(rw);
	counted = moded; // @MODED2
}

/* A virtual function, and a member of the object that a thread is started with. */
struct base {
	virtual ~base() = default;
	virtual void step() = 0;
};
struct derived : base {
	int steps = 0;
	std::mutex lock;
	int guarded = 0;
	void step() override
	{
		steps++; // @STEP
		std::lock_guard<std::mutex> guard(lock);
		guarded++; // @GUARDED
	}
};

/* A pointer to a member: `this` stays where it is, but for a base class that is not the first. */
struct counter {
	std::mutex lock;
	int guarded = 0, bare = 0;
	void add()
	{
		bare++; // @BARE
		std::lock_guard<std::mutex> guard(lock);
		guarded++; // @MEMBER
	}
};
struct first {
	int one = 0;
};
struct second {
	int two = 0;
	void touch()
	{
		two++; // @SECOND
	}
};
struct both : first, second {
};

static void call_members()
{
	counter object;
	std::thread a(&counter::add, &object), b(&counter::add, &object);
	a.join();
	b.join();
	both pair;
	void (both::*method)() = &both::touch;
	std::thread c(method, &pair);
	pair.two++; // @TWO
	c.join();
}

/* A pointer that is thrown. */
int thrown;
__attribute__((noinline)) void throw_pointer(int *pointer)
{
	throw pointer;
}
void thrown_1()
{
	try {
		throw_pointer(&thrown);
	} catch (int *pointer) {
		*pointer = 1; // @CAUGHT
	}
}

int main()
{
	call_members();
	std::thread thrower(thrown_1);
	thrown = 2; // @THROWN
	thrower.join();
	std::thread a(plain_1), b(plain_1);
	a.join();
	b.join();
	std::thread c(locked_1), d(locked_2);
	c.join();
	d.join();
	std::thread e(different_1), f(different_2);
	e.join();
	f.join();
	std::thread g(unique_1), h(unique_2);
	g.join();
	h.join();
	std::thread i(moded_1), j(moded_2);
	i.join();
	j.join();
	int captured = 0;
	std::thread k([&captured] { captured++; }); // @CAPTURED1
	captured += 2; // @CAPTURED2
	k.join();
	auto object = std::make_unique<derived>();
	base *pointer = object.get();
	std::vector<std::thread> threads;
	for (int n = 0; n < 3; n++)
		threads.emplace_back([pointer] { pointer->step(); }); // @EMPLACE
	for (auto &thread : threads)
		thread.join();
	return captured + object->steps; // @STEPSAFTER
}
/*
 * only: cxx.cc
 * race: PLAIN-PLAIN
 * race: DIFFERENT1-DIFFERENT2
 * race: CAPTURED1-CAPTURED2
 * race: STEP-STEP
 * race: BARE-BARE
 * race: SECOND-TWO
 * race: CAUGHT-THROWN
 * may: STEP-STEPSAFTER
 * may: MODED2-MODED2
 * may: CAPTURED1-CAPTURED1
 * may: EMPLACE-EMPLACE
 * no: LOCKED1-LOCKED2: locked
 * no: UNIQUE1-UNIQUE2: locked
 * no: MODED1-MODED2: locked
 * no: GUARDED-GUARDED: locked
 * no: MEMBER-MEMBER: locked
 */
