/* statics.cc: initialisation of static variables in functions, and std::call_once. */
#include <mutex>
#include <stdexcept>

#include "pair.h"

bool is_some;

/* One for all, made by whoever comes first. */
struct table {
	int size;
	explicit table(int number)
	{
		size = number; // @TABLE1
	}
};
__attribute__((noinline)) int seed()
{
	return is_some ? 3 : 4;
}
__attribute__((noinline)) static table &get_table()
{
	static table all(seed());
	return all;
}
THREAD(table_1)
{
	return get_table().size ? argument : nullptr; // @TABLE2
}
THREAD(table_2)
{
	int sum = get_table().size;                         // @TABLE3
	return sum + get_table().size ? argument : nullptr; // @TABLE4
}

/* Behind it they write. */
struct counter {
	int count;
	counter()
	{
		count = seed(); // @COUNT1
	}
};
THREAD(counter_1)
{
	static counter all;
	all.count++; // @COUNT2
	return nullptr;
}

/* Its construction may fail, and is tried again by another thread; who got an exception is not behind it. */
int tried;
struct trial {
	int size;
	trial()
	{
		tried = 1; // @TRIAL1
		if (seed() == 3)
			throw std::runtime_error("no");
		size = 1;
	}
};
__attribute__((noinline)) static int get_trial()
{
	static trial all;
	return all.size;
}
THREAD(trial_1)
{
	try {
		get_trial();
	} catch (const std::runtime_error &) {
		return tried ? argument : nullptr; // @TRIAL2
	}
	return tried ? argument : nullptr; // @TRIAL3
}

/* What initialises it is also called elsewhere. */
int shared;
__attribute__((noinline)) int share()
{
	return shared = seed(); // @SHARED1
}
THREAD(shared_1)
{
	static int all = share();
	return all + shared ? argument : nullptr; // @SHARED2
}
THREAD(shared_2)
{
	share();
	return nullptr;
}

/* By hand: it is looked at without an order, and with one. */
extern "C" int __cxa_guard_acquire(uint64_t *);
extern "C" void __cxa_guard_release(uint64_t *);
uint64_t weak_guard, strong_guard;
int weak, strong;
THREAD(weak_1)
{
	if (!__atomic_load_n((char *)&weak_guard, __ATOMIC_RELAXED) && __cxa_guard_acquire(&weak_guard)) {
		weak = 1; // @WEAK1
		__cxa_guard_release(&weak_guard);
	}
	return weak ? argument : nullptr; // @WEAK2
}
THREAD(strong_1)
{
	if (!__atomic_load_n((char *)&strong_guard, __ATOMIC_ACQUIRE) && __cxa_guard_acquire(&strong_guard)) {
		strong = 1; // @STRONG1
		__cxa_guard_release(&strong_guard);
		strong++; // @STRONG3
	}
	return strong ? argument : nullptr; // @STRONG2
}

/* Set back. */
uint64_t reset_guard;
int reset;
THREAD(reset_1)
{
	if (__cxa_guard_acquire(&reset_guard)) {
		reset = 1; // @RESET1
		__cxa_guard_release(&reset_guard);
	}
	int is_set = reset; // @RESET2
	if (is_some)
		__atomic_store_n(&reset_guard, 0, __ATOMIC_RELEASE);
	return is_set ? argument : nullptr;
}

/* std::call_once. */
std::once_flag flag;
int flagged;
THREAD(flag_1)
{
	std::call_once(flag, [] {
		flagged = seed(); // @FLAG1
	});
	return flagged ? argument : nullptr; // @FLAG2
}
THREAD(flag_2)
{
	return flagged ? argument : nullptr; // @FLAG3
}

int main(int argc, char **)
{
	is_some = argc > 1;
	BOTH(table_1, table_2);
	BOTH(counter_1, counter_1);
	BOTH(trial_1, trial_1);
	BOTH(shared_1, shared_2);
	BOTH(weak_1, weak_1);
	BOTH(strong_1, strong_1);
	BOTH(reset_1, reset_1);
	BOTH(flag_1, flag_1);
	BOTH(flag_1, flag_2);
	return 0;
}
/*
 * race: COUNT2-COUNT2
 * race: TRIAL1-TRIAL2
 * race: SHARED1-SHARED1
 * race: SHARED1-SHARED2
 * race: WEAK1-WEAK2
 * race: STRONG2-STRONG3
 * race: RESET1-RESET2
 * may: STRONG3-STRONG3
 * race: FLAG1-FLAG3
 * no: TABLE1-TABLE2: locked
 * no: TABLE1-TABLE3: locked
 * no: TABLE1-TABLE4: locked
 * no: COUNT1-COUNT2: locked
 * no: TRIAL1-TRIAL3: locked
 * no: STRONG1-STRONG2: locked
 * no: FLAG1-FLAG2: locked
 * only: statics.cc
 */
