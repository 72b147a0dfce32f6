/*
 * StringBuffer of JDK 1.4: the source of an append gets shorter.
 *
 * append() asks the other buffer for its length and then copies so many characters out of it. Each of the two calls is
 * locked, but the other buffer is not locked from one to the next, and when it is cut in between the copy asks for
 * characters that are not there any more and throws. Described by Flanagan and Qadeer (PLDI 2003), rebuilt in C++ in
 * the collection of Yu and Narayanasamy (stringbuffer-jdk1.4). No data race.
 */
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

class string_buffer
{
      public:
	explicit string_buffer(const char *initial) : text(initial)
	{
	}
	void append(string_buffer &other);
	void erase_from(std::size_t start);
	std::size_t length();

      private:
	std::string first(std::size_t count);

	std::recursive_mutex lock; // guards text
	std::string text;
};

std::size_t string_buffer::length()
{
	std::lock_guard<std::recursive_mutex> hold(lock);
	return text.size();
}

std::string string_buffer::first(std::size_t count)
{
	std::lock_guard<std::recursive_mutex> hold(lock);
	if (count > text.size())
		throw std::out_of_range("string_buffer::first");
	return text.substr(0, count);
}

void string_buffer::append(string_buffer &other)
{
#ifdef FIXED
	std::scoped_lock hold(lock, other.lock);
#else
	std::lock_guard<std::recursive_mutex> hold(lock);
#endif
	std::size_t count = other.length();
	text += other.first(count);
}

void string_buffer::erase_from(std::size_t start)
{
	std::lock_guard<std::recursive_mutex> hold(lock);
	text.erase(start);
}

int main()
{
	string_buffer source("abc");
	string_buffer target("xyz");
	std::thread cutter([&] { source.erase_from(0); });
	target.append(source);
	cutter.join();
	std::printf("%s\n", target.length() == 3 || target.length() == 6 ? "whole" : "cut");
	return 0;
}
/*
 * pattern: RWR
 * finds: crash
 * options: -std=c++17
 * source: Flanagan and Qadeer (PLDI 2003); JDK 1.4 StringBuffer
 */
