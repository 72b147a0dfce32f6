/* Variable arguments: every class, va_copy, va_list passed on, more than the registers hold. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct small { int a, b; };
struct mixed { double d; int i; };
struct floats { float a, b, c; };
struct large { long l[5]; };
struct empty {};

int kept;

__attribute__((noinline)) static double sum(const char *kinds, ...)
{
	va_list list, again;
	va_start(list, kinds);
	va_copy(again, list);
	double total = 0;
	for (int pass = 0; pass < 2; pass++)
		for (const char *k = kinds; *k; k++) {
			va_list *from = pass ? &again : &list;
			kept++;
			switch (*k) {
			case 'i': total += va_arg(*from, int); break;
			case 'l': total += (double)va_arg(*from, long long); break;
			case 'd': total += va_arg(*from, double); break;
			case 'L': total += (double)va_arg(*from, long double); break;
			case 'p': total += *va_arg(*from, int *); break;
			case 's': { struct small s = va_arg(*from, struct small); total += s.a * s.b; break; }
			case 'm': { struct mixed m = va_arg(*from, struct mixed); total += m.d * m.i; break; }
			case 'f': { struct floats f = va_arg(*from, struct floats); total += f.a + f.b * f.c; break; }
			case 'g': { struct large g = va_arg(*from, struct large); total += (double)(g.l[0] + g.l[4]); break; }
			case 'w': total += (double)va_arg(*from, __int128); break;
			}
		}
	va_end(again);
	va_end(list);
	return total;
}

static char text[200];
__attribute__((noinline)) static int format_list(const char *format, va_list list) { return vsnprintf(text, sizeof text, format, list); }
__attribute__((noinline, format(printf, 1, 2))) static int format(const char *format_, ...)
{
	va_list list;
	va_start(list, format_);
	int n = format_list(format_, list);
	va_end(list);
	return n;
}
struct holder { va_list list; int left; };
__attribute__((noinline)) static int next(struct holder *h) { h->left--; return va_arg(h->list, int); }
__attribute__((noinline)) static int through(int n, ...)
{
	struct holder holder;
	holder.left = n;
	va_start(holder.list, n);
	int total = 0;
	while (holder.left)
		total = total * 10 + next(&holder);
	va_end(holder.list);
	return total;
}
static int (*volatile pointer)(int, ...) = through;

int main(void)
{
	int x = 5;
	struct small s = { 2, 3 };
	struct mixed m = { 1.5, 4 };
	struct floats f = { 1, 2, 3 };
	struct large g = { { 1, 2, 3, 4, 5 } };
	printf("%g\n", sum("i", 1));
	printf("%g\n", sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	printf("%g\n", sum("dddddddddddd", 1.5, 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.));
	printf("%g\n", sum("idLspmfglLi", 1, 2.5, 3.5L, s, &x, m, f, g, 10ll, 11.25L, 12));
	printf("%g\n", sum("gsgsmfmfmfssss", g, s, g, s, m, f, m, f, m, f, s, s, s, s));
	int n = format("%d %s %.2f %c %ld %Lg", 42, "text", 3.14159, 'x', 1L << 40, 2.5L);
	printf("%d %s\n", n, text);
	printf("%d %d\n", through(7, 1, 2, 3, 4, 5, 6, 7), pointer(9, 1, 2, 3, 4, 5, 6, 7, 8, 9));
	printf("%d\n", kept);
	return 0;
}
