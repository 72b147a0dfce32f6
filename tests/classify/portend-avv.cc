/*
 * Portend's AVV, all values valid: the racing threads write different values, and each of them is right.
 */
#include <cstdio>
#include <thread>

namespace
{

constexpr int server_count = 3;
const int capacities[server_count] = { 5, 5, 5 };

/* Where the next search for a server begins. */
volatile int preferred_server;

int request_from(int server)
{
	preferred_server = server; /*A*/
	return capacities[server];
}

int capacity_somewhere()
{
	int first = preferred_server; /*B*/
	for (int i = 0; i < server_count; i++)
		if (int capacity = capacities[(first + i) % server_count])
			return capacity;
	return 0;
}

} // namespace

int main()
{
	int found[2] = { 0, 0 };
	std::thread first([&] { found[0] = request_from(1); });
	std::thread second([&] { found[1] = request_from(2); });
	int capacity = capacity_somewhere();
	first.join();
	second.join();
	std::printf("capacity %d %d %d\n", found[0], found[1], capacity);
	return 0;
}
/*
 * expect: race A A class harmless reason both-values-valid
 * expect: race A B class harmless reason both-values-valid
 * source: Portend AVV
 * why: the search goes round all servers, so it finds the same capacity wherever it begins.
 */
