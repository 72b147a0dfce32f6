/* Control flow: tables of functions, callbacks, tail calls, recursion, alloca, setjmp, computed goto, switches. */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int counter, depth_seen;
static int one(int x) { counter += 1; return x + 1; }
static int two(int x) { counter += 2; return x * 2; }
static int three(int x) { counter += 3; return x - 3; }
static int (*const table[])(int) = { one, two, three };
static int (*changing[3])(int) = { three, two, one };
struct operations { const char *name; int (*run)(int); } static const operations[] = { { "one", one }, { "two", two } };

static int compare(const void *a, const void *b) { counter++; return *(const int *)a - *(const int *)b; }
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void first(void) { counter += 100; }
static void leave(void) { printf("atexit %d\n", counter); }

__attribute__((noinline)) static int odd(unsigned n);
__attribute__((noinline)) static int even(unsigned n) { counter++; return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) static int odd(unsigned n) { counter++; return n == 0 ? 0 : even(n - 1); }
__attribute__((noinline)) static int deep(int n) { volatile char pad[64]; pad[n % 64] = (char)n; depth_seen = n; return n ? deep(n - 1) + pad[n % 64] % 2 : 0; }
__attribute__((noinline)) static int ackermann(int m, int n) { counter++; return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__attribute__((noinline)) static int must_tail_end(int n, int sum) { counter++; return sum + n; }
__attribute__((noinline)) static int must_tail(int n, int sum)
{
	counter++;
	if (n == 0)
		__attribute__((musttail)) return must_tail_end(n, sum);
	__attribute__((musttail)) return must_tail(n - 1, sum + n);
}

__attribute__((noinline)) static int stack(int n)
{
	int *a = alloca((size_t)n * sizeof *a), vla[n + 1], total = 0;
	for (int i = 0; i < n; i++)
		a[i] = i, vla[i + 1] = a[i] * 2, vla[0] = n;
	for (int i = 0; i < 3; i++) {
		char *again = alloca(16);
		memset(again, i, 16);
		total += again[5];
	}
	for (int i = 0; i < n; i++)
		total += a[i] + vla[i];
	return total;
}

static jmp_buf there;
static sigjmp_buf signal_there;
__attribute__((noinline)) static void jump(int n) { counter++; if (n == 0) longjmp(there, 42); jump(n - 1); }
__attribute__((noinline)) static int land(void)
{
	volatile int tries = 0;
	int r = setjmp(there);
	tries++;
	if (tries < 4)
		jump(tries);
	return r + tries;
}
__attribute__((noinline)) static int signal_land(void)
{
	volatile int n = 0;
	int r = sigsetjmp(signal_there, 1);
	if (n++ < 3)
		siglongjmp(signal_there, n);
	return r * 10 + n;
}
__attribute__((noinline)) static int builtin_land(void)
{
	static void *buffer[5];
	volatile int n = 0;
	if (__builtin_setjmp(buffer))
		n += 10;
	if (n++ < 20)
		__builtin_longjmp(buffer, 1);
	return n;
}

static int interpret(const unsigned char *code)
{
	static const void *const labels[] = { &&push, &&add, &&mul, &&stop };
	int stack_[16], at = 0;
#define NEXT goto *labels[*code++]
	NEXT;
push:
	stack_[at++] = *code++;
	counter++;
	NEXT;
add:
	at--, stack_[at - 1] += stack_[at];
	NEXT;
mul:
	at--, stack_[at - 1] *= stack_[at];
	NEXT;
stop:
	return stack_[0];
}
__attribute__((noinline)) static void *label_of(int i) { void *a = &&x, *b = &&y; void *volatile p = i ? a : b; if (i == 2) goto *p; x: counter++; return a == b ? NULL : p; y: return p; }

__attribute__((noinline)) static int big_switch(int x)
{
	switch (x) {
#define C(n) case n: counter += n; return n * 7 % 13;
#define C10(n) C(n) C(n + 1) C(n + 2) C(n + 3) C(n + 4) C(n + 5) C(n + 6) C(n + 7) C(n + 8) C(n + 9)
	C10(0) C10(10) C10(20) C10(30) C10(40) C10(50) C10(60) C10(70)
	case 1000: return one(x);
	case 100000: return two(x);
	default: return -1;
	}
}
__attribute__((noinline)) static long many(int a, long b, char c, short d, int e, int f, int g, long h, int i, int j, double k, float l, int m, int n, double o, double p, double q, double r, double s, double t, double u, long double v, int w, int *x)
{
	*x += a;
	return (long)(a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12 + m * 13 + n * 14 + o * 15 + p * 16 + q * 17 + r * 18 + s * 19 + t * 20 + u * 21 + v * 22 + w * 23 + *x);
}
__attribute__((always_inline)) static inline int inlined(int x) { counter += x; return counter; }
static const char *text_a(void) { return "the same text"; }
static const char *text_b(void) { return "the same text"; }

int main(void)
{
	atexit(leave);
	int total = 0;
	for (int i = 0; i < 9; i++) {
		total += table[i % 3](i) + changing[i % 3](i) + operations[i % 2].run(i);
		changing[i % 3] = table[(i + 1) % 3];
	}
	printf("%d %d %d\n", total, counter, table[0] == one && operations[0].run == one && changing[0] != three);
	int values[50];
	for (int i = 0; i < 50; i++)
		values[i] = i * 37 % 50;
	qsort(values, 50, sizeof *values, compare);
	int key = 17, *found = bsearch(&key, values, 50, sizeof *values, compare);
	printf("%d %d %d\n", values[0], values[49], (int)(found - values));
	for (int i = 0; i < 3; i++)
		pthread_once(&once, first);
	printf("%d %d\n", even(1001), odd(1001));
	printf("%d\n", deep(20000));
	printf("%d %d\n", ackermann(2, 9), must_tail(100000, 0));
	printf("%d %d\n", stack(10), stack(1000));
	printf("%d %d %d\n", land(), signal_land(), builtin_land());
	printf("%d %d\n", interpret((unsigned char[]){ 0, 6, 0, 7, 2, 0, 3, 1, 3 }), label_of(1) != NULL);
	total = 0;
	for (int i = -3; i < 90; i++)
		total += big_switch(i);
	printf("%d %d %d\n", total, big_switch(1000), big_switch(100000));
	int x = 3;
	printf("%ld %d\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, &x), x);
	printf("%d %d\n", inlined(2), text_a() == text_b());
	return counter % 100;
}
