/*
 * A header name that is made lower case where it is, by whoever compares it: the same bytes get the same values
 * again.
 */
#include <cstdio>
#include <cstring>
#include <thread>

namespace
{

class HeaderName
{
	char name[5] = "HoSt";

      public:
	void normalise()
	{
		for (int i = 0; i < 4; i++) {
			volatile char *at = &name[i];
			*at = static_cast<char>(*at | 0x20); /*A*/
		}
	}

	bool equals(const char *other)
	{
		normalise();
		return std::memcmp(name, other, 4) == 0; /*B*/
	}
};

} // namespace

int main()
{
	HeaderName name;
	bool is_host = false, is_date = true;
	std::thread first([&] { is_host = name.equals("host"); });
	std::thread second([&] { is_date = name.equals("date"); });
	first.join();
	second.join();
	std::printf("host %d date %d\n", is_host, is_date);
	return 0;
}
/*
 * expect: race A A class harmless reason redundant-write|both-values-valid
 * expect: race A B class harmless reason redundant-write
 * why: a letter that was made lower case stays so when it is made lower case again, and each thread has done it itself before it compares.
 */
