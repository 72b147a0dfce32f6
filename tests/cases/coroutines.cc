// options: -std=c++20
// Coroutines: generators, frames on the heap, exceptions out of a coroutine; and consteval, ranges, atomics of C++20.
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <numeric>
#include <ranges>
#include <vector>

static int frames;
struct Generator {
	struct promise_type {
		int value = 0;
		std::exception_ptr error;
		Generator get_return_object() { frames++; return Generator{ std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v) { value = v; return {}; }
		void return_void() {}
		void unhandled_exception() { error = std::current_exception(); }
	};
	std::coroutine_handle<promise_type> handle;
	explicit Generator(std::coroutine_handle<promise_type> h) : handle(h) {}
	Generator(Generator &&o) : handle(o.handle) { o.handle = nullptr; }
	~Generator() { if (handle) handle.destroy(), frames--; }
	bool next() { handle.resume(); if (handle.promise().error) std::rethrow_exception(handle.promise().error); return !handle.done(); }
	int value() const { return handle.promise().value; }
};
static int shared[4];
static Generator fibonacci(int n)
{
	int a = 0, b = 1, local[4] = { 0 };
	for (int i = 0; i < n; i++) {
		shared[i % 4] += a, local[i % 4] += b;
		co_yield a + local[i % 4] % 2;
		int c = a + b;
		a = b, b = c;
	}
}
static Generator nested(int n)
{
	auto inner = fibonacci(n);
	while (inner.next())
		co_yield inner.value() * 2;
	if (n == 3)
		throw n;
}
int main()
{
	for (int n = 2; n < 6; n++) {
		auto g = nested(n);
		try {
			while (g.next())
				printf("%d ", g.value());
			printf("end %d\n", frames);
		} catch (int e) {
			printf("threw %d\n", e);
		}
	}
	printf("%d %d %d\n", frames, shared[1], shared[2]);
	int total = 0;
	for (int x : std::views::iota(1, 50) | std::views::filter([](int i) { return i % 3 == 0; }) | std::views::transform([](int i) { return i * i; }))
		total += x;
	std::atomic_ref<int> reference(total);
	reference += 5;
	printf("%d\n", total);
	return 0;
}
