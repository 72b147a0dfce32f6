/*
 * A ticket lock: tickets are drawn with an atomic counter, the number that is served is a plain volatile, as many
 * such locks in the wild have it. It guards the total of an order book.
 */
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace
{

class TicketLock
{
	std::atomic<unsigned> next_ticket{ 0 };
	volatile unsigned now_serving = 0;

      public:
	void lock()
	{
		unsigned ticket = next_ticket.fetch_add(1, std::memory_order_relaxed);
		while (now_serving != ticket) /*A*/
			std::this_thread::yield();
	}

	void unlock()
	{
		now_serving = now_serving + 1; /*B*/
	}
};

struct Book {
	TicketLock lock;
	volatile int total = 0;

	void add(int amount)
	{
		lock.lock();
		total = total + amount; /*C*/
		lock.unlock();
	}
};

} // namespace

int main()
{
	Book book;
	std::vector<std::thread> traders;
	for (int i = 1; i <= 3; i++)
		traders.emplace_back([&book, i] { book.add(i * 5); });
	for (std::thread &trader : traders)
		trader.join();
	std::printf("total %d\n", book.total);
	return book.total == 30 ? 0 : 1;
}
/*
 * expect: race A B class harmless reason user-synchronisation|both-values-valid
 * expect: race B B class single-ordering
 * expect: race C C class single-ordering
 * why: a thread that reads the number too early waits; only the thread that is served gets to the total and to the increment, and the next one waits for it.
 */
