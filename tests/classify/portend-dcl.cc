/*
 * Portend's DCL, double-checked locking: the criterion is tested without the lock first. Five threads, as in 001's
 * Table 4.
 */
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace
{

std::mutex mutex;
volatile bool is_initialised;
int initialisations;

void initialise_once()
{
	if (!is_initialised) { /*A*/
		std::lock_guard<std::mutex> guard(mutex);
		if (!is_initialised) {
			initialisations++;
			is_initialised = true; /*B*/
		}
	}
}

} // namespace

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(initialise_once);
	for (std::thread &thread : threads)
		thread.join();
	std::printf("initialised %d time\n", initialisations);
	return initialisations == 1 ? 0 : 1;
}
/*
 * expect: race A B class harmless reason double-check
 * source: Portend DCL
 * why: the test under the mutex decides; the one before it only saves the mutex.
 */
