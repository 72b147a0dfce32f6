/*
 * A sharded counter picks the next shard from a plain variable that all threads advance. Lost advances only mean that
 * a shard is used twice; each shard has a mutex, and what is printed is the sum.
 */
#include <array>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace
{

struct Shard {
	std::mutex mutex;
	long count = 0;
};

class ShardedCounter
{
	std::array<Shard, 2> shards;
	volatile unsigned next_shard = 0;

      public:
	void add(long amount)
	{
		unsigned chosen = next_shard; /*A*/
		next_shard = chosen + 1;      /*B*/
		Shard &shard = shards[chosen % shards.size()];
		std::lock_guard<std::mutex> guard(shard.mutex);
		shard.count += amount;
	}

	long sum()
	{
		long total = 0;
		for (Shard &shard : shards) {
			std::lock_guard<std::mutex> guard(shard.mutex);
			total += shard.count;
		}
		return total;
	}
};

} // namespace

int main()
{
	ShardedCounter counter;
	std::vector<std::thread> threads;
	for (int i = 1; i <= 3; i++)
		threads.emplace_back([&counter, i] { counter.add(i); });
	for (std::thread &thread : threads)
		thread.join();
	std::printf("sum %ld\n", counter.sum());
	return 0;
}
/*
 * expect: race A B class harmless reason both-values-valid
 * expect: race B B class harmless reason both-values-valid
 * why: every shard is a right one to add to, so any value of next_shard is valid, and the sum is over all of them.
 */
