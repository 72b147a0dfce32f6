// Exceptions, thread_local objects with destructors, statics of functions, a lambda's captures, coroutines of C++20.
#include <coroutine>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
struct Own {
	int n[4] = {};
	~Own()
	{
		n[1]++;
	}
};
static thread_local Own own;
struct Step {
	struct promise_type {
		int value = 0;
		Step get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int n)
		{
			value = n;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
	std::coroutine_handle<promise_type> handle;
};
static Step numbers(int n)
{
	int a[4] = {};
	for (int i = 0; i < n; i++) {
		a[i % 4] += i;
		co_yield a[i % 4];
	}
}
static std::mutex m;
static int total;
static __attribute__((noinline)) void fails(int n)
{
	int a[4] = { n };
	own.n[2] += a[0];
	if (n == 0)
		throw n;
	fails(n - 1);
}
static std::vector<int> &made()
{
	static std::vector<int> v(8);
	return v;
}
static void work()
{
	int sum = 0;
	try {
		fails(3);
	} catch (int n) {
		sum += n;
	}
	Step step = numbers(3);
	for (int i = 0; i < 3; i++) {
		step.handle.resume();
		sum += step.handle.promise().value;
	}
	step.handle.destroy();
	std::lock_guard<std::mutex> guard(m);
	total += sum;
	made()[1]++;
}
int main()
{
	int local = 0;
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(work);
	std::thread one([&local] {
		local++;
		work();
	});
	one.join();
	local++;
	for (auto &t : threads)
		t.join();
	std::printf("%d %d %d\n", total, local, made()[1]);
}
