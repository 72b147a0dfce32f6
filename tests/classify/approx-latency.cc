/*
 * A moving average of latencies that all requests update without a mutex. It has to stay between the smallest and the
 * largest latency, and does.
 */
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace
{

class Latency
{
	volatile double average = 10;

      public:
	void add(double milliseconds)
	{
		double old = average;                     /*A*/
		average = old + (milliseconds - old) / 4; /*B*/
	}

	bool is_plausible() const
	{
		return average >= 4 && average <= 20;
	}
};

struct Request {
	double milliseconds;
	int status;
};

} // namespace

int main()
{
	Latency latency;
	std::vector<Request> requests = { { 4, 0 }, { 20, 0 }, { 12, 0 } };
	std::vector<std::thread> threads;
	for (Request &request : requests)
		threads.emplace_back([&latency, &request] {
			latency.add(request.milliseconds);
			request.status = 200;
		});
	int answered = 0;
	for (size_t i = 0; i < threads.size(); i++) {
		threads[i].join();
		answered += requests[i].status == 200;
	}
	if (!latency.is_plausible())
		std::abort();
	std::printf("answered %d\n", answered);
	return 0;
}
/*
 * expect: race A B class harmless reason approximate
 * expect: race B B class harmless reason approximate
 * why: a lost update makes the average a little older; only its bounds are tested, and each update keeps them.
 */
