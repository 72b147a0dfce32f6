/* units: 4 */
/* gcc: 2 4 */
/* Units of gcc and of heddle-cc call each other, also through pointers and with structures by value. */
#include <stdio.h>

struct big { long a[6]; };
struct mixed { double d; int i; };
typedef struct big (*transform)(struct big, struct mixed, long double);
extern int trace;
struct big first(struct big, struct mixed, long double), second(struct big, struct mixed, long double), third(struct big, struct mixed, long double),
	fourth(struct big, struct mixed, long double);
transform choose(int);
extern const transform table[4];
#define BODY(name, next, k) \
	struct big name(struct big b, struct mixed m, long double l) \
	{ \
		trace = trace % 1000000 * 10 + UNIT; \
		b.a[k] += (long)m.d + m.i + (long)l; \
		m.i--; \
		return m.i > 0 ? choose(k + m.i)(next(b, (struct mixed){ m.d, 0 }, l), m, l / 2) : b; \
	}
#if UNIT == 1
int trace;
BODY(first, second, 0)
int main(void)
{
	struct big b = { { 1, 2, 3, 4, 5, 6 } };
	for (int i = 0; i < 4; i++)
		b = table[i](b, (struct mixed){ 2.5, 5 }, 9.75L);
	printf("%ld %ld %ld %ld %ld %ld %d\n", b.a[0], b.a[1], b.a[2], b.a[3], b.a[4], b.a[5], trace);
	printf("%d\n", choose(0) == first && choose(1) == second && table[2] == third && table[3] == fourth);
	return 0;
}
#elif UNIT == 2
BODY(second, third, 1)
transform choose(int i) { return table[i & 3]; }
#elif UNIT == 3
BODY(third, fourth, 2)
const transform table[4] = { first, second, third, fourth };
#else
BODY(fourth, first, 3)
#endif
