// units: 2
// gcc: 2
// Exceptions through several frames, through a unit of gcc, from constructors and destructors, rethrown, across threads.
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern int trace;
int through_gcc(int depth, int (*next)(int));

#if UNIT == 1
int trace;
static std::string written;
struct Guard {
	char name;
	explicit Guard(char n) : name(n) { written += name; }
	~Guard() { written += (char)(name - 'a' + 'A'); trace++; }
};
struct Base : std::runtime_error {
	int code;
	Base(int c) : std::runtime_error("base " + std::to_string(c)), code(c) { trace += c; }
	virtual ~Base() = default;
};
struct Derived : Base { using Base::Base; };
struct Member { int x; Member(int v) : x(v) { if (v == 3) throw Derived(v); written += 'm'; } ~Member() { written += 'M'; } };
struct Whole { Guard g; Member a, b; Whole(int v) : g('w'), a(v), b(v + 1) {} ~Whole() { written += '!'; } };
struct Try { Member m; Try(int v) try : m(v) {} catch (Base &e) { written += 't'; throw; } };

__attribute__((noinline)) static int deep(int n)
{
	Guard guard((char)('a' + n));
	trace += n;
	if (n == 0)
		throw Derived(trace % 7);
	return n % 2 ? through_gcc(n - 1, deep) : deep(n - 1);
}
__attribute__((noinline)) static int rethrow(int n)
{
	try {
		return deep(n);
	} catch (const std::logic_error &) {
		return -1;
	} catch (Base &e) {
		e.code += 100;
		Guard guard('r');
		throw;
	}
}
__attribute__((noinline)) static int finally(int n)
{
	for (int i = 0; i < 3; i++)
		try {
			if (i == n)
				throw i;
			if (i == 2)
				throw "text";
		} catch (int v) {
			trace += v;
			continue;
		} catch (const char *text) {
			return text[0];
		}
	return 0;
}
static void never() noexcept { trace++; }
static int (*volatile pointer)(int) = rethrow;
int main()
{
	try {
		pointer(6);
	} catch (const Derived &e) {
		printf("derived %d %s\n", e.code, e.what());
	}
	printf("%s %d\n", written.c_str(), trace);
	written.clear();
	for (int i = 1; i < 4; i++)
		try {
			Whole whole(i);
			written += ' ';
		} catch (const std::exception &e) {
			written += e.what();
		}
	try { Try t(3); } catch (...) { written += '.'; }
	printf("%s\n", written.c_str());
	printf("%d %d\n", finally(0), finally(2));
	std::exception_ptr kept;
	std::thread([&] { try { deep(3); } catch (...) { kept = std::current_exception(); } }).join();
	try { std::rethrow_exception(kept); } catch (const Base &e) { printf("kept %s\n", e.what()); }
	try { try { deep(1); } catch (...) { std::throw_with_nested(std::logic_error("outer")); } }
	catch (const std::exception &e) { try { std::rethrow_if_nested(e); } catch (const std::exception &inner) { printf("%s: %s\n", e.what(), inner.what()); } }
	try { std::vector<int> v(3); v.at(7) = 1; } catch (const std::out_of_range &) { printf("out of range\n"); }
	try { auto p = std::make_unique<Member>(3); } catch (const Base &) { printf("not made\n"); }
	try { throw std::make_pair(1, 2.5); } catch (const std::pair<int, double> &p) { printf("%d %g\n", p.first, p.second); }
	never();
	for (int i = 0; i < 2000; i++)
		try { deep(i % 5); } catch (const Base &e) { trace += e.code; }
	printf("%d %d\n", trace, (int)(written.size() % 1000));
	return trace % 50;
}
#else
int through_gcc(int depth, int (*next)(int))
{
	struct Local { ~Local() { trace += 3; } } local;
	return next(depth) + 1;
}
#endif
