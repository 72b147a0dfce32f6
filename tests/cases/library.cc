// options: -pthread
// The standard library: threads, mutexes, condition variables, atomics of every size, futures, strings, regular
// expressions, streams, thread_local objects with destructors.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <regex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::atomic<int> destroyed, made;
struct PerThread { int n = 0; PerThread() { made++; } ~PerThread() { destroyed += n; } };
thread_local PerThread per_thread;
static thread_local std::string buffer = "start";
struct alignas(16) Pair { long a, b; bool operator==(const Pair &o) const { return a == o.a && b == o.b; } };
class Queue {
	std::mutex lock;
	std::condition_variable ready;
	std::deque<int> items;
	bool is_closed = false;
public:
	void put(int x) { { std::lock_guard g(lock); items.push_back(x); } ready.notify_one(); }
	void close() { { std::lock_guard g(lock); is_closed = true; } ready.notify_all(); }
	bool get(int &x) { std::unique_lock g(lock); ready.wait(g, [this] { return is_closed || !items.empty(); }); if (items.empty()) return false; x = items.front(); items.pop_front(); return true; }
};
template <class T> T each(std::atomic<T> &a, T start)
{
	a.store(start, std::memory_order_relaxed);
	T e = start, sum = a.load(std::memory_order_acquire);
	sum += a.exchange(start + 1, std::memory_order_acq_rel);
	bool no = a.compare_exchange_strong(e, 9, std::memory_order_seq_cst, std::memory_order_relaxed);
	bool yes = a.compare_exchange_weak(e, e + 3, std::memory_order_release, std::memory_order_acquire);
	sum += (T)(no * 10 + yes) + ++a + a-- + (a += 5) + (a |= 1) + a.fetch_and(0x7f) + a.fetch_xor(3);
	std::atomic_thread_fence(std::memory_order_seq_cst);
	return sum + a;
}
static std::atomic<signed char> a1; static std::atomic<short> a2; static std::atomic<int> a4; static std::atomic<long> a8; static std::atomic<bool> ab; static std::atomic<double> ad; static std::atomic<int *> ap;
static int cells[8];

int main()
{
	std::cout << each<signed char>(a1, 3) + 0 << ' ' << each<short>(a2, 300) << ' ' << each<int>(a4, 30000) << ' ' << each<long>(a8, 1l << 40) << '\n';
	ab = true; ad = 1.5; ap = cells; ap += 3;
	std::cout << ab.exchange(false) << ab << ' ' << ad.exchange(2.5) << ad << ' ' << (ap - 1) - cells << '\n';
	Queue queue;
	std::vector<std::thread> threads;
	std::atomic<long> sum{0};
	for (int t = 0; t < 3; t++)
		threads.emplace_back([&] { int x; while (queue.get(x)) { sum += x; per_thread.n++; buffer += 'x'; } });
	for (int i = 0; i < 500; i++)
		queue.put(i);
	queue.close();
	for (auto &t : threads)
		t.join();
	std::cout << sum << ' ' << destroyed << ' ' << buffer << '\n';
	auto future = std::async(std::launch::async, [] { std::vector<int> v(1000); std::iota(v.begin(), v.end(), 0); std::sort(v.rbegin(), v.rend()); return std::accumulate(v.begin(), v.end(), 0) + v[0]; });
	std::promise<std::string> promise;
	std::thread([&] { promise.set_value("promised"); }).join();
	std::cout << future.get() << ' ' << promise.get_future().get() << '\n';
	std::once_flag once;
	int ran = 0;
	for (int i = 0; i < 3; i++)
		std::call_once(once, [&] { ran++; });
	std::shared_mutex shared;
	std::unordered_map<std::string, int> words;
	std::istringstream text("the quick brown fox jumps over the lazy dog the end");
	for (std::string w; text >> w;) { std::unique_lock g(shared); words[w]++; }
	std::shared_lock reading(shared);
	std::cout << ran << ' ' << words["the"] << ' ' << words.size() << '\n';
	std::regex pattern("([a-z]+)-([0-9]+)");
	std::string subject = "abc-123 de-45 f-6 none";
	for (std::sregex_iterator i(subject.begin(), subject.end(), pattern), end; i != end; ++i)
		std::cout << (*i)[1] << '=' << (*i)[2] << ' ';
	std::cout << std::regex_replace(subject, pattern, "$2:$1") << '\n';
	auto pointer = std::make_shared<std::vector<int>>(10, 4);
	std::weak_ptr<std::vector<int>> weak = pointer;
	{ auto second = weak.lock(); (*second)[3] = 9; std::cout << second.use_count() << ' '; }
	pointer.reset();
	std::cout << weak.expired() << '\n';
	std::ostringstream out;
	out << 3.25 << ' ' << std::hex << 255 << ' ' << std::string(3, 'z');
	std::cout << out.str() << std::endl;
	return 0;
}
