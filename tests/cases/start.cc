// units: 2
// Construction of static objects: streams before main, order within a unit, destructors at exit, local statics with
// guards entered from several threads.
#include <iostream>
#include <string>
#include <thread>
#include <vector>

struct Noisy { const char *name; explicit Noisy(const char *n) : name(n) { std::cout << "+" << name << std::endl; } ~Noisy() { std::cout << "-" << name << std::endl; } };
extern std::vector<std::string> &names();
#if UNIT == 1
static Noisy first("first"), second("second");
static int computed = (names().push_back("one"), (int)names().size());
__attribute__((init_priority(200))) static std::string early("early");
static Noisy &local() { static Noisy n("local"); return n; }
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([] { local(); });
	for (auto &t : threads)
		t.join();
	std::cout << computed << ' ' << names().size() << ' ' << local().name << ' ' << early << std::endl;
	static Noisy last("last");
	std::string input;
	std::getline(std::cin, input);
	return (int)input.size();
}
#else
std::vector<std::string> &names() { static std::vector<std::string> v; return v; }
static Noisy third("third");
static int more = (names().push_back("two"), 0);
#endif
