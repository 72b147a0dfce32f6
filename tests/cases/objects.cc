// units: 2
// Virtual calls, multiple and virtual inheritance, RTTI, lambdas, templates and inline variables in two units, member
// pointers, statics in functions.
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <typeinfo>
#include <vector>

struct Shape { virtual ~Shape() = default; virtual int area() const = 0; virtual Shape *copy() const = 0; int id = 0; };
struct Square : virtual Shape { int side; explicit Square(int s) : side(s) {} int area() const override { return side * side; } Square *copy() const override { return new Square(*this); } };
struct Named { std::string name; virtual const char *text() const { return name.c_str(); } virtual ~Named() {} };
struct NamedSquare : Square, Named { NamedSquare(int s, std::string n) : Square(s) { name = n; } const char *text() const override { return "named"; } int area() const override { return Square::area() + 1; } NamedSquare *copy() const override { return new NamedSquare(*this); } };

template <class T> struct Counter { static inline int made = 0; T last{}; Counter() { made++; } T add(T x) { static T sum{}; sum += x; return last = sum; } };
template <class T> T twice(T x) { static int calls; calls++; return x + x + (T)calls; }
template <int N> struct Fibonacci { static int get() { return Fibonacci<N - 1>::get() + Fibonacci<N - 2>::get(); } };
template <> inline int Fibonacci<0>::get() { return 0; }
template <> inline int Fibonacci<1>::get() { return 1; }
template <class... A> int count_all(A... a) { return (0 + ... + (int)a); }
inline int inline_variable = 5;
inline std::vector<int> inline_vector{1, 2, 3};
inline int inline_static() { static int n = inline_variable; return ++n; }
namespace { int hidden = UNIT; struct Local { int get() { return hidden++; } }; }
int other_unit(int), (*address_of_inline())(), (*address_of_template())(int);

#if UNIT == 1
struct Member { int x = 1; int plus(int y) { return x += y; } virtual int times(int y) { return x *= y; } int Member::*field() { return &Member::x; } };
struct Sub : Member { int times(int y) override { return x = x * y + 1; } };
__attribute__((noinline)) static int use(const Shape &s) { return s.area() + s.id; }
static int apply(const std::function<int(int)> &f, int n) { int r = 0; for (int i = 0; i < n; i++) r += f(i); return r; }
struct Chain { int v = 0; Chain &operator<<(int x) { v = v * 3 + x; return *this; } int operator()(int a, int b) { return v + a * b; } operator int() const { return v; } };
int main()
{
	NamedSquare named(4, "x");
	Square square(3);
	named.id = 7;
	Shape *copies[] = { named.copy(), square.copy() };
	for (Shape *s : copies) {
		auto *n = dynamic_cast<Named *>(s);
		printf("%d %s %s\n", use(*s), typeid(*s).name(), n ? n->text() : "-");
		delete s;
	}
	try { dynamic_cast<NamedSquare &>(static_cast<Shape &>(square)); } catch (const std::bad_cast &) { printf("bad cast\n"); }
	printf("%d %d\n", twice(2) + twice(2.5) > 0, other_unit(3));
	Counter<int> c; Counter<double> d;
	printf("%d %g %d %d\n", c.add(3) + c.add(4), d.add(1.5), Counter<int>::made, Counter<double>::made);
	printf("%d %d %d\n", Fibonacci<15>::get(), count_all(1, 2L, 3.5, 'a'), inline_static() + inline_static());
	printf("%d %d\n", address_of_inline() == &inline_static, address_of_template() == static_cast<int (*)(int)>(&twice<int>));
	inline_vector.push_back(inline_variable++);
	printf("%d %d %zu\n", Local().get(), hidden, inline_vector.size());
	int captured = 10;
	auto lambda = [&captured, n = 3](int x) mutable { captured += x; return captured * n++; };
	printf("%d %d\n", apply(lambda, 5), captured);
	auto generic = [](auto a, auto b) { return a + b; };
	printf("%d %s\n", generic(1, 2), generic(std::string("a"), "b").c_str());
	int (*plain)(int) = [](int x) { return x + inline_variable; };
	printf("%d\n", plain(2));
	Sub sub;
	int (Member::*method)(int) = &Member::plus, (Member::*dynamic)(int) = &Member::times;
	Member &m = sub;
	int total = (m.*method)(4), more = (m.*dynamic)(5);
	printf("%d %d %d\n", total, more, m.*(m.field()));
	Chain chain;
	chain << 1 << 2 << 3;
	printf("%d %d\n", (int)chain, chain(4, 5));
	std::map<std::string, std::vector<int>> table;
	for (int i = 0; i < 100; i++)
		table["k" + std::to_string(i % 7)].push_back(i);
	for (auto &[key, list] : table)
		total += (int)list.size() * key[1];
	printf("%d\n", total);
	return 0;
}
#else
int other_unit(int x) { Counter<int> c; return (int)twice(x) + c.add(x) + inline_static() + Local().get() + Fibonacci<10>::get(); }
int (*address_of_inline())() { return &inline_static; }
int (*address_of_template())(int) { return &twice<int>; }
#endif
